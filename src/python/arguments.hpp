// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "cisolve/core/error.hpp"

// What functions that Python calls have in common. Checks throw InputError, a sentence that begins with the argument.

namespace cisolve::python {

constexpr bool is_anything(PyObject*) { return true; }

/// An argument that numpy makes an array of; for stubs.
class ArrayLike : public nanobind::object {
  NB_OBJECT(ArrayLike, nanobind::object, "numpy.typing.ArrayLike", is_anything)
};

/// What is of one type or another, which stubs leave open.
inline nanobind::any any_of(nanobind::object value) {
  return nanobind::steal<nanobind::any>(value.release());
}

/// Threads, 0 being all.
inline int checked_threads(int threads) {
  constexpr int most = 4096;
  if (threads >= 0 && threads <= most) return threads;
  throw InputError(fmt::format("threads: found {}; it must be 0 (all) to {}", threads, most));
}

inline void require_finite(std::span<const double> values, std::string_view name) {
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw InputError(fmt::format("{}: it has elements that are not finite", name));
}

inline void require_not_negative(double value, std::string_view name) {
  if (std::isfinite(value) && value >= 0.0) return;
  throw InputError(fmt::format("{}: found {}; it must be 0 or more", name, value));
}

inline void require_not_negative(std::int64_t value, std::string_view name) {
  if (value < 0) throw InputError(fmt::format("{}: found {}; it must be 0 or more", name, value));
}

inline void require_positive(double value, std::string_view name) {
  if (!std::isfinite(value) || value <= 0.0)
    throw InputError(fmt::format("{}: found {}; it must be above 0", name, value));
}

}  // namespace cisolve::python
