// SPDX-License-Identifier: MIT
#include "cisolve/sampling/jastrow_factor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

void require_shells(std::string_view name, std::span<const double> values, int most) {
  if (std::ssize(values) > most)
    throw InputError(fmt::format("{} has {} numbers, but only {} shells of pairs of sites can be given here",
                                 name, values.size(), most));
  for (const double value : values) {
    if (!std::isfinite(value))
      throw InputError(fmt::format("{} has {}; it is to be finite numbers", name, value));
  }
}

}  // namespace

int most_jastrow_shells(const PairShells& shells) {
  return shells.are_all_connected ? shells.count() - 1 : shells.count();
}

JastrowFactor make_jastrow_factor(const LatticeModel& model, std::span<const double> density,
                                  std::span<const double> spin) {
  JastrowFactor factor;
  if (density.empty() && spin.empty()) return factor;
  factor.shells = pair_shells(model);
  const int most = most_jastrow_shells(factor.shells);
  require_shells("jastrow", density, most);
  require_shells("spin_jastrow", spin, most);
  const auto shells = static_cast<std::size_t>(factor.shells.count()) + 1;
  const auto value = [](std::span<const double> values, std::size_t shell) {
    return shell >= 1 && shell <= values.size() ? values[shell - 1] : 0.0;
  };
  for (std::size_t shell = 0; shell < shells; ++shell) {
    const double v = value(density, shell), u = value(spin, shell);
    factor.like.push_back(v + 0.25 * u);
    factor.unlike.push_back(v - 0.25 * u);
  }
  for (int i = 0; i < model.sites(); ++i) {
    double sum = 0.0;
    for (int j = 0; j < model.sites(); ++j)
      sum += value(density, static_cast<std::size_t>(factor.shells(i, j)));
    factor.offset.push_back(sum);
  }
  return factor;
}

}  // namespace cisolve
