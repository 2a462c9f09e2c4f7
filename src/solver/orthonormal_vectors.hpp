// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/solver/operator.hpp"
#include "solver/dense.hpp"

namespace cisolve {

template <class Scalar>
void require_finite(const BasicMatrix<Scalar>& a, const std::string& what) {
  if (!dense::all_finite(a)) throw Error("davidson: " + what + " holds a number that is not finite");
}

/// x becomes x s, in place, for the first s.rows() columns of x. `work` is overwritten.
template <VectorBackend Backend>
void rotate(const Backend& backend, typename Backend::View x, const BasicMatrix<typename Backend::Scalar>& s,
            typename Backend::View work) {
  // By slices of rows, so that the work block need not hold s.columns() vectors.
  const std::int64_t step = std::max<std::int64_t>(1, work.rows * work.columns / s.columns());
  for (std::int64_t first = 0; first < x.rows; first += step) {
    const std::int64_t count = std::min(step, x.rows - first);
    const auto rows = x.row_slice(first, count);
    const typename Backend::View rotated{work.data, count, s.columns(), count};
    backend.combine(rows.slice(0, s.rows()), s, 0.0, rotated);
    backend.copy(rotated, rows.slice(0, s.columns()));
  }
}

/// Vectors V with V^H S V = 1, to which others are appended; S V is kept beside V if there is a metric S.
template <VectorBackend Backend>
class OrthonormalVectors {
public:
  using Scalar = typename Backend::Scalar;
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param metric         of the problem, may be null
  /// @param metric_scale   its largest diagonal element
  /// @param filter         of the directions that are appended, may be null
  /// @param rows           of a vector, local
  /// @param capacity       most vectors
  OrthonormalVectors(const Backend& backend, const DavidsonConfig& config, const Operator<Backend>* metric,
                     double metric_scale, const SubspaceFilter<Backend>* filter, std::int64_t rows,
                     int capacity)
      : backend_(backend), config_(config), metric_(metric), metric_scale_(metric_scale), filter_(filter),
        vectors_(backend.allocate(rows, capacity)),
        duals_(backend.allocate(rows, metric != nullptr ? capacity : 0)) {}

  int size() const { return size_; }
  int capacity() const { return vectors_.columns(); }
  bool has_metric() const { return metric_ != nullptr; }

  /// V.
  ConstView vectors() const { return vectors_.view().slice(0, size_); }
  /// S V: V itself without a metric.
  ConstView duals() const { return (has_metric() ? duals_ : vectors_).view().slice(0, size_); }

  /// Columns behind V, for anything, until the next append.
  View free_columns(int count) { return vectors_.view().slice(size_, count); }
  /// Takes these columns as they are: they are orthonormal, and there is no metric.
  void adopt(int count) { size_ += count; }

  /// Orthonormalises `candidates` against V and each other, and appends what is independent. Directions that shall
  /// lie in the subspace of a filter are projected before, and once more if taking them out of V has made their rest
  /// outside large.
  /// @param candidates  n x p, overwritten; there is room for p
  /// @param work        n x p, overwritten
  /// @return the number of columns appended
  /// @throws Error if a candidate is not finite
  int append(View candidates, View work) {
    const int added = filter_ == nullptr ? orthonormalise(candidates, work) : filter(candidates, work);
    size_ += added;
    return added;
  }

  /// V becomes V s, where s^H s = 1. `work` is overwritten.
  void contract(const BasicMatrix<Scalar>& s, View work) {
    rotate(backend_, vectors_.view(), s, work);
    if (has_metric()) rotate(backend_, duals_.view(), s, work);
    size_ = s.columns();
  }

private:
  // S times the columns, behind S V; the columns themselves without a metric.
  View dual(View x) { return has_metric() ? duals_.view().slice(size_, x.columns) : x; }
  void multiply_by_metric(View x) {
    if (has_metric() && x.columns > 0) metric_->apply(x, dual(x));
  }

  // Norms in the metric.
  std::vector<double> norms(View x) {
    if (!has_metric()) return backend_.norms(x);
    const auto gram = backend_.gram(x, dual(x));
    std::vector<double> result;
    for (int k = 0; k < x.columns; ++k) result.push_back(std::sqrt(std::max(0.0, std::real(gram(k, k)))));
    return result;
  }

  void normalise(View x) {
    std::vector<double> factors = norms(x);
    for (double& factor : factors) factor = factor > 0.0 ? 1.0 / factor : 1.0;
    backend_.scale(x, factors);
    if (has_metric()) backend_.scale(dual(x), factors);
  }

  // Block classical Gram-Schmidt, repeated until it changes nothing any more, with canonical orthogonalisation
  // inside the block. Writes behind V and returns how many.
  int orthonormalise(View candidates, View work) {
    // Exact arithmetic needs one pass, rounding two, near-dependent directions three; the last one verifies.
    constexpr int max_passes = 5;
    // Some hundred roundings: an inner product of normalised vectors holds few, and Ritz values nothing of 1e-13.
    constexpr double orthonormal = 1e-13;
    multiply_by_metric(candidates);
    normalise(candidates);
    bool verified = false;
    for (int pass = 0; pass < max_passes && candidates.columns > 0; ++pass) {
      if (pass > 0) multiply_by_metric(candidates);
      const double overlap = project_out(candidates);
      auto gram = backend_.gram(candidates, dual(candidates));
      require_finite(gram, "a basis vector");
      const double amplification = has_metric() ? leave_out_null_space(candidates, gram) : 1.0;
      // A direction near the null space holds more rounding in x^H S x, and the root of that factor in v^H S x.
      const double rounding = 8.0 * std::numeric_limits<double>::epsilon() * amplification;
      verified = pass > 0 && overlap < orthonormal * std::sqrt(amplification) &&
                 dense::distance_to_identity(gram) < std::max(orthonormal, rounding);
      if (verified) break;
      const auto s = dense::orthonormaliser(gram, config_.orthogonality_floor, amplification);
      backend_.combine(candidates, s, 0.0, work.slice(0, s.columns()));
      std::swap(candidates, work);
      candidates = candidates.slice(0, s.columns());
      work = work.slice(0, s.columns());
    }
    if (!verified) multiply_by_metric(candidates);
    if (candidates.columns > 0) backend_.copy(candidates, free_columns(candidates.columns));
    return candidates.columns;
  }

  // Takes V out of x, and S V out of S x. Returns the largest part that there was.
  double project_out(View x) {
    if (size_ == 0) return 0.0;
    double overlap = 0.0;
    auto projection = backend_.gram(duals(), x);
    require_finite(projection, "a basis vector");
    for (int k = 0; k < projection.columns(); ++k) {
      for (int i = 0; i < size_; ++i) {
        overlap = std::max(overlap, std::abs(projection(i, k)));
        projection(i, k) = -projection(i, k);
      }
    }
    backend_.combine(vectors(), projection, 1.0, x);
    if (has_metric()) backend_.combine(duals(), projection, 1.0, dual(x));
    return overlap;
  }

  // Strikes the columns whose square in the metric is rounding from their gram matrix. Returns by how much the
  // relative rounding of the others exceeds that of an ordinary inner product: x^H S x of a square of q times
  // x^H x times the scale of S holds 1 / q times as much.
  double leave_out_null_space(View x, BasicMatrix<Scalar>& gram) const {
    double smallest = 1.0;
    const std::vector<double> lengths = backend_.norms(x);
    for (int k = 0; k < x.columns; ++k) {
      const double length = lengths[k];
      const double quotient = std::real(gram(k, k)) / (metric_scale_ * length * length);
      if (quotient >= config_.metric_floor) {
        smallest = std::min(smallest, quotient);
        continue;
      }
      for (int i = 0; i < x.columns; ++i) gram(i, k) = gram(k, i) = 0.0;
    }
    return 1.0 / smallest;
  }

  int filter(View candidates, View work) {
    constexpr int max_passes = 3;
    int added = 0;
    for (int pass = 0; pass < max_passes && candidates.columns > 0; ++pass) {
      normalise(candidates);
      if (!(filter_->contamination(candidates) <= config_.filter_threshold)) {
        filter_->apply(candidates);
        // What had nothing in the subspace is now rounding error.
        std::vector<double> kept = backend_.norms(candidates);
        for (double& factor : kept) factor = factor < config_.orthogonality_floor ? 0.0 : 1.0;
        backend_.scale(candidates, kept);
      }
      added = orthonormalise(candidates, work);
      const auto written = free_columns(added);
      if (added == 0 || filter_->contamination(written) <= config_.filter_threshold) break;
      candidates = candidates.slice(0, added);
      work = work.slice(0, added);
      backend_.copy(written, candidates);
    }
    return added;
  }

  const Backend& backend_;
  const DavidsonConfig& config_;
  const Operator<Backend>* metric_;
  double metric_scale_;
  const SubspaceFilter<Backend>* filter_;
  typename Backend::Block vectors_;
  typename Backend::Block duals_;
  int size_ = 0;
};

}  // namespace cisolve
