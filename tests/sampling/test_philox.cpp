// SPDX-License-Identifier: MIT
#include "cisolve/sampling/philox.hpp"

#include <gtest/gtest.h>

namespace cisolve {
namespace test_philox {

void expect_words(PhiloxBlock counter, PhiloxKey key, PhiloxBlock expected) {
  const PhiloxBlock words = philox(counter, key);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(words[i], expected[i]) << "word " << i;
}

/// The known answers that come with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesKnownAnswers) {
  expect_words({{0, 0, 0, 0}}, {{0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  constexpr std::uint32_t f = 0xffffffff;
  expect_words({{f, f, f, f}}, {{f, f}}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect_words({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}},
               {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, TakesTheSeedAsKeyLowWordFirst) {
  EXPECT_EQ(philox_key(0x0123456789abcdef).word[0], 0x89abcdefu);
  EXPECT_EQ(philox_key(0x0123456789abcdef).word[1], 0x01234567u);
}

TEST(UnitInterval, Has53Bits) {
  constexpr std::uint32_t f = 0xffffffff;
  EXPECT_EQ(unit_interval(0, 0), 0.0);
  EXPECT_EQ(unit_interval(0, 63), 0.0) << "below the last bit";
  EXPECT_EQ(unit_interval(0, 64), 0x1p-53);
  EXPECT_EQ(unit_interval(32, 0), 0x1p-27);
  EXPECT_EQ(unit_interval(0x80000000, 0), 0.5);
  EXPECT_EQ(unit_interval(f, f), 1.0 - 0x1p-53) << "never 1";
}

}  // namespace test_philox
}  // namespace cisolve
