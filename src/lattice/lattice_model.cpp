// SPDX-License-Identifier: MIT
#include "cisolve/lattice/lattice_model.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {

bool LatticeModel::is_complex() const {
  return std::ranges::any_of(bonds, [](const LatticeBond& bond) { return bond.pair.phase.imag() != 0.0; });
}

int LatticeModel::multiply_joined_pairs() const {
  std::map<std::pair<int, int>, int> times;
  for (const LatticeBond& bond : bonds) ++times[std::minmax(bond.pair.i, bond.pair.j)];
  return static_cast<int>(std::ranges::count_if(times, [](const auto& entry) { return entry.second > 1; }));
}

LatticeModel make_lattice_model(LatticeHamiltonian hamiltonian, const Cluster& cluster,
                                const LatticeParameters& parameters) {
  LatticeModel model{.hamiltonian = hamiltonian, .cluster = cluster, .parameters = parameters};
  const auto add = [&](int shell, double t, double j, double v) {
    if (t == 0.0 && j == 0.0 && v == 0.0) return;
    for (const SitePair& pair : cluster.pairs(shell)) model.bonds.push_back({pair, t, j, v});
  };
  add(1, parameters.t, model.is_t_j() ? parameters.j : 0.0, parameters.v);
  add(2, parameters.t2, 0.0, 0.0);
  add(3, parameters.t3, 0.0, 0.0);
  return model;
}

Matrix hopping_matrix(const LatticeModel& model) {
  if (model.is_complex()) throw DimensionError("hopping_matrix: the phases of the boundaries are complex");
  Matrix h(model.sites(), model.sites());
  for (const auto& [pair, t, j, v] : model.bonds) {
    h(pair.i, pair.j) -= t * pair.phase.real();
    h(pair.j, pair.i) -= t * pair.phase.real();
  }
  return h;
}

}  // namespace cisolve
