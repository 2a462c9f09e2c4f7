// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>

#include "cisolve/core/block_view.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

/// Vectors in the memory of a backend.
template <class Backend>
class BackendVectors final : public VectorSource {
public:
  /// @param backend  must outlive this object
  BackendVectors(const Backend& backend, typename Backend::Block block)
      : backend_(backend), block_(std::move(block)) {}

  std::int64_t rows() const override { return block_.rows(); }
  int columns() const override { return block_.columns(); }

  /// Where they are; none: not with this backend.
  std::optional<typename Backend::ConstView> in(const Backend& backend) const {
    if (&backend != &backend_) return std::nullopt;
    return block_.view();
  }

  /// To be changed there.
  typename Backend::View block() { return block_.view(); }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    backend_.to_host(block_.view().slice(column, 1).row_slice(first_row, std::ssize(out)), out);
  }

  std::span<const double> view(int first, int count, Array<double>& buffer) const override {
    const auto columns = block_.view().slice(first, count);
    const auto size = static_cast<std::size_t>(rows()) * static_cast<std::size_t>(count);
    if constexpr (Backend::memory == Memory::host) return {columns.data, size};
    buffer = {};
    buffer = Array<double>(size);
    backend_.to_host(columns, buffer);
    return buffer;
  }

private:
  const Backend& backend_;
  typename Backend::Block block_;
};

/// What a solver would restart from, each column computed when it is asked for.
template <class Backend>
class RestartColumns final : public VectorSource {
public:
  RestartColumns(const Backend& backend, std::int64_t rows, RestartVectors<Backend> vectors)
      : backend_(backend), rows_(rows), vectors_(std::move(vectors)) {}

  std::int64_t rows() const override { return rows_; }
  int columns() const override { return vectors_.columns; }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    if (column != current_) view_ = vectors_.column(current_ = column);
    backend_.to_host(view_.row_slice(first_row, std::ssize(out)), out);
  }

private:
  const Backend& backend_;
  std::int64_t rows_;
  RestartVectors<Backend> vectors_;
  mutable int current_ = -1;
  mutable typename Backend::ConstView view_;
};

}  // namespace cisolve
