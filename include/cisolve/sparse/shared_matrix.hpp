// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "cisolve/sparse/stored_matrix.hpp"

namespace cisolve {

/// A stored matrix that somebody else keeps, too.
class SharedMatrix final : public StoredMatrix {
public:
  explicit SharedMatrix(std::shared_ptr<const StoredMatrix> matrix) : matrix_(std::move(matrix)) {}

  const StoredMatrix& matrix() const { return *matrix_; }

  std::string_view format() const override { return matrix_->format(); }
  std::int64_t num_rows() const override { return matrix_->num_rows(); }
  std::int64_t num_columns() const override { return matrix_->num_columns(); }
  std::int64_t num_nonzeros() const override { return matrix_->num_nonzeros(); }
  std::int64_t bytes() const override { return matrix_->bytes(); }
  void multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                ProductUpdate update = ProductUpdate::assign) const override {
    matrix_->multiply(x, y, workspace, update);
  }
  void multiply_plainly(ConstHostView x, HostView y) const override { matrix_->multiply_plainly(x, y); }

private:
  std::shared_ptr<const StoredMatrix> matrix_;
};

}  // namespace cisolve
