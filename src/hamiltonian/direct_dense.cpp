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

/// Columns of x whose t is made before it is returned to y: few enough for the caches next to the core.
constexpr std::int64_t block_columns = 32;

/// t(rs, lanes) for `pairs` rows and `vectors` vectors of lanes from the excitations `codes` of one target.
/// @param values  [codes][pairs]
template <int pairs, int vectors>
void block(int num_links, const double* const* rows, std::int64_t column, const std::uint32_t* codes,
           const double* values, double* t) {
  // Unrolled early, so that the sums never leave the registers.
  Lanes sums[pairs][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
    for (int w = 0; w < vectors; ++w) sums[r][w] = Lanes{};
  }
  for (int k = 0; k < num_links; ++k) {
    const Lanes* x = lanes_at(rows[k] + column);
    const double* v = values + std::size_t{codes[k]} * pairs;
#pragma GCC unroll 8
    for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
      for (int w = 0; w < vectors; ++w) sums[r][w] += v[r] * x[w];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
    for (int w = 0; w < vectors; ++w) lanes_at(t + r * block_columns)[w] = sums[r][w];
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
                       std::int64_t stride, const IntegralTables& integrals, bool halves)
    : num_pairs_(std::ssize(lists)), stride_(stride), irrep_(lists.front().irrep) {
  const std::span<const std::uint32_t> pairs = integrals.pairs_of(irrep_);
  values_.reserve(2 * pairs.size() * lists.size());
  for (std::size_t first = 0; first < lists.size(); first += block_pairs) {
    const std::size_t last = std::min(first + block_pairs, lists.size());
    for (const std::uint32_t pq : pairs) {
      for (const double sign : {1.0, -1.0}) {
        for (std::size_t rs = first; rs < last; ++rs) {
          const double factor = pq > lists[rs].pair ? 1.0 : pq == lists[rs].pair ? 0.5 : 0.0;
          values_.push_back(sign * integrals.row(lists[rs].pair)[pq]);
          if (halves) half_values_.push_back(factor * values_.back());
        }
      }
    }
  }
  for (const SpinLinks::PairList& list : lists) places_.push_back(integrals.place_in_irrep(list.pair));
  std::vector<std::vector<Link>> links[2];
  for (auto& of_sign : links) {
    of_sign.resize((stride_ + block_columns - 1) / block_columns);
  }
  for (std::size_t rs = 0; rs < lists.size(); ++rs) {
    for (std::int64_t k = lists[rs].first; k < lists[rs].last; ++k) {
      const std::size_t at = k;
      const std::int32_t source = minor.sources[at];
      links[minor.signs[at] < 0.0 ? 1 : 0][source / block_columns].push_back(
          {static_cast<std::int32_t>(static_cast<std::int64_t>(rs) * block_columns + source % block_columns),
           minor.targets[at]});
    }
  }
  links_of_.push_back(0);
  for (std::size_t k = 0; k < links[0].size(); ++k) {
    for (const auto& of_sign : links) {
      links_.insert(links_.end(), of_sign[k].begin(), of_sign[k].end());
      links_of_.push_back(std::ssize(links_));
    }
  }
}

std::int64_t DenseLinks::scratch() const { return num_pairs_ * block_columns; }

void DenseLinks::apply(const Target& target, double* t, double* y) const {
  for (std::int64_t block = 0; block * block_columns < stride_; ++block) {
    multiply(target, block * block_columns, t);
    const std::int64_t* lists = links_of_.data() + 2 * block;
    const Link* link = links_.data() + lists[0];
    for (const Link* end = links_.data() + lists[1]; link != end; ++link) y[link->target] += t[link->source];
    for (const Link* end = links_.data() + lists[2]; link != end; ++link) y[link->target] -= t[link->source];
  }
}

void DenseLinks::multiply(const Target& target, std::int64_t column, double* t) const {
  const double* values = target.half ? half_values_.data() : values_.data();
  const std::int64_t num_codes = std::ssize(values_) / num_pairs_;
  const std::int64_t columns = std::min(block_columns, stride_ - column);
  const std::uint32_t* codes_end = target.codes + target.num_links;
  for (std::int64_t pair = 0; pair < num_pairs_; pair += block_pairs) {
    const std::int64_t end_pair = std::min(pair + block_pairs, num_pairs_);
    // With half of the terms, the excitations before the one through the block's first pair bring nothing.
    const std::uint32_t* codes = target.codes;
    if (target.half) codes = std::lower_bound(codes, codes_end, 2 * places_[pair]);
    const double* const* rows = target.rows + (codes - target.codes);
    const auto num_links = static_cast<int>(codes_end - codes);
    with_count<block_pairs>(static_cast<int>(end_pair - pair), [&](auto pairs) {
      for (std::int64_t at = 0; at < columns; at += block_vectors * BlockLayout::lanes) {
        with_count<block_vectors>(
            static_cast<int>(std::min(columns - at, block_vectors * BlockLayout::lanes) / BlockLayout::lanes),
            [&](auto vectors) {
              block<pairs(), vectors()>(num_links, rows, column + at, codes, values + pair * num_codes,
                                        t + pair * block_columns + at);
            });
      }
    });
  }
}

}  // namespace cisolve::direct
