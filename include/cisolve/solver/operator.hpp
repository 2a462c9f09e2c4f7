// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// What a solver sees of a Hermitian matrix H of order n: stored formats, a string-driven operator
/// and a distributed one are all this. Rows are in the order of the space, whatever order the
/// implementation works in.
template <class Backend>
class Operator {
public:
  virtual ~Operator() = default;

  /// Order of the matrix.
  virtual std::int64_t size() const = 0;

  /// y = H x for any number of columns >= 1; x and y are size() x k and do not overlap.
  virtual void apply(typename Backend::ConstView x, typename Backend::View y) const = 0;

  /// The diagonal of H, size() x 1.
  virtual typename Backend::ConstView diagonal() const = 0;

  /// Leaves of each column what lies in the subspace that the solver is to stay in, such as one spin parity.
  /// All new basis vectors pass through here; the operator itself must not lead out of that subspace.
  virtual void project(typename Backend::View) const {}

  /// The dense block H(indices, indices) for start vectors and the preconditioner.
  virtual Matrix dense_block(std::span<const std::int64_t> indices) const = 0;
};

}  // namespace cisolve
