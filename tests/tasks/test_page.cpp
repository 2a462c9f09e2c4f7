// SPDX-License-Identifier: MIT
// The page of a result: well-formed, escaped, without references, with what the result has and no section more.
#include "cisolve/tasks/page/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cisolve/tasks/files/result_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/page/markup.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/states.hpp"
#include "tasks/sample_result.hpp"
#include "tasks/well_formed.hpp"

namespace cisolve {
namespace test_page {

using test::sample_result;
using test::xml_mistake;
using testing::HasSubstr;
using testing::Not;

/// Ids of the sections of a page.
std::set<std::string> sections_of(const std::string& page) {
  std::set<std::string> found;
  constexpr std::string_view begin = "<section id=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const std::size_t id = at + begin.size();
    found.insert(page.substr(id, page.find('"', id) - id));
  }
  return found;
}

void expect_self_contained(const std::string& page) {
  for (const char* reference :
       {"http://", "https://", "src=", "url(", "@import", "<script", "<link", "<img", "<iframe", "xlink"})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  EXPECT_THAT(page, HasSubstr("default-src &#39;none&#39;"));
}

TEST(XmlMistake, IsFound) {
  const std::string begin = "<!DOCTYPE html>\n";
  EXPECT_EQ(xml_mistake(begin + "<a b=\"c\">&lt;<d/></a>\n"), "");
  for (const char* wrong : {"", "<a>", "<a></b>", "<a>&</a>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a/><b/>",
                            "<a>\x01</a>", "<a b=\"<\"/>", "<a>></a>", "<a>< </a>", "x<a/>"})
    EXPECT_NE(xml_mistake(begin + wrong), "") << wrong;
}

TEST(Markup, EscapesWhatIsNoMarkup) {
  EXPECT_EQ(page::escape("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
  EXPECT_EQ(page::escape("für ³Σ⁻ 😀\n\t"), "für ³Σ⁻ 😀\n\t");
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(page::escape(std::string_view("a\0\x1b\x7f", 4)), "a" + mark + mark + mark);
  EXPECT_EQ(page::escape("\xff"), mark);                                   // no UTF-8
  EXPECT_EQ(page::escape("\xc0\xaf"), mark + mark);                        // "/" in two bytes
  EXPECT_EQ(page::escape("\xed\xa0\x80"), mark + mark + mark);             // half of a pair of UTF-16
  EXPECT_EQ(page::escape("\xef\xbf\xbf"), mark + mark + mark);             // U+FFFF, which XML forbids
  EXPECT_EQ(page::escape("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond U+10FFFF
  EXPECT_EQ(page::escape("\xe2\x82"), mark + mark);                        // cut short
  EXPECT_EQ(page::element("a", {{"b", "\"<"}, {"c", ""}}, "<").text(), "<a b=\"&quot;&lt;\">&lt;</a>");
}

TEST(PlotTicks, AreRoundAndWithin) {
  const auto linear = page::ticks(-109.087, -108.902, false);
  ASSERT_GE(linear.size(), 3U);
  EXPECT_LE(linear.size(), 9U);
  for (const auto& [value, text] : linear) {
    EXPECT_NEAR(value, std::stod(text), 1e-9);  // texts have all digits of round values
    EXPECT_GE(value, -109.088);
    EXPECT_LE(value, -108.901);
  }
  const auto decades = page::ticks(1e-12, 1.0, true);
  EXPECT_LE(decades.size(), 8U);
  EXPECT_EQ(decades.front().second, "1");
  for (const auto& [value, text] : page::ticks(1.0, 3.0, false, true)) EXPECT_EQ(value, std::round(value));
}

TEST(SpreadLabels, KeepTheirDistanceAndTheirOrder) {
  const std::vector<double> places = page::spread({10.0, 11.0, 12.0, 80.0, 99.0, 99.5}, 10.0, 0.0, 100.0);
  for (std::size_t k = 1; k < places.size(); ++k) EXPECT_GE(places[k] - places[k - 1], 10.0 - 1e-12);
  EXPECT_GE(places.front(), 0.0);
  EXPECT_LE(places.back(), 100.0);
  EXPECT_DOUBLE_EQ(places[1], 11.0);  // the middle of three stays
  EXPECT_EQ(page::spread({1.0, 50.0}, 10.0, 0.0, 100.0), (std::vector{1.0, 50.0}));
}

TEST(Plots, LeaveOutWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  page::Plot plot{.title = "nothing",
                  .caption = {},
                  .x = {},
                  .y = {.label = "y", .is_logarithmic = true},
                  .series = {{.name = "a", .points = {{1.0, 0.0}, {nan, 1.0}, {2.0, -1.0}}}}};
  EXPECT_TRUE(page::draw(plot).empty());
  plot.series.front().points.push_back({3.0, 1e-3});
  const std::string drawn = page::draw(plot).text();
  EXPECT_THAT(drawn, HasSubstr("<svg"));
  EXPECT_THAT(drawn, Not(HasSubstr("nan")));
  EXPECT_THAT(drawn, Not(HasSubstr("inf")));
}

TEST(StateNames, AreThoseOfTheField) {
  EXPECT_EQ(page::pretty_term("3Sigma_g-"), "³Σg⁻");
  EXPECT_EQ(page::pretty_term("2Pi"), "²Π");
  EXPECT_EQ(page::pretty_term("3P"), "³P");
  EXPECT_EQ(page::pretty_term(""), "");
  EXPECT_EQ(page::pretty_state("3", "B1"), "³B₁");
  EXPECT_EQ(page::pretty_state("1", "4"), "¹ irrep 4");
}

TEST(Page, HasEveryRootAndItsSections) {
  const CiResult result = sample_result();
  const std::string page = page_of(result, "h2o.h5");
  EXPECT_EQ(xml_mistake(page), "");
  expect_self_contained(page);
  for (const char* text :
       {"-76.1234567890", "-75.9000000000", "-75.8500000000", "6.08057", "1.2.3", "h2o.fcidump",
        "fedcba9876543210", "0123456789abcdef", "Wasser, 6-31G(d), für alle",
        "the space is not spin-complete", "¹Δ", "2a1^2 -&gt; 1b1^2"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, HasSubstr("-76.13345679"));  // with the Davidson correction
  EXPECT_THAT(page, HasSubstr("not converged: root 3"));
  EXPECT_EQ(sections_of(page), (std::set<std::string>{"energies", "levels", "configurations", "convergence",
                                                      "resources", "input"}));
}

TEST(Page, OfAFileIsThatOfWhatWasWritten) {
  const test::TemporaryFolder folder;
  write_result(folder / "out.h5", sample_result());
  EXPECT_EQ(ci_page(folder / "out.h5"), page_of(sample_result(), "out.h5"));
}

TEST(Page, HostileTextsStayTexts) {
  CiResult result = sample_result();
  const std::string evil = "<script>alert('x')</script>\"><img src=x onerror=\"alert(1)\">&\x01\xff";
  result.title = result.input_text = result.resolved_text = result.version = result.created = evil;
  result.system.integrals_file = result.system.point_group = evil;
  result.system.point_group = "C2v";
  for (std::string& label : result.system.orbital_labels) label = evil;
  CiResult::Sector& sector = result.sectors.front();
  sector.hamiltonian.device = sector.hamiltonian.storage = sector.solver.status = sector.solver.start = evil;
  for (Root& root : sector.roots) {
    root.irrep_name = root.term = evil;
    for (LeadingConfiguration& line : root.leading) line.replacement = line.occupation = evil;
    root.certificate->passed = false;
    root.certificate->failure = evil;
  }
  result.warnings = {evil};
  const std::string page = page_of(result, evil);
  EXPECT_EQ(xml_mistake(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}

/// What tells an excited reference from others: 2a1 is open, 1b1 empty below an occupied one, however far below the rest.
TEST(Page, DiagramsShowEveryOpenShellAndGap) {
  CiResult result = sample_result();
  CiResult::Sector& sector = result.sectors.front();
  sector.roots.resize(1);
  result.order_roots();
  sector.space.reference = "u2022u00";
  sector.roots.front().leading = {{"u2022u00", 0.9, 0.81, "reference"}};
  EXPECT_THAT(page_of(result, "a.h5"),
              HasSubstr("Orbitals from below: 2a1 up, 1b1 empty, 2b1 up, 1a2 empty."));
}

TEST(Page, FailedCertificatesStandBeforeAnyNumber) {
  CiResult result = sample_result();
  EXPECT_THAT(page_of(result, "a.h5"), Not(HasSubstr("Do not use these results")));
  result.sectors.front().roots.front().certificate->passed = false;
  result.sectors.front().roots.front().certificate->failure = "its energy is another";
  const std::string page = page_of(result, "a.h5");
  const std::size_t at = page.find("Do not use these results");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, page.find("-76.1234567890"));
  EXPECT_THAT(page, HasSubstr("root 1 fails its certificate: its energy is another"));
}

TEST(Page, OfAResultWithoutRoots) {
  CiResult result;
  result.version = "1";
  EXPECT_EQ(xml_mistake(page_of(result, "empty.h5")), "");
}

TEST(Page, SpectrumSaysItsWidth) {
  CiResult result = sample_result();
  std::vector<Root>& roots = result.sectors.front().roots;
  for (Root& root : roots) {
    root.oscillator_strength.assign(3, 0.0);
    root.transition_dipole.assign(9, 0.0);
  }
  EXPECT_THAT(page_of(result, "a.h5"), Not(HasSubstr("full width at half maximum")));  // dark
  roots[0].oscillator_strength[1] = 0.25;
  const std::string page = page_of(result, "a.h5");
  EXPECT_THAT(page, HasSubstr("Gaussians of 0.3 eV full width at half maximum"));
  EXPECT_THAT(page, HasSubstr("0.250000"));
  EXPECT_TRUE(sections_of(page).contains("spectrum"));
}

/// Those of 0.1.0 lack certificates, bases, unpaired electrons and more.
class PageOfVersion010 : public testing::TestWithParam<std::pair<std::string, std::set<std::string>>> {};

TEST_P(PageOfVersion010, ShowsWhatThereIs) {
  const auto& [name, sections] = GetParam();
  const auto file = std::filesystem::path(CISOLVE_TEST_DATA) / "results-0.1.0" / (name + ".h5");
  const bool is_scan = holds_scan(file);
  const std::string page = is_scan ? scan_page(file) : ci_page(file);
  EXPECT_EQ(xml_mistake(page), "");
  expect_self_contained(page);
  EXPECT_EQ(sections_of(page), sections);
  std::vector<double> energies;
  if (is_scan) {
    for (const ScanPoint& point : read_scan(file).points)
      energies.insert(energies.end(), point.energies.begin(), point.energies.end());
  } else {
    energies = read_result(file, false).column(&Root::energy);
  }
  ASSERT_FALSE(energies.empty());
  for (const double energy : energies) EXPECT_THAT(page, HasSubstr(fmt::format("{:.10f}", energy)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, PageOfVersion010,
    testing::Values(
        std::pair<std::string, std::set<std::string>>{
            "single", {"energies", "levels", "configurations", "convergence", "resources", "input"}},
        std::pair<std::string, std::set<std::string>>{
            "csf", {"energies", "levels", "configurations", "convergence", "resources", "input"}},
        std::pair<std::string, std::set<std::string>>{
            "sectors", {"energies", "levels", "configurations", "convergence", "resources", "input"}},
        std::pair<std::string, std::set<std::string>>{
            "properties",
            {"energies", "levels", "spectrum", "configurations", "properties", "convergence", "molecule",
             "resources", "input"}},
        std::pair<std::string, std::set<std::string>>{"scan", {"curves", "points", "input"}}),
    [](const auto& named) { return named.param.first; });

}  // namespace test_page
}  // namespace cisolve
