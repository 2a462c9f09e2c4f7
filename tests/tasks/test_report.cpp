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
namespace test_report {

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
  print_system(out, result);
  print_space(out, result.sectors[0].space, result.system);
  print_hamiltonian(out, result.sectors[0].hamiltonian);
  print_iteration_heading(out, result.sectors[0].solver.start);
  const std::span<const IterationRecord> history = result.sectors[0].solver.history;
  for (std::size_t k = 1; k <= history.size(); ++k) print_iteration(out, history.first(k));
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
  EXPECT_THAT(text, HasSubstr("1 core, 1 virtual; 1 left out\n"));
  EXPECT_THAT(text, HasSubstr("-76.1234567890     0.00000  1.50e-08  0.000000  1.0000  A1, 1Delta\n"));
  // (76.123456789012 - 75.9) hartree in eV
  EXPECT_THAT(text, HasSubstr("-75.9000000000     6.08057  2.50e-07  2.000000  3.0000  B1\n"));
  EXPECT_THAT(text, HasSubstr("mixed *\n"));
  EXPECT_THAT(text,
              HasSubstr("0.062500    -0.250000  202  2a1^2 -> 1b1^2\n"));  // as far as they are occupied
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
  roots[0].leading[1].replacement.clear();  // as in files of earlier programs
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

/// Ethylene as a molecule in a report, with two of its orbitals.
CiResult::Molecule some_molecule() {
  CiResult::Molecule m;
  m.labels = {"C", "C", "Ha", "Hb"};
  m.charges = {6, 6, 1, 1};
  m.coordinates = {0, 0, 1.25, 0, 0, -1.25, 0, 1.75, 2.25, -1e-9, -1.75, 2.25};
  m.origin = {0.0, 0.0, -1e-12};
  m.bond_lengths = {2.5, 2.0, 2.00001};
  m.bond_atoms = {1, 2, 1, 3, 1, 4};
  m.point_group = m.largest_group = "C2v";
  m.occupations = {2, 2, 0, 0, 0, 0, 0, 0};
  m.orbital_energies = {-11.25, -0.5, 0.125, 0.25, 0.5, 0.75, 1.0, 1.25};
  m.orbital_irreps = {1, 2, 1, 1, 1, 1, 1, 2};
  m.orbital_labels = {"1a1", "1b1", "2a1", "3a1", "4a1", "5a1", "6a1", "2b1"};
  m.orbital_contributions.assign(8, "C1+C2 2p 0.90, Ha+Hb 1s 0.06");
  return m;
}

TEST(Report, JoinsDeterminantsThatDifferByTheSpinOfOneElectron) {
  CiResult result = sample_result();
  result.sectors[0].roots[0].leading = {{"2u0d0000", 0.5, 0.25, "3a1(b) -> 1b2(b)"},
                                        {"2du00000", 0.5, 0.25, "3a1(a) -> 1b1(a)"},
                                        {"2d0u0000", -0.5, 0.25, "3a1(a) -> 1b2(a)"},
                                        {"2ud00000", 0.4, 0.16, "3a1(b) -> 1b1(b)"},
                                        {"uudd0000", 0.2, 0.04, "2a1(b) 3a1(b) -> 1b1(b) 1b2(b)"},
                                        {"dduu0000", 0.2, 0.04, "2a1(a) 3a1(a) -> 1b1(a) 1b2(a)"}};
  const std::string text = report_of(result);
  EXPECT_THAT(text, HasSubstr("0.500000    -0.500000  2d0u  3a1 -> 1b2, either spin\n"));
  EXPECT_THAT(text, Not(HasSubstr("2u0d")));
  EXPECT_THAT(text, HasSubstr("0.250000    +0.500000  2du0  3a1(a) -> 1b1(a)\n"));  // another weight
  EXPECT_THAT(text, HasSubstr("0.160000    +0.400000  2ud0  3a1(b) -> 1b1(b)\n"));
  EXPECT_THAT(text, HasSubstr("0.040000    +0.200000  dduu  2a1(a) 3a1(a) -> 1b1(a) 1b2(a)\n"));
}

TEST(Report, GivesTransitionsFromTheLowestRootOfEachMultiplicity) {
  CiResult result = sample_result();
  result.molecule = some_molecule();
  result.sectors.resize(2);
  result.sectors[1] = result.sectors[0];
  result.sectors[0].roots.resize(2);
  result.sectors[1].roots.resize(1);
  result.sectors[1].roots[0].energy = -75.8;
  for (CiResult::Sector& sector : result.sectors) {
    for (Root& root : sector.roots) {
      root.dipole = {0, 0, 1};
      root.transition_dipole = {0, 0, 1, 0.5, -1e-9, 0, 0.25, 0, 0};
      root.oscillator_strength = {0, 0.125, 0.0625};
      root.mulliken_charges = {0, 0, 0, 0};
    }
  }
  result.order_roots();
  std::ostringstream out;
  print_properties(out, result);
  EXPECT_THAT(out.str(), HasSubstr("       2      0.500000      0.000000      0.000000      0.125000\n"));
  EXPECT_THAT(out.str(), HasSubstr("       3      0.250000      0.000000      0.000000      0.062500\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("vanish")));
  EXPECT_THAT(out.str(), Not(HasSubstr("not known")));

  result.sectors[0].multiplicity = 1;
  result.sectors[1].multiplicity = 3;
  result.sectors[0].roots[0].oscillator_strength[1] = Root::none;
  out.str("");
  print_properties(out, result);
  EXPECT_THAT(out.str(), Not(HasSubstr("       3      0.250000")));
  EXPECT_THAT(out.str(), HasSubstr("multiplicities they vanish"));
  EXPECT_THAT(out.str(), HasSubstr("not known"));
}

TEST(Report, LeavesOutOccupationsOfManyOrbitals) {
  CiResult result = sample_result();
  std::vector<LeadingConfiguration>& leading = result.sectors[0].roots[0].leading;
  leading[1].occupation = std::string(24, '2') + "u";
  for (int orbital = 1; orbital < 12; ++orbital) leading[1].replacement += " and more";
  const std::string text = report_of(result);
  EXPECT_THAT(text, Not(HasSubstr("2222u")));
  EXPECT_THAT(text, HasSubstr("0.810000    +0.900000  reference\n"));
  EXPECT_LE(width_of(text), 80);
}

TEST(Report, GivesBothUnitsAndBonds) {
  std::ostringstream out;
  print_molecule(out, some_molecule());
  // 2.5, 2.0 bohr in angstrom
  EXPECT_THAT(out.str(), HasSubstr("C1-C2 1.3229, C1-Ha 1.0584 (2 alike)\n"));
  EXPECT_THAT(out.str(),
              HasSubstr("  Ha        0.000000    1.750000    2.250000    0.000000    0.926060    1.190649"));
  EXPECT_THAT(out.str(), Not(HasSubstr("-0.000000")));
  EXPECT_LE(width_of(out.str()), 80);
}

TEST(Report, NamesOrbitals) {
  std::ostringstream some, all;
  print_scf(some, some_molecule(), -78.0);
  print_scf(all, some_molecule(), -78.0, true);
  EXPECT_THAT(some.str(), HasSubstr("2     2       -0.500000  1b1   C1+C2 2p 0.90, Ha+Hb 1s 0.06\n"));
  EXPECT_THAT(some.str(), HasSubstr("1 more is empty; -v lists it"));
  EXPECT_THAT(some.str(), Not(HasSubstr("2b1")));
  EXPECT_THAT(all.str(), HasSubstr("8     0        1.250000  2b1   "));
  EXPECT_THAT(all.str(), Not(HasSubstr("more")));
  CiResult::Molecule earlier = some_molecule();
  earlier.orbital_labels.clear();
  earlier.orbital_contributions.clear();
  std::ostringstream of_earlier;
  print_scf(of_earlier, earlier, -78.0);
  EXPECT_THAT(of_earlier.str(), HasSubstr("2     2       -0.500000  B1\n"));
}

TEST(Report, SaysWhatDipolesOfIonsAreTakenAbout) {
  CiResult result = sample_result();
  result.molecule = some_molecule();
  result.sectors[0].roots.resize(1);
  result.order_roots();
  result.roots.resize(1);
  Root& root = result.sectors[0].roots[0];
  root.dipole = {0, 0, 1};
  root.mulliken_charges = {-1e-9, 0.5, -0.5, 1e-9};
  const auto properties = [&] {
    std::ostringstream out;
    print_properties(out, result);
    return out.str();
  };
  EXPECT_THAT(properties(), Not(HasSubstr("taken about")));
  EXPECT_THAT(properties(), HasSubstr("C1 0.000, C2 +0.500, Ha -0.500, Hb 0.000\n"));
  result.molecule->charge = 1;
  EXPECT_THAT(squeezed(properties()),
              HasSubstr("centreofnuclearcharge,(0.000000,0.000000,0.000000)angstrom"));
}

TEST(Report, SaysWhatIterationsAreFor) {
  std::vector<IterationRecord> history = {
      {.iteration = 1, .energies = {-76.0}, .residual_norms = {1e-7}},
      {.iteration = 2, .phase = SearchPhase::missed_roots, .energies = {-76.0}, .residual_norms = {1e-7}}};
  const auto text = [&history] {
    std::ostringstream out;
    for (std::size_t k = 1; k <= history.size(); ++k) print_iteration(out, std::span(history).first(k));
    print_iterations_end(out, history);
    return out.str();
  };
  EXPECT_THAT(text(), HasSubstr("looking for missed roots"));
  EXPECT_THAT(text(), HasSubstr("no missed root was found"));
  history.back().energies = {-76.2};
  EXPECT_THAT(text(), HasSubstr("a missed root was found"));
  for (const SearchPhase phase : {SearchPhase::new_root, SearchPhase::next_root, SearchPhase::roots}) {
    const std::string before = text();
    history.push_back({.iteration = 3, .phase = phase, .energies = {-76.2}, .residual_norms = {1e-7}});
    EXPECT_GT(text().size(), before.size());
    EXPECT_LE(width_of(text()), 80);
    EXPECT_THAT(text(), HasSubstr("a missed root was found"));  // where that phase ended
  }
}

TEST(Report, SaysFirstWhatFailsItsCertificate) {
  CiResult result = sample_result();
  EXPECT_THAT(report_of(result), Not(HasSubstr("certificates passed")));  // the third is not converged
  result.sectors[0].roots[2].converged = true;
  EXPECT_THAT(
      squeezed(report_of(result)),
      HasSubstr(squeezed("certificates passed: residual norms up to 3.40e-05 hartree estimated from 40 "
                         "rows of H; nobody looked for missed roots")));
  EXPECT_THAT(report_of(result), Not(HasSubstr("DO NOT USE")));
  Certificate& second = *result.sectors[0].roots[1].certificate;
  second.passed = false;
  second.failure = "the residual norm is at least 1.0e-02 hartree in the 40 rows checked, not 2.5e-07";
  const std::string text = report_of(result);
  EXPECT_THAT(text, Not(HasSubstr("certificates passed")));
  EXPECT_THAT(squeezed(text), HasSubstr(squeezed("root 2 fails its certificate: " + second.failure)));
  EXPECT_LT(text.find("DO NOT USE"), text.find("System"));
  EXPECT_LE(width_of(text), 80);
  // As a run prints it, before the energies.
  std::ostringstream findings;
  print_findings(findings, result);
  EXPECT_LT(findings.str().find("DO NOT USE"), findings.str().find("Roots"));
  result.sectors[0].roots[0].certificate.reset();  // of an earlier program
  EXPECT_THAT(report_of(result), HasSubstr("root 2 fails"));
}

TEST(Report, SaysWhoLookedForMissedRootsAndHowFarThatCame) {
  CiResult result = sample_result();
  EXPECT_EQ(missed_roots_clause(result), "nobody looked for missed roots");
  Root& highest = result.sectors[0].roots[2];
  for (Root& root : result.sectors[0].roots) {
    root.certificate->probe_starts = 2;
    root.certificate->probe_products = 12;
    root.certificate->probe_energy = highest.energy + 0.25;
  }
  EXPECT_EQ(missed_roots_clause(result),
            "a look for missed roots by 12 products found none, but came down to 0.2500 hartree above the "
            "highest root");
  result.sectors.push_back(result.sectors[0]);
  for (Root& root : result.sectors[1].roots) root.certificate->probe_starts = 0;
  EXPECT_THAT(missed_roots_clause(result),
              HasSubstr("a look for missed roots in 1 of 2 sectors by 12 products"));
}

TEST(Report, CopesWithNoRootsAndNoIterations) {
  CiResult result;
  EXPECT_LE(width_of(report_of(result)), 80);
  std::ostringstream out;
  const IterationRecord nothing{.iteration = 1, .energies = {}, .residual_norms = {}};
  print_iteration(out, std::span(&nothing, 1));
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
  EXPECT_EQ(report::signed_fixed(-1e-12, 3), "0.000");
  EXPECT_EQ(report::signed_fixed(1e-12, 3), "0.000");
  EXPECT_EQ(report::signed_fixed(0.25, 2), "+0.25");
  EXPECT_EQ(report::signed_fixed(-0.25, 2), "-0.25");
}

}  // namespace test_report
}  // namespace cisolve
