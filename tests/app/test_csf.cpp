// SPDX-License-Identifier: MIT
// What the program says about jobs over CSFs: plans, refusals for lack of memory, references.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "app/run_program.hpp"

namespace cisolve::test {
namespace test_csf {

std::string water(int level, const std::string& rest = "") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA
         "/h2o_631g.fcidump.gz\"\n[space]\nbasis = \"csf\"\nexcitation_level = " +
         std::to_string(level) + "\n" + rest +
         "[states]\nirrep = 1\nmultiplicity = 1\n[run]\ndevice = \"cpu\"\n";
}

/// The number that follows a text in the report; -1 if there is none.
double number_after(const std::string& report, const std::string& text) {
  std::smatch found;
  if (!std::regex_search(report, found, std::regex(text + " +(?:about )?([\\d,.]+)"))) return -1.0;
  std::string number = found[1];
  std::erase(number, ',');
  return std::stod(number);
}

TEST(CsfPlan, OfALargeSpaceIsAnEstimateAndSaysSo) {
  const ScratchFolder folder;
  folder.write("job.inp", water(5));
  const ProgramResult check = run_program({"job.inp", "--check", "--memory", "8 GiB"}, folder.path());
  ASSERT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.out.find("Plan, estimated from a sample of the rows"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("about "), std::string::npos);
  const ProgramResult run =
      run_program({"job.inp", "--memory", "8 GiB", "--set", "solver.max_iterations=1"}, folder.path());
  ASSERT_EQ(run.exit_code, 2) << run.err;
  const double exact = number_after(run.out, "nonzeros");
  ASSERT_GT(exact, 1e7) << run.out;
  EXPECT_NEAR(number_after(check.out, "Nonzeros") / exact, 1.0, 0.03);
  // A small one is counted.
  const ProgramResult small =
      run_program({"job.inp", "--check", "--set", "space.excitation_level=2"}, folder.path());
  EXPECT_NE(small.out.find("\nPlan\n"), std::string::npos) << small.out;
  EXPECT_EQ(small.out.find("about 1"), std::string::npos) << small.out;
}

TEST(CsfPlan, TheLevelThatWouldFitDoes) {
  const ScratchFolder folder;
  const std::string several = "reference = [\"22222\", \"222202\", \"222112\"]\n";
  struct Case {
    int level;
    std::string rest, memory;
  };
  // Refused for the vectors alone, for a matrix far too large, and for those of which all rows were counted.
  const std::vector<Case> cases = {
      {6, "", "5 MiB"}, {5, "", "40 MiB"}, {4, "", "50 MiB"}, {4, several, "30 MiB"}};
  for (const auto& [from, rest, memory] : cases) {
    SCOPED_TRACE(memory + " " + rest);
    folder.write("job.inp", water(from, rest));
    const ProgramResult refused = run_program({"job.inp", "--check", "--memory", memory}, folder.path());
    ASSERT_EQ(refused.exit_code, 3) << refused.out << refused.err;
    std::smatch said;
    ASSERT_TRUE(std::regex_search(refused.err, said,
                                  std::regex("excitation_level = (\\d) \\(([\\d,]+) CSFs\\) would fit")))
        << refused.err;
    const std::string level = said[1], csfs = said[2];
    const auto with_level = [&, limit = memory](int wanted, bool check) {
      std::vector<std::string> words = {"job.inp",
                                        "--memory",
                                        limit,
                                        "--set",
                                        "space.excitation_level=" + std::to_string(wanted),
                                        "--set",
                                        "solver.max_iterations=1"};
      if (check) words.push_back("--check");
      return run_program(words, folder.path());
    };
    const ProgramResult fits = with_level(std::stoi(level), false);
    EXPECT_EQ(fits.exit_code, 2) << fits.err;
    EXPECT_NE(fits.out.find("dimension               " + csfs), std::string::npos) << fits.out;
    EXPECT_EQ(with_level(std::stoi(level) + 1, true).exit_code, 3) << "a higher level fits as well";
  }
}

TEST(CsfPlan, NoLevelIsPromisedWhereNoneFits) {
  const ScratchFolder folder;
  folder.write("job.inp", water(6));
  const ProgramResult refused = run_program({"job.inp", "--check", "--memory", "20 KiB"}, folder.path());
  ASSERT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_NE(refused.err.find("no lower excitation_level would fit"), std::string::npos) << refused.err;
}

}  // namespace test_csf
}  // namespace cisolve::test
