// SPDX-License-Identifier: MIT
#include "cisolve/analysis/spin.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/spin_lowering.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
template <int Words>
double s_squared_element(const Determinant<Words>& bra, const Determinant<Words>& ket) {
  if (bra == ket) return s_squared_diagonal(bra);
  double element = 0.0;
  for_each_spin_exchange(ket, [&](const Determinant<Words>& d, double value) {
    if (d == bra) element = value;
  });
  return element;
}

template <int Words>
SpinExpectation<Words>::SpinExpectation(const Space<Words>& space) : space_(space) {
  if (const auto* product = space.as_product()) strings_ = std::make_shared<SpinLowering>(*product);
}

template <int Words>
Matrix SpinExpectation<Words>::operator()(std::span<const double> vectors, int count) const {
  const std::int64_t n = space_.size();
  if (std::ssize(vectors) != n * count) throw DimensionError("SpinExpectation: vectors do not fit the space");
  return strings_ ? (*strings_)(vectors, count) : by_determinants(vectors, count);
}

/// For any list.
template <int Words>
Matrix SpinExpectation<Words>::by_determinants(std::span<const double> vectors, int count) const {
  const Space<Words>& space = space_;
  const std::int64_t n = space.size();
  constexpr std::int64_t chunk = 1024;
  const std::int64_t num_chunks = (n + chunk - 1) / chunk;
  std::vector<Matrix> partial(num_chunks);
  parallel_for(num_chunks, 1, [&](std::int64_t c) {
    const std::int64_t first = c * chunk;
    std::vector<Determinant<Words>> determinants(std::min(chunk, n - first));
    space.enumerate(first, determinants);
    Matrix sum(count, count);
    const auto add = [&](std::int64_t row, std::int64_t column, double element) {
      for (int j = 0; j < count; ++j) {
        const double right = element * vectors[j * n + column];
        for (int i = 0; i < count; ++i) sum(i, j) += vectors[i * n + row] * right;
      }
    };
    for (std::size_t k = 0; k < determinants.size(); ++k) {
      const std::int64_t row = first + static_cast<std::int64_t>(k);
      add(row, row, s_squared_diagonal(determinants[k]));
      for_each_spin_exchange(determinants[k], [&](const Determinant<Words>& d, double element) {
        if (const std::int64_t column = space.find(d); column >= 0) add(row, column, element);
      });
    }
    partial[c] = std::move(sum);
  });

  // Summed in row order, so the result does not depend on the number of threads.
  Matrix result(count, count);
  for (const Matrix& sum : partial) {
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < count; ++i) result(i, j) += sum(i, j);
    }
  }
  return result;
}

double multiplicity_of(double s_squared) { return std::sqrt(1.0 + 4.0 * std::max(s_squared, 0.0)); }

#define INSTANTIATE(W)                                                             \
  template double s_squared_element(const Determinant<W>&, const Determinant<W>&); \
  template class SpinExpectation<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
