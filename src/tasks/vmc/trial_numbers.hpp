// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/sampling/trial_state.hpp"

namespace cisolve {

/// What of a trial state varies, as files and other processes have it: delta, mu, t2, t3, gutzwiller, jastrow and
/// spin_jastrow by shells.
inline std::vector<double> numbers_of(const TrialParameters& p) {
  std::vector<double> numbers = {p.delta, p.mu, p.t2, p.t3, p.gutzwiller};
  numbers.insert(numbers.end(), p.jastrow.begin(), p.jastrow.end());
  numbers.insert(numbers.end(), p.spin_jastrow.begin(), p.spin_jastrow.end());
  return numbers;
}

/// @pre as many numbers as `p` has
inline void set_numbers(const std::vector<double>& numbers, TrialParameters& p) {
  p.delta = numbers[0], p.mu = numbers[1], p.t2 = numbers[2], p.t3 = numbers[3], p.gutzwiller = numbers[4];
  auto next = numbers.begin() + 5;
  for (auto* of_shells : {&p.jastrow, &p.spin_jastrow}) {
    for (double& value : *of_shells) value = *next++;
  }
}

}  // namespace cisolve
