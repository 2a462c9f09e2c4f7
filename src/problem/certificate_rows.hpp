// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/problem/certificate.hpp"

namespace cisolve {

/// The rows of H that a certificate looks at: some for certain, others drawn from the rest, each as likely as any.
struct CheckedRows {
  std::vector<std::int64_t> rows;  ///< distinct; those for certain first
  std::size_t num_certain = 0;
  std::int64_t size = 0;  ///< all rows there are

  bool are_all() const { return std::ssize(rows) == size; }

  /// How many rows a row stands for: sums of squares over the rows, times these, have the mean of the sum
  /// over all rows.
  double factor(std::size_t at) const {
    if (at < num_certain) return 1.0;
    const auto certain = static_cast<std::int64_t>(num_certain);
    return static_cast<double>(size - certain) / static_cast<double>(std::ssize(rows) - certain);
  }
};

CheckedRows all_rows(const DefinitionRows& rows);

/// Whether rows of S^2 cost so little that all can be looked at.
bool affords_all_spins(const DefinitionRows& rows, const CertificateConfig& config);

/// All rows where the budget has room for them, else as many as it has room for, but a few in any case.
/// @param vectors  [rows.size() x states]: rows of their largest elements are looked at for certain
CheckedRows choose_rows(const DefinitionRows& rows, const VectorSource& vectors, std::size_t states,
                        const CertificateConfig& config);

}  // namespace cisolve
