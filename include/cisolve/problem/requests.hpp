// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// What a process was asked for from outside, by signals.
struct Requests {
  int checkpoint = 0;   ///< 1: to write one and go on
  int stop_signal = 0;  ///< that asked to stop; 0: none did

  bool operator==(const Requests&) const = default;
};

}  // namespace cisolve
