// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/own_rows.hpp"

namespace cisolve::cuda::direct {

OwnRows::OwnRows(const BlockLayout& layout, const StringClasses& major, const StringShares& shares) {
  for (int c = 0; c < major.count(); ++c) ranges_.push_back(shares.own(major.size(c)));
  for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
    const std::int64_t stride = layout.panels[panel].stride;
    std::int64_t rows = 0;
    offsets_.push_back(size_);
    for (int c = 0; c < major.count(); ++c) {
      const bool present = layout.row(static_cast<int>(panel), c) >= 0;
      const StringShares::Range own = range(c);
      origins_.push_back(present ? size_ + (rows - own.first) * stride : 0);
      if (present) rows += own.size();
    }
    rows_.push_back(rows);
    size_ += rows * stride;
  }
}

}  // namespace cisolve::cuda::direct
