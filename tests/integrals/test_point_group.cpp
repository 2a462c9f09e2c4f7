// SPDX-License-Identifier: MIT
#include "cisolve/integrals/point_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_point_group {

using testing::AllOf;
using testing::HasSubstr;

template <class Function>
std::string input_error(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(PointGroup, NamesAndNumbersBelongTogether) {
  const PointGroup d2h = PointGroup::parse("d2H");
  EXPECT_EQ(d2h.name(), "D2h");
  EXPECT_EQ(d2h.num_irreps(), 8);
  EXPECT_EQ(d2h.irrep_name(2), "B3u");
  for (int number = 1; number <= 8; ++number) {
    EXPECT_EQ(d2h.irrep_number(d2h.irrep_name(number)), number);
    EXPECT_EQ(d2h.irrep_number(std::to_string(number)), number);
  }
  EXPECT_EQ(PointGroup::parse("C2v").irrep_number("a2"), 4);
  EXPECT_EQ(PointGroup::parse("C2h").irrep_number("Bg"), 4);
  EXPECT_EQ(PointGroup::parse("Cs").irrep_number("A\""), 2);
  EXPECT_EQ(PointGroup::parse("Ci").num_irreps(), 2);
  EXPECT_EQ(PointGroup::parse("C1").irrep_name(1), "A");
}

/// Characters decide: with labels that multiply by XOR, B1 x B2 = A2, and so on.
TEST(PointGroup, LabelsMultiplyByXor) {
  struct Product {
    const char *group, *a, *b, *ab;
  };
  for (const Product& p : {Product{"C2v", "B1", "B2", "A2"},
                           {"C2h", "Au", "Bg", "Bu"},
                           {"D2", "B1", "B2", "B3"},
                           {"D2h", "B1g", "B2g", "B3g"},
                           {"D2h", "B1u", "B2u", "B3g"},
                           {"D2h", "Au", "B1g", "B1u"},
                           {"D2h", "B3u", "B3g", "Au"},
                           {"Cs", "A''", "A''", "A'"},
                           {"Ci", "Au", "Ag", "Au"}}) {
    const PointGroup group = PointGroup::parse(p.group);
    const int label = (group.irrep_number(p.a) - 1) ^ (group.irrep_number(p.b) - 1);
    EXPECT_EQ(group.irrep_name(label + 1), p.ab) << p.group << ' ' << p.a << ' ' << p.b;
  }
}

TEST(PointGroup, KernelsAreWhatAnIrrepLeaves) {
  const auto kernel = [](const char* group, const char* irrep) {
    const PointGroup parsed = PointGroup::parse(group);
    return parsed.kernel(parsed.irrep_number(irrep));
  };
  // From the character tables: the operations of character 1.
  EXPECT_EQ(kernel("D2h", "B1u"), "C2v");  // E, C2(z), xz, yz
  EXPECT_EQ(kernel("D2h", "B3g"), "C2h");  // E, C2(x), i, yz
  EXPECT_EQ(kernel("D2h", "Au"), "D2");
  EXPECT_EQ(kernel("C2v", "A2"), "C2");
  EXPECT_EQ(kernel("C2v", "B1"), "Cs");
  EXPECT_EQ(kernel("C2h", "Bg"), "Ci");
  EXPECT_EQ(kernel("C2h", "Au"), "C2");
  EXPECT_EQ(kernel("C2h", "Bu"), "Cs");
  EXPECT_EQ(kernel("Cs", "A''"), "C1");
  EXPECT_EQ(PointGroup().kernel(3), "unknown");
  EXPECT_THROW(PointGroup::parse("Cs").kernel(3), DimensionError);
  // The group itself of the first irrep, half of it of the others.
  for (const char* name : {"D2h", "C2v", "C2h", "D2", "Cs", "C2", "Ci", "C1"}) {
    const PointGroup group = PointGroup::parse(name);
    EXPECT_EQ(group.kernel(1), name);
    for (int k = 2; k <= group.num_irreps(); ++k)
      EXPECT_EQ(2 * PointGroup::parse(group.kernel(k)).num_irreps(), group.num_irreps()) << name << k;
  }
}

TEST(PointGroup, UnknownGroupHasNumbersOnly) {
  const PointGroup unknown;
  EXPECT_FALSE(unknown.is_known());
  EXPECT_EQ(unknown.name(), "unknown");
  EXPECT_EQ(unknown.num_irreps(), 8);
  EXPECT_EQ(unknown.irrep_name(3), "3");
  EXPECT_EQ(unknown.irrep_number("8"), 8);
  EXPECT_THAT(input_error([&] { unknown.irrep_number("A1"); }), HasSubstr("point group"));
  EXPECT_THAT(input_error([&] { unknown.irrep_number("9"); }), HasSubstr("nearest is 8"));
}

TEST(PointGroup, RefusalsListTheChoicesAndTheNearest) {
  EXPECT_THAT(
      input_error([] { PointGroup::parse("C2w"); }),
      AllOf(HasSubstr("'C2w'"), HasSubstr("D2h, C2v, C2h, D2, Cs, C2, Ci, C1"), HasSubstr("nearest is C2v")));
  const PointGroup c2v = PointGroup::parse("C2v");
  EXPECT_THAT(input_error([&] { c2v.irrep_number("B5"); }),
              AllOf(HasSubstr("'B5'"), HasSubstr("A1, B1, B2, A2"), HasSubstr("nearest is B1")));
  EXPECT_THAT(
      input_error([&] { c2v.irrep_number("5"); }),
      AllOf(HasSubstr("irrep 5"), HasSubstr("1 A1, 2 B1, 3 B2, 4 A2 (C2v)"), HasSubstr("nearest is 4")));
  for (const char* text : {"0", "5", "-1", "", "A1 ", "1x"}) {
    EXPECT_THAT(input_error([&] { c2v.irrep_number(text); }), HasSubstr("nearest")) << text;
  }
  EXPECT_THROW(c2v.irrep_name(0), DimensionError);
  EXPECT_THROW(c2v.irrep_name(5), DimensionError);
}

}  // namespace test_point_group
}  // namespace cisolve
