// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <utility>

#include "cisolve/core/units.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/report/text.hpp"
#include "tasks/scan/spectroscopy.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;

bool is_numbered(const ScanResult& scan) { return scan.unit == "1"; }

const ScanPoint& point_of(const ScanResult& scan, int number) { return scan.points[number - 1]; }

/// Roots beside each other, the rest below; with their multiplicities and irreps where these differ in the scan.
void print_energies(std::ostream& out, const std::string& begin, const ScanPoint& point, bool with_states) {
  const std::size_t per_line = with_states ? 1 : 2;
  const std::string indent(begin.size(), ' ');
  for (std::size_t k = 0; k < point.energies.size(); k += per_line) {
    out << (k == 0 ? begin : indent) << (k == 0 && !point.scf_note.empty() ? '+' : ' ');
    for (std::size_t i = k; i < std::min(k + per_line, point.energies.size()); ++i) {
      const int width = i == k ? 17 : 18;  // the mark stands before the first
      out << fmt::format("{:>{}}{}", fixed(point.energies[i], 10), width,
                         with_states ? "  " + point.states[i] : "");
    }
    out << (k == 0 && point.status != "converged" ? " *\n" : "\n");
  }
}

/// Where the SCF state is not what a reader of the table would take it for.
void print_scf_notes(std::ostream& out, const ScanResult& scan) {
  bool first = true;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const std::string& note = point_of(scan, number).scf_note;
    if (note.empty()) continue;
    if (std::exchange(first, false)) out << "\n  + SCF states\n";
    print_wrapped(out, fmt::format("{:>5}  ", number), note);
  }
}

/// The curves with +Q, where there is a correction that is not 0.
void print_with_q(std::ostream& out, const ScanResult& scan) {
  constexpr double none = 5e-11;  // hartree: nothing to be seen
  bool any = false;
  for (const ScanPoint& point : scan.points) {
    for (std::size_t k = 0; k < point.energies_with_q.size(); ++k)
      any = any || std::abs(point.energies_with_q[k] - point.energies[k]) > none;
  }
  if (!any) return;
  out << fmt::format("\n{:>5}{:>17}  with the Davidson correction (+Q)/hartree\n", "point",
                     is_numbered(scan) ? "value" : "value/" + scan.unit);
  constexpr std::size_t per_line = 3;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const auto& energies = point_of(scan, number).energies_with_q;
    for (std::size_t k = 0; k < energies.size(); ++k) {
      if (k == 0) {
        out << fmt::format("{:>5}{:>17}", number, fmt::format("{:.10g}", scan.values[number - 1]));
      } else if (k % per_line == 0) {
        out << '\n' << std::string(22, ' ');
      }
      out << fmt::format("{:>18}", std::isnan(energies[k]) ? "-" : fixed(energies[k], 10));
    }
    if (!energies.empty()) out << '\n';
  }
}

void print_constants(std::ostream& out, const ScanResult& scan) {
  const auto constants = spectroscopic_constants(scan);
  if (constants.empty()) return;
  const bool in_bohr = scan.unit == "bohr";
  const double unit = in_bohr ? 1.0 : units::bohr_in_angstrom;
  out << fmt::format(
      "\nMinima, by polynomials of degree 4 through five points; most abundant isotopes\n"
      "{:>12}{:>16}{:>15}{:>12}{:>10}  points\n",
      "state", "r_e/" + scan.unit, "omega_e/cm^-1", "B_e/cm^-1", "D_e/eV");
  for (const SpectroscopicConstants& c : constants) {
    out << fmt::format("{:>12}{:>16}{:>15}{:>12}{:>10}  {} to {}\n",
                       c.number == 1 ? c.state : fmt::format("{} ({})", c.state, c.number),
                       fixed(c.distance * unit, 5), fixed(c.wavenumber, 1), fixed(c.rotation, 5),
                       fixed(c.dissociation * units::hartree_in_ev, 4), c.first_point, c.last_point);
  }
  out << fmt::format("  D_e: up to {:.6g} {}, the longest bond of the scan\n",
                     constants.front().longest * unit, scan.unit);
}

}  // namespace

std::string value_text(const ScanResult& scan, int number) {
  const double value = scan.values[number - 1];
  return is_numbered(scan) ? fmt::format("{:.10g}", value) : fmt::format("{:.10g} {}", value, scan.unit);
}

void print_point_heading(std::ostream& out, const ScanResult& scan, int number) {
  out << '\n' << std::string(report::columns, '-') << '\n';
  print_wrapped(out, fmt::format("Point {} of {}: ", number, scan.values.size()),
                fmt::format("{} = {}", scan.coordinate, value_text(scan, number)));
}

void print_scan(std::ostream& out, const ScanResult& scan) {
  out << "\nScan\n";
  print_field(out, "coordinate", scan.coordinate);
  const auto last = static_cast<int>(scan.values.size());
  print_field(out, "points",
              fmt::format("{}, from {} to {}", last, value_text(scan, 1), value_text(scan, last)));
}

void print_curve(std::ostream& out, const ScanResult& scan) {
  out << '\n' << std::string(report::columns, '-') << "\nScan: " << scan.coordinate << '\n';
  const std::string value = is_numbered(scan) ? "value" : "value/" + scan.unit;
  std::set<std::string> states;
  for (const ScanPoint& point : scan.points) states.insert(point.states.begin(), point.states.end());
  const bool with_states = states.size() > 1;
  out << fmt::format("\n{:>5}{:>17}{:>20}{:>18}{}\n", "point", value, "SCF/hartree", "roots/hartree",
                     with_states ? "  2S+1, irrep" : "");
  bool starred = false;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = point_of(scan, number);
    const std::string scf = point.scf_energy ? fixed(*point.scf_energy, 10) : "-";
    const std::string begin =
        fmt::format("{:>5}{:>17}{:>20}", number, fmt::format("{:.10g}", scan.values[number - 1]), scf);
    if (point.has_roots()) {
      print_energies(out, begin, point, with_states);
    } else {
      out << begin << fmt::format("{:>18}\n", point.status);
    }
    starred = starred || (point.has_roots() && point.status != "converged");
  }
  if (starred) out << "\n  * some roots are not converged\n";
  print_scf_notes(out, scan);
  print_with_q(out, scan);
  print_constants(out, scan);
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = point_of(scan, number);
    if (point.status != "failed") continue;
    out << '\n';
    print_wrapped(out, fmt::format("  Point {} failed: ", number), point.message);
  }
  print_warnings(out, scan.warnings);
}

void print_scan_report(std::ostream& out, const std::filesystem::path& file, bool verbose) {
  const ScanResult scan = read_scan(file);
  std::string device;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    if (!point_of(scan, number).has_roots()) continue;
    device = device_of(read_scan_point(file, number, false));
    break;
  }
  print_header(out, scan.head.version, scan.head.created, device, scan.head.title);
  print_scan(out, scan);
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = point_of(scan, number);
    print_point_heading(out, scan, number);
    if (!point.has_roots()) {
      out << '\n';
      print_wrapped(out, "  ", point.status + (point.message.empty() ? "" : ": " + point.message));
      continue;
    }
    const CiResult result = read_scan_point(file, number, false);
    print_setting(out, result, verbose);
    print_findings(out, result);
  }
  print_curve(out, scan);
}

}  // namespace cisolve
