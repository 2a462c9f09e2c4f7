// SPDX-License-Identifier: MIT
#include "integrals/fortran_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace cisolve {
namespace test_fortran_number {

TEST(FortranReal, EveryNotationOfANumber) {
  const std::pair<const char*, double> cases[] = {{"1", 1.0},
                                                  {"-1", -1.0},
                                                  {"+1.5", 1.5},
                                                  {".5", 0.5},
                                                  {"-.5", -0.5},
                                                  {"5.", 5.0},
                                                  {"1E3", 1e3},
                                                  {"1.e-3", 1e-3},
                                                  {"1.25D+02", 125.0},
                                                  {"-1d-2", -1e-2},
                                                  {"1Q4", 1e4},
                                                  {"0.12-104", 0.12e-104},
                                                  {"-0.12+104", -0.12e104},
                                                  {"+.5D1", 5.0},
                                                  {"007", 7.0},
                                                  {"4.7445057754157531E+00", 4.7445057754157531},
                                                  {"0.47445057754157531D+01", 4.7445057754157531},
                                                  {"5e-324", std::numeric_limits<double>::denorm_min()}};
  for (const auto& [text, value] : cases) {
    ASSERT_TRUE(parse_fortran_real(text).has_value()) << text;
    EXPECT_EQ(*parse_fortran_real(text), value) << text;
  }
}

TEST(FortranReal, TooLargeIsInfiniteAndTooSmallIsZero) {
  EXPECT_TRUE(std::isinf(parse_fortran_real("1E400").value()));
  EXPECT_TRUE(std::isinf(parse_fortran_real("-0.1+999").value()));
  EXPECT_EQ(parse_fortran_real("1D-400").value(), 0.0);
  EXPECT_EQ(parse_fortran_real("0.12-999").value(), 0.0);
}

TEST(FortranReal, RefusesEverythingElse) {
  for (const std::string_view text :
       {"",     "+",   "-",     ".",   "NaN",  "-nan",  "inf",   "Infinity", "****",
        "1.0x", "1E",  "1E+",   "1D",  "1.5-", "1-2-3", "1E5D3", "1.2.3",    "0x10",
        "++1",  "+-1", "(1,2)", "1,5", " 1",   "1 ",    "E5",    "--1"}) {
    EXPECT_FALSE(parse_fortran_real(text).has_value()) << text;
  }
}

TEST(FortranInteger, SignsAndLimits) {
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("-2"), -2);
  EXPECT_EQ(parse_integer("0012"), 12);
  for (const std::string_view text :
       {"", "+", "+-1", "1.0", "1e3", "seven", "99999999999999999999", "1 ", "2*1"}) {
    EXPECT_FALSE(parse_integer(text).has_value()) << text;
  }
}

}  // namespace test_fortran_number
}  // namespace cisolve
