// SPDX-License-Identifier: MIT
#include "tasks/ci/replacement.hpp"

#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_replacement {

const std::vector<std::string> names = {"1a1", "2a1", "1b1", "3a1", "2b1", "1a2"};

std::string of_determinant(std::string_view reference, std::string_view determinant) {
  return replacement_text(reference, determinant, names, false);
}
std::string of_csf(std::string_view reference, std::string_view csf) {
  return replacement_text(reference, csf, names, true);
}

TEST(Replacement, OfDeterminantsNamesSpins) {
  EXPECT_EQ(of_determinant("222000", "222000"), "reference");
  EXPECT_EQ(of_determinant("222000", "22du00"), "1b1(a) -> 3a1(a)");
  EXPECT_EQ(of_determinant("222000", "22ud00"), "1b1(b) -> 3a1(b)");
  EXPECT_EQ(of_determinant("222000", "220020"), "1b1^2 -> 2b1^2");
  EXPECT_EQ(of_determinant("222000", "2u2d00"), "2a1(b) -> 3a1(b)");
  EXPECT_EQ(of_determinant("222000", "2duu0d"), "2a1(a) 1b1(b) -> 3a1(a) 1a2(b)");
  EXPECT_EQ(of_determinant("222000", "220ud0"), "1b1^2 -> 3a1(a) 2b1(b)");
  // Out of an open shell; the same occupation with other spins is another determinant.
  EXPECT_EQ(of_determinant("22u000", "2uu00d"), "2a1(b) -> 1a2(b)");
  EXPECT_EQ(of_determinant("22uud0", "22udu0"), "3a1(a) 2b1(b) -> 3a1(b) 2b1(a)");
}

TEST(Replacement, OfCsfsNamesCouplingsWhereThereAreSeveral) {
  EXPECT_EQ(of_csf("222000", "222000"), "reference");
  EXPECT_EQ(of_csf("222000", "22ud00"), "1b1 -> 3a1");
  EXPECT_EQ(of_csf("222000", "220020"), "1b1^2 -> 2b1^2");
  EXPECT_EQ(of_csf("222000", "2uudd0"), "2a1 1b1 -> 3a1 2b1, coupled uudd");
  EXPECT_EQ(of_csf("222000", "2ududd"), "2a1 1b1 -> 3a1 2b1 1a2, coupled ududd");
  EXPECT_EQ(of_csf("221110", "22udu0"), "reference, coupled udu");
  EXPECT_EQ(of_csf("221110", "22uuu0"), "reference");
  EXPECT_EQ(of_csf("221000", "2u2000"), "2a1 -> 1b1");
}

TEST(Replacement, NeedsANamePerOrbital) {
  EXPECT_THROW(of_determinant("2220", "2220"), DimensionError);
  EXPECT_THROW(of_determinant("222000", "22200"), DimensionError);
}

}  // namespace test_replacement
}  // namespace cisolve
