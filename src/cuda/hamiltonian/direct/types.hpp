// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/arrays.hpp"

// What all parts of a direct product share; docs/architecture.md and glossary.md beside this say what the words mean.
namespace cisolve::cuda::direct {

/// Arrays made by a plan.
template <class T>
using HostArray = std::vector<T>;

/// Arrays that the direct product of the host has.
template <class T>
using HostView = std::span<const T>;

/// Threads that work in step.
inline constexpr int warp_size = 32;

/// Columns of t, or of intermediates, that a warp makes at a time.
inline constexpr int tile_columns = 16;

/// Excitations that a warp multiplies at a time: lists of them are padded by factors of zero to multiples of this.
inline constexpr int excitation_step = 8;
inline std::int64_t whole_steps(std::int64_t n) {
  return (n + excitation_step - 1) / excitation_step * excitation_step;
}

/// Rows of factors are so much longer than whole eights of pairs, to start in different banks.
inline constexpr int factor_padding = 4;

/// Rows of t are so much longer than those of x, whose length is a multiple of 8: a warp's stores then fall into
/// different banks.
inline constexpr int t_padding = 2;

/// A row of a block, worked on by one block of threads.
struct RowTask {
  std::int32_t block;
  std::int32_t string;  ///< in the class
};

/// Consecutive tasks.
struct TaskSpan {
  std::int64_t first, count;
};

/// Those of a layout among some of which those of layout 1 come first.
inline TaskSpan span_of(int layout, std::int64_t in_layout_1, std::size_t all) {
  if (layout == 1) return {0, in_layout_1};
  return {in_layout_1, static_cast<std::int64_t>(all) - in_layout_1};
}

/// Vectors in both layouts.
struct Panels {
  const double* x[2];
  double* y[2];
};

}  // namespace cisolve::cuda::direct
