// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/solver/operator.hpp"
#include "cisolve/vectors/noise.hpp"
#include "solver/orthonormalise.hpp"
#include "solver/subspace.hpp"

namespace cisolve {

/// Fills the empty subspace with start vectors.
template <class Backend>
class StartVectors {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param most_partners  of the highest wanted root that its model's degeneracies may add
  /// @param work           n x 2 b, b >= 1, overwritten by every call
  /// @throws Error if the diagonal is not finite
  StartVectors(const Backend& backend, const Operator<Backend>& h, const DavidsonConfig& config,
               const SubspaceFilter<Backend>* filter, int most_partners, View work)
      : backend_(backend), config_(config), filter_(filter), most_partners_(most_partners), work_(work),
        diagonal_(h.diagonal()) {
    find_low_rows();
    noise_.lowest = low_elements_.front();
    noise_.spread = low_elements_.back() - low_elements_.front();
    if (!(noise_.spread > 0.0)) noise_.spread = 1.0;
  }

  /// Another work block, of at least as many columns.
  void use(View work) { work_ = work; }

  /// As many vectors as the basis has columns: all unit vectors, or what the filter leaves of them.
  /// @return their number
  int whole_space(View basis) {
    if (filter_ != nullptr) {
      int size = 0;
      for (std::int64_t row = 0; row < basis.rows && size < basis.columns; ++row) {
        size += append(basis, size, unit_vector(row, 0.0));
      }
      return size;
    }
    const int size = basis.columns;
    std::vector<double> identity(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
    for (int k = 0; k < size; ++k) identity[static_cast<std::size_t>(k * size + k)] = 1.0;
    backend_.from_host(identity, basis);
    return size;
  }

  /// The caller's vectors, perturbed unless a run is continued; replacements for what is dependent or
  /// missing; and what a degeneracy of the model suggests. @return the number of columns written
  int prepare(const StartBlock<Backend>& start, const ModelSpace& model, bool continued, View basis) {
    // Well above the tolerance, else a vector of the wrong block would pass for converged.
    constexpr double tolerances = 100.0;
    const bool perturbed = !continued && config_.start_perturbation > 0.0;
    const double perturbation =
        perturbed ? std::max(config_.start_perturbation, tolerances * config_.tolerance) : 0.0;
    int size = 0;
    for (int first = 0; first < start.columns; first += batch()) {
      const int count = std::min(batch(), start.columns - first);
      const View candidates = work_.slice(0, count);
      start.write(first, candidates);
      perturb(candidates, perturbation);
      size += append(basis, size, candidates);
    }
    const int wanted = static_cast<int>(std::min<std::int64_t>(config_.num_roots, basis.rows));
    const int least = std::min(std::max(wanted, start.columns), basis.columns);
    for (std::size_t k = 0; k < low_rows_.size() && size < least; ++k) {
      size += append(basis, size, unit_vector(low_rows_[k], perturbation));
    }
    while (size < least) {
      const int added = append(basis, size, noise());
      if (added == 0) break;  // The filter's subspace has no more.
      size += added;
    }
    if (!continued && start.columns <= wanted) size += append_degenerate(basis, size, wanted, model);
    return size;
  }

  /// Low rows that the subspace holds too little of although a root might be dominated by them: their
  /// diagonal element lies above the highest wanted root by less than `correlation`, or below it.
  /// Diagonal elements below as many as `wanted` roots prove that one was missed (Cauchy's interlacing
  /// theorem); then all of these rows are listed.
  std::vector<std::int64_t> unexplored_rows(ConstView basis, int wanted, double energy, double correlation) {
    // A spin-adapted pair of determinants is half in the subspace that holds one of its two states.
    constexpr double explored = 0.6;
    // A filtered unit vector has another diagonal element, so the theorem doesn't apply to it.
    const bool missed =
        filter_ == nullptr && diagonal_at(static_cast<std::size_t>(wanted) - 1) < energy - config_.tolerance;
    const Matrix parts = backend_.gather(basis, backend_.make_indices(low_rows_));
    std::vector<std::int64_t> rows;
    for (std::size_t k = 0; k < low_rows_.size() && diagonal_at(k) < energy + correlation; ++k) {
      double weight = 0.0;
      for (int j = 0; j < parts.columns(); ++j) weight += std::pow(parts(static_cast<int>(k), j), 2);
      if (weight < explored * part_inside(low_rows_[k]) || (missed && diagonal_at(k) < energy))
        rows.push_back(low_rows_[k]);
    }
    return rows;
  }

  /// How far the energy of a root lies below its leading diagonal element, hartree.
  double correlation(ConstView root, double energy) const {
    const Matrix parts = backend_.gather(root, backend_.make_indices(low_rows_));
    int leading = 0;
    for (int k = 1; k < parts.rows(); ++k) {
      if (std::abs(parts(k, 0)) > std::abs(parts(leading, 0))) leading = k;
    }
    return std::max(0.0, diagonal_at(static_cast<std::size_t>(leading)) - energy);
  }

  /// Appends unit vectors of those rows. @return the number of columns written
  int append_rows(View basis, int size, const std::vector<std::int64_t>& rows) {
    int added = 0;
    for (const std::int64_t row : rows) {
      if (size + added == basis.columns) break;
      added += append(basis, size + added, unit_vector(row, 0.0));
    }
    return added;
  }

  /// A direction from which any eigenvector can be reached, in the work block.
  View noise() {
    const View column = work_.slice(0, 1);
    fill_with_noise(column);
    return column;
  }

  /// Appends candidates at the front of the work block to the basis.
  int append(View basis, int size, View candidates) const {
    return append_filtered(backend_, basis, size, candidates, work_.slice(batch(), candidates.columns),
                           config_.orthogonality_floor, filter_, config_.filter_threshold);
  }

private:
  int batch() const { return work_.columns / 2; }
  double diagonal_at(std::size_t k) const { return low_elements_[k]; }

  // By pieces: the diagonal may be in the memory of a device, and too long for a copy.
  void find_low_rows() {
    // Enough rows to see the spread of the low diagonal elements and to find a spare for each root.
    constexpr std::int64_t spare_rows = 16;
    constexpr std::int64_t piece = 1 << 22;
    const std::int64_t n = diagonal_.rows;
    LowestElements lowest(std::min(n, 2 * config_.num_roots + spare_rows));
    std::vector<double> host(static_cast<std::size_t>(std::min(n, piece)));
    for (std::int64_t first = 0; first < n; first += piece) {
      const std::int64_t count = std::min(piece, n - first);
      const auto values = std::span(host).first(static_cast<std::size_t>(count));
      backend_.to_host(diagonal_.row_slice(first, count), values);
      bool finite = true;
#pragma omp parallel for reduction(&& : finite) schedule(static)
      for (std::int64_t i = 0; i < count; ++i) finite = finite && std::isfinite(host[static_cast<std::size_t>(i)]);
      if (!finite) throw Error("davidson: the diagonal of the matrix holds a number that is not finite");
      lowest.add(values, first);
    }
    for (const auto& [element, row] : lowest.found()) {
      low_elements_.push_back(element);
      low_rows_.push_back(row);
    }
  }

  void fill_with_noise(View column) {
    ++noise_.number;
    backend_.fill_with_noise(noise_, diagonal_, column);
  }

  // Squared norm of what the filter leaves of a unit vector.
  double part_inside(std::int64_t row) {
    if (filter_ == nullptr) return 1.0;
    const View column = unit_vector(row, 0.0);
    filter_->apply(column);
    return std::pow(backend_.norms(column)[0], 2);
  }

  View unit_vector(std::int64_t row, double perturbation) {
    const View column = work_.slice(0, 1);
    backend_.fill(column, 0.0);
    Matrix one(1, 1);
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
      Matrix factor(1, 1);
      factor(0, 0) = perturbation / backend_.norms(column)[0];
      backend_.combine(column, factor, 1.0, candidates.slice(k, 1));
    }
  }

  // Partners of the highest wanted root in the model: spatial symmetry and spin flips make diagonal
  // elements equal, and then no vector but an own one reaches the partner of a degenerate root.
  int append_degenerate(View basis, int size, int wanted, const ModelSpace& model) {
    const auto last = static_cast<std::size_t>(wanted) - 1;
    int added = 0;
    const auto room = [&] { return size + added < basis.columns && added < most_partners_; };
    if (!model.rows.empty()) {
      for (std::size_t k = last + 1; k < model.energies.size() && room(); ++k) {
        if (model.energies[k] - model.energies[last] > config_.cluster_width) break;
        const View column = work_.slice(0, 1);
        backend_.fill(column, 0.0);
        Matrix values(model.vectors.rows(), 1);
        for (int i = 0; i < values.rows(); ++i) values(i, 0) = model.vectors(i, static_cast<int>(k));
        backend_.scatter(values, backend_.make_indices(model.rows), column);
        added += append(basis, size + added, column);
      }
      return added;
    }
    for (std::size_t k = last + 1; k < low_rows_.size() && room(); ++k) {
      if (diagonal_at(k) - diagonal_at(last) > config_.cluster_width) break;
      added += append(basis, size + added, unit_vector(low_rows_[k], 0.0));
    }
    return added;
  }

  const Backend& backend_;
  const DavidsonConfig& config_;
  const SubspaceFilter<Backend>* filter_;
  int most_partners_;
  View work_;
  ConstView diagonal_;
  std::vector<std::int64_t> low_rows_;
  std::vector<double> low_elements_;  // Of the diagonal, in those rows.
  LowLyingNoise noise_;
};

}  // namespace cisolve
