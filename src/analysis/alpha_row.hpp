// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/string_density.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"

namespace cisolve {

/// The coefficients that one alpha string has in some vectors, class by class of beta strings.
class AlphaRow {
public:
  AlphaRow(const StringVectors& vectors, const BlockStructure& blocks)
      : vectors_(vectors), blocks_(blocks), rows_(static_cast<std::size_t>(vectors.count) * num_classes()) {}

  void read(std::int32_t alpha);

  int num_vectors() const { return vectors_.count; }
  /// Classes of beta strings beside the alpha string.
  std::span<const std::int32_t> classes() const { return classes_; }
  /// Of vector k; null where the string isn't beside that class.
  const double* operator()(int k, std::size_t beta_class) const {
    return rows_[static_cast<std::size_t>(k) * num_classes() + beta_class];
  }

private:
  std::size_t num_classes() const { return static_cast<std::size_t>(blocks_.beta.count()); }

  void add(const BlockStructure::ListPart& part, std::int64_t first_row);

  const StringVectors& vectors_;
  const BlockStructure& blocks_;
  std::vector<std::int32_t> classes_;
  std::vector<const double*> rows_;  ///< [vectors * classes]
  std::vector<double>
      buffer_;  ///< [vectors * beta strings], of rows that do not stand together in the vector
};

}  // namespace cisolve
