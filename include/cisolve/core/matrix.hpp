// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace cisolve {

/// Small dense column-major matrix on the host: what crosses between solver, blocks and devices.
/// Plain on purpose: CUDA sources include it, and Eigen maps it where algebra is needed.
class Matrix {
public:
  Matrix() = default;
  Matrix(int rows, int columns)
      : rows_(rows), columns_(columns),
        data_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.0) {}

  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }
  double* data() noexcept { return data_.data(); }
  const double* data() const noexcept { return data_.data(); }
  double& operator()(int row, int column) noexcept { return data_[at(row, column)]; }
  double operator()(int row, int column) const noexcept { return data_[at(row, column)]; }

private:
  std::size_t at(int row, int column) const noexcept {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(row);
  }

  int rows_ = 0;
  int columns_ = 0;
  std::vector<double> data_;
};

}  // namespace cisolve
