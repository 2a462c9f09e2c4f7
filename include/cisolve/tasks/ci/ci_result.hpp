// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/solver/davidson.hpp"

namespace cisolve {

/// One determinant or CSF of an eigenvector.
struct LeadingConfiguration {
  std::string occupation;  ///< one character per active orbital: 2, 0, u, d (docs/output.md)
  double coefficient = 0.0;
  double weight = 0.0;  ///< coefficient squared
};

/// Everything a CI run found: what the result file holds and the report prints. Hartree and
/// seconds. Roots ascend; arrays over roots have the same length. Mirrors the tables of
/// docs/output.md: one struct per group.
struct CiResult {
  std::string version, created;  ///< created: UTC, ISO 8601
  std::string title, input_text, resolved_text;

  /// A molecule and its SCF, where the integrals come from them: /molecule of the result file.
  struct Molecule {
    std::vector<std::string> labels;    ///< of the atoms
    std::vector<std::int32_t> charges;  ///< of the nuclei
    std::vector<double> coordinates;    ///< [atoms * 3], bohr, in the frame of the calculation
    std::vector<double> origin, axes;   ///< of that frame, in the axes given: [3] bohr, [3 * 3] rows x, y, z
    bool reoriented = false;
    int charge = 0, multiplicity = 1;
    std::string point_group, largest_group;
    std::string basis, functions;  ///< "cartesian" or "spherical"
    int num_functions = 0, num_dependent = 0;
    std::string method;       ///< "RHF", "ROHF"
    bool from_guess = false;  ///< the SCF began with orbitals of another geometry
    double nuclear_repulsion = 0.0;
    bool stability_checked = false;
    double lowest_eigenvalue = 0.0;                              ///< of the orbital Hessian / 4
    std::vector<std::int32_t> doubly_occupied, singly_occupied;  ///< per irrep
    std::vector<double> orbital_energies;
    std::vector<std::int32_t> occupations, orbital_irreps;  ///< of each orbital; irreps 1-based
    std::vector<double> coefficients;  ///< [orbitals * num_functions], an orbital after the other
    std::vector<double> scf_energies, scf_gradients;  ///< per iteration
  };
  std::optional<Molecule> molecule;

  struct System {
    std::string integrals_file;                    ///< empty: a molecule's
    int n_orbitals = 0, n_electrons = 0, ms2 = 0;  ///< active
    int n_frozen_core = 0, n_frozen_virtual = 0;
    double core_energy = 0.0, reference_energy = 0.0;
    std::optional<double> scf_energy;  ///< where an SCF was done
    std::string point_group = "unknown";
    std::uint64_t integrals_hash = 0;
    std::vector<std::int32_t> orbital_irreps;   ///< 1-based
    std::vector<std::int32_t> active_orbitals;  ///< 1-based number in the file or of the SCF
    std::vector<std::int32_t> core_orbitals;    ///< likewise, of the frozen core
  } system;

  /// Determinants as blocks: run r holds alpha string run_alpha[r] with every beta string of list
  /// run_list[r], in rows run_first_row[r], run_first_row[r] + 1, ...
  struct StringBlocks {
    std::vector<std::uint64_t> alpha, beta;   ///< [strings * words]
    std::vector<std::int64_t> run_first_row;  ///< [runs], ascending
    std::vector<std::int32_t> run_alpha, run_list;
    std::vector<std::int64_t> list_offsets;  ///< [lists + 1] into list_members
    std::vector<std::int32_t> list_members;  ///< numbers of beta strings
  };

  struct Space {
    std::string basis = "determinant";
    std::int64_t dimension = 0, reference_dimension = 0;
    int excitation_level = 0;  ///< -1: full
    int irrep = 0;             ///< 1-based; 0: all
    bool spin_complete = true;
    std::uint64_t hash = 0;
    std::vector<std::int64_t> level_counts;  ///< functions per excitation level
    int words = 1;                           ///< 64-bit words per string
    std::vector<std::uint64_t> alpha, beta;  ///< determinants: [dimension * words]; empty with blocks
    StringBlocks blocks;                     ///< determinants; empty where alpha and beta are listed
    std::vector<std::uint8_t> steps;         ///< CSFs: [dimension * n_orbitals]; 0, 1: S + 1/2, 2: S - 1/2, 3
    std::string reference;                   ///< occupation of the first reference
  } space;

  struct Hamiltonian {
    std::string storage;
    std::int64_t rows = 0, nonzeros = 0, bytes = 0;
    std::int64_t ell_width = 0, tail_nonzeros = 0;
    std::int64_t csr_bytes = 0, ell_bytes = 0;  ///< what those formats would take, for the report
    double reference_sparsity = 0.0, expansion_sparsity = 0.0, sparsity = 0.0;
    double build_seconds = 0.0;
    std::string device;  ///< e.g. "cpu, 2 threads", "NVIDIA H200"
  } hamiltonian;

  struct States {
    std::vector<double> energy, residual_norm, s_squared;
    std::vector<std::uint8_t> converged;
    std::vector<std::int32_t> irrep;      ///< 1-based; 0: mixed
    std::vector<std::string> irrep_name;  ///< "A1", or the number where the group is unknown
    std::vector<std::vector<LeadingConfiguration>> leading;
    std::vector<double> reference_weight;  ///< of the reference determinants in each root, c0^2
    std::vector<double> davidson_q, renormalised_q,
        pople_q;                       ///< estimates for higher excitations, hartree; NaN: none
    std::vector<std::int32_t> sector;  ///< 1-based number in `sectors`; empty if there is one sector
    Array<double> vectors;             ///< [nroots * dimension], root-major; may be empty
  } states;

  /// Properties of a molecule's roots, in the frame of the calculation; dipoles in e bohr.
  struct Properties {
    std::vector<double> dipole;             ///< [nroots * 3], nuclei and frozen core included
    std::vector<double> transition_dipole;  ///< [nroots * nroots * 3]; symmetric; dipoles on the diagonal;
                                            ///< NaN between roots of different sectors, as below
    std::vector<double>
        oscillator_strength;  ///< [nroots * nroots], from the first to the second; antisymmetric
    std::vector<double> natural_occupations;  ///< [nroots * n_orbitals], active, descending
    std::vector<double> mulliken_charges;     ///< [nroots * atoms], e
  };
  std::optional<Properties> properties;

  struct Solver {
    std::string status;  ///< converged, not converged, stagnated, interrupted
    std::string start;   ///< where the start vectors came from, in words; may be empty
    std::int64_t num_applications = 0;
    std::vector<IterationRecord> history;
  } solver;

  /// States of one irrep and one multiplicity.
  struct Sector {
    int irrep = 0;         ///< 1-based; 0: all
    int multiplicity = 0;  ///< 0: every S >= |Ms|
    int ms2 = 0;
    Space space;
    Hamiltonian hamiltonian;
    States states;                         ///< in `sectors` below: the vectors alone
    std::optional<Properties> properties;  ///< not in `sectors` below
    Solver solver;
  };
  /// The sectors, where several irreps or multiplicities were asked for: `states` then holds the roots of
  /// all, and `space` and `hamiltonian` above nothing. Empty otherwise.
  std::vector<Sector> sectors;

  struct Timing {
    double integrals = 0, space = 0, hamiltonian = 0, transfer = 0, solve = 0, analysis = 0, total = 0;
  } timing;

  std::vector<std::string> warnings;
};

}  // namespace cisolve
