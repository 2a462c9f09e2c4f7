// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve::bench {

/// The rows of a finished matrix, from which other formats are built without computing them again.
/// Nothing is marked general.
class CsrSource final : public RowSource {
public:
  /// `a` must outlive it.
  explicit CsrSource(const CsrMatrix& a) : a_(a) {}

  std::int64_t num_rows() const override { return a_.num_rows; }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    for (std::int64_t row = range.first; row < range.last; ++row) {
      lengths[static_cast<std::size_t>(row - range.first)] = first_of(row + 1) - first_of(row);
    }
  }
  void fill(RowRange range, RowSink& sink) const override {
    for (std::int64_t row = range.first; row < range.last; ++row) {
      const std::int64_t first = first_of(row);
      const auto length = static_cast<std::size_t>(first_of(row + 1) - first);
      sink.row({.index = row, .columns = {a_.columns.data() + first, length},
                .values = {a_.values.data() + first, length}, .general = {}});
    }
  }

private:
  std::int64_t first_of(std::int64_t row) const { return a_.offsets[static_cast<std::size_t>(row)]; }

  const CsrMatrix& a_;
};

}  // namespace cisolve::bench
