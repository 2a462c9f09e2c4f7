// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/problem/root_finder.hpp"

namespace cisolve {

/// The start of a search: what is given, filled up by eigenvectors of the model space.
template <class Backend>
class SearchStart {
public:
  /// @param rows          local rows of a vector
  /// @param search        `start` has local rows; must outlive this object
  /// @param coefficients  over the model space's rows, best first, a column each
  SearchStart(const Backend& backend, std::int64_t rows, const Search& search, const ModelSpace& model,
              const Matrix& coefficients, int num_roots)
      : backend_(backend), given_(search.start.get()), coefficients_(coefficients),
        model_rows_(backend.make_indices(model.rows)), rows_(rows), have_(search.num_start()) {
    if (search.continues) return;
    have_ = std::min(have_, num_roots);
    choose_from_model(search, num_roots);
  }

  /// At least one column, if the model has none of the states wanted: zero, and replaced by the solver.
  StartBlock<Backend> block() const {
    return {std::max(have_ + static_cast<int>(from_model_.size()), 1),
            [this](int first, typename Backend::View out) { write(first, out); }};
  }

private:
  /// Model-space eigenvectors beyond the roots wanted: they complete clusters and keep a root from
  /// being missed that starts above its neighbours.
  static constexpr int guard_vectors = 2;

  /// The best of the model where roots are missing; and those that what is given does not hold already, if these are
  /// asked for, so that no state is missed that came down from above.
  void choose_from_model(const Search& search, int num_roots) {
    if (have_ >= num_roots && !search.add_model_space) return;
    constexpr double all =
        0.99;  // of the norm squared: a crossing state may have half of it in what is given
    const int most = std::min(num_roots + guard_vectors, coefficients_.columns());
    const Matrix given = search.add_model_space ? given_in_model() : Matrix(coefficients_.rows(), 0);
    for (int column = 0; column < most; ++column) {
      double inside = 0.0;
      for (int k = 0; k < given.columns(); ++k) {
        double overlap = 0.0;
        for (int i = 0; i < given.rows(); ++i) overlap += coefficients_(i, column) * given(i, k);
        inside += overlap * overlap;
      }
      if (inside < all) from_model_.push_back(column);
    }
  }

  /// Elements of what is given in the rows of the model space.
  Matrix given_in_model() const {
    Matrix elements(coefficients_.rows(), have_);
    if (have_ == 0) return elements;
    auto column = backend_.allocate(rows_, 1);
    for (int k = 0; k < have_; ++k) {
      put_given(k, column.view());
      const Matrix one = backend_.gather(std::as_const(column).view(), model_rows_);
      for (int i = 0; i < one.rows(); ++i) elements(i, k) = one(i, 0);
    }
    return elements;
  }

  void put_given(int number, typename Backend::View column) const {
    constexpr std::int64_t most = std::int64_t{1} << 24;  // rows at a time, of what is not in memory
    Array<double> buffer;
    for (std::int64_t first = 0; first < rows_; first += most) {
      const std::int64_t count = std::min(most, rows_ - first);
      backend_.from_host(given_->piece(number, first, count, buffer), column.row_slice(first, count));
    }
  }

  void write(int first, typename Backend::View out) const {
    for (int k = 0; k < out.columns; ++k) {
      const auto column = out.slice(k, 1);
      const int number = first + k;
      if (number < have_) {
        put_given(number, column);
        continue;
      }
      backend_.fill(column, 0.0);
      if (number >= have_ + static_cast<int>(from_model_.size())) continue;
      const int of_model = from_model_[number - have_];
      Matrix values(coefficients_.rows(), 1);
      for (int i = 0; i < values.rows(); ++i) values(i, 0) = coefficients_(i, of_model);
      backend_.scatter(values, model_rows_, column);
    }
  }

  const Backend& backend_;
  const VectorSource* given_;  ///< null: nothing
  const Matrix& coefficients_;
  typename Backend::Indices model_rows_;
  std::int64_t rows_;
  int have_;                     ///< given vectors
  std::vector<int> from_model_;  ///< eigenvectors of the model that follow them
};

}  // namespace cisolve
