// SPDX-License-Identifier: MIT
#include "cisolve/integrals/spin_overlap.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/rotation.hpp"
#include "core/orthonormal.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {
namespace test_spin_overlap {

using Eigen::MatrixXd;

/// A random rotation that joins orbitals of one irrep.
MatrixXd random_rotation(const std::vector<int>& irreps, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const auto n = static_cast<Eigen::Index>(irreps.size());
  MatrixXd joined = MatrixXd::Zero(n, n);
  for (Eigen::Index q = 0; q < n; ++q) {
    for (Eigen::Index p = 0; p < n; ++p) {
      if (irreps[p] == irreps[q]) joined(p, q) = normal(engine);
    }
  }
  return test::orthonormal(joined);
}

/// Unrestricted integrals whose beta orbitals are those combinations of the alpha ones: columns of u.
Integrals with_beta_orbitals(const Integrals& alpha, const MatrixXd& u) {
  const int n = alpha.num_orbitals;
  Matrix rows(n, n), both(2 * n, n);
  for (int p = 0; p < n; ++p) {
    both(p, p) = 1.0;
    for (int q = 0; q < n; ++q) rows(q, p) = both(n + q, p) = u(p, q);
  }
  const Integrals beta = rotated(alpha, rows, alpha.irreps);
  std::vector<int> irreps = alpha.irreps;
  irreps.insert(irreps.end(), alpha.irreps.begin(), alpha.irreps.end());
  const Integrals all = rotated(alpha, both, irreps);
  Integrals result = alpha;
  result.beta = make_beta_integrals(n);
  result.beta->one = beta.one;
  result.beta->two = beta.two;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s)
          result.beta->mixed[pair_index(p, q) * result.one.size() + pair_index(r, s)] =
              all.eri(p, q, n + r, n + s);
      }
    }
  }
  return result;
}

double distance_up_to_sign(const Matrix& overlap, const MatrixXd& u) {
  double same = 0.0, opposite = 0.0;
  for (int q = 0; q < overlap.columns(); ++q) {
    for (int p = 0; p < overlap.rows(); ++p) {
      same = std::max(same, std::abs(overlap(p, q) - u(p, q)));
      opposite = std::max(opposite, std::abs(overlap(p, q) + u(p, q)));
    }
  }
  return std::min(same, opposite);
}

TEST(SpinOverlap, IsRecoveredFromIntegrals) {
  for (const int num_irreps : {1, 2, 4}) {
    SCOPED_TRACE(num_irreps);
    const Integrals alpha = random_integrals(8, num_irreps, 0.0, 3);
    const MatrixXd u = random_rotation(alpha.irreps, 4);
    const RecoveredOverlap recovered = recover_overlap(with_beta_orbitals(alpha, u));
    // Rounding over the gaps of some random eigenvalues of order 1.
    EXPECT_LT(recovered.violation, 1e-10);
    EXPECT_LT(distance_up_to_sign(recovered.overlap, u), 1e-10);
  }
}

TEST(SpinOverlap, IsNoneWhereSpacesDiffer) {
  const Integrals alpha = random_integrals(8, 2, 0.0, 3);
  const Integrals unrelated = random_unrestricted_integrals(8, 2, 0.0, 3);
  EXPECT_GT(recover_overlap(unrelated).violation, 1e-2);
  const Integrals frozen =
      freeze(with_beta_orbitals(alpha, random_rotation(alpha.irreps, 4)), {0}, {}).integrals;
  EXPECT_GT(recover_overlap(frozen).violation, one_space_violation);
  EXPECT_THROW(recover_overlap(alpha), DimensionError);
}

}  // namespace test_spin_overlap
}  // namespace cisolve
