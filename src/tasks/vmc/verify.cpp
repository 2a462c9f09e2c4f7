// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>

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

}  // namespace

bool verify_vmc(const std::filesystem::path& file, std::ostream& report, bool) {
  const VmcResult claimed = read_vmc(file);
  if (claimed.is_exact) {
    report << "One configuration, whose energy is exact: there are no statistics to do again.\n";
    return true;
  }
  const ChainSeries series(read_vmc_state(file).state.energies);
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
  return all;
}

}  // namespace cisolve
