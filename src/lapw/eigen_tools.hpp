// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "cisolve/lapw/eigenstates.hpp"
#include "core/stopwatch.hpp"

// What the solvers of H c = lambda S c share.
namespace cisolve::lapw {

/// The largest eigenvalue of a Hermitian operator of positive eigenvalues, by Lanczos' method from a fixed start, to about
/// three digits.
/// @param apply  y = A x for one vector
double largest_eigenvalue(std::int64_t n, const std::function<void(const Complex* x, Complex* y)>& apply);

/// Lowest and highest eigenvalue of S, whose Cholesky factor is the last one: by Lanczos with S and with S^-1.
OverlapSpectrum overlap_ends(const Engine& engine);

/// Whether S is so nearly singular that its Cholesky factor does not serve.
inline bool is_nearly_singular(const OverlapSpectrum& overlap) {
  return overlap.lowest <= 1e-13 * overlap.highest;
}

/// Normalises the vectors to c^H S c = 1, and writes their residuals.
void judge(const Engine& engine, Eigenstates& states);

/// Does a step of a solver and notes what it took.
template <class Step>
auto timed(Eigenstates& states, const char* name, const Step& step) {
  const Stopwatch watch;
  auto result = step();
  states.lines.push_back({.name = name, .seconds = watch.seconds()});
  return result;
}

/// @throws Error  H or S has elements that are not finite
void require_finite(const Engine& engine);

}  // namespace cisolve::lapw
