// SPDX-License-Identifier: MIT
#include "hamiltonian/direct_dense.hpp"

#include <algorithm>

#include "hamiltonian/direct_kernels.hpp"

namespace cisolve::direct {

double dense_cost(std::size_t num_pairs, std::int64_t columns) {
  return static_cast<double>(num_pairs) * static_cast<double>(columns) /
         static_cast<double>(BlockLayout::lanes);
}

DenseLinks::DenseLinks(const SpinLinks& minor, std::span<const SpinLinks::PairList> lists,
                       std::int64_t stride, const IntegralTables& integrals, bool halves,
                       const Kernels& kernels)
    : kernels_(kernels), num_pairs_(std::ssize(lists)), stride_(stride), irrep_(lists.front().irrep) {
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
    const MultiplyBlock multiply_block = kernels_.multiply_block[end_pair - pair - 1];
    multiply_block(
        {num_links, rows, codes, values + pair * num_codes, column, columns, t + pair * block_columns});
  }
}

}  // namespace cisolve::direct
