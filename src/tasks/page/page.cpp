// SPDX-License-Identifier: MIT
#include "cisolve/tasks/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/parts.hpp"
#include "tasks/page/sections.hpp"

namespace cisolve {
namespace page {
namespace {

Markup list(const std::vector<std::string>& sentences) {
  Markup items;
  for (const std::string& sentence : sentences) items += element("li", {}, sentence);
  return element("ul", {}, items);
}

Markup alert(const std::string& kind, const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  return element("section", {{"class", "alert " + kind}}, element("h2", {}, title) + list(sentences));
}

Markup header_of(const Head& head) {
  const std::string date = head.created.empty() ? "" : ", " + head.created + " (UTC)";
  return element(
      "header", {},
      element("p", {{"class", "program"}}, head.program + date) + element("h1", {}, head.title) +
          alert("failure", "Do not use these results: they fail their certificates", head.failures) +
          alert("warning", head.warnings.size() == 1 ? "Warning" : "Warnings", head.warnings) + head.summary);
}

std::string title_of(const CiResult& head, std::string_view file_name) {
  return head.title.empty() ? std::string(file_name) : head.title;
}

}  // namespace

std::string assemble(const Head& head, const std::vector<Section>& sections) {
  Markup links, bodies;
  for (const Section& section : sections) {
    if (section.body.empty()) continue;
    links += element("li", {}, element("a", {{"href", "#" + section.id}}, section.title));
    bodies += element("section", {{"id", section.id}}, element("h2", {}, section.title) + section.body);
  }
  const Markup about =
      void_element("meta", {{"charset", "utf-8"}}) +
      void_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
      void_element("meta", {{"name", "generator"}, {"content", head.program}}) +
      // A browser may load nothing and run nothing, whatever might stand in the page.
      void_element("meta", {{"http-equiv", "Content-Security-Policy"},
                            {"content", "default-src 'none'; style-src 'unsafe-inline'"}}) +
      element("title", {}, head.title) + style_sheet(style_rules());
  const Markup body =
      header_of(head) +
      element("main", {}, element("nav", {{"aria-label", "Sections"}}, element("ul", {}, links)) + bodies) +
      element("footer", {},
              head.program + (head.unit == "hartree"
                                  ? ": energies in hartree unless a unit is given; 1 hartree = "
                                    "27.211386245988 eV (CODATA 2018)."
                                  : ": energies in units of " + head.unit + "."));
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}}, element("head", {}, about) + element("body", {}, body)).text() +
         "\n";
}

namespace {

std::vector<Section> sections_of(const CiResult& result, std::string_view file_name) {
  return {
      energies_section(result),       levels_section(result),      spectrum_section(result),
      configurations_section(result), properties_section(result),  growth_section(result),
      optimisation_section(result),   convergence_section(result), correlations_section(result),
      molecule_section(result),       resources_section(result),   input_section(result, result, file_name)};
}

/// Roots that are not converged, said even where the run's warnings do not.
std::vector<std::string> warnings_of(const CiResult& result) {
  std::vector<std::string> warnings = result.warnings;
  std::string open;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    if (!result.root(k).converged) open += fmt::format("{}{}", open.empty() ? "" : ", ", k + 1);
  }
  if (!open.empty()) warnings.insert(warnings.begin(), fmt::format("not converged: root {}", open));
  return warnings;
}

std::vector<std::string> warnings_of(const ScanResult& scan) {
  std::vector<std::string> warnings;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = scan.points[static_cast<std::size_t>(number) - 1];
    if (point.status != "converged")
      warnings.push_back(fmt::format("point {}, {}: {}{}", number, value_text(scan, number), point.status,
                                     point.message.empty() ? "" : ": " + point.message));
  }
  warnings.insert(warnings.end(), scan.warnings.begin(), scan.warnings.end());
  return warnings;
}

Markup scan_overview(const ScanResult& scan, const CiResult* first) {
  Fields fields;
  const int last = static_cast<int>(scan.values.size());
  double seconds = 0.0;
  for (const ScanPoint& point : scan.points) seconds += point.seconds;
  fields.add("Coordinate", scan.coordinate);
  fields.add("Points", fmt::format("{}, from {} to {}", last, value_text(scan, 1), value_text(scan, last)));
  fields.add("Time of all points", fmt::format("{:.1f} s", seconds));
  return fields.markup() + (first == nullptr ? Markup() : subsection("At the first point", overview(*first)));
}

}  // namespace
}  // namespace page

std::string page_of(const CiResult& result, std::string_view file_name) {
  return page::assemble({.program = "cisolve " + result.version,
                         .title = page::title_of(result, file_name),
                         .created = result.created,
                         .failures = result.failed_certificates(),
                         .warnings = page::warnings_of(result),
                         .summary = page::overview(result),
                         .unit = result.energy_unit()},
                        page::sections_of(result, file_name));
}

std::string page_of(const ScanResult& scan, const CiResult* first, std::string_view file_name) {
  std::vector<std::string> failures;
  for (std::size_t k = 0; k < scan.points.size(); ++k) {
    for (const std::string& failure : scan.points[k].failed_certificates)
      failures.push_back(fmt::format("point {}, {}", k + 1, failure));
  }
  return page::assemble(
      {.program = "cisolve " + scan.head.version,
       .title = page::title_of(scan.head, file_name),
       .created = scan.head.created,
       .failures = std::move(failures),
       .warnings = page::warnings_of(scan),
       .summary = page::scan_overview(scan, first)},
      {page::curves_section(scan), page::constants_section(scan), page::points_section(scan),
       page::input_section(scan.head, first == nullptr ? scan.head : *first, file_name)});
}

std::string ci_page(const std::filesystem::path& file) {
  return page_of(read_result(file, false), file.filename().string());
}

std::string scan_page(const std::filesystem::path& file) {
  const ScanResult scan = read_scan(file);
  const auto found = std::ranges::find_if(scan.points, &ScanPoint::has_roots);
  const std::string name = file.filename().string();
  if (found == scan.points.end()) return page_of(scan, nullptr, name);
  const CiResult first = read_scan_point(file, static_cast<int>(found - scan.points.begin()) + 1, false);
  return page_of(scan, &first, name);
}

}  // namespace cisolve
