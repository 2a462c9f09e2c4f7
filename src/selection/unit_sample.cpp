// SPDX-License-Identifier: MIT
#include "selection/unit_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cisolve/space/bit_string.hpp"

namespace cisolve {
namespace {

/// Units of p < 1 of a kind that an error bar needs.
std::int64_t least_drawn(const SamplingConfig& config) { return config.first_samples / 8; }

}  // namespace

UnitSample::UnitSample(const SamplingConfig& config, std::array<Population, 2> populations, std::size_t roots)
    : config_(config), populations_(populations), roots_(roots), energy_(roots), error_(roots),
      variance_(roots) {
  for (std::size_t k = 0; k < 2; ++k)
    limits_[k] = populations[k].weight / static_cast<double>(config.first_samples);
}

double UnitSample::draw(UnitKind kind, std::uint64_t hash) const {
  constexpr double scale = 0x1.0p-52;
  const BitString<2> key{{config_.seed, hash}};
  return (static_cast<double>(mix(key, static_cast<std::uint64_t>(kind) << 63U) >> 12U) + 0.5) * scale;
}

void UnitSample::add(UnitKind kind, double weight, double draw, std::span<const double> energy,
                     std::span<const double> variance) {
  units_.push_back({kind, weight, draw, values_.size()});
  values_.insert(values_.end(), energy.begin(), energy.end());
  values_.insert(values_.end(), variance.begin(), variance.end());
}

void UnitSample::estimate() {
  // In an order of their own: they come in any.
  std::ranges::sort(units_, [](const Unit& x, const Unit& y) {
    if (x.draw != y.draw) return x.draw < y.draw;
    return x.kind != y.kind ? x.kind < y.kind : x.weight < y.weight;
  });
  std::ranges::fill(energy_, 0.0);
  std::ranges::fill(variance_, 0.0);
  std::ranges::fill(error_, 0.0);
  deviations_.assign(units_.size() * roots_, 0.0);
  const bool all = is_complete();
  for (std::size_t k = 0; k < 2; ++k) {
    double rest = populations_[k].weight, sum_of_weights = 0.0;
    std::vector<double> sums(2 * roots_, 0.0);
    drawn_[k] = 0;
    std::int64_t certain = 0;
    for (const Unit& unit : units_) {
      if (static_cast<std::size_t>(unit.kind) != k) continue;
      const double p = probability(unit.weight, limits_[k]);
      if (all || p >= 1.0) {
        rest -= unit.weight;
        ++certain;
        for (std::size_t r = 0; r < roots_; ++r) {
          energy_[r] += values_[unit.values + r];
          variance_[r] += values_[unit.values + roots_ + r];
        }
      } else {
        ++drawn_[k];
        sum_of_weights += unit.weight / p;
        for (std::size_t q = 0; q < 2 * roots_; ++q) sums[q] += values_[unit.values + q] / p;
      }
    }
    has_rest_[k] = certain < populations_[k].count;
    if (has_rest_[k] && drawn_[k] < 2) std::ranges::fill(error_, std::numeric_limits<double>::infinity());
    if (drawn_[k] == 0) continue;
    const double scale = std::max(rest, 0.0) / sum_of_weights;
    const auto n = static_cast<double>(drawn_[k]);
    const double fitted = n > 1.0 ? n / (n - 1.0) : 1.0;
    for (std::size_t r = 0; r < roots_; ++r) {
      energy_[r] += scale * sums[r];
      variance_[r] += scale * sums[roots_ + r];
      const double quotient = sums[r] / sum_of_weights;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        const Unit& unit = units_[u];
        const double p = probability(unit.weight, limits_[k]);
        if (static_cast<std::size_t>(unit.kind) != k || p >= 1.0) continue;
        const double deviation = values_[unit.values + r] - quotient * unit.weight;
        deviations_[u * roots_ + r] = fitted * deviation * deviation;
        error_[r] += (1.0 - p) / (p * p) * fitted * deviation * deviation;
      }
    }
  }
  for (double& error : error_) error = std::sqrt(error);
}

std::vector<double> UnitSample::foreseen(double factor) const {
  std::vector<double> squares(roots_, 0.0);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const double limit = limits_[static_cast<std::size_t>(units_[u].kind)];
    const double p = probability(units_[u].weight, limit),
                 then = probability(units_[u].weight, factor * limit);
    for (std::size_t r = 0; r < roots_; ++r)
      squares[r] += deviations_[u * roots_ + r] * (1.0 - then) / (p * then);
  }
  return squares;
}

double UnitSample::foreseen_count(double factor) const {
  double count = 0.0;
  for (const Unit& unit : units_) {
    const double limit = limits_[static_cast<std::size_t>(unit.kind)];
    count += probability(unit.weight, factor * limit) / probability(unit.weight, limit);
  }
  return count;
}

bool UnitSample::end_stage() {
  estimate();
  if (is_complete()) return false;
  const std::int64_t least = least_drawn(config_);
  bool has_error = true;  // one that can be trusted
  for (std::size_t k = 0; k < 2; ++k) has_error = has_error && (!has_rest_[k] || drawn_[k] >= least);
  const auto most = static_cast<double>(config_.most_samples);
  const bool is_reached = std::ranges::all_of(error_, [&](double error) { return error <= config_.error; });
  if ((is_reached && has_error) || static_cast<double>(units_.size()) >= 0.95 * most) return false;

  // The largest factor of the limits with which the error is reached; a part of what the first stages tell is chance.
  constexpr double smallest = 1.0 / 64.0, largest = 0.8, safety = 0.9;
  const auto is_enough = [&](double factor) {
    return std::ranges::all_of(foreseen(factor), [&](double square) {
      return square <= safety * safety * config_.error * config_.error;
    });
  };
  double low = smallest, high = largest;
  if (!is_enough(high)) {
    constexpr int steps = 24;
    for (int step = 0; step < steps; ++step) {
      const double middle = std::sqrt(low * high);
      (is_enough(middle) ? low : high) = middle;
    }
  } else {
    low = high;
  }
  while (low < largest && foreseen_count(low) > most) low = std::min(1.25 * low, largest);
  limits_before_ = limits_;
  is_later_ = true;
  for (std::size_t k = 0; k < 2; ++k) {
    constexpr double too_few = 0.25;  // of what an error bar needs
    if (!is_reached) limits_[k] *= low;
    if (has_rest_[k] && drawn_[k] < least) limits_[k] *= too_few;
  }
  return true;
}

}  // namespace cisolve
