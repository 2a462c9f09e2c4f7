// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/does_not_fit.hpp"

namespace cisolve {

/// Does something of the problem room, which speaks of quantities, and names the input keys where it refuses.
/// @throws what `work` throws
template <class Work>
auto naming_keys(Work&& work) {
  try {
    return work();
  } catch (const EmptySpaceError& error) {
    throw EmptySpaceError(fmt::format(
        "states.irrep: {}; ask for another irrep or a higher space.excitation_level", error.what()));
  } catch (const DoesNotFit& error) {
    switch (error.limit()) {
      case DoesNotFit::Limit::host_memory:
        throw DoesNotFit(error.limit(), "run.memory: " + error.shortage(), error.remedy());
      case DoesNotFit::Limit::device:
        throw DoesNotFit(error.limit(), "run.device: " + error.shortage(),
                         "use \"auto\" or \"cpu\", or " + error.remedy());
      case DoesNotFit::Limit::stored_rows:
        throw DoesNotFit(error.limit(), "hamiltonian.storage: " + error.shortage(), error.remedy());
    }
    throw;
  }
}

}  // namespace cisolve
