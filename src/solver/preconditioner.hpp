// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/davidson.hpp"
#include "solver/dense.hpp"
#include "solver/diagonals.hpp"

namespace cisolve {

/// K(E) = (E S0 - H0)^-1, where H0 is the diagonal of H outside the model space and the dense block of H
/// inside it, and S0 is that of the metric; or the operator's own.
template <VectorBackend Backend>
class Preconditioner {
public:
  using View = typename Backend::View;
  using Model = BasicModelSpace<typename Backend::Scalar>;

  /// @param diagonals  must outlive this object, as must `backend`, `h` and `model`
  Preconditioner(const Backend& backend, const Operator<Backend>& h, const Diagonals<Backend>& diagonals,
                 const Model& model, double floor)
      : backend_(backend), h_(h), diagonals_(diagonals), model_(model),
        rows_(backend.make_indices(model.rows)), floor_(floor) {
    const auto rows = std::ssize(model.rows);
    if (model.vectors.rows() != rows || model.vectors.columns() != std::ssize(model.energies)) {
      throw DimensionError("davidson: the model space needs an eigenvector for each energy, of its rows");
    }
  }

  /// Column k of y becomes K(energies[k]) y_k.
  void apply(std::span<const double> energies, View y) const {
    if (h_.precondition(energies, y)) return;
    if (model_.rows.empty()) {
      divide(energies, y);
      return;
    }
    auto inside = dense::adjoint_product(model_.vectors, backend_.gather(y, rows_));
    for (int k = 0; k < inside.columns(); ++k) {
      for (int i = 0; i < inside.rows(); ++i) {
        const double denominator = energies[k] - model_.energies[i];
        inside(i, k) /= std::abs(denominator) < floor_ ? std::copysign(floor_, denominator) : denominator;
      }
    }
    divide(energies, y);
    backend_.scatter(dense::product(model_.vectors, inside), rows_, y);
  }

private:
  // E S_ii - H_ii = S_ii (E - H_ii / S_ii)
  void divide(std::span<const double> energies, View y) const {
    diagonals_.divide_by_metric(y);
    backend_.divide_by_shifted_diagonal(diagonals_.quotients(), energies, floor_, y);
  }

  const Backend& backend_;
  const Operator<Backend>& h_;
  const Diagonals<Backend>& diagonals_;
  const Model& model_;
  typename Backend::Indices rows_;
  double floor_;
};

}  // namespace cisolve
