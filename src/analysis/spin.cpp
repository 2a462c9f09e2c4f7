// SPDX-License-Identifier: MIT
#include "cisolve/analysis/spin.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "analysis/spin_lowering.hpp"
#include "cisolve/analysis/spin_density.hpp"
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
SpinExpectation<Words>::SpinExpectation(const Space<Words>& space, const SpinOverlap* overlap)
    : space_(space), overlap_(overlap) {
  if (const auto* product = space.as_product())
    strings_ = std::make_shared<SpinLowering>(*product, overlap != nullptr ? &overlap->active : nullptr);
}

template <int Words>
Matrix SpinExpectation<Words>::operator()(std::span<const double> vectors, int count) const {
  const std::int64_t n = space_.size();
  if (std::ssize(vectors) != n * count) throw DimensionError("SpinExpectation: vectors do not fit the space");
  if (overlap_ == nullptr) return strings_ ? (*strings_)(vectors, count) : by_determinants(vectors, count);
  Matrix s_squared = strings_ ? (*strings_)(vectors, count) : by_lowering(vectors, count);
  add_frozen(vectors, s_squared);
  return s_squared;
}

/// For any list of determinants whose spins have orbitals of their own: S_- x for all that lose the same alpha string's
/// orbital at a time.
template <int Words>
Matrix SpinExpectation<Words>::by_lowering(std::span<const double> vectors, int count) const {
  const std::int64_t n = space_.size();
  std::vector<Determinant<Words>> determinants(n);
  space_.enumerate(0, determinants);
  // What each determinant becomes without one of its alpha orbitals, those with the same alpha string left side by side.
  struct Removed {
    BitString<Words> left;
    std::int64_t row;
    int orbital;
  };
  std::vector<Removed> removed;
  for (std::int64_t row = 0; row < n; ++row) {
    const BitString<Words>& alpha = determinants[row].alpha;
    alpha.for_each([&](int p) {
      BitString<Words> left = alpha;
      left.reset(p);
      removed.push_back({left, row, p});
    });
  }
  std::sort(removed.begin(), removed.end(),
            [](const Removed& a, const Removed& b) { return a.left < b.left; });
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  Matrix sum(count, count);
  std::map<BitString<Words>, std::vector<double>> lowered;
  for (auto first = removed.begin(); first != removed.end();) {
    const auto last =
        std::find_if(first, removed.end(), [&](const Removed& r) { return !(r.left == first->left); });
    lowered.clear();
    for (; first != last; ++first) {
      const Determinant<Words>& d = determinants[first->row];
      const bool negative = d.alpha.count_between(-1, first->orbital) % 2 != 0;
      for (int q = 0; q < space_.num_orbitals(); ++q) {
        const double u = overlap_->active(first->orbital, q);
        if (u == 0.0 || d.beta.test(q)) continue;
        BitString<Words> longer = d.beta;
        longer.set(q);
        std::vector<double>& of_string = lowered.try_emplace(longer, count, 0.0).first->second;
        const double value = negative != (d.beta.count_between(-1, q) % 2 != 0) ? -u : u;
        for (int k = 0; k < count; ++k) of_string[k] += value * vectors[k * n + first->row];
      }
    }
    for (const auto& entry : lowered) {
      for (int j = 0; j < count; ++j) {
        for (int i = 0; i < count; ++i) sum(i, j) += entry.second[i] * entry.second[j];
      }
    }
  }
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < count; ++i) {
      sum(i, j) += ms * (ms - 1.0) *
                   std::inner_product(vectors.begin() + i * n, vectors.begin() + (i + 1) * n,
                                      vectors.begin() + j * n, 0.0);
    }
  }
  return sum;
}

/// What electrons of a frozen core, or that S_- takes to frozen empty orbitals, bring.
template <int Words>
void SpinExpectation<Words>::add_frozen(std::span<const double> vectors, Matrix& s_squared) const {
  const int count = s_squared.columns();
  for (int k = 0; k < count; ++k) s_squared(k, k) += overlap_->constant;
  const auto vanishes = [](const Matrix& m) {
    return std::all_of(m.data(), m.data() + static_cast<std::ptrdiff_t>(m.rows()) * m.columns(),
                       [](double x) { return x == 0.0; });
  };
  if (vanishes(overlap_->core) && vanishes(overlap_->virtuals)) return;
  const std::vector<int> irreps(space_.num_orbitals(), 0);
  const VectorsOver<Words> all{space_, vectors, count};
  const SpinDensities densities = spin_densities<Words>(all, all, irreps);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < count; ++i) {
      const SpinDensity& d = densities(i, j);
      for (int q = 0; q < space_.num_orbitals(); ++q) {
        for (int p = 0; p < space_.num_orbitals(); ++p)
          s_squared(i, j) += overlap_->virtuals(p, q) * d.alpha(p, q) - overlap_->core(p, q) * d.beta(p, q);
      }
    }
  }
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
        if (!(d < determinants[k])) return;  // of each pair one looks for the other
        if (const std::int64_t column = space.find(d); column >= 0) {
          add(row, column, element);
          add(column, row, element);
        }
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
