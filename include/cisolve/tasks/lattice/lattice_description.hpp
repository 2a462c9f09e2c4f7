// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/tasks/lattice/lattice_config.hpp"

namespace cisolve {

/// A lattice and the model of the electrons on it: /lattice of the result file. All energies of such a result are in the
/// unit that t is given in.
struct LatticeDescription {
  std::string kind, boundary;  ///< as the input has them; of two directions "periodic, open"
  std::string model;           ///< "Hubbard" or "t-J"
  std::string orbitals;        ///< "band" or "site"
  std::string unit = "t";
  double t = 0.0, t2 = 0.0, t3 = 0.0, u = 0.0, j = 0.0, v = 0.0;
  int n_sites = 0, n_electrons = 0, ms2 = 0;
  int dimensions = 0;                         ///< 1, 2; 0: a graph
  int multiply_joined = 0;                    ///< pairs of sites that several bonds join
  std::vector<std::int32_t> vectors;          ///< [2 * 2] spanning vectors; empty: a graph, as the next
  std::vector<std::int32_t> coordinates;      ///< [n_sites * 2]
  std::vector<std::int32_t> bonds;            ///< [bonds * 2] sites, from 1
  std::vector<double> bond_parameters;        ///< [bonds * 3] t, J, V
  std::vector<std::int32_t> bond_phases;      ///< [bonds] 1 or -1; 0: another angle
  std::vector<double> bond_angles;            ///< [bonds] of the phase, in units of pi
  std::vector<double> momenta, wave_vectors;  ///< [n_sites * 2], in units of pi; empty: there are none
  std::vector<double> band_energies;          ///< [orbitals]; empty: orbitals are the sites
};

/// What the input's lattice is, for file and report.
/// @param ms2            2 Ms of the electrons
/// @param band_energies  of the orbitals; empty: they are the sites
LatticeDescription describe_lattice(const LatticeConfig& config, int ms2,
                                    const std::vector<double>& band_energies);

}  // namespace cisolve
