// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/sampling/trial_state.hpp"

namespace cisolve {

/// What of a trial state varies, as files and other processes have it: delta, mu, t2, t3, gutzwiller.
inline std::vector<double> numbers_of(const TrialParameters& p) {
  return {p.delta, p.mu, p.t2, p.t3, p.gutzwiller};
}

inline void set_numbers(const std::vector<double>& numbers, TrialParameters& p) {
  p.delta = numbers[0], p.mu = numbers[1], p.t2 = numbers[2], p.t3 = numbers[3], p.gutzwiller = numbers[4];
}

}  // namespace cisolve
