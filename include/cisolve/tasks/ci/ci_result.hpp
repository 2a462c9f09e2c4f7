// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/problem/functions.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci/root.hpp"
#include "cisolve/tasks/lattice/lattice_description.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

/// Everything a CI run found: what the result file holds and the report prints. Hartree and
/// seconds. Sectors with their roots, and the order of all roots; one struct per group of docs/output.md.
struct CiResult {
  std::string version, created;  ///< created: UTC, ISO 8601
  std::string title, input_text, resolved_text;

  /// A molecule and its SCF, where the integrals come from them: /molecule of the result file.
  struct Molecule {
    std::vector<std::string> labels;    ///< of the atoms
    std::vector<std::int32_t> charges;  ///< of the nuclei
    std::vector<double> coordinates;    ///< [atoms * 3], bohr, in the frame of the calculation
    std::vector<double> origin, axes;   ///< of that frame, in the axes given: [3] bohr, [3 * 3] rows x, y, z
    std::vector<double> point_charges, point_charge_positions;  ///< e; [charges * 3] bohr, in the frame
    std::vector<double> field;             ///< [3] hartree/(e bohr), in the frame; empty: none
    std::vector<double> bond_lengths;      ///< [bonds], bohr
    std::vector<std::int32_t> bond_atoms;  ///< [bonds * 2], from 1
    bool reoriented = false;
    int charge = 0, multiplicity = 1;
    std::string point_group, largest_group;
    std::string basis, functions;  ///< of the latter see function_types
    std::string basis_set;  ///< exponents and coefficients in Gaussian94 format; empty in files of 0.1.0
    int num_functions = 0, num_dependent = 0;
    std::string method;         ///< "RHF", "ROHF", "UHF"; "file": no SCF was done
    std::string orbitals_file;  ///< that the orbitals come from in place of an SCF; empty: an SCF
    bool from_guess = false;    ///< the SCF began with orbitals of another geometry
    std::string search;         ///< how it came down from the state first found, in words; may be empty
    /// Of the states that orbitals of another geometry and superposed atomic densities lead to; where each was tried.
    std::optional<double> carried_energy, fresh_energy;
    /// Of UHF: the lowest RHF or ROHF state found, hartree, and <S^2> of the determinant.
    std::optional<double> restricted_energy, s_squared;
    double nuclear_repulsion = 0.0;
    bool stability_checked = false;
    double lowest_eigenvalue = 0.0;  ///< of the orbital Hessian / 4; of UHF / 2
    std::vector<std::int32_t> doubly_occupied,
        singly_occupied;  ///< per irrep; of UHF beta's, and what alpha has more
    std::vector<double> orbital_energies;
    std::vector<std::int32_t> occupations, orbital_irreps;  ///< of each orbital; irreps 1-based
    std::vector<double> coefficients;  ///< [orbitals * num_functions], an orbital after the other
    std::vector<std::string> orbital_labels, orbital_contributions;  ///< "5b1"; "O 2p 0.81, H2+H3 1s 0.17"
    /// Of UHF, where those above are alpha's: beta's, at the same places and of the same irreps; else empty.
    std::vector<double> beta_energies, beta_coefficients;
    std::vector<std::int32_t> beta_occupations;
    std::vector<std::string> beta_contributions;
    std::vector<double> scf_energies, scf_gradients;  ///< per iteration
  };
  std::optional<Molecule> molecule;

  using Lattice = LatticeDescription;
  std::optional<Lattice> lattice;

  /// What the roots of a lattice are like, in the order of `roots`: /states/lattice. Of degenerate roots the average.
  struct LatticeStates {
    std::vector<std::int32_t> group;  ///< [roots] number, from 1, of the degenerate roots that are averaged
    std::vector<double> kinetic, exchange, interaction, repulsion;  ///< [roots]
    std::vector<double> density, double_occupancy;                  ///< [roots * sites]
    std::vector<double> s_s, sz_sz, n_n;  ///< [roots * sites] by displacement, else [roots * sites * sites]
    std::vector<double> spin_structure_factor, charge_structure_factor;  ///< [roots * sites]; empty: none
    std::vector<double> momentum_distribution;                           ///< [roots * 2 * sites]; empty: none
  };
  std::optional<LatticeStates> lattice_states;
  std::vector<double>
      momenta;  ///< [roots * 2] total momentum, in units of pi; NaN: not known. Empty: no lattice

  /// The unit of all energies: "hartree", or that of a lattice model.
  std::string energy_unit() const { return lattice ? lattice->unit : "hartree"; }

  struct System {
    std::string integrals_file;                    ///< empty: a molecule's
    int n_orbitals = 0, n_electrons = 0, ms2 = 0;  ///< active
    int n_frozen_core = 0, n_frozen_virtual = 0;
    double core_energy = 0.0, reference_energy = 0.0;
    std::optional<double> scf_energy;  ///< where an SCF was done
    std::string point_group = "unknown";
    std::string orbitals = "restricted";  ///< or "unrestricted", "spinors"
    std::uint64_t integrals_hash = 0;
    std::vector<std::int32_t> orbital_irreps;  ///< 1-based
    std::vector<std::string> orbital_labels;   ///< of the active orbitals, "5b1"; empty: the group is unknown
    std::vector<std::int32_t> active_orbitals;  ///< 1-based number in the file or of the SCF
    std::vector<std::int32_t> core_orbitals;    ///< likewise, of the frozen core
    std::vector<std::int32_t>
        left_out_orbitals;                   ///< likewise, of those that no determinant of level 0 occupies
    std::vector<std::int32_t> cas_orbitals;  ///< likewise, of the references' CAS; empty: they are none
    std::vector<std::int32_t> max_holes_orbitals, max_particles_orbitals;  ///< likewise, of those limits
    std::vector<double> spin_overlap =
        {};  ///< [n_orbitals * n_orbitals] <p alpha|q beta>; empty: unknown, or restricted
    std::string spin_overlap_source = {};  ///< as SpinOverlap::source
  } system;

  /// Orbitals that were optimised, in the order of the SCF's: /orbitals of the result file.
  struct Orbitals {
    std::string type = "casscf";
    int n_inactive = 0, n_active = 0;
    double energy = 0.0;                     ///< averaged, hartree
    double gradient = 0.0;                   ///< largest element, hartree
    double lowest_hessian_eigenvalue = 0.0;  ///< hartree
    bool converged = false;
    std::uint64_t start_integrals_hash = 0;  ///< of those over the active orbitals of the SCF or the file
    int num_functions = 0;
    std::vector<double> coefficients;         ///< [orbitals * num_functions], an orbital after the other
    std::vector<double> energies;             ///< diagonal of the averaged Fock matrix, hartree
    std::vector<double> occupations;          ///< diagonal of the averaged density matrix
    std::vector<std::int32_t> irreps;         ///< 1-based
    std::vector<double> natural_occupations;  ///< [n_active], descending: of the averaged density matrix
    std::vector<double> weights;              ///< of the roots that were averaged, sector after sector
    /// Iterations, from the start at 0: the energy kept, the step that was tried, what it took.
    std::vector<double> history_energy, history_gradient, history_step, history_radius;
    std::vector<std::int64_t> history_ci_products, history_hessian_products;
    std::vector<std::int32_t> history_refused;  ///< 1: the step would have raised the energy
  };
  std::optional<Orbitals> orbitals;
  std::vector<double>
      weights;  ///< of the roots in an average where none were, sector after sector; empty: all equal

  std::shared_ptr<const Integrals> integrals;  ///< over the active orbitals; null: not known

  /// What is said of the functions, and the functions themselves; these may be left out.
  struct Space : BasisSummary, FunctionList {
    std::string reference_origin;  ///< what the references are, in words; empty: `reference` says it
  };

  using Hamiltonian = HamiltonianSummary;

  struct Solver {
    std::string status;  ///< converged, not converged, stagnated, interrupted
    std::string start;   ///< where the start vectors came from, in words; may be empty
    std::int64_t num_applications = 0;
    std::vector<IterationRecord> history;
  };

  /// How a list of determinants grew: /selection of the result file. Of roots that a pass did not have, and of sums that
  /// were not made, NaN.
  struct Selection {
    std::string criterion, end;  ///< why it grew no more
    int num_roots = 0;
    int stage = 0;                ///< from 0: that was reached
    std::int64_t followed = 0;    ///< determinants up to which roots continue those before, by overlap
    std::vector<double> epsilon;  ///< [passes], hartree; NaN: by number
    std::vector<std::int64_t> determinants, nonzeros, externals;             ///< [passes]
    std::vector<double> energy, second_order, second_order_error, variance;  ///< [passes, num_roots]
    std::vector<double> seconds;  ///< [passes], since the growth began
  };

  /// States of one irrep and one multiplicity.
  struct Sector {
    int irrep = 0;         ///< 1-based; 0: all
    int multiplicity = 0;  ///< 0: every S >= |Ms|
    int ms2 = 0;
    Space space;
    std::optional<Selection> selection;  ///< where the space is a list that grew
    Hamiltonian hamiltonian;
    Solver solver;
    MissedRootProbe probe;                        ///< what certificates say of missed roots
    std::vector<Root> roots;                      ///< ascending
    std::shared_ptr<const VectorSource> vectors;  ///< [space.dimension x roots], normalised; null: not kept
    std::optional<SpinDensities> densities;  ///< of the roots, until used, where the root finder made them
  };
  std::vector<Sector> sectors = std::vector<Sector>(1);  ///< one or more, in the order of the input

  /// A root by the zero-based numbers of its sector and of itself in there.
  struct RootNumber {
    std::size_t sector = 0, root = 0;
  };
  std::vector<RootNumber> roots;  ///< of all sectors, ascending

  /// Sets `roots` once the sectors are complete.
  void order_roots();

  /// Weight of each root, in the order of `roots`, in an average over all of them: that of the optimised orbitals, else
  /// equal. Their sum is 1.
  std::vector<double> average_weights() const;

  const Root& root(std::size_t k) const { return sectors[roots[k].sector].roots[roots[k].root]; }

  /// One value of all roots, ascending.
  template <class T>
  std::vector<T> column(T Root::*member) const {
    std::vector<T> values;
    for (std::size_t k = 0; k < roots.size(); ++k) values.push_back(root(k).*member);
    return values;
  }

  /// The only sector's solver; of several the products of all and the worst status, without start and history.
  Solver overall_solver() const;

  /// A sentence per root whose certificate did not pass.
  std::vector<std::string> failed_certificates() const;

  /// Density matrices over the active orbitals, in the order of `roots`: /density of the result file.
  struct Density {
    /// How a bra and a ket are related.
    enum class Kind : std::uint8_t { vanishes, same_ms, spin_flip, transposed_flip, not_available };

    int n_orbitals = 0;
    std::vector<double> one;              ///< [roots, 2, n, n]: D^alpha, D^beta
    std::vector<double> transition;       ///< [roots, roots, 2, n, n]
    std::vector<double> spin_flip;        ///< [roots, roots, n, n]
    std::vector<std::uint8_t> kind;       ///< [roots, roots]
    std::vector<TwoParticleDensity> two;  ///< of each root; none: not asked for
    std::vector<double> energy_error;     ///< of each root, hartree, where there are those
  };
  std::optional<Density> density;

  /// Natural orbitals of a root or of an average: /orbitals/natural/NAME of the result file.
  struct NaturalOrbitals {
    std::string name;  ///< number of the root from 1, or "average"
    std::vector<double>
        coefficients;  ///< [n_orbitals, columns], a row each: functions, or active orbitals of a file
    std::vector<double> occupations;   ///< [n_orbitals]
    std::vector<std::int32_t> irreps;  ///< [n_orbitals], 1-based
  };
  std::vector<NaturalOrbitals> natural_orbitals;

  struct Timing {
    double integrals = 0, space = 0, hamiltonian = 0, transfer = 0, solve = 0, analysis = 0, total = 0;
  } timing;

  std::vector<std::string> warnings;
};

}  // namespace cisolve
