// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/vectors/vector_source.hpp"

namespace cisolve::test {

/// Columns that can be read and are nowhere to be seen.
class HiddenVectors final : public VectorSource {
public:
  explicit HiddenVectors(const VectorSource& vectors) : vectors_(vectors) {}
  std::int64_t rows() const override { return vectors_.rows(); }
  int columns() const override { return vectors_.columns(); }
  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    vectors_.read(column, first_row, out);
  }

private:
  const VectorSource& vectors_;
};

}  // namespace cisolve::test
