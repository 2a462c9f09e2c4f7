// SPDX-License-Identifier: MIT
#include "sampling/projection.hpp"

#include <cstddef>
#include <cstdint>

namespace cisolve::sampling {

Projection::Projection(const TrialState& trial)
    : weight_{1.0 / trial.parameters.gutzwiller, 1.0, trial.parameters.gutzwiller} {
  if (!trial.jastrow.is_empty()) {
    jastrow_ = &trial.jastrow;
    up_.resize(static_cast<std::size_t>(trial.sites));
    down_.resize(static_cast<std::size_t>(trial.sites));
  }
  is_one_ = jastrow_ == nullptr && trial.parameters.gutzwiller == 1.0;
}

std::size_t Projection::bytes(const TrialState& trial) {
  return trial.jastrow.is_empty() ? 0 : 2 * static_cast<std::size_t>(trial.sites) * sizeof(double);
}

void Projection::set(const Configuration& at) {
  if (jastrow_ == nullptr) return;
  const int sites = jastrow_->shells.sites;
  const auto sum = [](const std::int16_t* shells, const std::vector<double>& values,
                      const SpinPlaces& places) {
    double total = 0.0;
    for (const int site : places.occupied()) total += values[shells[site]];
    return total;
  };
  for (int i = 0; i < sites; ++i) {
    const std::int16_t* shells = jastrow_->shells.of_site(i);
    const double offset = jastrow_->offset[i];
    up_[i] = sum(shells, jastrow_->like, at.up) + sum(shells, jastrow_->unlike, at.down) - offset;
    down_[i] = sum(shells, jastrow_->unlike, at.up) + sum(shells, jastrow_->like, at.down) - offset;
  }
}

void Projection::follow(const Configuration& at, const Move& move) {
  const bool is_down = move.kind == MoveKind::hop_down;
  const SpinPlaces& places = is_down ? at.down : at.up;
  const int from = places.occupied()[is_down ? move.down : move.up],
            to = places.free()[is_down ? move.down_slot : move.up_slot];
  const std::int16_t *from_shells = jastrow_->shells.of_site(from), *to_shells = jastrow_->shells.of_site(to);
  const std::vector<double>&like = jastrow_->like, &unlike = jastrow_->unlike;
  std::vector<double>&own = is_down ? down_ : up_, &other = is_down ? up_ : down_;
  const std::size_t sites = up_.size();
  if (move.kind != MoveKind::exchange) {
    for (std::size_t i = 0; i < sites; ++i) {
      own[i] += like[to_shells[i]] - like[from_shells[i]];
      other[i] += unlike[to_shells[i]] - unlike[from_shells[i]];
    }
    return;
  }
  // The down electron goes the other way.
  for (std::size_t i = 0; i < sites; ++i) {
    const std::int16_t a = to_shells[i], b = from_shells[i];
    const double change = (like[a] - unlike[a]) - (like[b] - unlike[b]);
    own[i] += change;
    other[i] -= change;
  }
}

}  // namespace cisolve::sampling
