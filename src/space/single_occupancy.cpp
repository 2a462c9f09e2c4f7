// SPDX-License-Identifier: MIT
#include "cisolve/space/single_occupancy.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "space/bit_gather.hpp"
#include "space/selection_rules.hpp"

namespace cisolve {
namespace {

/// One word holds a string.
constexpr int most_single_orbitals = 64;

using Binomials = std::array<std::array<std::int64_t, most_single_orbitals + 1>, most_single_orbitals + 1>;

/// Pascal's triangle: [n][k]. C(64, 32) is a fifth of the largest number of 63 bits.
constexpr Binomials pascals_triangle() {
  Binomials c{};
  for (std::size_t n = 0; n < c.size(); ++n) {
    c[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
  }
  return c;
}

constexpr Binomials binomials = pascals_triangle();

/// Orbitals that alpha electrons leave to beta electrons.
int left_free(int num_orbitals, int num_alpha, int num_beta) {
  if (num_alpha > num_orbitals || num_beta > num_orbitals)
    throw DimensionError("space: more electrons of one spin than orbitals");
  return num_orbitals - num_alpha;
}

/// The first reference's numbers of electrons, in a space that all determinants without double occupation make.
template <int Words>
SingleOccupancyOrder order_of(const SpaceSelection<Words>& selection) {
  check_selection(selection);
  if (!selection.single_occupancy) throw DimensionError("SingleOccupancySpace: that is not what is selected");
  const Determinant<Words>& first = selection.references.front();
  return {selection.num_orbitals, first.alpha.count(), first.beta.count()};
}

}  // namespace

std::int64_t num_strings(int bits, int ones) {
  if (bits > most_single_orbitals) throw DimensionError("num_strings: of more than 64 bits");
  return ones < 0 || ones > bits ? 0 : binomials[bits][ones];
}

StringRank::StringRank(int bits, int ones) : bits_(bits), ones_(ones) {
  if (bits < 0 || bits > most_single_orbitals)
    throw DimensionError("strings of a space without double occupation have 0 to 64 orbitals");
  if (ones < 0) throw DimensionError("StringRank: a negative number of bits is set");
  size_ = num_strings(bits, ones);
  // Pieces of 8 or 9 bits: tables of one or two of them stay in the first cache.
  pieces_ = std::clamp((bits + most_pieces) / (most_pieces + 1), 1, most_pieces);
  width_ = (bits + pieces_ - 1) / pieces_;
  mask_ = (std::uint64_t{1} << width_) - 1;
  for (int k = 0; k < pieces_; ++k) {
    offsets_[k] = sums_.size();
    const int most_below = std::min(ones, k * width_);
    for (int below = 0; below <= most_below; ++below) {
      for (std::uint64_t piece = 0; piece <= mask_; ++piece) {
        std::int64_t sum = 0;
        int nth = below;
        for (std::uint64_t rest = piece; rest != 0; rest &= rest - 1) {
          const int p = k * width_ + std::countr_zero(rest);
          if (p < bits && nth < ones) sum += num_strings(p, nth + 1);  // others belong to no string
          ++nth;
        }
        sums_.push_back(sum);
      }
    }
  }
}

std::uint64_t StringRank::string(std::int64_t number) const {
  std::uint64_t found = 0;
  int left = ones_;
  for (int p = bits_ - 1; left > 0 && p >= 0; --p) {
    const std::int64_t without = binomials[p][left];
    if (number < without) continue;
    number -= without;
    found |= std::uint64_t{1} << p;
    --left;
  }
  return found;
}

SingleOccupancyOrder::SingleOccupancyOrder(int num_orbitals, int num_alpha, int num_beta)
    : alpha_(num_orbitals, num_alpha), beta_(left_free(num_orbitals, num_alpha, num_beta), num_beta) {
  if (beta_.size() > std::numeric_limits<std::int64_t>::max() / alpha_.size())
    throw DimensionError("a space without double occupation has 2^63 determinants or more");
  rows_ = alpha_.size() * beta_.size();
}

template <int Words>
SingleOccupancySpace<Words>::SingleOccupancySpace(const SpaceSelection<Words>& selection)
    : order_(order_of(selection)) {}

template <int Words>
std::int64_t SingleOccupancySpace<Words>::find(const Determinant<Words>& determinant) const {
  const BitString<Words>&alpha = determinant.alpha, &beta = determinant.beta;
  const BitString<Words> all = BitString<Words>::lowest(num_orbitals());
  const bool is_in = (alpha & beta).count() == 0 && ((alpha | beta) & ~all).count() == 0 &&
                     alpha.count() == num_alpha() && beta.count() == num_beta();
  if (!is_in) return -1;
  const std::uint64_t a = alpha.words[0], b = gather_bits(beta.words[0], all.words[0] & ~a);
  return order_.alpha().number(a) * order_.rows_per_alpha() + order_.beta().number(b);
}

template <int Words>
void SingleOccupancySpace<Words>::enumerate(std::int64_t first, std::span<Determinant<Words>> out) const {
  if (out.empty()) return;
  const std::int64_t per_alpha = order_.rows_per_alpha();
  const std::uint64_t all = BitString<Words>::lowest(num_orbitals()).words[0];
  std::uint64_t a = order_.alpha().string(first / per_alpha);
  std::int64_t place = first % per_alpha;
  std::uint64_t b = order_.beta().string(place);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = {};
    out[k].alpha.words[0] = a;
    out[k].beta.words[0] = scatter_bits(b, all & ~a);
    if (k + 1 == out.size()) return;  // there may be no next one
    if (++place < per_alpha) {
      b = next_string(b);
    } else {
      place = 0;
      b = order_.beta().first();
      a = next_string(a);
    }
  }
}

template <int Words>
std::uint64_t SingleOccupancySpace<Words>::fingerprint() const {
  Hasher hasher;
  hasher.add("single occupancy");
  for (const int number : {num_orbitals(), num_alpha(), num_beta()}) hasher.add(std::int64_t{number});
  return hasher.digest();
}

#define INSTANTIATE(W) template class SingleOccupancySpace<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
