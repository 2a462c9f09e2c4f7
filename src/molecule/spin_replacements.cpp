// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "molecule/eigen_views.hpp"
#include "molecule/scf_orbitals.hpp"
#include "molecule/scf_search.hpp"

namespace cisolve::detail {
namespace {

/// Per irrep the highest occupied and the lowest empty orbital of one spin.
struct SpinFrontier {
  std::vector<int> occupied, empty;

  explicit SpinFrontier(const ScfOrbitals& set) {
    const auto is_same_kind = [&](int p, int q) {
      return set.irreps[p] == set.irreps[q] && set.occupations[p] == set.occupations[q];
    };
    const int n = static_cast<int>(set.irreps.size());
    for (int p = 0; p < n; ++p) {  // orbitals of one occupation ascend
      bool is_first = true, is_last = true;
      for (int q = 0; q < n; ++q) {
        if (q == p || !is_same_kind(p, q)) continue;
        (q < p ? is_first : is_last) = false;
      }
      if (set.occupations[p] == 1 && is_last) occupied.push_back(p);
      if (set.occupations[p] == 0 && is_first) empty.push_back(p);
    }
  }
};

/// The occupied orbitals where one of a spin is replaced.
OccupiedOrbitals replaced(const ScfSetting& setting, std::vector<ScfOrbitals> sets, const ScfState& state,
                          std::size_t spin, std::pair<int, int> orbitals) {
  const auto [from, to] = orbitals;
  std::swap(sets[spin].occupations[from], sets[spin].occupations[to]);
  OccupiedOrbitals start;
  start.orbitals = carry_occupied(sets[0], setting.basis, setting.one_electron.overlap)->orbitals;
  start.beta = carry_occupied(sets[1], setting.basis, setting.one_electron.overlap)->orbitals;
  start.occupation = state.occupation;
  const int loses = sets[spin].irreps[from], gains = sets[spin].irreps[to];
  const int sign = spin == 0 ? 1 : -1;
  start.occupation.singly[loses] -= sign;
  start.occupation.singly[gains] += sign;
  if (spin == 1) {
    --start.occupation.doubly[loses];
    ++start.occupation.doubly[gains];
  }
  return start;
}

}  // namespace

std::vector<Replacement> low_spin_replacements(const ScfSetting& setting, const ScfState& state,
                                               double limit) {
  const std::vector<ScfOrbitals> sets = canonical_sets(setting, state);
  std::vector<Replacement> low;
  for (const std::size_t spin : {1U, 0U}) {
    const ScfOrbitals& set = sets[spin];
    const SpinFrontier frontier(set);
    const auto c = as_eigen(set.coefficients);
    std::vector<Matrix> densities;
    for (const int p : frontier.occupied) densities.push_back(to_matrix(c.col(p) * c.col(p).transpose()));
    if (densities.empty()) continue;
    const auto jk = setting.molecule.repulsion.coulomb_exchange(densities);
    for (std::size_t k = 0; k < frontier.occupied.size(); ++k) {
      const int p = frontier.occupied[k];
      const Eigen::MatrixXd repulsion = as_eigen(jk[k].coulomb) - as_eigen(jk[k].exchange);
      for (const int q : frontier.empty) {
        if (set.irreps[p] == set.irreps[q]) continue;
        const double estimate = set.energies[q] - set.energies[p] - c.col(q).dot(repulsion * c.col(q));
        if (estimate < limit) low.push_back({replaced(setting, sets, state, spin, {p, q}), estimate});
      }
    }
  }
  std::stable_sort(low.begin(), low.end(),
                   [](const Replacement& a, const Replacement& b) { return a.estimate < b.estimate; });
  return low;
}

}  // namespace cisolve::detail
