// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/opposite_sources.hpp"

namespace cisolve::cuda::direct {

/// Elements between the rows of t, for source rows of `stride` columns.
inline std::int64_t t_stride(std::int64_t stride) { return stride + t_padding; }
/// Places in t that an entry of 16 bits names.
inline constexpr std::int64_t most_shared_t = 32767;

/// Elements of t in shared memory that sums of same-spin excitations need at least: some rows of narrow panels, one of
/// wider ones.
inline std::int64_t least_shared_t(std::int64_t most_columns) {
  return std::max<std::int64_t>(1024, most_columns);
}

inline std::int64_t whole_steps(std::int64_t n) { return (n + link_step - 1) / link_step * link_step; }

/// What a block of threads holds of the opposite-spin part at a time, and where: from all sides, before any of them is
/// planned. Sets shape and sizes of the plan.
class ShapeChoice {
public:
  ShapeChoice(const DirectConfig& config, const Sources& sources, OppositePlan& plan)
      : config_(config), sources_(sources), plan_(plan) {}

  void measure(const Side& side);

  /// @throws ResourceError if a string has more excitations than shared memory has room for
  void choose();

private:
  struct Stride {
    std::int64_t stride;
    int count;
    double weight;
  };

  std::int64_t room(int blocks) const;
  std::pair<double, double> fit(int blocks) const;
  void set_phase(std::int64_t width, std::int64_t least);

  const DirectConfig& config_;
  const Sources& sources_;
  OppositePlan& plan_;
  std::vector<Stride> strides_;
  std::int64_t widest_ = 8, most_links_ = link_step;
};

}  // namespace cisolve::cuda::direct
