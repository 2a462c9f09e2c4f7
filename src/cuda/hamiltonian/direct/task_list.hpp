// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// The rows of blocks of y, as they are planned.
class TaskList {
public:
  /// The next block.
  /// @param cost  of a row
  void add(double cost, std::int32_t strings) { blocks_.push_back({cost, strings}); }

  /// All rows: those of costly blocks first, so that none is left over at the end.
  std::vector<RowTask> in_order() const;

private:
  struct OfBlock {
    double cost;
    std::int32_t strings;
  };
  std::vector<OfBlock> blocks_;
};

}  // namespace cisolve::cuda::direct
