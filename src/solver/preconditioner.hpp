// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/davidson.hpp"
#include "solver/dense.hpp"

namespace cisolve {

/// K(E) = (E - H0)^-1, where H0 is the diagonal of H outside the model space and the dense block of H
/// inside it.
template <class Backend>
class Preconditioner {
public:
  using View = typename Backend::View;

  Preconditioner(const Backend& backend, typename Backend::ConstView diagonal, const ModelSpace& model,
                 double floor)
      : backend_(backend), diagonal_(diagonal), model_(model), rows_(backend.make_indices(model.rows)),
        floor_(floor) {
    const int size = static_cast<int>(model.rows.size());
    if (model.vectors.rows() != size || model.vectors.columns() != size ||
        std::ssize(model.energies) != size) {
      throw DimensionError("davidson: the model space needs one energy and one eigenvector per row");
    }
  }

  /// Column k of y becomes K(energies[k]) y_k.
  void apply(std::span<const double> energies, View y) const {
    if (model_.rows.empty()) {
      backend_.divide_by_shifted_diagonal(diagonal_, energies, floor_, y);
      return;
    }
    Matrix inside = dense::transposed_product(model_.vectors, backend_.gather(y, rows_));
    for (int k = 0; k < inside.columns(); ++k) {
      for (int i = 0; i < inside.rows(); ++i) {
        const double denominator =
            energies[static_cast<std::size_t>(k)] - model_.energies[static_cast<std::size_t>(i)];
        inside(i, k) /= std::abs(denominator) < floor_ ? std::copysign(floor_, denominator) : denominator;
      }
    }
    backend_.divide_by_shifted_diagonal(diagonal_, energies, floor_, y);
    backend_.scatter(dense::product(model_.vectors, inside), rows_, y);
  }

private:
  const Backend& backend_;
  typename Backend::ConstView diagonal_;
  const ModelSpace& model_;
  typename Backend::Indices rows_;
  double floor_;
};

}  // namespace cisolve
