// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/lapw/engine.hpp"

namespace cisolve {

/// Elements of H and S beside those of the defining sums.
struct ElementCheck {
  int count = 0;
  double error_h = 0.0, error_s = 0.0;  ///< largest differences, hartree and 1
  double scale = 1.0;                   ///< what rounding is relative to
  bool is_good() const;
};

/// Recomputes some elements, spread over the lower triangles, by lapw::defining_element.
ElementCheck check_elements(const lapw::Engine& engine, const lapw::MatrixProblem& problem, int count);

}  // namespace cisolve
