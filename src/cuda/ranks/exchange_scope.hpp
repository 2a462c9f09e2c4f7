// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/ranks/communicator.hpp"

namespace cisolve::cuda {

/// While it lives, no rank allocates or frees device memory, which can wait for devices that wait for each other: before
/// the first transfer all have what they need, and after the last has been enqueued nobody waits for a thread.
class ExchangeScope {
public:
  explicit ExchangeScope(const Communicator& ranks) : ranks_(ranks) { ranks_.barrier(); }
  void end() const { ranks_.barrier(); }

private:
  const Communicator& ranks_;
};

}  // namespace cisolve::cuda
