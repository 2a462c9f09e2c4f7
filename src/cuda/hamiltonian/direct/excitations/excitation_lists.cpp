// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/excitations/excitation_lists.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve::cuda::direct {
namespace {

std::size_t ordinal(const Side& side, int c, std::int32_t string) {
  return static_cast<std::size_t>(side.first_ordinal(c) + string);
}

/// Strings whose excitations a thread lists at a time.
constexpr std::int32_t chunk = 64;

/// Excitations of some consecutive strings of a class, and how many each has; of those of other ranks only how many.
struct Chunk {
  int major_class;
  std::int32_t first, last;
  bool own;
  std::vector<Excitation> excitations;
  std::vector<std::int32_t> sizes;
};

/// All major strings, a class without excitations as one chunk.
std::vector<Chunk> make_chunks(const Side& side, const std::vector<bool>& is_fed) {
  std::vector<Chunk> chunks;
  for (int c = 0; c < side.major.count(); ++c) {
    const std::int32_t size = side.major.size(c);
    const std::int32_t step = is_fed[c] ? chunk : std::max(size, 1);
    const StringShares::Range own = side.own.range(c);
    const auto add = [&](std::int32_t first, std::int32_t last, bool is_own) {
      for (; first < last; first += step)
        chunks.push_back({c, first, std::min(first + step, last), is_own, {}, {}});
    };
    add(0, own.first, false);
    add(own.first, own.last, true);
    add(own.last, size, false);
  }
  return chunks;
}

}  // namespace

std::int32_t index_of(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw ResourceError(
        "DirectProduct: tables of excitations with more than 2147483647 entries are too large for a device");
  }
  return static_cast<std::int32_t>(size);
}

std::int32_t even_part(std::int64_t num_pairs, std::int64_t most) {
  const std::int64_t parts = (num_pairs + most - 1) / most;
  const std::int64_t even = (num_pairs + parts - 1) / parts;
  const std::int64_t eights = (even + 7) / 8 * 8;
  return static_cast<std::int32_t>(eights <= most ? eights : even);
}

const std::vector<Range>& ExcitationLists::all(const Side& side, int source_class, int irrep, bool split) {
  const auto [at, is_new] = lists_.try_emplace({side.number, source_class, irrep, split});
  if (!is_new) return at->second;
  std::vector<bool> is_fed;
  for (int c = 0; c < side.major.count(); ++c)
    is_fed.push_back(sources_.is_fed_by(side, c, source_class, irrep, split));
  std::vector<Chunk> chunks = make_chunks(side, is_fed);
  parallel_for(std::ssize(chunks), 1, [&](std::int64_t k) {
    Chunk& to = chunks[k];
    to.sizes.resize(to.last - to.first);
    if (!is_fed[to.major_class]) return;
    for (std::int32_t string = to.first; string < to.last; ++string) {
      std::int32_t& size = to.sizes[string - to.first];
      if (!to.own) {
        size = sources_.count_excitations(side, to.major_class, string, source_class, irrep, split);
        continue;
      }
      const std::size_t before = to.excitations.size();
      sources_.add_excitations(side, to.major_class, string, source_class, irrep, split, to.excitations);
      size = static_cast<std::int32_t>(to.excitations.size() - before);
    }
  });
  at->second.reserve(side.major.num_strings());
  for (const Chunk& from : chunks) {
    std::int32_t first = index_of(to_.excitations.size());
    to_.excitations.insert(to_.excitations.end(), from.excitations.begin(), from.excitations.end());
    index_of(to_.excitations.size());
    for (const std::int32_t count : from.sizes) {
      at->second.push_back({first, count});
      if (from.own) first += count;
    }
  }
  return at->second;
}

std::int32_t ExcitationLists::most_excitations(const Side& side, int c, const std::vector<Range>& all) {
  std::int32_t most = 0;
  for (std::int32_t k = 0; k < side.major.size(c); ++k) most = std::max(most, all[ordinal(side, c, k)].size);
  return static_cast<std::int32_t>(whole_steps(most));
}

Part ExcitationLists::make_part(const Side& side, int c, const Pattern& pattern,
                                const std::vector<Range>& all, std::int32_t first, std::int32_t count,
                                bool half) {
  const std::size_t begin = to_.ranges.size();
  const StringShares::Range own = side.own.range(c);
  Part part{&pattern, first, count, 0, index_of(begin) - own.first};
  const Pair& least = pattern.pairs[first];
  const bool skips = half && pattern.pairs[first + count - 1].coulomb_row != same_orbital;
  std::int32_t most = 0;
  for (std::int32_t k = own.first; k < own.last; ++k) {
    Range range = all[ordinal(side, c, k)];
    const auto code_of = [&](std::int32_t at) { return to_.excitations[at].code; };
    if (half && range.size > 0 && code_of(range.first + range.size - 1) == self_code) --range.size;
    while (skips && range.size > 0 && static_cast<std::int32_t>(code_of(range.first) / 2) < least.pair) {
      ++range.first;
      --range.size;
    }
    most = std::max(most, range.size);
    to_.ranges.push_back(range);
  }
  // Of other ranks' strings too, so that all cut a block alike and sums do not depend on whose they are.
  for (std::int32_t k = 0; k < side.major.size(c); ++k) {
    if (k >= own.first && k < own.last) continue;
    most = std::max(most, half ? sources_.count_half(side, c, k, pattern, skips ? least.pair : 0)
                               : all[ordinal(side, c, k)].size);
  }
  part.num_excitations = static_cast<std::int32_t>(whole_steps(most));
  if (most == 0) to_.ranges.resize(begin);
  return part;
}

std::int32_t ExcitationLists::add_pairs(const Part& part) {
  const std::int32_t first = index_of(to_.pairs.size());
  const auto begin = part.pattern->pairs.begin() + part.first;
  to_.pairs.insert(to_.pairs.end(), begin, begin + part.count);
  return first;
}

}  // namespace cisolve::cuda::direct
