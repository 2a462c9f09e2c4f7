// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

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

std::string value_heading(const ScanResult& scan) {
  return is_numbered(scan) ? "value" : "value/" + scan.unit;
}

const ScanPoint& point_of(const ScanResult& scan, int number) { return scan.points[number - 1]; }

/// What the table of energies shows of each root.
struct TableStyle {
  bool with_numbers = false;  ///< states are followed
  bool with_states = false;   ///< multiplicities, irreps or terms differ
  bool with_terms = false;

  explicit TableStyle(const ScanResult& scan) {
    std::set<std::string> names;
    for (const ScanPoint& point : scan.points) {
      with_numbers = with_numbers || point.is_followed();
      for (std::size_t k = 0; k < point.states.size(); ++k) {
        names.insert(point.states[k] + " " + point.terms[k]);
        with_terms = with_terms || !point.terms[k].empty();
      }
    }
    with_states = names.size() > 1;
  }

  std::size_t per_line() const { return with_numbers || with_states ? 1 : 2; }

  std::string heading() const {
    const std::string states = !with_states ? "" : with_terms ? "  2S+1, irrep, term" : "  2S+1, irrep";
    return (with_numbers ? " state" : "") + states;
  }

  /// What stands behind an energy.
  std::string name(const ScanPoint& point, std::size_t root) const {
    std::string text;
    if (with_numbers) {
      const int number = point.numbers[root];
      text += fmt::format("{:>6}", number > 0 ? std::to_string(number) : "-");
    }
    if (with_states) text += "  " + point.states[root];
    if (with_states && !point.terms[root].empty()) text += " " + point.terms[root];
    return text;
  }
};

/// The roots of a point from the top of the table down: by state where states are followed, else by energy.
std::vector<std::size_t> order_of(const ScanPoint& point) {
  std::vector<std::size_t> order(point.energies.size());
  std::iota(order.begin(), order.end(), 0);
  const auto last = [](int number) { return number == 0 ? std::numeric_limits<int>::max() : number; };
  if (point.is_followed())
    std::ranges::stable_sort(order, {}, [&](std::size_t root) { return last(point.numbers[root]); });
  return order;
}

/// Roots beside each other, or below where each has a name.
void print_energies(std::ostream& out, const std::string& begin, const ScanPoint& point,
                    const TableStyle& style) {
  const std::string indent(begin.size(), ' ');
  const std::vector<std::size_t> order = order_of(point);
  for (std::size_t k = 0; k < order.size(); k += style.per_line()) {
    out << (k == 0 ? begin : indent) << (k == 0 && !point.scf_note.empty() ? '+' : ' ');
    for (std::size_t i = k; i < std::min(k + style.per_line(), order.size()); ++i) {
      const int width = i == k ? 17 : 18;  // the mark stands before the first
      out << fmt::format("{:>{}}{}", fixed(point.energies[order[i]], 10), width, style.name(point, order[i]));
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
  out << fmt::format("\n{:>5}{:>15}  with the Davidson correction (+Q)/hartree{}\n", "point",
                     value_heading(scan), TableStyle(scan).with_numbers ? ", by state" : "");
  constexpr std::size_t per_line = 3;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = point_of(scan, number);
    const std::vector<std::size_t> order = order_of(point);
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == 0) {
        out << fmt::format("{:>5}{:>15}", number, fmt::format("{:.10g}", scan.values[number - 1]));
      } else if (k % per_line == 0) {
        out << '\n' << std::string(20, ' ');
      }
      const double energy = point.energies_with_q[order[k]];
      out << fmt::format("{:>18}", std::isnan(energy) ? "-" : fixed(energy, 10));
    }
    if (!order.empty()) out << '\n';
  }
}

void print_constants(std::ostream& out, const ScanResult& scan) {
  const auto constants = spectroscopic_constants(scan);
  if (constants.empty()) return;
  const bool in_bohr = scan.unit == "bohr";
  const double unit = in_bohr ? 1.0 : units::bohr_in_angstrom;
  out << fmt::format(
      "\nMinima, by polynomials of degree 4 through five points; most abundant isotopes\n"
      "{:>19}{:>15}{:>15}{:>11}{:>9}  points\n",
      "state", "r_e/" + scan.unit, "omega_e/cm^-1", "B_e/cm^-1", "D_e/eV");
  for (const SpectroscopicConstants& c : constants) {
    out << fmt::format("{:>19}{:>15}{:>15}{:>11}{:>9}  {} to {}\n", name_of(c), fixed(c.distance * unit, 5),
                       fixed(c.wavenumber, 1), fixed(c.rotation, 5),
                       fixed(c.dissociation * units::hartree_in_ev, 4), c.first_point, c.last_point);
  }
  out << fmt::format("  D_e: up to {:.6g} {}, the longest bond of the scan\n",
                     constants.front().longest * unit, scan.unit);
}

/// Number of the first point that has roots; 0: none.
int first_with_roots(const ScanResult& scan) {
  const auto found = std::ranges::find_if(scan.points, &ScanPoint::has_roots);
  return found == scan.points.end() ? 0 : static_cast<int>(found - scan.points.begin()) + 1;
}

/// What the points have in common, by the first of them.
void print_shared(std::ostream& out, const CiResult& result) {
  const CiResult::System& system = result.system;
  out << "\nAll points\n";
  if (result.molecule) {
    const CiResult::Molecule& molecule = *result.molecule;
    print_field(out, "basis set", fmt::format("{}, {} functions", molecule.basis, molecule.num_functions));
    print_field(out, "charge, multiplicity", fmt::format("{}, {}", molecule.charge, molecule.multiplicity));
    print_field(out, "SCF", molecule.method);
  }
  print_field(out, "point group", system.point_group);
  const auto left_out = static_cast<int>(system.left_out_orbitals.size());
  print_field(out, "active",
              fmt::format("{} electrons in {} orbitals; {}{} {}, {} {}{}", system.n_electrons,
                          system.n_orbitals, result.orbitals ? "" : "frozen: ", system.n_frozen_core,
                          result.orbitals ? "inactive" : "core", system.n_frozen_virtual - left_out,
                          result.orbitals ? "empty" : "virtual",
                          left_out > 0 ? fmt::format("; {} left out", left_out) : ""));
  if (result.orbitals) {
    print_field(out, "orbitals",
                fmt::format("optimised (CASSCF), weights {:.4g}", fmt::join(result.orbitals->weights, " ")));
  }
  for (const CiResult::Sector& sector : result.sectors) {
    const CiResult::Space& space = sector.space;
    const std::string kind =
        space.excitation_level < 0
            ? "full CI"
            : fmt::format("excitation level {} out of {}", space.excitation_level, space.reference);
    const bool has_origin = space.excitation_level >= 0 && !space.reference_origin.empty();
    print_field(
        out, "states",
        fmt::format("{}: {} {}s, {}{}{}", sector_name(sector, system), format_count(space.dimension),
                    space.basis, kind, has_origin ? ", " : "", has_origin ? space.reference_origin : ""));
  }
}

/// What must be read before anything else.
void print_failed_points(std::ostream& out, const ScanResult& scan) {
  std::vector<std::string> failures;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    for (const std::string& failure : point_of(scan, number).failed_certificates)
      failures.push_back(fmt::format("point {}, {}", number, failure));
  }
  print_failed_certificates(out, failures);
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
  out << '\n' << std::string(report::columns, '-') << '\n';
  print_wrapped(out, "Scan: ", scan.coordinate);
  const TableStyle style(scan);
  out << fmt::format("\n{:>5}{:>15}{:>17}{:>18}{}\n", "point", value_heading(scan), "SCF/hartree",
                     "roots/hartree", style.heading());
  bool starred = false;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = point_of(scan, number);
    const std::string scf = point.scf_energy ? fixed(*point.scf_energy, 10) : "-";
    const std::string begin =
        fmt::format("{:>5}{:>15}{:>17}", number, fmt::format("{:.10g}", scan.values[number - 1]), scf);
    if (point.has_roots()) {
      print_energies(out, begin, point, style);
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

void print_summary(std::ostream& out, const std::filesystem::path& file, const ScanResult& scan) {
  print_failed_points(out, scan);
  double seconds = 0.0;
  for (const ScanPoint& point : scan.points) seconds += point.seconds;
  if (const int first = first_with_roots(scan); first > 0) {
    print_shared(out, read_scan_point(file, first, false));
    print_field(out, "time", fixed(seconds, 1) + " s");
  }
  print_curve(out, scan);
}

void print_scan_report(std::ostream& out, const std::filesystem::path& file, bool verbose) {
  const ScanResult scan = read_scan(file);
  const int first = first_with_roots(scan);
  const std::string device = first > 0 ? device_of(read_scan_point(file, first, false)) : "";
  print_header(out, scan.head.version, scan.head.created, device, scan.head.title);
  print_failed_points(out, scan);
  print_scan(out, scan);
  for (int number = 1; verbose && number <= std::ssize(scan.points); ++number) {
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
  print_summary(out, file, scan);
}

}  // namespace cisolve
