// SPDX-License-Identifier: MIT
#include "cisolve/tasks/lint/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "cisolve/integrals/freeze.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_lint {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path data = CISOLVE_TEST_DATA;

struct Verdict {
  bool safe;
  std::string report;  ///< in one line
};

Verdict lint(const std::filesystem::path& file) {
  std::ostringstream out;
  const bool safe = lint_fcidump(file, out);
  std::string one_line;
  std::istringstream words(out.str());
  for (std::string word; words >> word;) one_line += (one_line.empty() ? "" : " ") + word;
  return {safe, one_line};
}

/// The rows of the table of docs/fcidump.md: file, verdict, what is said.
std::map<std::string, std::pair<std::string, std::string>> documented() {
  std::ifstream page(data.parent_path().parent_path() / "docs" / "fcidump.md");
  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream fields(line.substr(2));
    for (std::string cell; std::getline(fields, cell, '|') && cells.size() < 2;)
      cells.push_back(cell.substr(cell.find_first_not_of(' ')));
    // The sentence may hold bars itself: all up to the last.
    const std::size_t second = line.find('|', line.find('|', 1) + 1);
    std::string said = line.substr(second + 2, line.rfind(" |") - second - 2);
    for (std::size_t at = said.find("\\|"); at != std::string::npos; at = said.find("\\|")) said.erase(at, 1);
    const std::string name = cells[0].substr(1, cells[0].rfind('`') - 1);
    rows[name] = {cells[1].substr(0, cells[1].find_last_not_of(' ') + 1), said};
  }
  return rows;
}

/// Every file of the two folders has its verdict in the documentation, and gets it.
TEST(Lint, VerdictsAreThoseOfTheDocumentation) {
  auto rows = documented();
  for (const std::string folder : {"dialects", "malformed"}) {
    const nlohmann::json expected = read_json(folder + "/expected.json");
    for (const auto& [name, entry] : expected["files"].items()) {
      SCOPED_TRACE(name);
      const std::string stem = name.substr(0, name.rfind(".fcidump"));
      ASSERT_TRUE(rows.contains(stem)) << "no row in docs/fcidump.md";
      const auto [verdict, said] = rows[stem];
      rows.erase(stem);
      const Verdict found = lint(data / folder / name);
      EXPECT_EQ(found.safe, folder == "dialects");
      EXPECT_EQ(verdict, found.safe ? "safe" : "refused");
      EXPECT_THAT(found.report, HasSubstr(said));
      EXPECT_THAT(found.report, HasSubstr(found.safe ? "safe to use" : ": refused"));
    }
  }
  EXPECT_TRUE(rows.empty()) << rows.begin()->first << " is no file";
}

TEST(Lint, SaysWhetherBothSpinsSpanOneSpace) {
  const Verdict whole = lint(data / "uhf/no_sto3g.interleaved.fcidump.gz");
  EXPECT_TRUE(whole.safe);
  EXPECT_THAT(whole.report,
              AllOf(HasSubstr("Psi4"), HasSubstr("spin orbitals in turn"), HasSubstr("one space"),
                    HasSubstr("15 (8 alpha, 7 beta)"), HasSubstr("Ms = 1/2")));
  const test::TemporaryFolder folder;
  const FcidumpFile file = read_fcidump(data / "uhf/no_sto3g.blocks.fcidump.gz");
  write_fcidump(folder.path() / "frozen.fcidump", freeze(file.integrals, {0, 1}, {}).integrals, 11, 1);
  const Verdict frozen = lint(folder.path() / "frozen.fcidump");
  EXPECT_TRUE(frozen.safe);
  EXPECT_THAT(frozen.report, AllOf(HasSubstr("two spaces"), HasSubstr("integrals.overlap")));
}

TEST(Lint, CallsSpinorsAndForeignFilesWhatTheyAre) {
  EXPECT_THAT(
      lint(data / "complex/sh_x2c.columns.fcidump.gz").report,
      AllOf(HasSubstr("10, spinors"), HasSubstr("complex, in two columns"), HasSubstr("full CI 120")));
  EXPECT_THAT(lint(data / "complex/h2o_field.parentheses.fcidump.gz").report,
              AllOf(HasSubstr("both spins share them"), HasSubstr("complex, in parentheses")));
  const test::TemporaryFolder folder;
  const auto written = [&](const std::string& text) {
    const auto file = folder.path() / "a.fcidump";
    std::ofstream(file) << text;
    return lint(file);
  };
  const std::string records =
      "0.7 1 1 1 1\n0.6 1 1 2 2\n0.1 1 2 1 2\n0.7 2 2 2 2\n-1.0 1 1 0 0\n-0.9 2 2 0 0\n0.5 0 0 0 0\n";
  const Verdict dirac = written("&FCI NORB=2,NELEC=1,MS2=1,IUHF=1 /\n" + records);
  EXPECT_TRUE(dirac.safe) << dirac.report;
  EXPECT_THAT(dirac.report, AllOf(HasSubstr("DIRAC"), HasSubstr("2, spinors")));
  const Verdict transformed = written("&FCI NORB=2,NELEC=2,ST=1 /\n" + records);
  EXPECT_FALSE(transformed.safe);
  EXPECT_THAT(transformed.report, HasSubstr("similarity-transformed"));
  EXPECT_THAT(written("&FCI NORB=2,NELEC=2,NPY2='a.npy' /\n").report,
              AllOf(HasSubstr("NPY2"), HasSubstr("ElemCo")));
  EXPECT_THAT(written("1 1 1 1 0.7746\n").report, HasSubstr("MACIS"));
  const Verdict odd = written("&FCI NORB=2,NELEC=1 /\n" + records);
  EXPECT_THAT(odd.report, AllOf(HasSubstr("Odd about it"), HasSubstr("MS2 is not given"),
                                HasSubstr("1 (1 alpha, 0 beta; no MS2 is given)"), HasSubstr("Ms = 1/2")));
  const Verdict none = written("&FCI NORB=2,NELEC=0,MS2=0 /\n" + records);
  EXPECT_FALSE(none.safe) << "a job has nothing to do";
  EXPECT_THAT(none.report, Not(HasSubstr("safe")));
}

}  // namespace test_lint
}  // namespace cisolve
