// SPDX-License-Identifier: MIT
#include "cisolve/integrals/rotation.hpp"

#include <gtest/gtest.h>

#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_rotation {

/// By the definition, one sum after another over all orbitals.
TEST(Rotation, GivesEveryElementByItsDefinition) {
  Integrals old = read_fcidump(case_file("lih_sto3g.fcidump")).integrals;
  const int n = old.num_orbitals, m = n - 1;
  old.irreps.assign(n, 0);
  Matrix c(m, n);  // any numbers: nothing in the sums asks for orthonormal rows
  for (int i = 0; i < m; ++i) {
    for (int p = 0; p < n; ++p) c(i, p) = (i == p ? 1.0 : 0.0) + 0.05 * (i + 1) - 0.11 * p + 0.03 * i * p;
  }
  const Integrals found = rotated(old, c, std::vector<int>(m, 0));
  EXPECT_EQ(found.core_energy, old.core_energy);
  ASSERT_EQ(found.num_orbitals, m);
  constexpr double rounding = 1e-11;  // sums of 1,296 terms of up to 10 hartree
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      double h = 0.0;
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q < n; ++q) h += c(i, p) * c(j, q) * old.h(p, q);
      }
      EXPECT_NEAR(found.h(i, j), h, rounding);
      for (int k = 0; k < m; ++k) {
        for (int l = 0; l <= k; ++l) {
          double v = 0.0;
          for (int p = 0; p < n; ++p) {
            for (int q = 0; q < n; ++q) {
              for (int r = 0; r < n; ++r) {
                for (int s = 0; s < n; ++s) v += c(i, p) * c(j, q) * c(k, r) * c(l, s) * old.eri(p, q, r, s);
              }
            }
          }
          EXPECT_NEAR(found.eri(i, j, k, l), v, rounding) << i << j << k << l;
        }
      }
    }
  }
}

TEST(Rotation, LeavesExactZerosWhereIrrepsForbidAnElement) {
  const Integrals old = read_fcidump(case_file("h2o_sto3g.fcidump")).integrals;
  const int n = old.num_orbitals;
  Matrix c(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) c(p, q) = p == q ? 1.0 : 1e-15;  // rounding between irreps
  }
  const Integrals found = rotated(old, c, old.irreps);
  EXPECT_EQ(found.irreps, old.irreps);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      if (old.irreps[p] != old.irreps[q]) {
        EXPECT_EQ(found.h(p, q), 0.0);
        EXPECT_EQ(found.eri(p, q, 0, 0), 0.0);
      }
      EXPECT_NEAR(found.h(p, q), old.h(p, q), 1e-12);
    }
  }
}

TEST(Rotation, RefusesSizesThatDoNotAgree) {
  const Integrals old(3);
  EXPECT_THROW(rotated(old, Matrix(3, 2), std::vector<int>(3, 0)), DimensionError);
  EXPECT_THROW(rotated(old, Matrix(2, 3), std::vector<int>(3, 0)), DimensionError);
}

/// One pair of new orbitals at a time, a few, or all: the same to the last bit.
TEST(Rotation, DoesNotDependOnMemory) {
  const Integrals old = read_fcidump(case_file("lih_sto3g.fcidump")).integrals;
  const int n = old.num_orbitals;
  Matrix c(n, n);
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < n; ++p) c(i, p) = (i == p ? 1.0 : 0.0) + 0.04 * (i - p);
  }
  const std::vector<int> irreps(static_cast<std::size_t>(n), 0);
  const Integrals all = rotated(old, c, irreps);
  for (const std::int64_t bytes : {0, 700, 2000}) {
    const Integrals passes = rotated(old, c, irreps, bytes);
    EXPECT_EQ(passes.one, all.one);
    EXPECT_EQ(passes.two, all.two) << bytes;
  }
}

}  // namespace test_rotation
}  // namespace cisolve
