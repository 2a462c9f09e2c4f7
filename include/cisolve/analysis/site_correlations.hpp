// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/lattice/lattice_model.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// Expectation values of a state of electrons on the sites of a lattice, hbar = 1.
struct SiteCorrelations {
  explicit SiteCorrelations(int sites);

  std::vector<double> density;           ///< [sites] `<n_i>`
  std::vector<double> double_occupancy;  ///< [sites] `<n_iu n_id>`
  Matrix s_s;                            ///< [sites x sites] `<S_i.S_j>`
  Matrix sz_sz;                          ///< `<Sz_i Sz_j>`
  Matrix n_n;                            ///< `<n_i n_j>`
  Matrix hop_up, hop_down;               ///< `<c+_is c_js>`, in t-J of the projected operators

  /// Adds a share of those of another state of the same sites.
  void add(const SiteCorrelations& other, double share);
};

/// Correlations from density matrices over orbitals that span the sites:
///
///     <n_is n_jt> = delta_ij delta_st <n_is> + G^st[i,i,j,j]
///     <S_i.S_j> = <Sz_i Sz_j> + delta_ij <n_i> / 2 - G^ab[i,j,j,i]
///
/// where G is turned to sites first.
/// @param coefficients  [sites x orbitals], orthonormal, as many orbitals as sites
/// @throws DimensionError if the numbers of orbitals differ
SiteCorrelations site_correlations(const SpinDensity& one, const TwoParticleDensity& two,
                                   const Matrix& coefficients);

/// The same of a vector over determinants whose orbitals are the sites: read off determinant by determinant, which takes less
/// time and memory than density matrices do. Sums have a fixed order, whatever the number of threads.
/// @param vector  real, normalised, [space.size()]
/// @throws DimensionError if the vector is not of the space
template <int Words>
SiteCorrelations site_correlations(const Space<Words>& space, std::span<const double> vector);

/// What the terms of a lattice Hamiltonian contribute to an energy, in its unit.
struct LatticeEnergies {
  double kinetic = 0.0;      ///< of all hopping
  double exchange = 0.0;     ///< J (S.S - n n / 4)
  double interaction = 0.0;  ///< U
  double repulsion = 0.0;    ///< V

  double total() const { return kinetic + exchange + interaction + repulsion; }
};

/// @pre the model is real
LatticeEnergies lattice_energies(const LatticeModel& model, const SiteCorrelations& correlations);

}  // namespace cisolve
