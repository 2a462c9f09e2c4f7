// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/matrix.hpp"
#include "cisolve/vectors/vector_backend.hpp"

namespace cisolve {

/// What a solver sees of a Hermitian matrix H of order n: stored formats, a string-driven operator
/// and a distributed one are all this. Rows are in the order of the space, whatever order the
/// implementation works in.
template <VectorBackend Backend>
class Operator {
public:
  virtual ~Operator() = default;

  /// Order of the matrix, over all parts.
  virtual std::int64_t size() const = 0;

  /// Rows of a vector that this part holds, see VectorBackend; all, unless vectors are distributed.
  virtual std::int64_t local_rows() const { return size(); }

  /// y = H x for any number of columns >= 1; x and y are local_rows() x k and do not overlap.
  virtual void apply(typename Backend::ConstView x, typename Backend::View y) const = 0;

  /// The diagonal of H, local_rows() x 1. Its elements are real.
  virtual typename Backend::ConstView diagonal() const = 0;

  /// The dense block H(indices, indices) for start vectors and the preconditioner. Rows are global.
  virtual BasicMatrix<typename Backend::Scalar> dense_block(std::span<const std::int64_t> indices) const = 0;

  /// The metric S of a generalised problem H c = E S c: Hermitian, positive definite, rows as those of H; null where
  /// it is the identity. Has none itself.
  virtual const Operator* metric() const { return nullptr; }

  /// A preconditioner of its own: column k of y becomes about (energies[k] S - H)^-1 y_k, up to a factor that all columns
  /// share. False: it has none, and diagonals and model space serve.
  virtual bool precondition(std::span<const double> /*energies*/, typename Backend::View /*y*/) const {
    return false;
  }
};

/// A subspace that H maps into itself, in which alone roots are sought, such as the states of one spin.
/// A solver admits what comes from anywhere, noise and guesses, and applies the filter to new directions, so that
/// rounding cannot carry it out of the subspace.
template <VectorBackend Backend>
class SubspaceFilter {
public:
  virtual ~SubspaceFilter() = default;

  /// Dimension of the subspace.
  virtual std::int64_t dimension() const = 0;

  /// The largest norm, over normalised columns, of a column's part outside the subspace, or a bound to it.
  virtual double contamination(typename Backend::ConstView x) const = 0;

  /// Removes from each column its part outside the subspace.
  virtual void apply(typename Backend::View x) const = 0;

  /// Prepares columns of any origin for `apply`, where that alone would only remove what rounding brings into a column
  /// that was inside.
  virtual void admit(typename Backend::View /*x*/) const {}
};

}  // namespace cisolve
