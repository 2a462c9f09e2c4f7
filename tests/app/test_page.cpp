// SPDX-License-Identifier: MIT
// `cisolve report`: pages of every kind of run, and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "app/run_program.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/well_formed.hpp"

namespace cisolve::test {
namespace test_page {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

const std::string h2 = "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n";
const std::string water = "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump\"\n";
const std::string hydrogen = "[molecule]\ngeometry = \"H 0 0 0; H 0 0 0.74\"\nbasis = \"6-31g\"\n";

/// A kind of run, and the sections that its page must have beside those of all.
struct Kind {
  std::string name, input;
  std::vector<std::string> sections;
  std::vector<std::string> texts;  ///< that stand in it
};

std::vector<Kind> kinds() {
  return {
      {"molecule",
       hydrogen + "[space]\nexcitation_level = \"full\"\n[states]\ncount = 3\nirrep = [\"Ag\", "
                  "\"B1u\"]\nmultiplicity = 1\n",
       {"energies", "levels", "spectrum", "properties", "convergence", "molecule", "resources"},
       {"6-31G", "D2h", "full CI", "Gaussians of 0.3 eV", "H1", "¹Σu⁺"}},
      {"fcidump",
       water + "[space]\nexcitation_level = 2\n[states]\ncount = 2\n",
       {"energies", "levels", "configurations", "convergence", "resources"},
       {"h2o_sto3g.fcidump", "CISD", "Residual norms"}},
      {"csf",
       water + "[space]\nbasis = \"csf\"\nexcitation_level = 2\n[states]\nirrep = 1\nmultiplicity = 1\n",
       {"energies", "configurations", "convergence", "resources"},
       {"CSFs", "coupled to S + 1/2"}},
      {"selected",
       water + "[selection]\ndeterminants = 60\n",
       {"energies", "selection", "resources"},
       {"selected CI (perturbation)", "With second-order perturbation theory", "Energy against E2"}},
      {"casscf",
       hydrogen + "[space]\nreference = { electrons = 2, orbitals = { Ag = 1, B1u = 1 } }\nexcitation_level "
                  "= 0\n[states]\nirrep = \"Ag\"\nmultiplicity = 1\n[orbitals]\noptimise = \"casscf\"\n",
       {"energies", "orbitals", "molecule"},
       {"CASSCF(2,2)", "Orbital optimisation (CASSCF)", "orbital gradient"}},
      {"scan",
       hydrogen + "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [0.6, 0.68, 0.74, 0.8, "
                  "0.9]\n[space]\nexcitation_level = \"full\"\n",
       {"curves", "constants", "points"},
       {"bond 1 2/Å", "ωₑ/cm⁻¹", "none failed", "point 3: 0.74 angstrom"}},
  };
}

std::vector<double> energies_of(const std::filesystem::path& file) {
  if (!holds_scan(file)) return read_result(file, false).column(&Root::energy);
  std::vector<double> energies;
  for (const ScanPoint& point : read_scan(file).points)
    energies.insert(energies.end(), point.energies.begin(), point.energies.end());
  return energies;
}

std::set<std::string> section_ids(const std::string& page) {
  std::set<std::string> found;
  constexpr std::string_view begin = "<section id=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1))
    found.insert(page.substr(at + begin.size(), page.find('"', at + begin.size()) - at - begin.size()));
  return found;
}

/// By a parser that is none of ours, where there is one.
void expect_parsed_by_python(const std::filesystem::path& page) {
  const char* named = std::getenv("CISOLVE_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (std::system((python + " -c 'import xml.etree' 2>/dev/null").c_str()) != 0) return;
  const std::string command =
      python + " -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' " + page.string();
  EXPECT_EQ(std::system(command.c_str()), 0) << page;
}

class ReportPage : public testing::TestWithParam<Kind> {};

TEST_P(ReportPage, HasEveryEnergyAndItsSections) {
  const Kind& kind = GetParam();
  const ScratchFolder folder;
  folder.write("job.inp", "title = \"<b>&\"\n" + kind.input + "[run]\ndevice = \"cpu\"\nthreads = 1\n");
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult report = run_program({"report", "job.h5"}, folder.path());
  ASSERT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(report.out, "job.html: page of job.h5\n");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.html", "job.inp"}));
  const std::string page = read_text(folder.path() / "job.html");
  EXPECT_EQ(xml_mistake(page), "");
  expect_parsed_by_python(folder.path() / "job.html");
  std::vector<std::string> sections = kind.sections;
  sections.emplace_back("input");
  EXPECT_THAT(section_ids(page), IsSupersetOf(sections));
  for (const std::string& text : kind.texts) EXPECT_THAT(page, HasSubstr(text));
  const std::vector<double> energies = energies_of(folder.path() / "job.h5");
  ASSERT_FALSE(energies.empty());
  for (const double energy : energies) EXPECT_THAT(page, HasSubstr(fmt::format("{:.10f}", energy)));
  EXPECT_THAT(page, HasSubstr("<h1>&lt;b&gt;&amp;</h1>"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReportPage, testing::ValuesIn(kinds()),
                         [](const auto& named) { return named.param.name; });

TEST(ReportCommand, GoesWhereTheOptionSaysAndReplacesAnOlderPage) {
  const ScratchFolder folder;
  folder.write("job.inp", h2 + "[run]\ndevice = \"cpu\"\n");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  folder.write("page.html", "older");
  const ProgramResult report = run_program({"report", "job.h5", "-o", "page.html"}, folder.path());
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(xml_mistake(read_text(folder.path() / "page.html")), "");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.inp", "page.html"}));
}

TEST(ReportCommand, MistakesAreRefusedInASentence) {
  const ScratchFolder folder;
  folder.write("job.inp", h2 + "[run]\ndevice = \"cpu\"\n");
  folder.write("text.h5", "no result");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  std::filesystem::copy_file(folder.path() / "job.h5", folder.path() / "copy.html");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    expect_refused(run_program(arguments, folder.path()), parts);
  };
  const std::string before = read_text(folder.path() / "job.h5");
  refused({"report"}, {"FILE"});
  refused({"report", "absent.h5"}, {"absent.h5"});
  refused({"report", "text.h5"}, {"text.h5"});
  refused({"report", "job.h5", "-o", "job.h5"}, {"job.h5", ".html"});
  refused({"report", "job.h5", "-o", "job.txt"}, {"job.txt", ".html"});
  refused({"report", "job.h5", "-o", ""}, {"-o"});
  refused({"report", "copy.html"}, {"copy.html", "result file"});
  EXPECT_EQ(read_text(folder.path() / "job.h5"), before);
  EXPECT_EQ(read_text(folder.path() / "copy.html"), before);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"copy.html", "job.h5", "job.inp", "text.h5"}));
  // What the system refuses is another status.
  const ProgramResult nowhere = run_program({"report", "job.h5", "-o", "absent/page.html"}, folder.path());
  EXPECT_EQ(nowhere.exit_code, 4);
  EXPECT_THAT(nowhere.err, HasSubstr("absent"));
}

}  // namespace test_page
}  // namespace cisolve::test
