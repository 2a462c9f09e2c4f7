// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/lattice/cluster.hpp"

namespace cisolve {

/// Which Hamiltonian electrons on a lattice have.
///
///     Hubbard:  H = - sum_bonds t_b sum_s (phase c+_is c_js + h.c.) + U sum_i n_iu n_id + sum_bonds V_b n_i n_j
///     t-J:      H = P [ - sum_bonds t_b sum_s (...) + sum_bonds J_b (S_i.S_j - n_i n_j / 4) + sum_bonds V_b n_i n_j ] P
///
/// P leaves no site doubly occupied. See J. Hubbard, Proc. R. Soc. A 276, 238 (1963), doi:10.1098/rspa.1963.0204, and
/// F. C. Zhang, T. M. Rice, Phys. Rev. B 37, 3759 (1988), doi:10.1103/PhysRevB.37.3759.
enum class LatticeHamiltonian { hubbard, t_j };

/// What joins two sites; all in the unit of energy that the model is given in.
struct LatticeBond {
  SitePair pair;
  double t = 0.0;  ///< hopping
  double j = 0.0;  ///< exchange; t-J
  double v = 0.0;  ///< repulsion
};

/// Parameters of the shells of neighbours. V and J belong to the first; xi_k = -2 t (cos kx + cos ky) - 4 t2 cos kx
/// cos ky - 2 t3 (cos 2kx + cos 2ky) is the band of the square lattice, all with one convention of sign.
struct LatticeParameters {
  double t = 1.0, t2 = 0.0, t3 = 0.0;
  double u = 0.0;  ///< Hubbard
  double j = 0.0;  ///< t-J
  double v = 0.0;
};

/// Electrons on the sites of a cluster and what acts on them.
struct LatticeModel {
  LatticeHamiltonian hamiltonian = LatticeHamiltonian::hubbard;
  Cluster cluster = Cluster::graph(2);
  LatticeParameters parameters = {};
  std::vector<LatticeBond> bonds = {};  ///< those of one pair add up

  int sites() const { return cluster.sites(); }
  bool is_t_j() const { return hamiltonian == LatticeHamiltonian::t_j; }

  /// Whether a boundary's phase is neither 1 nor -1.
  bool is_complex() const;

  /// Pairs of sites that several bonds join: the cluster is so small that it is joined to itself more than once.
  int multiply_joined_pairs() const;
};

/// The model of a cluster whose shells have these parameters; bonds without any are left out.
/// @throws InputError  as Cluster::pairs
/// @pre the cluster is no graph
LatticeModel make_lattice_model(LatticeHamiltonian hamiltonian, const Cluster& cluster,
                                const LatticeParameters& parameters);

/// Elements <i|h|j> of the hopping, [sites x sites], where all are real.
/// @throws DimensionError if they are complex
Matrix hopping_matrix(const LatticeModel& model);

}  // namespace cisolve
