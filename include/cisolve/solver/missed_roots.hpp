// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/solver/davidson.hpp"

namespace cisolve {

/// H + shift sum_k |c_k><c_k|: what is left of H where the roots c_k are known.
template <VectorBackend Backend>
class DeflatedOperator final : public Operator<Backend> {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param roots  orthonormal; these, the backend and H must outlive this object
  /// @param shift  hartree; takes the roots out of the part of the spectrum that is looked at
  DeflatedOperator(const Backend& backend, const Operator<Backend>& h, ConstView roots, double shift)
      : backend_(backend), h_(h), roots_(roots), shift_(shift) {}

  std::int64_t size() const override { return h_.size(); }
  std::int64_t local_rows() const override { return h_.local_rows(); }
  void apply(ConstView x, View y) const override {
    h_.apply(x, y);
    auto overlaps = backend_.gram(roots_, x);
    for (int j = 0; j < overlaps.columns(); ++j) {
      for (int i = 0; i < overlaps.rows(); ++i) overlaps(i, j) *= shift_;
    }
    backend_.combine(roots_, overlaps, 1.0, y);
  }
  ConstView diagonal() const override { return h_.diagonal(); }
  BasicMatrix<typename Backend::Scalar> dense_block(std::span<const std::int64_t> rows) const override {
    return h_.dense_block(rows);
  }

private:
  const Backend& backend_;
  const Operator<Backend>& h_;
  ConstView roots_;
  double shift_;
};

/// What a look for missed roots came to.
struct MissedRootProbe {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  int starts = 0;             ///< vectors it began with; 0: nobody looked
  std::int64_t products = 0;  ///< of H with a vector
  double lowest = none;  ///< Ritz value reached, hartree: an upper bound to the lowest state that no root is
};

/// The row of the lowest diagonal element of which the roots hold little; of the low rows the last, if there is none.
/// @param filter  see davidson, may be null
template <VectorBackend Backend>
std::int64_t least_explored_row(const Backend& backend, const Operator<Backend>& h,
                                typename Backend::ConstView roots, const SubspaceFilter<Backend>* filter) {
  using Coefficients = BasicMatrix<typename Backend::Scalar>;
  constexpr std::int64_t low_rows = 24;
  constexpr int most_filtered = 6;  // each may cost as much as a few products
  // A spin-adapted pair of determinants is half in the roots that hold one of its two states.
  constexpr double explored = 0.6;
  auto column = backend.allocate(h.local_rows(), 1);
  // Square of what the filter leaves of the unit vector of a row.
  const auto part_inside = [&](const typename Backend::Indices& row) {
    Coefficients one(1, 1);
    one(0, 0) = 1.0;
    backend.fill(column.view(), 0.0);
    backend.scatter(one, row, column.view());
    filter->admit(column.view());
    filter->apply(column.view());
    const double norm = backend.norms(std::as_const(column).view())[0];
    return norm * norm;
  };
  std::int64_t last = 0;
  int filtered = 0;
  for (const auto& [element, row] : backend.lowest(h.diagonal(), std::min(h.size(), low_rows))) {
    last = row;
    const std::int64_t rows[] = {row};
    const auto index = backend.make_indices(rows);
    const Coefficients parts = backend.gather(roots, index);
    double weight = 0.0;
    for (int j = 0; j < parts.columns(); ++j) weight += std::norm(parts(0, j));
    if (weight >= explored) continue;  // whatever the filter leaves
    if (filter == nullptr || ++filtered > most_filtered) break;
    const double inside = part_inside(index);
    constexpr double rounding = 1e-12;  // of a function that has no part in the subspace
    if (inside > rounding && weight < explored * inside) break;
  }
  return last;
}

/// <x|H|x>/<x|x> of what a vector has beside the roots, hartree; NaN if it is mostly of the roots. One product more, so that
/// no root is said to be missed because the shift was too small.
/// @param x  changed
template <VectorBackend Backend>
double energy_beside(const Backend& backend, const Operator<Backend>& h, typename Backend::ConstView roots,
                     typename Backend::View x, MissedRootProbe& probe) {
  auto overlap = backend.gram(roots, std::as_const(x));
  for (int i = 0; i < overlap.rows(); ++i) overlap(i, 0) = -overlap(i, 0);
  const double whole = backend.norms(std::as_const(x))[0];
  backend.combine(roots, overlap, 1.0, x);
  const double rest = backend.norms(std::as_const(x))[0];
  constexpr double most = 0.5;
  if (rest * rest < most * whole * whole) return MissedRootProbe::none;
  auto product = backend.allocate(h.local_rows(), 1);
  h.apply(std::as_const(x), product.view());
  ++probe.products;
  return std::real(backend.gram(std::as_const(x), std::as_const(product).view())(0, 0)) / (rest * rest);
}

/// Looks for a root below the highest of those known: a few Davidson iterations in the space orthogonal to them, from the
/// low function that they hold least of and from a pseudo-random vector.
/// @param h              without metric
/// @param roots          orthonormal
/// @param highest        energy of the highest root, hartree: the search ends once it is below that
/// @param shift          hartree, more than the width of the spectrum that H has
/// @param most_products  of H with a vector; nothing is done if these are too few for two iterations
/// @param max_columns    vectors that may be allocated, as DavidsonConfig has it
/// @param filter         see davidson, may be null
/// @param[out] below     of one column: what was found below the highest root, normalised; may be null
template <VectorBackend Backend>
MissedRootProbe probe_missed_roots(const Backend& backend, const Operator<Backend>& h,
                                   typename Backend::ConstView roots, double highest, double shift,
                                   std::int64_t most_products, std::int64_t max_columns,
                                   const SubspaceFilter<Backend>* filter = nullptr,
                                   typename Backend::Block* below = nullptr) {
  constexpr int starts = 2, subspace = 8;
  MissedRootProbe probe;
  const std::int64_t dimension = filter != nullptr ? filter->dimension() : h.size();
  if (most_products < 2 * starts || dimension < roots.columns + starts) return probe;
  const DeflatedOperator<Backend> rest(backend, h, roots, shift);

  const std::int64_t low_row[] = {least_explored_row(backend, h, roots, filter)};

  DavidsonConfig config;
  config.num_roots = 1;
  config.max_iterations = static_cast<int>(std::min<std::int64_t>(most_products, 1000));
  config.start_perturbation = 0.0;
  config.exploration_margin = 0.0;
  config.max_subspace = subspace;
  config.max_columns = max_columns;
  const auto write = [&](int first, typename Backend::View out) {
    for (int k = 0; k < out.columns; ++k) {
      const auto column = out.slice(k, 1);
      if (first + k == 0) {
        BasicMatrix<typename Backend::Scalar> one(1, 1);
        one(0, 0) = 1.0;
        backend.fill(column, 0.0);
        backend.scatter(one, backend.make_indices(low_row), column);
      } else {
        constexpr std::uint64_t other_than_the_solver = 0x70726f6265;
        backend.fill_with_noise({.lowest = backend.lowest(h.diagonal(), 1)[0].first,
                                 .spread = 1.0,
                                 .number = other_than_the_solver},
                                h.diagonal(), column);
      }
      // Orthogonal to the roots, so that none of the first subspace is lost to them.
      auto overlap = backend.gram(roots, column);
      for (int i = 0; i < overlap.rows(); ++i) overlap(i, 0) = -overlap(i, 0);
      backend.combine(roots, overlap, 1.0, column);
    }
  };
  const auto is_below = [&] { return probe.lowest < highest - DavidsonConfig().cluster_width; };
  const auto observer = [&](const SolverState<Backend>& state) {
    probe.products = state.record.num_applications;
    if (!state.record.energies.empty()) probe.lowest = state.record.energies.front();
    return is_below() || probe.products >= most_products ? SolverAction::stop : SolverAction::proceed;
  };
  const StartBlock<Backend> start{starts, write};
  auto found = davidson<Backend>(backend, rest, start, {}, config, observer, {}, filter);
  probe.starts = starts;
  if (!is_below()) return probe;
  const auto vector = found.vectors.view().slice(0, 1);
  probe.lowest = energy_beside(backend, h, roots, vector, probe);
  if (is_below() && below != nullptr) {
    const double norm = backend.norms(found.vectors.view().slice(0, 1))[0];
    backend.scale(vector, std::vector<double>{1.0 / norm});
    *below = std::move(found.vectors);
  }
  return probe;
}

}  // namespace cisolve
