// SPDX-License-Identifier: MIT
#include "paper_bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cisolve::bench {
namespace test_paper_bytes {

TEST(PaperBytes, HybridOfMatrix1IsWhatThePaperPrints) {
  // Table 3 and Table 5: 374,089,620 bytes, printed as 356.76 MiB.
  const std::int64_t bytes = paper_hybrid_bytes(32768, 655, 9678327);
  EXPECT_EQ(bytes, 374089620);
  EXPECT_NEAR(static_cast<double>(bytes) / (1 << 20), 356.76, 0.005);
  EXPECT_EQ(655 * 32768 + 9678327, 31141367);  // Table 3: all nonzeros; no row shorter than 655
}

TEST(PaperBytes, FormulaeOfTheTable) {
  EXPECT_EQ(paper_csr_bytes(3, 6), 6 * 8 + 6 * 4 + 4 * 4);
  EXPECT_EQ(paper_ell_bytes(3, 5), 3 * 5 * 12);
  EXPECT_EQ(paper_ell_r_bytes(3, 5), 3 * 5 * 12 + 3 * 4);
  const std::vector<std::int64_t> lengths = {1, 4, 0, 2, 7};
  EXPECT_EQ(paper_sliced_ell_bytes(lengths, 2), 12 * (2 * 4 + 2 * 2 + 1 * 7));
  EXPECT_EQ(paper_sliced_ell_bytes(lengths, 100), paper_ell_bytes(5, 7));
  EXPECT_EQ(paper_sliced_ell_r_bytes(lengths, 2), paper_sliced_ell_bytes(lengths, 2) + 4 * 5);
  EXPECT_EQ(paper_sliced_ell_bytes({}, 32), 0);
  EXPECT_THROW(paper_sliced_ell_bytes(lengths, 0), DimensionError);
}

}  // namespace test_paper_bytes
}  // namespace cisolve::bench
