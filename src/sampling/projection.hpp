// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "cisolve/sampling/trial_state.hpp"
#include "sampling/configuration.hpp"

namespace cisolve::sampling {

/// What multiplies the determinants of a trial state: g^D and the Jastrow factor. By how much a move changes them.
///
/// Of the Jastrow factor each site has a field for an electron of either spin, the sum over all other electrons of what is
/// between it and them: a hop from r to s changes the logarithm by F(s) - F(r) - like(rs), where the last was counted with the
/// electron at r. Fields follow each move, and are made anew where chains are.
class Projection {
public:
  /// @param trial  outlives it
  explicit Projection(const TrialState& trial);

  /// From here on it follows this configuration.
  void set(const Configuration& at);

  /// Of the factors after and before a move.
  double ratio(const Configuration& at, const Move& move) const {
    if (is_one_) return 1.0;
    const double weight = weight_[1 + at.change_of_double_occupancies(move)];
    return jastrow_ == nullptr ? weight : weight * std::exp(change_of_log(at, move));
  }

  /// Follows a move, before `at` does.
  void update(const Configuration& at, const Move& move) {
    if (jastrow_ != nullptr && move.kind != MoveKind::null) follow(at, move);
  }

  /// Memory of its fields, bytes.
  static std::size_t bytes(const TrialState& trial);

private:
  /// Of the Jastrow factor.
  double change_of_log(const Configuration& at, const Move& move) const {
    const auto hop = [this](const std::vector<double>& field, int from, int to) {
      return field[to] - field[from] - jastrow_->like[jastrow_->shells(from, to)];
    };
    switch (move.kind) {
      case MoveKind::null:
        return 0.0;
      case MoveKind::hop_up:
        return hop(up_, at.up.occupied()[move.up], at.up.free()[move.up_slot]);
      case MoveKind::hop_down:
        return hop(down_, at.down.occupied()[move.down], at.down.free()[move.down_slot]);
      case MoveKind::exchange:
        break;
    }
    const int from = at.up.occupied()[move.up], to = at.up.free()[move.up_slot],
              shell = jastrow_->shells(from, to);
    return up_[to] - up_[from] + down_[from] - down_[to] -
           2.0 * (jastrow_->like[shell] - jastrow_->unlike[shell]);
  }
  void follow(const Configuration& at, const Move& move);

  bool is_one_ = false;
  double weight_[3] = {1.0, 1.0, 1.0};      ///< g^dD
  const JastrowFactor* jastrow_ = nullptr;  ///< null: there is none
  std::vector<double> up_, down_;           ///< [sites] fields
};

}  // namespace cisolve::sampling
