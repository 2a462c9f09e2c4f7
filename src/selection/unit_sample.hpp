// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/selection/externals.hpp"

namespace cisolve {

/// How externals are cut into units, which are summed one by one: see ExternalSweep.
enum class UnitKind : std::uint8_t { alpha, beta };

/// A sample of units, from which their sum is estimated, with its error.
///
/// A unit of weight w is drawn, or not, by itself, with the probability p = min(1, w / tau) (Poisson sampling); its number
/// between 0 and 1, which p has to exceed, comes from the seed and its string, so that neither the order of units nor the
/// number of threads matters, and a smaller tau adds units to those that were drawn. With W the weight of the units of
/// p < 1 of a kind, what these bring is estimated as
///     W (sum of e / p) / (sum of w / p)            sums over those drawn
/// whose error is that of sum of (e - R w) / p with R the quotient; its bias is of the order of the squared error. Stages
/// follow each other, each of a smaller tau, until the error is that asked for.
/// @see C.-E. Sarndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, Springer 1992, sections 3.5 and 5.6
class UnitSample {
public:
  /// All units of a kind.
  struct Population {
    double weight = 0.0;     ///< of all
    std::int64_t count = 0;  ///< of those that weigh or bring anything
  };

  UnitSample(const SamplingConfig& config, std::array<Population, 2> populations, std::size_t roots);

  /// Number between 0 and 1 of a unit.
  /// @param hash  mix of its string
  double draw(UnitKind kind, std::uint64_t hash) const;

  /// Whether a unit is to be summed in this stage: it is drawn, and was not before.
  bool takes(UnitKind kind, double weight, double draw) const {
    const auto k = static_cast<std::size_t>(kind);
    return draw < probability(weight, limits_[k]) &&
           !(is_later_ && draw < probability(weight, limits_before_[k]));
  }

  /// What a unit that was taken brings.
  /// @param energy, variance  [roots]
  void add(UnitKind kind, double weight, double draw, std::span<const double> energy,
           std::span<const double> variance);

  /// Ends a stage. @return whether another one is to follow
  bool end_stage();

  /// Of the last stage.
  const std::vector<double>& energy() const { return energy_; }
  const std::vector<double>& error() const { return error_; }
  const std::vector<double>& variance() const { return variance_; }

private:
  struct Unit {
    UnitKind kind;
    double weight, draw;
    std::size_t values;  ///< begin of its energies, then its variances
  };

  /// Units without weight, which is no more than an expectation, are certain.
  static double probability(double weight, double limit) {
    return weight > 0.0 && weight < limit ? weight / limit : 1.0;
  }

  bool is_complete() const { return std::ssize(units_) == populations_[0].count + populations_[1].count; }
  /// Estimates the sums, and notes the squared deviations of units from what their weights tell.
  void estimate();
  /// Squared errors that are to be expected with limits smaller by a factor.
  std::vector<double> foreseen(double factor) const;
  double foreseen_count(double factor) const;

  SamplingConfig config_;
  std::array<Population, 2> populations_;
  std::size_t roots_;
  std::array<double, 2> limits_, limits_before_{};  ///< tau of each kind
  std::array<std::int64_t, 2> drawn_{};             ///< units of p < 1
  std::array<bool, 2> has_rest_{};                  ///< units of p < 1 are left, or were drawn
  bool is_later_ = false;
  std::vector<Unit> units_;
  std::vector<double> values_, deviations_;  ///< squared, [units][roots]
  std::vector<double> energy_, error_, variance_;
};

}  // namespace cisolve
