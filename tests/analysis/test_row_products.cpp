// SPDX-License-Identifier: MIT
#include "analysis/row_products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/instruction_limit.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_row_products {

/// Shapes around the blocks that are multiplied together, again and again in one object; long rows make several tiles.
TEST(RowProducts, AreThoseOfAllPairsOnce) {
  for (const InstructionSet set : test::all_instruction_sets) {
    const test::InstructionLimit limit(set);
    RowProducts products;
    for (const std::int64_t columns : {1, 3, 8, 17, 5000}) {
      for (std::int64_t rows = 1; rows <= 14; ++rows) {
        const auto x = test::random_vector(static_cast<std::size_t>(rows * columns), 1);
        products.resize(rows, columns);
        for (std::int64_t i = 0; i < rows; ++i) std::copy_n(x.data() + i * columns, columns, products.row(i));
        std::vector<int> seen(static_cast<std::size_t>(rows * rows), 0);
        products.for_each_product([&](std::int64_t i, std::int64_t j, double product) {
          ASSERT_LE(j, i);
          ASSERT_LT(i, rows);
          ++seen[i * rows + j];
          double expected = 0.0, magnitude = 0.0;
          for (std::int64_t k = 0; k < columns; ++k) {
            const double term = x[i * columns + k] * x[j * columns + k];
            expected += term;
            magnitude += std::abs(term);
          }
          EXPECT_NEAR(product, expected, 1e-14 * magnitude);  // some ten roundings deep in each lane
        });
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j <= i; ++j)
            EXPECT_EQ(seen[i * rows + j], 1) << rows << ' ' << i << ' ' << j;
        }
      }
    }
  }
}

}  // namespace test_row_products
}  // namespace cisolve
