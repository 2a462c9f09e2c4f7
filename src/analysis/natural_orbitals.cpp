// SPDX-License-Identifier: MIT
#include "cisolve/analysis/natural_orbitals.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

struct Orbital {
  double occupation;
  int irrep;
  Eigen::VectorXd coefficients;  ///< over all orbitals
};

/// The largest coefficient positive; of equally large ones the first.
void fix_sign(Eigen::VectorXd& c) {
  constexpr double equal = 1e-6;
  const double largest = c.cwiseAbs().maxCoeff();
  const auto first =
      std::ranges::find_if(c, [=](double x) { return std::abs(x) >= largest * (1.0 - equal); });
  if (*first < 0.0) c = -c;
}

/// Those of one irrep, appended.
void diagonalise(const Matrix& density, int irrep, const std::vector<int>& members,
                 std::vector<Orbital>& all) {
  const Eigen::Index n = std::ssize(members);
  Eigen::MatrixXd block(n, n);
  for (Eigen::Index q = 0; q < n; ++q) {
    for (Eigen::Index p = 0; p < n; ++p) block(p, q) = density(members[p], members[q]);
  }
  const auto [occupations, vectors] = symmetric_eigenpairs(block);
  for (Eigen::Index k = n; k-- > 0;) {
    Orbital orbital{occupations[k], irrep, Eigen::VectorXd::Zero(density.rows())};
    for (Eigen::Index p = 0; p < n; ++p) orbital.coefficients[members[p]] = vectors(p, k);
    fix_sign(orbital.coefficients);
    all.push_back(std::move(orbital));
  }
}

/// By occupation; equal ones, which rounding would order, by irrep.
void sort(std::vector<Orbital>& all) {
  constexpr double equal = 1e-8;
  std::ranges::stable_sort(all, std::greater(), &Orbital::occupation);
  for (auto first = all.begin(); first != all.end();) {
    auto last = first + 1;
    while (last != all.end() && (last - 1)->occupation - last->occupation < equal) ++last;
    std::stable_sort(first, last, [](const Orbital& a, const Orbital& b) { return a.irrep < b.irrep; });
    first = last;
  }
}

}  // namespace

NaturalOrbitals natural_orbitals(const Matrix& density, std::span<const int> irreps) {
  const int n = density.rows();
  if (density.columns() != n || std::ssize(irreps) != n)
    throw DimensionError(
        "natural_orbitals: the density is not [orbitals x orbitals], or an irrep is missing");
  std::map<int, std::vector<int>> members;
  for (int p = 0; p < n; ++p) members[irreps[p]].push_back(p);
  std::vector<Orbital> all;
  for (const auto& [irrep, of_irrep] : members) diagonalise(density, irrep, of_irrep, all);
  sort(all);
  NaturalOrbitals natural;
  natural.coefficients = Matrix(n, n);
  for (int k = 0; k < n; ++k) {
    natural.occupations.push_back(all[k].occupation);
    natural.irreps.push_back(all[k].irrep);
    for (int p = 0; p < n; ++p) natural.coefficients(k, p) = all[k].coefficients[p];
  }
  return natural;
}

}  // namespace cisolve
