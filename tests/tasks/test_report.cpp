// SPDX-License-Identifier: MIT
#include "cisolve/tasks/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "cisolve/tasks/files/result_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/report/text.hpp"
#include "tasks/sample_result.hpp"

namespace cisolve {
namespace {

using test::sample_result;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string report_of(const CiResult& result) {
  std::ostringstream out;
  print_report(out, result);
  return out.str();
}

/// Characters of the longest line.
std::ptrdiff_t width_of(const std::string& text) {
  std::istringstream in(text);
  std::ptrdiff_t width = 0;
  for (std::string line; std::getline(in, line);) {
    width = std::max(width, std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
  }
  return width;
}

/// Without spaces and line ends.
std::string squeezed(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Report, ShowsTheSameAfterWritingAndReading) {
  const test::TemporaryFolder folder;
  const CiResult result = sample_result();
  write_result(folder / "out.h5", result);
  EXPECT_EQ(report_of(read_result(folder / "out.h5", false)), report_of(result));
}

TEST(Report, PartsOfARunMakeUpTheWhole) {
  const CiResult result = sample_result();
  std::ostringstream out;
  print_header(out, result.version, result.created, result.sectors[0].hamiltonian.device, result.title);
  print_system(out, result.system);
  print_space(out, result.sectors[0].space, result.system);
  print_hamiltonian(out, result.sectors[0].hamiltonian);
  print_iteration_heading(out, result.sectors[0].solver.start);
  for (const IterationRecord& record : result.sectors[0].solver.history) print_iteration(out, record);
  print_roots(out, result);
  print_warnings(out, result.warnings);
  print_timing(out, result.timing);
  EXPECT_EQ(out.str(), report_of(result));
}

TEST(Report, GivesTheNumbers) {
  const std::string text = report_of(sample_result());
  EXPECT_THAT(text, HasSubstr("cisolve 1.2.3"));
  EXPECT_THAT(text, HasSubstr("4 (2 alpha, 2 beta)"));
  EXPECT_THAT(text, HasSubstr("A1: 4, B1: 2, B2: 1, A2: 1"));
  EXPECT_THAT(text, HasSubstr("-76.1234567890       0.000000   1.50e-08   0.000000   1.0000  A1\n"));
  // (76.123456789012 - 75.9) hartree in eV
  EXPECT_THAT(text, HasSubstr("-75.9000000000       6.080569   2.50e-07   2.000000   3.0000  B1\n"));
  EXPECT_THAT(text, HasSubstr("mixed *\n"));
  EXPECT_THAT(text, HasSubstr("0.062500    -0.250000  20200000"));
  EXPECT_THAT(text, HasSubstr("356.76 MiB"));
  EXPECT_THAT(text, HasSubstr("1,234 (17.6 per row)"));
  EXPECT_THAT(text, HasSubstr("74.816 % zeros"));
  EXPECT_THAT(text, HasSubstr("1,234,567"));
  EXPECT_THAT(text, HasSubstr("not converged after 2 iterations"));
  EXPECT_THAT(text, HasSubstr("3.00e-02"));  // the largest residual of the second iteration
  EXPECT_THAT(text, HasSubstr("  - root 3 is not converged\n"));
  EXPECT_THAT(text, HasSubstr("2.25 s    47.4 %"));
  EXPECT_THAT(text, HasSubstr("0.35 s     7.4 %"));  // what the parts leave of the total
}

TEST(Report, LeavesOutWhatThereIsNot) {
  CiResult result = sample_result();
  result.warnings.clear();
  for (Root& root : result.sectors[0].roots) root.converged = true;
  result.system.scf_energy.reset();
  result.sectors[0].hamiltonian.ell_width = result.sectors[0].hamiltonian.tail_nonzeros = 0;
  const std::string text = report_of(result);
  EXPECT_THAT(text, Not(HasSubstr("Warnings")));
  EXPECT_THAT(text, Not(HasSubstr(" *")));
  EXPECT_THAT(text, Not(HasSubstr("SCF")));
  EXPECT_THAT(text, Not(HasSubstr("ELL width")));
}

TEST(Report, NamesIrrepsByNumberWhereTheGroupIsUnknown) {
  CiResult result = sample_result();
  result.system.point_group = "unknown";
  EXPECT_THAT(report_of(result), HasSubstr("1: 4, 2: 2, 3: 1, 4: 1"));
}

TEST(Report, FitsEightyColumnsWithLongContent) {
  CiResult result = sample_result();
  std::string occupation;
  for (int orbital = 0; orbital < 200; ++orbital) occupation += "20ud"[orbital % 4];
  result.title = std::string(300, 't') + " " + std::string(50, 'u');
  result.system.integrals_file = "/scratch/" + std::string(200, 'p') + ".fcidump";
  result.sectors[0].space.reference = occupation;
  result.sectors[0].space.dimension = result.sectors[0].hamiltonian.rows =
      std::numeric_limits<std::int32_t>::max();
  result.sectors[0].hamiltonian.nonzeros = result.sectors[0].hamiltonian.ell_bytes =
      std::numeric_limits<std::int64_t>::max();
  std::vector<Root>& roots = result.sectors[0].roots;
  roots[0].leading[0].occupation = occupation.substr(0, 64);
  roots[0].leading[1].occupation = occupation;
  roots[0].energy = -123456.123456789012;
  roots[2].energy = 12345.0;
  roots[1].irrep_name = "a name of an irrep that nobody would give";
  result.warnings = {"W " + std::string(200, 'w') + " and many more words that follow on the lines below it",
                     "tabs\tand\nline ends\x1b[31m"};
  result.sectors[0].solver.history[0].num_applications = 1000000000;
  result.sectors[0].solver.history[0].iteration = 99999;
  const std::string text = report_of(result);
  EXPECT_LE(width_of(text), 80);
  EXPECT_GT(width_of(text), 70);
  // Wrapped, not cut.
  EXPECT_THAT(squeezed(text), HasSubstr(occupation));
  EXPECT_THAT(squeezed(text), HasSubstr(std::string(200, 'w') + "andmanymorewords"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Report, CopesWithNoRootsAndNoIterations) {
  CiResult result;
  EXPECT_LE(width_of(report_of(result)), 80);
  std::ostringstream out;
  print_iteration(out, {.iteration = 1, .energies = {}, .residual_norms = {}});
  EXPECT_THAT(out.str(), HasSubstr("-"));
}

TEST(Report, CountsHaveSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(31141367), "31,141,367");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(-999), "-999");
}

TEST(Report, BytesHaveBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(374089620), "356.76 MiB");
  EXPECT_EQ(format_bytes((std::int64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(format_bytes(std::int64_t{15} << 30), "15.00 GiB");
  EXPECT_EQ(format_bytes(std::int64_t{5} << 50), "5120.00 TiB");
}

TEST(ReportText, WrapsAtSpacesAndInsideLongWords) {
  EXPECT_THAT(report::wrap("", 5), ElementsAre(""));
  EXPECT_THAT(report::wrap("ab cd ef", 5), ElementsAre("ab cd", "ef"));
  EXPECT_THAT(report::wrap("ab  abcdefgh i", 5), ElementsAre("ab", "abcde", "fgh i"));
  EXPECT_THAT(report::wrap("abcde fghij", 5), ElementsAre("abcde", "fghij"));
  EXPECT_THAT(report::wrap("äöüäö üä", 5), ElementsAre("äöüäö", "üä"));
  EXPECT_THAT(report::wrap("äöüäöü", 5), ElementsAre("äöüäö", "ü"));
}

TEST(ReportText, ZeroHasNoSign) {
  EXPECT_EQ(report::fixed(-1e-12, 6), "0.000000");
  EXPECT_EQ(report::fixed(-0.25, 2), "-0.25");
  EXPECT_EQ(report::fixed(-10.0, 0), "-10");
}

}  // namespace
}  // namespace cisolve
