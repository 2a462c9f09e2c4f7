// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/sampling/trial_state.hpp"
#include "sampling/configuration.hpp"

namespace cisolve::bench {

/// The baseline of the sampling benchmark: what other programs do. It keeps the inverse W of the pair matrix M alone, so that
/// each ratio is a sum over electrons, that of an exchange a sum over pairs of them, and updates W by the formula of Sherman
/// and Morrison, an exchange in two steps. Of bcs states in the t-J model.
/// @see D. Ceperley, G. V. Chester, M. H. Kalos, Phys. Rev. B 16, 3081 (1977), doi:10.1103/PhysRevB.16.3081
class InverseWalker {
public:
  /// @param trial  outlives it
  explicit InverseWalker(const TrialState& trial);

  double ratio(const sampling::Configuration& at, const sampling::Move& move) const;
  void update(const sampling::Configuration& at, const sampling::Move& move);
  void rebuild(const sampling::Configuration& at);
  double settled_ratio(const sampling::Configuration& at, const sampling::Move& move) const {
    return ratio(at, move);
  }

private:
  const double* row(int q) const { return inverse_.data() + static_cast<std::size_t>(q) * order_; }
  double* row(int q) { return inverse_.data() + static_cast<std::size_t>(q) * order_; }

  /// Row of M of an up electron at a site, over the down electrons and ghosts; column of M of a down electron likewise.
  void fill_row(const sampling::Configuration& at, int site, std::vector<double>& to) const;
  void fill_column(const sampling::Configuration& at, int site, std::vector<double>& to) const;
  double up_ratio(int p) const;
  double down_ratio(int q) const;
  void replace_row(int p);
  void replace_column(int q);

  const TrialState& trial_;
  std::size_t order_;
  std::vector<double> inverse_;  ///< W(q, p), rows of down electrons
  mutable std::vector<double> row_, column_, product_;
};

}  // namespace cisolve::bench
