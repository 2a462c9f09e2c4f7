// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "molecule/eigen_views.hpp"
#include "molecule/scf_steps.hpp"

namespace cisolve::detail {
namespace {

/// An orbital of each spin.
struct Pair {
  int alpha, beta;
};

ScfOrbitals reordered(const ScfOrbitals& orbitals, const std::vector<int>& order) {
  ScfOrbitals out;
  out.coefficients = to_matrix(as_eigen(orbitals.coefficients)(Eigen::all, order));
  for (const int p : order) {
    out.energies.push_back(orbitals.energies[p]);
    out.irreps.push_back(orbitals.irreps[p]);
    out.occupations.push_back(orbitals.occupations[p]);
  }
  return out;
}

}  // namespace

void pair_orbitals(ScfOrbitals& alpha, ScfOrbitals& beta) {
  std::vector<Pair> pairs;
  std::vector<bool> taken(beta.irreps.size(), false);
  for (int p = 0; p < static_cast<int>(alpha.irreps.size()); ++p) {
    int q = 0;  // the first of its irrep that is left
    while (taken[q] || beta.irreps[q] != alpha.irreps[p]) ++q;
    taken[q] = true;
    pairs.push_back({p, q});
  }
  const auto place = [&](const Pair& pair) {
    const bool by_alpha = alpha.occupations[pair.alpha] > 0, by_beta = beta.occupations[pair.beta] > 0;
    if (by_alpha) return by_beta ? 0 : 1;
    return by_beta ? 2 : 3;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const Pair& a, const Pair& b) { return place(a) < place(b); });
  std::vector<int> order[2];
  for (const Pair& pair : pairs) {
    order[0].push_back(pair.alpha);
    order[1].push_back(pair.beta);
  }
  alpha = reordered(alpha, order[0]);
  beta = reordered(beta, order[1]);
}

}  // namespace cisolve::detail
