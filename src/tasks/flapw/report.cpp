// SPDX-License-Identifier: MIT
#include "tasks/flapw/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cisolve/lapw/radial.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::print_field;

constexpr std::size_t most_tables = 4;  ///< of k-points; of more, each has a line

/// Of the Wronskian identity, the l that is farthest off.
double worst_wronskian(const lapw::AtomType& type) {
  double worst = 0.0;
  for (const double value : lapw::wronskians(type)) {
    const double off = 0.5 * value - 1.0;
    if (std::abs(off) > std::abs(worst)) worst = off;
  }
  return worst;
}

/// "0.1500", or the range of several.
std::string energy_text(const std::vector<double>& energies) {
  const auto [low, high] = std::ranges::minmax(energies);
  return low == high ? fmt::format("{:.4f}", low) : fmt::format("{:.3f}:{:.3f}", low, high);
}

void print_crystal(std::ostream& out, const lapw::Crystal& crystal, const FlapwResult& result) {
  out << "\nCrystal\n";
  const auto& a = crystal.lattice.a;
  print_field(out, "lattice",
              fmt::format("a = {:.4f}, b = {:.4f}, c = {:.4f} bohr, volume {:.4f} bohr^3", lapw::length(a[0]),
                          lapw::length(a[1]), lapw::length(a[2]), crystal.lattice.volume()));
  out << "  type        radius/bohr lmax nonsph.    E/hartree atoms T_AA       R^2W/2-1\n";
  for (std::size_t k = 0; k < crystal.types.size(); ++k) {
    const lapw::AtomType& type = crystal.types[k];
    const std::string nonspherical =
        type.lmax_nonspherical < 0 ? "-" : std::to_string(type.lmax_nonspherical);
    out << fmt::format("  {:11.11} {:11.4f} {:4} {:>7} {:>12} {:5} {:10} {:8.1e}\n", type.name, type.radius,
                       type.lmax, nonspherical, energy_text(type.energy), result.types[k].atoms,
                       result.types[k].is_definite ? "positive" : "indefinite", worst_wronskian(type));
  }
}

void print_types(std::ostream& out, const FlapwResult& result) {
  constexpr std::size_t most = 20;
  out << "\nMuffin tins\n  type  lmax  atoms  T_AA\n";
  for (std::size_t k = 0; k < std::min(most, result.types.size()); ++k) {
    const FlapwResult::Type& type = result.types[k];
    out << fmt::format("  {:4} {:5} {:6}  {}\n", type.name, type.lmax, type.atoms,
                       type.is_definite ? "positive" : "indefinite");
  }
  if (result.types.size() > most) out << fmt::format("  and {} more\n", result.types.size() - most);
}

std::string rate_text(const lapw::LineRecord& line) {
  return line.flops > 0.0 && line.seconds > 0.0 ? fmt::format("{:.1f}", line.flops / line.seconds * 1e-9)
                                                : "-";
}

std::string share_text(const lapw::LineRecord& line, double gemm_rate) {
  const bool is_product = line.flops > 0.0 && line.seconds > 0.0 && !line.name.starts_with("interstitial");
  return is_product && gemm_rate > 0.0 ? fmt::format("{:.2f}", line.flops / line.seconds / gemm_rate) : "-";
}

void print_lines(std::ostream& out, const FlapwPoint& point) {
  out << "  line                          seconds     GFlop/s   of ZGEMM\n";
  const auto print = [&](const lapw::LineRecord& line) {
    out << fmt::format("  {:26} {:10.3f} {:>11} {:>10}\n", line.name, line.seconds, rate_text(line),
                       share_text(line, point.gemm_rate));
  };
  const auto is_of_solver = [](const lapw::LineRecord& line) { return line.name.starts_with("solver: "); };
  lapw::LineRecord all{.name = "H and S in all"};
  for (const lapw::LineRecord& line : point.lines) {
    if (is_of_solver(line)) continue;
    print(line);
    all.seconds += line.seconds;
    all.flops += line.flops;
  }
  print(all);
  for (const lapw::LineRecord& line : point.lines) {
    if (is_of_solver(line)) print(line);
  }
  out << fmt::format("  {:26} {:>10} {:11.1f} {:>10}\n", "ZGEMM of this run", "", point.gemm_rate * 1e-9,
                     "1.00");
}

void print_overlap(std::ostream& out, const lapw::OverlapSpectrum& overlap) {
  print_field(out, "overlap",
              fmt::format("eigenvalues {:.3e} to {:.3g}, {}", overlap.lowest, overlap.highest,
                          overlap.dropped == 0 ? "none dropped"
                                               : fmt::format("{} dropped, kept from {:.3e} on",
                                                             overlap.dropped, overlap.smallest_kept)));
}

void print_states(std::ostream& out, const FlapwPoint& point) {
  constexpr std::size_t most = 40;
  const lapw::Eigenstates& states = point.states;
  if (states.energies.empty()) return;
  out << "\n root   energy/hartree   residual\n";
  for (std::size_t k = 0; k < std::min(most, states.energies.size()); ++k) {
    const bool failed = k < states.converged.size() && !states.converged[k];
    out << fmt::format("{:5} {:16.10f}   {:8.1e}{}\n", k + 1, states.energies[k], states.residual_norms[k],
                       failed ? "  not converged" : "");
  }
  if (states.energies.size() > most)
    out << fmt::format("  and {} more, up to {:.10f}, in the result file\n", states.energies.size() - most,
                       states.energies.back());
}

void print_table(std::ostream& out, const FlapwResult& result, int k) {
  const FlapwPoint& point = result.points[k];
  out << fmt::format("\nk-point {} of {}: {}, weight {:.4f}\n", k + 1, result.points.size(),
                     point_text(point.k.k), point.k.weight);
  std::string cutoff;
  if (result.crystal && result.k_max > 0.0) {
    const double product = result.k_max * result.crystal->smallest_radius();
    constexpr double usual = 7.0;  // rules of thumb begin there
    cutoff = fmt::format(", k_max R_min {:.2f}{}", product, product < usual ? " (small)" : "");
  }
  const std::string blocks = point.blocks == 0 ? std::string("without blocks of coefficients")
                                               : fmt::format("{} in {} block{}", result.coefficients,
                                                             point.blocks, point.blocks == 1 ? "" : "s");
  report::print_wrapped(out, "  ",
                        fmt::format("plane waves {}, rows {}{}, algorithm {}, {}", point.waves, point.rows,
                                    cutoff, point.algorithm, blocks));
  print_lines(out, point);
  if (point.checked > 0)
    print_field(out, "checked elements",
                fmt::format("{}, largest difference H {:.1e}, S {:.1e}", point.checked, point.check_error_h,
                            point.check_error_s));
  if (point.states.energies.empty()) return;
  print_overlap(out, point.states.overlap);
  if (point.states.iterations > 0)
    print_field(
        out, "Davidson",
        fmt::format("{} iteration{}{}", point.states.iterations, point.states.iterations == 1 ? "" : "s",
                    point.states.all_converged() ? "" : ", not converged"));
  print_states(out, point);
}

/// One band after another: the range of each, over k-points.
void print_bands(std::ostream& out, const FlapwResult& result) {
  std::size_t bands = 0;
  for (const FlapwPoint& point : result.points) bands = std::max(bands, point.states.energies.size());
  if (result.points.size() < 2 || bands == 0) return;
  constexpr std::size_t most = 40;
  out << "\n band   lowest/hartree  highest/hartree\n";
  for (std::size_t band = 0; band < std::min(most, bands); ++band) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const FlapwPoint& point : result.points) {
      if (band >= point.states.energies.size()) continue;
      low = std::min(low, point.states.energies[band]);
      high = std::max(high, point.states.energies[band]);
    }
    out << fmt::format("{:5} {:16.10f} {:16.10f}\n", band + 1, low, high);
  }
}

/// What the result is not, at its end.
void print_unfinished(std::ostream& out, const FlapwResult& result) {
  std::vector<std::size_t> wrong, unconverged, missing;
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    if (result.points[k].status == FlapwPoint::wrong) wrong.push_back(k + 1);
    if (result.points[k].status == "not converged") unconverged.push_back(k + 1);
    if (!result.points[k].is_done()) missing.push_back(k + 1);
  }
  if (wrong.empty() && unconverged.empty() && missing.empty()) return;
  out << '\n';
  if (!wrong.empty())
    report::print_wrapped(
        out, "",
        fmt::format("WRONG: elements of H and S of k-point{} {} are not those of their definition.",
                    wrong.size() == 1 ? "" : "s", fmt::join(wrong, ", ")));
  if (!unconverged.empty())
    report::print_wrapped(
        out, "",
        fmt::format("NOT CONVERGED: k-point{} {}. flapw.solver = \"direct\", a larger flapw.tolerance or "
                    "more iterations (flapw.max_iterations, with --restart) may do.",
                    unconverged.size() == 1 ? "" : "s", fmt::join(unconverged, ", ")));
  if (!missing.empty())
    report::print_wrapped(out, "",
                          fmt::format("NOT DONE: {} of {} k-points. --restart does what is missing.",
                                      missing.size(), result.points.size()));
}

}  // namespace

std::string point_text(const lapw::Vector3& k) {
  return fmt::format("{:.4f} {:.4f} {:.4f}", k[0], k[1], k[2]);
}

void print_flapw_setting(std::ostream& out, const FlapwResult& result) {
  print_header(out, result.head.version, result.head.created, result.device, result.head.title);
  if (!result.blas.empty()) print_field(out, "products by", result.blas);
  if (result.crystal)
    print_crystal(out, *result.crystal, result);
  else
    print_types(out, result);
  out << "\nH c = lambda S c in linearised augmented plane waves\n";
  print_field(out, "made from",
              result.source.empty() ? result.kind : fmt::format("{} ({})", result.source, result.kind));
  print_field(out, "atoms, rows", fmt::format("{}, {}", result.num_atoms, result.num_rows));
  if (result.k_max > 0.0 && result.crystal)
    print_field(out, "k_max", fmt::format("{:.4f} /bohr", result.k_max));
  if (result.relativistic) print_field(out, "radial equation", "scalar-relativistic");
  print_field(out, "algorithm",
              fmt::format("{}, coefficients {}, arithmetic {}", result.algorithm, result.coefficients,
                          result.arithmetic));
  if (result.crystal)
    report::print_wrapped(
        out, "  ", "One diagonalisation in the potential that was given: no density, no self-consistency.");
}

void print_flapw_point(std::ostream& out, const FlapwResult& result, int k, bool verbose) {
  const FlapwPoint& point = result.points[k];
  if (!point.is_done() && !verbose && result.points.size() > most_tables) return;  // how many, says the end
  if (!point.is_done()) {
    out << fmt::format("\nk-point {} of {}: not done\n", k + 1, result.points.size());
    return;
  }
  if (verbose || result.points.size() <= most_tables) return print_table(out, result, k);
  if (k == 0) out << "\n    k  fractional                waves  lowest/hartree  highest/hartree  seconds\n";
  const lapw::Eigenstates& states = point.states;
  out << fmt::format("{:5}  {:24} {:6} {:>15} {:>16} {:8.2f}{}\n", k + 1, point_text(point.k.k), point.waves,
                     states.energies.empty() ? "-" : fmt::format("{:.8f}", states.energies.front()),
                     states.energies.empty() ? "-" : fmt::format("{:.8f}", states.energies.back()),
                     point.seconds, point.status == "not converged" ? "  not converged" : "");
}

void print_flapw_end(std::ostream& out, const FlapwResult& result) {
  print_bands(out, result);
  print_warnings(out, result.warnings);
  print_unfinished(out, result);
  out << fmt::format("\nTotal {:.2f} s\n", result.seconds);
}

void print_flapw_report(std::ostream& out, const FlapwResult& result, bool verbose) {
  print_flapw_setting(out, result);
  for (int k = 0; k < std::ssize(result.points); ++k) print_flapw_point(out, result, k, verbose);
  print_flapw_end(out, result);
}

}  // namespace cisolve
