// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_bytes.hpp"

#include <gtest/gtest.h>

namespace cisolve {
namespace test_density_bytes {

TEST(DensityBytes, OfOneParticleMatricesAreThoseOfTheParts) {
  EXPECT_EQ(spin_density_bytes(10, 2, 3), 64 * 2 * 8 * 100 * 6) << "64 copies of two matrices for each pair";
  const std::int64_t large = std::int64_t{2} * 8 * 128 * 128 * 40 * 40;  // 419 MB
  EXPECT_EQ(spin_density_bytes(128, 40, 40), 8 * large);
}

TEST(DensityBytes, OfTwoParticleMatricesAreAsManyAsFit) {
  const std::int64_t of_four = 8 * (2 * 6 * 6 + 256);  // aa, bb: pairs; ab: n^4
  EXPECT_EQ(pair_density_bytes(4, std::int64_t{512} << 20), 32 * of_four);
  const std::int64_t of_64 = std::int64_t{8} * (std::int64_t{2} * 2016 * 2016 + 64 * 64 * 64 * 64);  // 199 MB
  EXPECT_EQ(pair_density_bytes(64, std::int64_t{512} << 20), 2 * of_64);
  EXPECT_EQ(pair_density_bytes(64, 1), of_64) << "one in any case";
}

}  // namespace test_density_bytes
}  // namespace cisolve
