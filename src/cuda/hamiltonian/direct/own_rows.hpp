// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"

namespace cisolve::cuda::direct {

/// The rows of a layout that a rank owns, in vectors that hold no others: panels as in the BlockLayout, but with the rank's
/// part of every class. Of one rank it is the layout itself.
class OwnRows {
public:
  OwnRows(const BlockLayout& layout, const StringClasses& major, const StringShares& shares);

  /// Places of the strings of a major class.
  StringShares::Range range(int c) const { return ranges_[c]; }

  /// Where the class's string k begins if it is an own one, less k rows. The class must be in the panel.
  std::int64_t origin(int panel, int c) const {
    return origins_[static_cast<std::size_t>(panel) * ranges_.size() + static_cast<std::size_t>(c)];
  }

  /// Own rows of a panel, and where the first is; the others follow, class after class.
  std::int64_t rows(int panel) const { return rows_[panel]; }
  std::int64_t offset(int panel) const { return offsets_[panel]; }

  /// Elements, padding included.
  std::int64_t size() const { return size_; }

private:
  std::vector<StringShares::Range> ranges_;   ///< [major classes]
  std::vector<std::int64_t> origins_;         ///< [panels][major classes]
  std::vector<std::int64_t> rows_, offsets_;  ///< [panels]
  std::int64_t size_ = 0;
};

}  // namespace cisolve::cuda::direct
