// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/solver/operator.hpp"
#include "cisolve/vectors/noise.hpp"
#include "solver/diagonals.hpp"
#include "solver/orthonormal_vectors.hpp"

namespace cisolve {

/// Fills the empty subspace with start vectors.
template <VectorBackend Backend>
class StartVectors {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;
  using Coefficients = BasicMatrix<typename Backend::Scalar>;
  using Basis = OrthonormalVectors<Backend>;
  using Model = BasicModelSpace<typename Backend::Scalar>;

  /// @param filter         see davidson, may be null
  /// @param diagonals      of `h`
  /// @param most_partners  of the highest wanted root that its model's degeneracies may add
  /// @param work           n x 2 b, b >= 1, overwritten by every call
  StartVectors(const Backend& backend, const Operator<Backend>& h, const DavidsonConfig& config,
               const SubspaceFilter<Backend>* filter, const Diagonals<Backend>& diagonals, int most_partners,
               View work)
      : backend_(backend), config_(config), filter_(filter), quotients_(diagonals.quotients()),
        rows_(h.size()), most_partners_(most_partners), work_(work) {
    // Enough rows to see the spread of the low diagonal elements and to find a spare for each root.
    constexpr std::int64_t spare_rows = 16;
    for (const auto& [element, row] :
         backend.lowest(quotients_, std::min(rows_, 2 * config_.num_roots + spare_rows))) {
      low_elements_.push_back(element);
      low_rows_.push_back(row);
    }
    low_metric_ = diagonals.metric_of(backend.make_indices(low_rows_), low_rows_.size());
    noise_.lowest = low_elements_.front();
    noise_.spread = low_elements_.back() - low_elements_.front();
    if (!(noise_.spread > 0.0)) noise_.spread = 1.0;
  }

  /// Another work block, of at least as many columns.
  void use(View work) { work_ = work; }

  /// Fills the basis: all unit vectors, or what the filter and the metric leave of them.
  void whole_space(Basis& basis) {
    if (filter_ != nullptr || basis.has_metric()) {
      for (std::int64_t row = 0; row < rows_ && basis.size() < basis.capacity(); ++row) {
        append(basis, unit_vector(row, 0.0));
      }
      return;
    }
    const int size = basis.capacity();
    std::vector<std::int64_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    Coefficients identity(size, size);
    for (int k = 0; k < size; ++k) identity(k, k) = 1.0;
    const View columns = basis.free_columns(size);
    backend_.fill(columns, 0.0);
    backend_.scatter(identity, backend_.make_indices(all), columns);
    basis.adopt(size);
  }

  /// The caller's vectors, perturbed unless a run is continued; replacements for what is dependent or
  /// missing; and what a degeneracy of the model suggests.
  void prepare(const StartBlock<Backend>& start, const Model& model, bool continued, Basis& basis) {
    // Well above the tolerance, else a vector of the wrong block would pass for converged.
    constexpr double tolerances = 100.0;
    const bool perturbed = !continued && config_.start_perturbation > 0.0;
    const double perturbation =
        perturbed ? std::max(config_.start_perturbation, tolerances * config_.tolerance) : 0.0;
    for (int first = 0; first < start.columns; first += batch()) {
      const int count = std::min(batch(), start.columns - first);
      const View candidates = work_.slice(0, count);
      start.write(first, candidates);
      perturb(candidates, perturbation);
      append(basis, candidates);
    }
    const int wanted = static_cast<int>(std::min<std::int64_t>(config_.num_roots, rows_));
    const int least = std::min(std::max(wanted, start.columns), basis.capacity());
    for (std::size_t k = 0; k < low_rows_.size() && basis.size() < least; ++k) {
      append(basis, unit_vector(low_rows_[k], perturbation));
    }
    while (basis.size() < least) {
      if (append(basis, noise()) == 0) break;  // The filter's subspace, or the metric's, has no more.
    }
    if (!continued && start.columns <= wanted) append_degenerate(basis, wanted, model);
  }

  /// Low rows that the subspace holds too little of although a root might be dominated by them: their
  /// diagonal element lies above the highest wanted root by less than `correlation`, or below it.
  /// If as many diagonal elements as roots are `wanted` lie below the highest of these, one may have been missed (of
  /// one root that is Cauchy's interlacing theorem); then all of these rows are listed.
  /// @param duals  S V of the basis V
  std::vector<std::int64_t> unexplored_rows(ConstView duals, int wanted, double energy, double correlation) {
    // A spin-adapted pair of determinants is half in the subspace that holds one of its two states.
    constexpr double explored = 0.6;
    // A filtered unit vector has another diagonal element, so that its own says nothing.
    const bool missed =
        filter_ == nullptr && diagonal_at(static_cast<std::size_t>(wanted) - 1) < energy - config_.tolerance;
    const Coefficients parts = backend_.gather(duals, backend_.make_indices(low_rows_));
    std::vector<std::int64_t> rows;
    for (std::size_t k = 0; k < low_rows_.size() && diagonal_at(k) < energy + correlation; ++k) {
      double weight = 0.0;
      for (int j = 0; j < parts.columns(); ++j) weight += std::norm(parts(static_cast<int>(k), j));
      if (weight < explored * part_inside(k) || (missed && diagonal_at(k) < energy))
        rows.push_back(low_rows_[k]);
    }
    return rows;
  }

  /// How far the energy of a root lies below its leading diagonal element, hartree.
  /// @param dual  S times its vector
  double correlation(ConstView dual, double energy) const {
    const Coefficients parts = backend_.gather(dual, backend_.make_indices(low_rows_));
    // The part of a unit vector e in x is <e|S x> / sqrt(<e|S e>).
    const auto part = [&](std::size_t k) {
      return std::abs(parts(static_cast<int>(k), 0)) / std::sqrt(low_metric_[k]);
    };
    std::size_t leading = 0;
    for (std::size_t k = 1; k < low_rows_.size(); ++k) {
      if (part(k) > part(leading)) leading = k;
    }
    return std::max(0.0, diagonal_at(leading) - energy);
  }

  /// Appends unit vectors of those rows. @return the number of columns appended
  int append_rows(Basis& basis, const std::vector<std::int64_t>& rows) {
    int added = 0;
    for (const std::int64_t row : rows) {
      if (basis.size() == basis.capacity()) break;
      added += append(basis, unit_vector(row, 0.0));
    }
    return added;
  }

  /// A direction from which any eigenvector can be reached, in the work block.
  View noise() {
    const View column = work_.slice(0, 1);
    fill_with_noise(column);
    return column;
  }

  /// Appends candidates of any origin, at the front of the work block, to the basis.
  /// @return the number of columns appended
  int append(Basis& basis, View candidates) const {
    if (filter_ != nullptr) filter_->admit(candidates);
    return basis.append(candidates, work_.slice(batch(), candidates.columns));
  }

private:
  int batch() const { return work_.columns / 2; }
  double diagonal_at(std::size_t k) const { return low_elements_[k]; }

  void fill_with_noise(View column) {
    ++noise_.number;
    backend_.fill_with_noise(noise_, quotients_, column);
  }

  // Square of what the filter leaves of the unit vector of a low row, in the metric.
  double part_inside(std::size_t k) {
    if (filter_ == nullptr) return low_metric_[k];
    const View column = unit_vector(low_rows_[k], 0.0);
    filter_->apply(column);
    return std::pow(backend_.norms(column)[0], 2);
  }

  View unit_vector(std::int64_t row, double perturbation) {
    const View column = work_.slice(0, 1);
    backend_.fill(column, 0.0);
    Coefficients one(1, 1);
    one(0, 0) = 1.0;
    const std::int64_t rows[] = {row};
    backend_.scatter(one, backend_.make_indices(rows), column);
    perturb(column, perturbation);
    return column;
  }

  // Normalises the columns and adds noise of the given norm.
  void perturb(View candidates, double perturbation) {
    std::vector<double> factors = backend_.norms(candidates);
    for (double& factor : factors) factor = factor > 0.0 ? 1.0 / factor : 1.0;
    backend_.scale(candidates, factors);
    if (perturbation == 0.0) return;
    const View column = work_.slice(batch(), 1);
    for (int k = 0; k < candidates.columns; ++k) {
      fill_with_noise(column);
      Coefficients factor(1, 1);
      factor(0, 0) = perturbation / backend_.norms(column)[0];
      backend_.combine(column, factor, 1.0, candidates.slice(k, 1));
    }
  }

  // Partners of the highest wanted root in the model: spatial symmetry and spin flips make diagonal
  // elements equal, and then no vector but an own one reaches the partner of a degenerate root.
  void append_degenerate(Basis& basis, int wanted, const Model& model) {
    const auto last = static_cast<std::size_t>(wanted) - 1;
    const int before = basis.size();
    const auto room = [&] {
      return basis.size() < basis.capacity() && basis.size() - before < most_partners_;
    };
    if (!model.rows.empty()) {
      const auto rows = backend_.make_indices(model.rows);
      for (std::size_t k = last + 1; k < model.energies.size() && room(); ++k) {
        if (model.energies[k] - model.energies[last] > config_.cluster_width) break;
        const View column = work_.slice(0, 1);
        backend_.fill(column, 0.0);
        backend_.scatter(dense::columns(model.vectors, static_cast<int>(k), 1), rows, column);
        append(basis, column);
      }
      return;
    }
    for (std::size_t k = last + 1; k < low_rows_.size() && room(); ++k) {
      if (diagonal_at(k) - diagonal_at(last) > config_.cluster_width) break;
      append(basis, unit_vector(low_rows_[k], 0.0));
    }
  }

  const Backend& backend_;
  const DavidsonConfig& config_;
  const SubspaceFilter<Backend>* filter_;
  ConstView quotients_;  // H_ii / S_ii
  std::int64_t rows_;    // Of all parts.
  int most_partners_;
  View work_;
  std::vector<std::int64_t> low_rows_;
  std::vector<double> low_elements_;  // H_ii / S_ii of those rows, ascending.
  std::vector<double> low_metric_;    // S_ii
  LowLyingNoise noise_;
};

}  // namespace cisolve
