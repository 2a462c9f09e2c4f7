// SPDX-License-Identifier: MIT
#include "cisolve/integrals/orbital_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_orbital_labels {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OrbitalLabels, CountWithinEachIrrep) {
  const std::vector<int> irreps = {0, 0, 2, 0, 1, 0, 2, 3};
  EXPECT_THAT(orbital_labels(irreps, PointGroup::parse("C2v")),
              ElementsAre("1a1", "2a1", "1b2", "3a1", "1b1", "4a1", "2b2", "1a2"));
  EXPECT_THAT(orbital_labels(std::vector{0, 4, 0}, PointGroup::parse("D2h")),
              ElementsAre("1ag", "1b1u", "2ag"));
}

TEST(OrbitalLabels, WritePrimesAsMolproDoes) {
  EXPECT_THAT(orbital_labels(std::vector{0, 1, 1}, PointGroup::parse("Cs")),
              ElementsAre("1a'", "1a\"", "2a\""));
}

TEST(OrbitalLabels, AreNoneWithoutAPointGroup) {
  EXPECT_THAT(orbital_labels(std::vector{0, 1}, PointGroup()), IsEmpty());
}

TEST(OrbitalLabels, RefuseAnIrrepThatTheGroupLacks) {
  EXPECT_THROW(orbital_labels(std::vector{0, 4}, PointGroup::parse("C2v")), DimensionError);
}

TEST(OrbitalLabels, AreFoundAsTyped) {
  const auto labels = orbital_labels(std::vector{0, 1, 0, 1}, PointGroup::parse("Cs"));
  EXPECT_EQ(find_orbital("2a'", labels), 2U);
  EXPECT_EQ(find_orbital("2A\"", labels), 3U);
  EXPECT_EQ(find_orbital("2a''", labels), 3U);
  EXPECT_EQ(find_orbital("3a'", labels), std::nullopt);
  EXPECT_EQ(find_orbital("", labels), std::nullopt);
}

TEST(OrbitalLabels, AreListedByIrrep) {
  const std::vector<int> irreps = {0, 0, 2, 0, 1, 0, 2};
  const auto labels = orbital_labels(irreps, PointGroup::parse("C2v"));
  EXPECT_EQ(orbitals_by_irrep(labels, irreps), "1a1 to 4a1, 1b1, 1b2 to 2b2");
}

}  // namespace test_orbital_labels
}  // namespace cisolve
