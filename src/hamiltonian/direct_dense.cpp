// SPDX-License-Identifier: MIT
#include "hamiltonian/direct_dense.hpp"

#include <algorithm>

#include "hamiltonian/direct_kernels.hpp"

namespace cisolve::direct {
namespace {

// Pairs times vectors of lanes that are summed in registers at a time.
#ifdef __AVX512F__
constexpr int block_pairs = 6;
constexpr int block_vectors = 4;
#else
constexpr int block_pairs = 3;
constexpr int block_vectors = 1;
#endif

/// t(rs, lanes) for `pairs` rows and `vectors` vectors of lanes.
template <int pairs, int vectors>
void block(int num_links, const double* const* rows, std::int64_t column, const double* const* values,
           std::int64_t first, double* t, std::int64_t stride) {
  Lanes sums[static_cast<std::size_t>(pairs)][static_cast<std::size_t>(vectors)] = {};
  for (int k = 0; k < num_links; ++k) {
    const Lanes* x = lanes_at(rows[k] + column);
    const double* v = values[k] + first;
    for (int r = 0; r < pairs; ++r) {
      for (int w = 0; w < vectors; ++w) sums[r][w] += v[r] * x[w];
    }
  }
  for (int r = 0; r < pairs; ++r) {
    for (int w = 0; w < vectors; ++w) lanes_at(t + (first + r) * stride + column)[w] = sums[r][w];
  }
}

/// Calls body(std::integral_constant<int, n>) for n = 1 .. most.
template <int most, class Body>
void with_count(int n, const Body& body) {
  if (n == most) return body(std::integral_constant<int, most>{});
  if constexpr (most > 1) with_count<most - 1>(n, body);
}

}  // namespace

double dense_cost(std::size_t num_pairs, std::int64_t columns) {
  return static_cast<double>(num_pairs) * static_cast<double>(columns) /
         static_cast<double>(BlockLayout::lanes);
}

DenseLinks::DenseLinks(const SpinLinks& minor, std::span<const SpinLinks::PairList> lists,
                       std::int64_t columns, std::int64_t stride, const IntegralTables& integrals,
                       bool halves)
    : num_pairs_(std::ssize(lists)), stride_(stride), irrep_(lists.front().irrep) {
  const std::size_t all_pairs = integrals.num_pairs();
  values_.resize(2 * all_pairs * lists.size());
  for (std::size_t rs = 0; rs < lists.size(); ++rs) {
    const double* row = integrals.row(lists[rs].pair);
    for (std::size_t pq = 0; pq < all_pairs; ++pq) {
      values_[2 * pq * lists.size() + rs] = row[pq];
      values_[(2 * pq + 1) * lists.size() + rs] = -row[pq];
    }
  }
  if (halves) half_values_ = values_;
  for (std::size_t rs = 0; rs < lists.size(); ++rs) {
    pairs_.push_back(lists[rs].pair);
    for (std::size_t code = 0; halves && code <= 2 * std::size_t{lists[rs].pair} + 1; ++code) {
      half_values_[code * lists.size() + rs] *= code / 2 == lists[rs].pair ? 0.5 : 0.0;
    }
  }
  struct Entry {
    std::int32_t position;
    double sign;
  };
  std::vector<std::vector<Entry>> entries(static_cast<std::size_t>(columns));
  for (std::size_t rs = 0; rs < lists.size(); ++rs) {
    for (std::int64_t k = lists[rs].first; k < lists[rs].last; ++k) {
      const auto at = static_cast<std::size_t>(k);
      entries[static_cast<std::size_t>(minor.targets[at])].push_back(
          {static_cast<std::int32_t>(static_cast<std::int64_t>(rs) * stride) + minor.sources[at],
           minor.signs[at]});
    }
  }
  constexpr auto lanes = static_cast<std::size_t>(BlockLayout::lanes);
  slices_.push_back(0);
  for (std::size_t first = 0; first < entries.size(); first += lanes) {
    const std::size_t last = std::min(first + lanes, entries.size());
    std::size_t most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, entries[i].size());
    for (std::size_t slot = 0; slot < most; ++slot) {
      for (std::size_t i = first; i < first + lanes; ++i) {
        const bool present = i < last && slot < entries[i].size();
        positions_.push_back(present ? entries[i][slot].position : 0);
        signs_.push_back(present ? entries[i][slot].sign : 0.0);
      }
    }
    slices_.push_back(slices_.back() + static_cast<std::int64_t>(most));
  }
}

void DenseLinks::apply(int num_links, const double* const* rows, const std::uint32_t* codes, bool half,
                       double* t, double* y) const {
  constexpr int most_links = 512;
  constexpr std::int64_t width = block_vectors * BlockLayout::lanes;
  const double* values[most_links];
  // More links than that are summed in turns, each added to y.
  for (int first = 0; first < num_links; first += most_links) {
    const int links = std::min(num_links - first, most_links);
    const double* all_values = half ? half_values_.data() : values_.data();
    for (int k = 0; k < links; ++k) values[k] = all_values + std::int64_t{codes[first + k]} * num_pairs_;
    // With half of the terms, the excitations before the one through a block's first pair bring nothing.
    const auto begin_of = [&](std::int64_t pair) {
      if (!half) return 0;
      const std::uint32_t least = 2 * pairs_[static_cast<std::size_t>(pair)];
      return static_cast<int>(std::lower_bound(codes + first, codes + first + links, least) -
                              (codes + first));
    };
    for (std::int64_t column = 0; column < stride_; column += width) {
      const auto vectors = static_cast<int>(std::min(stride_ - column, width) / BlockLayout::lanes);
      with_count<block_vectors>(vectors, [&](auto v) {
        const auto sum_block = [&](auto pairs, std::int64_t pair) {
          const int begin = begin_of(pair);
          block<pairs(), v()>(links - begin, rows + first + begin, column, values + begin, pair, t, stride_);
        };
        std::int64_t pair = 0;
        for (; pair + block_pairs <= num_pairs_; pair += block_pairs) {
          sum_block(std::integral_constant<int, block_pairs>{}, pair);
        }
        if (pair == num_pairs_) return;
        with_count<block_pairs>(static_cast<int>(num_pairs_ - pair),
                                [&](auto pairs) { sum_block(pairs, pair); });
      });
    }
    for (std::size_t slice = 0; slice + 1 < slices_.size(); ++slice) {
      constexpr auto lanes = static_cast<std::size_t>(BlockLayout::lanes);
      alignas(64) double sums[lanes] = {};
      for (std::int64_t group = slices_[slice]; group < slices_[slice + 1]; ++group) {
        const std::int32_t* position = positions_.data() + static_cast<std::size_t>(group) * lanes;
        const double* sign = signs_.data() + static_cast<std::size_t>(group) * lanes;
#pragma omp simd
        for (std::size_t k = 0; k < lanes; ++k) sums[k] += sign[k] * t[position[k]];
      }
      *lanes_at(y + slice * lanes) += *lanes_at(sums);
    }
  }
}

}  // namespace cisolve::direct
