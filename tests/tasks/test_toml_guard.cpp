// SPDX-License-Identifier: MIT
#include "tasks/input/toml_guard.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"

namespace cisolve {
namespace test_toml_guard {

using detail::guarded_toml;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

const std::string integrals = "[integrals]\nfile = \"h2o.fcidump\"\n";

/// The message with which an input is refused.
std::string refusal(const std::string& text) {
  try {
    parse_input(text, "a.inp");
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

struct Dangerous {
  const char* name;
  std::string text;
  std::string place;  ///< "a.inp:LINE: column COLUMN: "
  std::string found;
};
void PrintTo(const Dangerous& dangerous, std::ostream* stream) { *stream << dangerous.name; }

class DangerousToml : public testing::TestWithParam<Dangerous> {};

TEST_P(DangerousToml, IsRefusedWithItsLineAndColumn) {
  const Dangerous& dangerous = GetParam();
  EXPECT_THAT(refusal(dangerous.text),
              AllOf(StartsWith("a.inp:" + dangerous.place), HasSubstr(dangerous.found)));
}

// Each of these ended in an assertion of the library, in an overflow of the stack, or in what its compiler may take for
// unreachable; or takes the library minutes.
INSTANTIATE_TEST_SUITE_P(
    TomlGuard, DangerousToml,
    testing::Values(
        Dangerous{"NoNameInHeader", "[[&END[integrals]\n",
                  "1: column 3: ", "found '&' where the name of a section begins"},
        Dangerous{"EmptyHeader", "[run]\n[\n", "2: column 2: ", "found nothing where the name"},
        Dangerous{"WrongBracketInArray", "[space]\nreference = { electrons = 2, orbitals = [2,  } }\n",
                  "2: column 46: ", "found '}', but the bracket opened last is '['"},
        Dangerous{"BracketNeverOpened", "[run]\nthreads = 1 }\n",
                  "2: column 13: ", "found '}', but the bracket"},
        Dangerous{"DateAndADigit", "[states]\ncount = [1979-05-27 0]\n",
                  "2: column 20: ", "found a date and a digit"},
        Dangerous{"NearlyADateAndADigit", "[scan]\nvalues = 1-------n_l 1 1\n",
                  "2: column 21: ", "found a date and a digit"},
        Dangerous{"DeepDots", "[states]\nco" + repeated(".a", 5000) + " = 1\n",
                  "2: column 17: ", "more than 8 parts"},
        Dangerous{"DeepHeader", "[a" + repeated(".a", 5000) + "]\n", "1: column 17: ", "more than 8 parts"},
        Dangerous{"DeepQuotedNames", "[states]\na" + repeated(".\"b\"", 5000) + " = 1\n",
                  "2: column 30: ", "more than 8 parts"},
        Dangerous{"DeepLists", "[states]\ncount = " + repeated("[", 200000) + "\n",
                  "2: column 17: ", "brackets 9 deep"},
        Dangerous{"DeepTables", "[states]\ncount = " + repeated("{a=", 200000) + "\n",
                  "2: column 33: ", "brackets 9 deep"},
        Dangerous{"WideBlankInValue", "[run]\nthreads = 1\xe2\x80\x87 2\n", "2: ", "texts stand in quotes"},
        Dangerous{"WideBlankBetweenKeys", "[run]\n\xe3\x80\x80threads = 1\n",
                  "2: column 1: ", "outside of quotes"},
        Dangerous{"BackslashBeforeWideBlank", "title = \"\"\"a\\\xe2\x80\x87\n\"\"\"\n",
                  "1: column 14: ", "found a backslash before"},
        Dangerous{"NoUtf8InText", "title = \"caf\xe9\"\n",
                  "1: column 13: ", "found a byte of value 233 that is no UTF-8"},
        Dangerous{"LongFormOfUtf8", "title = \"\xc0\xaf\"\n", "1: column 10: ", "byte of value 192"},
        Dangerous{"Surrogate", "# \xed\xa0\x80\n", "1: column 3: ", "byte of value 237"},
        Dangerous{"BeyondUnicode", "# \xf5\x80\x80\x80\n", "1: column 3: ", "byte of value 245"},
        Dangerous{"CutUtf8", "# \xe2\x80", "1: column 3: ", "byte of value 226"},
        Dangerous{"NullInComment", std::string("# a\0b\n", 6), "1: column 4: ", "the control character 0"},
        Dangerous{"LoneCarriageReturn", "[run]\rthreads = 1\n", "1: column 6: ", "the control character 13"},
        Dangerous{"StringWithoutEnd", "\n  title = \"water\n[run]\n",
                  "2: column 11: ", "a string that is not closed"},
        Dangerous{"LongStringWithoutEnd", "title = \"\"\"water\n",
                  "1: column 9: ", "a string that is not closed"},
        Dangerous{"ManyKeys", repeated("a.b=1\n", 1001), "1001: column 4: ", "more than 1000 keys"},
        Dangerous{"ManyBytes", std::string((4U << 20) + 1, ' '), "1: column 1: ", "found 4194305 bytes"}),
    [](const auto& one) { return one.param.name; });

TEST(TomlGuard, LeavesUsualInputsAsTheyAre) {
  const std::string text =
      integrals +
      "point_group = 'C2v'\r\n[space]\nreference = { electrons = 4, orbitals = [3, 4] }\n"
      "frozen_core = [\n  1,\n  [2],\n]\n[[a.\"b c\"]]\n";
  EXPECT_EQ(guarded_toml(text), text);
}

TEST(TomlGuard, CommentsGoAndLinesStay) {
  EXPECT_EQ(guarded_toml("a = 1 # \xc3\xa4 \"\n\"#\" = '#' # ]\n#\n"), "a = 1 \n\"#\" = '#' \n\n");
}

TEST(TomlGuard, QuotesEndWhereTomlEndsThem) {
  for (const char* text :
       {"a = \"\"\n", "a = ''\nb = '\"'\n", "a = \"\\\"[{\" \n", "a = '\\' \n",
        "a = \"\"\"\n[[[\"\"]\\\"\"\"\"\"\n", "a = '''[\n''[{'''\n", "a = \"\"\"x\\\n   y\"\"\"\n"}) {
    EXPECT_EQ(guarded_toml(text), text);
    EXPECT_THAT(guarded_toml(std::string(text) + "# [\nb = 1"), testing::EndsWith("\n\nb = 1"));
  }
}

TEST(TomlGuard, TheLibrarySeesAsciiOnly) {
  EXPECT_EQ(guarded_toml("a = '\xc3\xa4\\\"'"), "a = \"\\U000000E4\\\\\\\"\"");
  EXPECT_EQ(guarded_toml("a = '''\n\xc3\xa4'x'''''"), "a = \"\"\"\n\\U000000E4'x''\"\"\"");
  EXPECT_EQ(guarded_toml("a = \"\xe2\x82\xac\""), "a = \"\\U000020AC\"");
  EXPECT_EQ(guarded_toml("'\xf0\x9f\x92\xa7' = 1"), "\"\\U0001F4A7\" = 1");
  // A value that begins as a number is looked through up to its end, quotes or not.
  EXPECT_THAT(refusal("[run]\nthreads = 12a'\xc5\x8f'\n"), StartsWith("a.inp:2: "));
}

TEST(TomlGuard, TextsBeyondAsciiReadAsTheyAreWritten) {
  const std::string title =
      "Wasser \xc3\xbc"
      "ber \xe2\x82\xac\xe3\x80\x80 \xf0\x9f\x92\xa7";  // with a wide blank
  const auto title_of = [&](const std::string& assignment) {
    return std::get<std::string>(
        parse_input("\xEF\xBB\xBF" + assignment + "\n# " + title + "\n" + integrals, "a")
            .entries.at("title")
            .value);
  };
  EXPECT_EQ(title_of("title = \"" + title + "\""), title);
  EXPECT_EQ(title_of("title = '" + title + "'"), title);
  EXPECT_EQ(title_of("title = '''" + title + "'''"), title);
  // A line that goes on skips blanks, ASCII ones.
  EXPECT_EQ(title_of("title = \"\"\"\\\n   " + title + "\"\"\""), title);
}

TEST(TomlGuard, ANameWithADotIsNoTwoNames) {
  EXPECT_THAT(refusal(integrals + "[solver]\n\"a.b\" = 1\n"), HasSubstr("unknown key \"solver.\"a.b\"\""));
  EXPECT_THAT(refusal("\"solver.tolerance\" = 1e-6\n" + integrals),
              AllOf(StartsWith("a.inp:1: "), HasSubstr("unknown key")));
}

}  // namespace test_toml_guard
}  // namespace cisolve
