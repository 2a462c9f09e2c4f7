// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/operator.hpp"
#include "solver/dense.hpp"

namespace cisolve {

/// Diagonals of H and of its metric S, as preconditioner and start vectors want them.
template <VectorBackend Backend>
class Diagonals {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @throws Error if an element is not finite, or one of S not positive
  Diagonals(const Backend& backend, const Operator<Backend>& h)
      : backend_(backend), quotients_(h.diagonal()) {
    require_finite(quotients_, "matrix");
    if (h.metric() == nullptr) return;
    const ConstView metric = h.metric()->diagonal();
    require_finite(metric, "metric");
    if (!(backend.lowest(metric, 1).front().first > 0.0)) {
      throw Error("davidson: the diagonal of the metric holds a number that is not positive");
    }
    own_ = backend.allocate(h.local_rows(), 2);
    backend.copy(metric, negative_metric());
    backend.scale(negative_metric(), std::vector<double>{-1.0});
    largest_metric_ = -backend.lowest(negative_metric(), 1).front().first;
    const View quotients = own_.view().slice(0, 1);
    backend.copy(h.diagonal(), quotients);
    has_metric_ = true;
    divide_by_metric(quotients);
    quotients_ = quotients;
  }

  /// H_ii / S_ii, the energy of a unit vector. One column.
  ConstView quotients() const { return quotients_; }

  /// The largest S_ii.
  double largest_metric() const { return largest_metric_; }

  /// Row i of each column divided by S_ii.
  void divide_by_metric(View y) const {
    if (!has_metric_) return;
    // y / (0 - (-S_ii)): what every backend can do.
    backend_.divide_by_shifted_diagonal(negative_metric(), std::vector<double>(y.columns, 0.0),
                                        std::numeric_limits<double>::min(), y);
  }

  /// S_ii of some rows.
  std::vector<double> metric_of(const typename Backend::Indices& rows, std::size_t count) const {
    std::vector<double> elements(count, 1.0);
    if (!has_metric_) return elements;
    const auto negative = backend_.gather(negative_metric(), rows);
    for (std::size_t i = 0; i < count; ++i) elements[i] = -std::real(negative(static_cast<int>(i), 0));
    return elements;
  }

private:
  View negative_metric() const { return own_.view().slice(1, 1); }

  void require_finite(ConstView diagonal, const char* of) const {
    if (std::isfinite(backend_.norms(diagonal)[0])) return;
    throw Error(std::string("davidson: the diagonal of the ") + of + " holds a number that is not finite");
  }

  const Backend& backend_;
  ConstView quotients_;
  bool has_metric_ = false;
  double largest_metric_ = 1.0;
  mutable typename Backend::Block own_;  // With a metric: H_ii / S_ii and -S_ii.
};

}  // namespace cisolve
