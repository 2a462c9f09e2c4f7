// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {
namespace {

/// Energies this near, hartree, are degenerate: sorted by irrep, not by rounding.
constexpr double degenerate = 1e-8;

struct Orbital {
  int occupation, irrep;
  double energy;
  Eigen::VectorXd coefficients;
};

/// The largest coefficient positive; of equally large ones the first.
void fix_sign(Eigen::VectorXd& c) {
  constexpr double equal = 1e-6;
  const double largest = c.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < c.size(); ++k) {
    if (std::abs(c[k]) < largest * (1.0 - equal)) continue;
    if (c[k] < 0.0) c = -c;
    return;
  }
}

}  // namespace

ScfOrbitals sorted_orbitals(const OrthonormalBasis& basis, const Blocks& fock, const Blocks& orbitals,
                            const std::vector<int>& doubly, const std::vector<int>& singly) {
  std::vector<Orbital> all;
  for (int irrep = 0; irrep < basis.num_irreps(); ++irrep) {
    const std::size_t k = irrep;
    const std::array<Eigen::Index, 3> counts = {doubly[k], singly[k],
                                                orbitals[k].cols() - doubly[k] - singly[k]};
    Eigen::Index first = 0;
    for (std::size_t group = 0; group < counts.size(); ++group) {
      const Eigen::Index count = counts[group];
      if (count == 0) continue;
      const auto c = orbitals[k].middleCols(first, count);
      first += count;
      const auto [energies, vectors] = symmetric_eigenpairs(c.transpose() * fock[k] * c);
      const Eigen::MatrixXd canonical = basis.vectors(irrep) * (c * vectors);
      for (Eigen::Index i = 0; i < count; ++i) {
        Orbital orbital{2 - static_cast<int>(group), irrep, energies[i], canonical.col(i)};
        fix_sign(orbital.coefficients);
        all.push_back(std::move(orbital));
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const Orbital& a, const Orbital& b) {
    return std::tuple(-a.occupation, a.energy) < std::tuple(-b.occupation, b.energy);
  });
  for (auto first = all.begin(); first != all.end();) {
    auto last = first + 1;
    while (last != all.end() && last->occupation == first->occupation &&
           last->energy - (last - 1)->energy < degenerate)
      ++last;
    std::stable_sort(first, last, [](const Orbital& a, const Orbital& b) { return a.irrep < b.irrep; });
    first = last;
  }
  ScfOrbitals out;
  out.coefficients = Matrix(basis.num_functions(), static_cast<int>(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k) {
    as_eigen(out.coefficients).col(static_cast<Eigen::Index>(k)) = all[k].coefficients;
    out.energies.push_back(all[k].energy);
    out.irreps.push_back(all[k].irrep);
    out.occupations.push_back(all[k].occupation);
  }
  return out;
}

}  // namespace cisolve::detail
