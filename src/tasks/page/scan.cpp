// SPDX-License-Identifier: MIT
#include "cisolve/tasks/scan/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cisolve/core/units.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"
#include "tasks/scan/spectroscopy.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

bool are_files(const ScanResult& scan) { return scan.unit == "1"; }

std::string unit_text(const ScanResult& scan) {
  return scan.unit == "angstrom" ? "Å" : scan.unit == "degree" ? "degree" : scan.unit;
}

std::string coordinate_label(const ScanResult& scan) {
  return are_files(scan) ? "point" : fmt::format("{}/{}", scan.coordinate, unit_text(scan));
}

/// "2: ¹Σ⁺", "³B₁ (2)".
std::string curve_label(const SpectroscopicConstants& curve) {
  const std::size_t space = curve.state.find(' ');
  const std::string state = !curve.term.empty() ? pretty_term(curve.term)
                            : space == std::string::npos
                                ? curve.state
                                : pretty_state(curve.state.substr(0, space), curve.state.substr(space + 1));
  if (curve.is_followed) return fmt::format("{}: {}", curve.number, state);
  return curve.number == 1 ? state : fmt::format("{} ({})", state, curve.number);
}

double lowest_energy(const ScanResult& scan) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ScanPoint& point : scan.points) {
    for (const double energy : point.energies) lowest = std::min(lowest, energy);
  }
  return lowest;
}

Markup curves_plot(const ScanResult& scan) {
  const double lowest = lowest_energy(scan);
  std::vector<PlotSeries> series;
  for (const auto& [key, curve] : curves_of(scan)) {
    PlotSeries line{.name = curve_label(curve.name),
                    .points = {},
                    .colour = series.size(),
                    .is_dashed = series.size() >= 8};
    for (const ScanCurvePoint& point : curve.points)
      line.points.push_back({point.value, (point.energy - lowest) * units::hartree_in_ev,
                             fmt::format("{}, point {}: {}, {} hartree", line.name, point.number,
                                         value_text(scan, point.number), fixed(point.energy, 8))});
    std::ranges::stable_sort(line.points, {}, &PlotPoint::x);
    series.push_back(std::move(line));
  }
  std::vector<std::pair<double, std::string>> numbers;
  for (std::size_t k = 0; k < scan.values.size(); ++k)
    numbers.emplace_back(scan.values[k], std::to_string(k + 1));
  std::ranges::sort(numbers);
  if (are_files(scan)) numbers.clear();
  return draw({.title = fmt::format("Energies of {} states along {}", series.size(), scan.coordinate),
               .caption = fmt::format(
                   "Energies above the lowest, {} hartree{}. A mark shows its point and energy to the "
                   "pointer; the table has all.",
                   fixed(lowest, 8), are_files(scan) ? "" : "; points are numbered above"),
               .x = {.label = coordinate_label(scan), .is_counted = are_files(scan)},
               .y = {.label = "energy/eV"},
               .series = std::move(series),
               .top = std::move(numbers),
               .is_wide = true});
}

/// A row per point, a column per curve.
Markup energies_table(const ScanResult& scan) {
  const auto curves = curves_of(scan);
  std::vector<Table::Column> columns = {{"point"}, {are_files(scan) ? "file" : coordinate_label(scan)}};
  for (const auto& [key, curve] : curves) columns.push_back({curve_label(curve.name)});
  Table table("Total energies of the points, hartree", columns);
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const double value = scan.values[static_cast<std::size_t>(number) - 1];
    std::vector<Markup> row = {std::to_string(number), fmt::format("{:.10g}", value)};
    for (const auto& [key, curve] : curves) {
      const auto found = std::ranges::find(curve.points, number, &ScanCurvePoint::number);
      row.emplace_back(found == curve.points.end() ? "-" : fixed(found->energy, 10));
    }
    table.add(row);
  }
  return table.markup();
}

/// The curves with +Q, where there is a correction that is not 0.
Markup with_q_table(const ScanResult& scan) {
  constexpr double none = 5e-11;  // hartree: nothing to be seen
  std::size_t most = 0;
  bool any = false;
  for (const ScanPoint& point : scan.points) {
    most = std::max(most, point.energies_with_q.size());
    for (std::size_t k = 0; k < point.energies_with_q.size(); ++k)
      any = any || std::abs(point.energies_with_q[k] - point.energies[k]) > none;
  }
  if (!any) return {};
  std::vector<Table::Column> columns = {{"point"}, {are_files(scan) ? "file" : coordinate_label(scan)}};
  for (std::size_t k = 0; k < most; ++k) columns.push_back({fmt::format("root {}", k + 1)});
  Table table("With the Davidson correction (+Q), hartree, roots by energy", columns);
  for (std::size_t at = 0; at < scan.points.size(); ++at) {
    std::vector<Markup> row = {std::to_string(at + 1), fmt::format("{:.10g}", scan.values[at])};
    for (std::size_t k = 0; k < most; ++k) {
      const auto& energies = scan.points[at].energies_with_q;
      row.emplace_back(k < energies.size() && !std::isnan(energies[k]) ? fixed(energies[k], 10) : "-");
    }
    table.add(row);
  }
  return table.markup();
}

}  // namespace

Section curves_section(const ScanResult& scan) {
  if (std::ranges::none_of(scan.points, &ScanPoint::has_roots)) return {"curves", "Curves"};
  return {"curves", "Curves", curves_plot(scan) + energies_table(scan) + with_q_table(scan)};
}

Section constants_section(const ScanResult& scan) {
  const auto constants = spectroscopic_constants(scan);
  const double unit = scan.unit == "bohr" ? 1.0 : units::bohr_in_angstrom;
  Table table("Minima, by polynomials of degree 4 through five points; most abundant isotopes",
              {{"state", false},
               {"rₑ/" + unit_text(scan)},
               {"energy/hartree"},
               {"ωₑ/cm⁻¹"},
               {"Bₑ/cm⁻¹"},
               {"Dₑ/eV"},
               {"points", false}});
  for (const SpectroscopicConstants& c : constants)
    table.add({curve_label(c), fixed(c.distance * unit, 5), fixed(c.energy, 8), fixed(c.wavenumber, 1),
               fixed(c.rotation, 5), fixed(c.dissociation * units::hartree_in_ev, 4),
               fmt::format("{} to {}", c.first_point, c.last_point)});
  Section section{"constants", "Spectroscopic constants", table.markup()};
  if (!constants.empty())
    section.body += element("p", {{"class", "note"}},
                            fmt::format("Dₑ up to {:.6g} {}, the longest bond of the scan.",
                                        constants.front().longest * unit, unit_text(scan)));
  return section;
}

Section points_section(const ScanResult& scan) {
  Table table("What became of each point", {{"point"},
                                            {are_files(scan) ? "file" : coordinate_label(scan)},
                                            {"SCF/hartree"},
                                            {"status", false},
                                            {"largest residual"},
                                            {"certificates", false},
                                            {"seconds"},
                                            {"note", false}});
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = scan.points[static_cast<std::size_t>(number) - 1];
    const double largest = point.residual_norms.empty() ? 0.0 : std::ranges::max(point.residual_norms);
    const bool is_bad = point.status != "converged", has_failed = !point.failed_certificates.empty();
    table.add({std::to_string(number),
               fmt::format("{:.10g}", scan.values[static_cast<std::size_t>(number) - 1]),
               point.scf_energy ? fixed(*point.scf_energy, 10) : "-",
               is_bad ? element("span", {{"class", "bad"}}, point.status) : Markup(point.status),
               point.has_roots() ? fmt::format("{:.2e}", largest) : "-",
               has_failed          ? element("span", {{"class", "bad"}}, "failed")
               : point.has_roots() ? Markup("none failed")
                                   : Markup("-"),
               fixed(point.seconds, 1), point.message.empty() ? point.scf_note : point.message});
  }
  return {"points", "Points", table.markup()};
}

}  // namespace cisolve::page
