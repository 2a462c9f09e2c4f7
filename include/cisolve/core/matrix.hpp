// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace cisolve {

/// Small dense column-major matrix on the host: what crosses between solver, blocks and devices.
/// Plain on purpose: CUDA sources include it, and Eigen maps it where algebra is needed.
template <class Scalar>
class BasicMatrix {
public:
  BasicMatrix() = default;
  /// A matrix of zeros.
  BasicMatrix(int rows, int columns)
      : rows_(rows), columns_(columns),
        data_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), Scalar(0)) {}

  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }
  Scalar* data() noexcept { return data_.data(); }
  const Scalar* data() const noexcept { return data_.data(); }
  Scalar& operator()(int row, int column) noexcept { return data_[at(row, column)]; }
  Scalar operator()(int row, int column) const noexcept { return data_[at(row, column)]; }

private:
  std::size_t at(int row, int column) const noexcept {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row);
  }

  int rows_ = 0;
  int columns_ = 0;
  std::vector<Scalar> data_;
};

using Matrix = BasicMatrix<double>;

}  // namespace cisolve
