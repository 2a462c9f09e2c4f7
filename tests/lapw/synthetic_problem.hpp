// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cisolve/lapw/synthetic.hpp"

namespace cisolve::lapw {

/// A synthetic calculation with all that its problem refers to.
class SyntheticProblem {
public:
  explicit SyntheticProblem(const SyntheticSize& size, bool outside = true)
      : tins_(synthetic_tins(size)), source_(size) {
    for (std::int64_t atom = 0; atom < size.atoms; ++atom)
      types_.push_back(static_cast<int>(atom % size.types));
    for (const double kinetic : synthetic_kinetic(size)) h_.push_back(0.4 * kinetic);
    s_.assign(h_.size(), 0.4);
    problem_ = {.atom_types = types_, .tins = tins_, .coefficients = &source_, .outside = {}};
    if (outside) problem_.outside = {.h_diagonal = h_, .s_diagonal = s_};
  }
  SyntheticProblem(const SyntheticProblem&) = delete;
  SyntheticProblem& operator=(const SyntheticProblem&) = delete;

  const MatrixProblem& problem() const { return problem_; }

private:
  std::vector<MuffinTin> tins_;
  SyntheticCoefficients source_;
  std::vector<int> types_;
  std::vector<double> h_, s_;
  MatrixProblem problem_;
};

inline Complex element(const Array<Complex>& matrix, std::int64_t n, std::int64_t i, std::int64_t j) {
  return i >= j ? matrix[static_cast<std::size_t>(j * n + i)]
                : std::conj(matrix[static_cast<std::size_t>(i * n + j)]);
}

/// Of the whole Hermitian matrix.
inline double frobenius(const Array<Complex>& matrix, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) sum += std::norm(element(matrix, n, i, j));
  }
  return std::sqrt(sum);
}

/// |a - b| / |b|
inline double distance(const Array<Complex>& a, const Array<Complex>& b, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) sum += std::norm(element(a, n, i, j) - element(b, n, i, j));
  }
  return std::sqrt(sum) / frobenius(b, n);
}

}  // namespace cisolve::lapw
