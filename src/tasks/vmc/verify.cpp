// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <span>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/report/text.hpp"
#include "tasks/vmc/state.hpp"

namespace cisolve {
namespace {

/// Whether two numbers are the same to rounding.
bool is_same(double a, double b) {
  constexpr double rounding = 1e-9;
  return std::abs(a - b) <= rounding * std::max({std::abs(a), std::abs(b), 1.0}) ||
         (std::isnan(a) && std::isnan(b));
}

/// Between the energies per site that are shown, and those of the whole cluster that a longer run goes on from.
double largest_difference(const VmcResult& result, const std::vector<double>& energies) {
  if (result.series.size() != energies.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t k = 0; k < energies.size(); ++k)
    largest = std::max(largest, std::abs(result.series[k] - result.per_site(energies[k])));
  return largest;
}

}  // namespace

bool verify_vmc(const std::filesystem::path& file, std::ostream& report, bool) {
  const VmcResult claimed = read_vmc(file);
  if (claimed.is_exact) {
    report << "One configuration, whose energy is exact: there are no statistics to do again.\n";
    return true;
  }
  const VmcState state = read_vmc_state(file).state;
  const ChainSeries series(state.energies);
  const SeriesStatistics again = analyse_series(series);
  bool all = true;
  const auto compare = [&](const char* name, double found, double said) {
    const bool holds = is_same(found, said);
    all = all && holds;
    report << fmt::format("  {:<24}{:>22.12g}{:>22.12g}  {}\n", name, said, found,
                          holds ? "same" : "DIFFERENT");
  };
  report << fmt::format("\n  {:<24}{:>22}{:>22}\n", "statistics of the series", "in the file", "done again");
  compare("energy", again.mean, claimed.energy.value);
  compare("error", again.error, claimed.energy.error);
  compare("variance", again.variance, claimed.variance.value);
  compare("autocorrelation time", again.tau, claimed.statistics.tau);
  compare("R-hat", again.r_hat, claimed.statistics.r_hat);
  const double parts =
      claimed.kinetic.value + claimed.exchange.value + claimed.interaction.value + claimed.repulsion.value;
  compare("sum of the parts", parts, claimed.energy.value);
  // What stands there twice, for whoever reads one of both.
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group group = hdf5.root().open_group("vmc");
  compare("attribute energy", again.mean, group.read_attribute<double>("energy"));
  compare("attribute energy_error", again.error, group.read_attribute<double>("energy_error"));
  compare("energy per site", claimed.per_site(again.mean), group.read_attribute<double>("energy_per_site"));
  compare("error per site", claimed.per_site(again.error),
          group.read_attribute<double>("energy_per_site_error"));
  compare("series", largest_difference(claimed, state.energies.values), 0.0);
  return all;
}

}  // namespace cisolve
