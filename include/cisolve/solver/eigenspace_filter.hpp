// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/solver/operator.hpp"

namespace cisolve {

/// Projects on the eigenspace of a Hermitian matrix A that commutes with H, where the spectrum of A is
/// known: with S^2, on the states of one spin. The projector is a polynomial,
///
///     P = prod_{b != a} (A - b) / (a - b) ,
///
/// so applying it costs a product with A per other eigenvalue, and finding that nothing is to be done
/// costs one.
/// @see P.-O. Lowdin, Phys. Rev. 97 (1955) 1509, doi:10.1103/PhysRev.97.1509
template <VectorBackend Backend>
class EigenspaceFilter final : public SubspaceFilter<Backend> {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;
  /// y = A x, for any number of columns.
  using Product = std::function<void(ConstView x, View y)>;

  /// @param backend    must outlive this object
  /// @param product    multiplies by A
  /// @param rows       local rows of a vector
  /// @param dimension  of the eigenspace
  /// @param wanted     a, the eigenvalue of the eigenspace
  /// @param others     all other eigenvalues of A, at least one
  /// @param batch      columns that are worked on at a time, each with a work vector: as many as the product
  ///                   gains from
  /// @throws DimensionError if there are none, or `wanted` is among them
  EigenspaceFilter(const Backend& backend, Product product, std::int64_t rows, std::int64_t dimension,
                   double wanted, std::vector<double> others, int batch = packed_columns)
      : backend_(backend), product_(std::move(product)), dimension_(dimension), wanted_(wanted),
        others_(std::move(others)), work_(backend.allocate(rows, batch)) {
    for (const double other : others_) gap_ = std::min(gap_, std::abs(other - wanted));
    if (others_.empty() || !(gap_ > 0.0))
      throw DimensionError("EigenspaceFilter: another eigenvalue is needed");
  }

  std::int64_t dimension() const override { return dimension_; }

  double contamination(ConstView x) const override {
    double largest = 0.0;
    for (int first = 0; first < x.columns; first += work_.columns()) {
      const ConstView part = x.slice(first, std::min(work_.columns(), x.columns - first));
      const View y = work_.view().slice(0, part.columns);
      shifted_product(part, wanted_, y);
      // ||(A - a) x|| is at least the gap times the part of x outside the eigenspace.
      for (const double norm : backend_.norms(y)) largest = std::max(largest, norm / gap_);
    }
    return largest;
  }

  void apply(View x) const override {
    for (int first = 0; first < x.columns; first += work_.columns()) {
      const View part = x.slice(first, std::min(work_.columns(), x.columns - first));
      const View y = work_.view().slice(0, part.columns);
      for (const double other : others_) {
        shifted_product(part, other, y);
        backend_.scale(y, std::vector<double>(part.columns, 1.0 / (wanted_ - other)));
        backend_.copy(y, part);
      }
    }
  }

private:
  static constexpr int packed_columns = 4;  // by a stored product

  // y = (A - shift) x
  void shifted_product(ConstView x, double shift, View y) const {
    product_(x, y);
    BasicMatrix<typename Backend::Scalar> factors(x.columns, x.columns);
    for (int k = 0; k < x.columns; ++k) factors(k, k) = -shift;
    backend_.combine(x, factors, 1.0, y);
  }

  const Backend& backend_;
  Product product_;
  std::int64_t dimension_;
  double wanted_;
  std::vector<double> others_;
  double gap_ = std::numeric_limits<double>::infinity();
  mutable typename Backend::Block work_;
};

/// Eigenvectors of H over a model space within the eigenspace of a matrix that commutes with it there:
/// start vectors of one spin.
/// @param a           shape rows x rows over the model space's rows
/// @param eigenvalue  of `a`; those within `width` of it count
/// @return a column per vector, ascending by energy; none if there is no such eigenvalue
Matrix eigenvectors_within(const ModelSpace& model, const Matrix& a, double eigenvalue, double width = 0.1);

}  // namespace cisolve
