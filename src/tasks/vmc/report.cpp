// SPDX-License-Identifier: MIT
#include "tasks/vmc/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <string>

#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/report/displacements.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;

/// "-0.47988(14)": an error of two digits, and the value as far as it is known.
std::string with_error(const Estimate& e) {
  constexpr double rounding = 1e-12;  // what has no spread has an error of this size
  if (!(e.error > rounding * std::max(std::abs(e.value), 1.0)) || !std::isfinite(e.error))
    return fixed(e.value, 8);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(e.error))), 0, 14);
  const double in_last = e.error * std::pow(10.0, decimals);
  return fmt::format("{}({:.0f})", fixed(e.value, decimals), in_last);
}

void print_heading(std::ostream& out, std::string_view first, std::string_view second) {
  out << fmt::format("  {:<24}{:>24}{:>22}\n", "", first, second);
}

void print_energy(std::ostream& out, const char* name, const Estimate& e, const VmcResult& result) {
  out << fmt::format("  {:<24}{:>24}{:>22}\n", name, with_error(e), with_error(result.per_site(e)));
}

void print_energies(std::ostream& out, const VmcResult& result) {
  out << fmt::format("\nEnergy, in units of {}\n", result.lattice.unit);
  print_heading(out, "of the cluster", "per site");
  print_energy(out, "energy", result.energy, result);
  if (result.is_exact) return;
  print_energy(out, "  kinetic", result.kinetic, result);
  if (result.lattice.model == "t-J") print_energy(out, "  exchange", result.exchange, result);
  if (result.lattice.model == "Hubbard") print_energy(out, "  of U", result.interaction, result);
  if (result.repulsion.value != 0.0) print_energy(out, "  of V", result.repulsion, result);
  if (result.lattice.model == "Hubbard")
    print_energy(out, "doubly occupied sites", result.double_occupancy, result);
  print_energy(out, "variance", result.variance, result);
}

std::string share(std::int64_t accepted, std::int64_t proposed) {
  if (proposed == 0) return "none proposed";
  return fmt::format("{} of {}, {}", format_count(accepted), format_count(proposed),
                     fixed(static_cast<double>(accepted) / static_cast<double>(proposed), 4));
}

void print_chains(std::ostream& out, const VmcResult& result) {
  const SeriesStatistics& s = result.statistics;
  out << "\nChains\n";
  print_field(out, "chains",
              fmt::format("{} of {} sweeps, {} before", result.chains, format_count(result.sweeps),
                          format_count(result.equilibration)));
  print_field(out, "walked on", result.device);
  print_field(out, "accepted hops", share(result.counts.hops_accepted, result.counts.hops_proposed));
  print_field(out, "accepted exchanges",
              share(result.counts.exchanges_accepted, result.counts.exchanges_proposed));
  print_field(out, "autocorrelation time",
              fmt::format("{} sweeps", with_error({s.tau * result.measure_interval,
                                                   s.tau_error * result.measure_interval})));
  print_field(out, "effective samples", format_count(static_cast<std::int64_t>(s.effective_samples)));
  print_field(out, "error, autocorrelated",
              fmt::format("{:.2e} per site", result.per_site(s.autocorrelation_error)));
  if (std::isfinite(s.between_chains_error))
    print_field(out, "error between chains",
                fmt::format("{:.2e} per site", result.per_site(s.between_chains_error)));
  double binned = 0.0;
  for (const BinningRow& row : s.binning) binned = std::max(binned, row.error);
  if (binned > 0.0)
    print_field(out, "largest error of bins", fmt::format("{:.2e} per site", result.per_site(binned)));
  print_field(out, "R-hat", fixed(s.r_hat, 5));
  print_field(out, "settled after", fmt::format("{} sweeps (MSER)", format_count(result.mser_cut)));
  double drift = 0.0;
  for (const double one : result.chain_drift) drift = std::max(drift, one);
  print_field(out, "drift of updates", fmt::format("{:.1e}", drift));
  if (result.counts.recomputations > 0)
    print_field(out, "recomputations", format_count(result.counts.recomputations));
  if (result.counts.rejected_as_non_finite > 0)
    print_field(out, "rejected as non-finite", format_count(result.counts.rejected_as_non_finite));
}

void print_by_displacement(std::ostream& out, const VmcResult& r) {
  out << fmt::format("  {:>14}{:>20}{:>20}{:>20}\n", "displacement", "<S.S>", "<Sz Sz>", "<n n>");
  const auto sites = static_cast<std::size_t>(r.lattice.n_sites);
  constexpr std::size_t most = 12;
  const std::vector<std::size_t> order = report::by_distance(r.lattice);
  for (std::size_t k = 0; k < std::min(most, sites); ++k) {
    const std::size_t d = order[k];
    out << fmt::format("  {:>14}{:>20}{:>20}{:>20}\n", report::displacement_text(r.lattice, d),
                       with_error(r.s_s.at(d)), with_error(r.sz_sz.at(d)), with_error(r.n_n.at(d)));
  }
  if (sites > most) out << "  Those of larger displacements are in the result file.\n";
  out << fmt::format("  {:>20}{:>18}{:>18}\n", "q/pi", "S(q)", "N(q)");
  std::vector<std::size_t> largest(sites);
  for (std::size_t q = 0; q < sites; ++q) largest[q] = q;
  std::ranges::stable_sort(largest, [&](std::size_t a, std::size_t b) {
    return r.spin_structure_factor.values[a] > r.spin_structure_factor.values[b];
  });
  for (std::size_t k = 0; k < std::min(most, sites); ++k) {
    const std::size_t q = largest[k];
    out << fmt::format("  {:>20}{:>18}{:>18}\n", report::momentum_text(r.lattice, r.lattice.wave_vectors, q),
                       with_error(r.spin_structure_factor.at(q)),
                       with_error(r.charge_structure_factor.at(q)));
  }
  if (sites > most) out << "  The largest S(q); all are in the result file.\n";
}

void print_by_bond(std::ostream& out, const VmcResult& r) {
  const auto sites = static_cast<std::size_t>(r.lattice.n_sites);
  out << fmt::format("  {:>14}{:>20}{:>20}{:>20}\n", "bond", "<S.S>", "<Sz Sz>", "<n n>");
  const auto& bonds = r.lattice.bonds;
  for (std::size_t b = 0; b + 1 < bonds.size(); b += 2) {
    const std::size_t at =
        (static_cast<std::size_t>(bonds[b]) - 1) * sites + static_cast<std::size_t>(bonds[b + 1]) - 1;
    out << fmt::format("  {:>14}{:>20}{:>20}{:>20}\n", fmt::format("{}-{}", bonds[b], bonds[b + 1]),
                       with_error(r.s_s.at(at)), with_error(r.sz_sz.at(at)), with_error(r.n_n.at(at)));
  }
}

void print_times(std::ostream& out, const VmcResult& r) {
  out << "\nTime\n";
  const auto print = [&](const char* name, double seconds) {
    out << fmt::format("  {:<24}{:>12} s\n", name, fixed(seconds, 2));
  };
  print("start", r.start_seconds);
  if (!r.optimisation.names.empty()) print("optimisation", r.optimisation_seconds);
  print("all sampling", r.sampling_seconds);
  print("total", r.total_seconds);
  if (r.steps > 0)
    print_field(out, "steps",
                fmt::format("{}, {:.3g} each second", format_count(r.steps), r.steps_per_second));
}

/// The numbers of the first shells, with their distances.
void print_jastrow(std::ostream& out, const char* name, const std::vector<double>& values,
                   const std::vector<double>& distances) {
  if (values.empty()) return;
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(values.size(), most); ++k)
    text += fmt::format("{}{:.5g} at {:.4g}", k > 0 ? ", " : "", values[k], distances[k]);
  if (values.size() > most) text += fmt::format(", {} more", values.size() - most);
  print_field(out, name, text);
}

/// Columns of parameters that a line has room for, and their width.
struct ParameterColumns {
  explicit ParameterColumns(const std::vector<std::string>& names) {
    constexpr std::size_t room = 38, least = 11;
    for (const std::string& name : names) width = std::max({width, least, name.size() + 2});
    count = names.empty() ? 0 : std::min(names.size(), room / width);
  }
  std::size_t count = 0, width = 0;
};

void print_columns(std::ostream& out, const std::vector<std::string>& names, const std::string& unit) {
  const ParameterColumns columns(names);
  out << fmt::format("\nOptimisation, in units of {}\n", unit);
  if (columns.count < names.size())
    out << fmt::format("  The first {} of {} parameters; all are in the result file.\n", columns.count,
                       names.size());
  out << fmt::format("{:>6}{:>14}{:>10}", "iter", "E/N", "error");
  for (std::size_t a = 0; a < columns.count; ++a) out << fmt::format("{:>{}}", names[a], columns.width);
  out << fmt::format("{:>12}\n", "|f|/sigma");
}

void print_parameters(std::ostream& out, const VmcResult& r) {
  if (r.wavefunction == "bcs") {
    std::string text = fmt::format("delta = {:.6g}, mu = {:.6g}", r.delta, r.mu);
    if (r.t2 != 0.0) text += fmt::format(", t2 = {:.6g}", r.t2);
    if (r.t3 != 0.0) text += fmt::format(", t3 = {:.6g}", r.t3);
    print_field(out, "parameters", text);
  }
  if (r.lattice.model == "Hubbard")
    print_field(out, "Gutzwiller factor", fmt::format("{:.6g}", r.gutzwiller));
  print_jastrow(out, "Jastrow factor, charges", r.jastrow, r.shell_distances);
  print_jastrow(out, "Jastrow factor, spins", r.spin_jastrow, r.shell_distances);
}

}  // namespace

void print_vmc_setting(std::ostream& out, const VmcResult& result) {
  print_header(out, result.version, result.created, result.device, result.title);
  print_lattice(out, result.lattice);
  out << "\nTrial state\n";
  const bool is_bcs = result.wavefunction == "bcs";
  print_field(out, "wavefunction",
              is_bcs ? fmt::format("bcs, {} pairing", result.pairing) : std::string("fermi-sea"));
  print_parameters(out, result);
  if (is_bcs && !result.singular.empty()) {
    print_field(out, "momenta without a gap",
                result.pair_cutoff > 0.0
                    ? fmt::format("{}, pair amplitude {:g}", result.singular.size(), result.pair_cutoff)
                    : fmt::format("{}, exactly, by {} ghost pair{}", result.singular.size(), result.ghosts,
                                  result.ghosts == 1 ? "" : "s"));
  }
  print_field(out, "seed", std::to_string(result.seed));
}

void print_optimisation_heading(std::ostream& out, const VmcConfig& config) {
  std::vector<std::string> names;
  for (const TrialParameter parameter : config.optimise) names.push_back(name_of(parameter));
  print_columns(out, names, "t");
}

void print_optimisation_iteration(std::ostream& out, const VmcResult& result, std::size_t k) {
  const VmcOptimisation& o = result.optimisation;
  const std::size_t p = o.names.size();
  out << fmt::format("{:>6}{:>14}{:>10.1e}", k + 1, fixed(result.per_site(o.energy[k]), 8),
                     result.per_site(o.energy_error[k]));
  double largest = 0.0;
  const ParameterColumns columns(o.names);
  for (std::size_t a = 0; a < p; ++a) {
    if (a < columns.count) out << fmt::format("{:>{}}", fixed(o.parameters[k * p + a], 5), columns.width);
    if (o.force_errors[k * p + a] > 0.0)
      largest = std::max(largest, std::abs(o.forces[k * p + a]) / o.force_errors[k * p + a]);
  }
  out << fmt::format("{:>12}\n", fixed(largest, 2));
}

void print_vmc_findings(std::ostream& out, const VmcResult& result) {
  const VmcOptimisation& o = result.optimisation;
  if (!o.names.empty()) {
    out << '\n';
    print_field(
        out, "optimisation",
        fmt::format("{} after {} iterations", o.converged ? "converged" : "not converged", o.iterations()));
    for (std::size_t a = 0; a < o.names.size(); ++a)
      print_field(out, "  " + o.names[a], with_error({o.result[a], o.result_error[a]}));
  }
  print_energies(out, result);
  if (!result.is_exact) print_chains(out, result);
  if (!result.s_s.values.empty()) {
    out << "\nCorrelations\n";
    if (result.spin_structure_factor.values.empty()) {
      print_by_bond(out, result);
    } else {
      print_by_displacement(out, result);
    }
  }
  print_warnings(out, result.warnings);
  print_times(out, result);
}

void print_vmc(std::ostream& out, const VmcResult& result, bool) {
  print_vmc_setting(out, result);
  const VmcOptimisation& o = result.optimisation;
  if (!o.names.empty()) {
    print_columns(out, o.names, result.lattice.unit);
    for (std::size_t k = 0; k < o.iterations(); ++k) print_optimisation_iteration(out, result, k);
  }
  print_vmc_findings(out, result);
}

}  // namespace cisolve
