// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cisolve/core/array.hpp"
#include "sampling/table_walker.hpp"

namespace cisolve::test {

/// A table walker and its table.
struct OwnTable : sampling::TableWalker {
  explicit OwnTable(const TrialState& trial) : TableWalker(trial), tables(size()) {
    std::ranges::fill(tables, 0.0);
    attach(tables.data());
  }
  Array<double> tables;
};

}  // namespace cisolve::test
