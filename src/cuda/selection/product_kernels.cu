// SPDX-License-Identifier: MIT
#include "cuda/selection/product_kernels.hpp"

#include "cuda/core/launch.cuh"
#include "cuda/core/sums.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/moves.cuh"
#include "cuda/selection/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr std::uint64_t empty_slot = ~std::uint64_t{0};

unsigned blocks_of(std::int64_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }

template <int Words>
__global__ void __launch_bounds__(threads)
    number_kernel(const SpinView spin, const StringNumbers numbers, std::uint64_t none) {
  const std::int64_t s = thread_number();
  if (s >= spin.size) return;
  const std::uint64_t key = key_of(Bits<Words>::load(spin.strings, s), none);
  for (std::uint64_t at = place_of(key) & numbers.mask;; at = (at + 1) & numbers.mask) {
    // Strings are distinct, so that a slot that holds the key is another's, by its hash alone.
    const std::uint64_t found =
        atomicCAS(reinterpret_cast<unsigned long long*>(numbers.keys + at), none, key);
    if (found != none) continue;
    numbers.numbers[at] = static_cast<std::int32_t>(s);
    return;
  }
}

/// Number of a string, or below 0.
template <int Words>
__device__ std::int32_t number_of(const SpinView& spin, const StringNumbers& numbers,
                                  const Bits<Words>& string, std::uint64_t none) {
  const std::uint64_t key = key_of(string, none);
  for (std::uint64_t at = place_of(key) & numbers.mask;; at = (at + 1) & numbers.mask) {
    const std::uint64_t found = numbers.keys[at];
    if (found == none) return -1;
    if (found != key) continue;
    const std::int32_t number = numbers.numbers[at];
    if (Words == 1 || Bits<Words>::load(spin.strings, number) == string) return number;
  }
}

/// Sum over the lanes before, and over all.
__device__ std::int32_t sum_before(std::int32_t own, std::int32_t& all) {
  const std::int32_t sum = sum_up_to(own);
  all = of_last_lane(sum);
  return sum - own;
}

/// A warp for each string. Each lane counts its links, and with List writes them behind those of the lanes before.
template <int Words, bool List>
__global__ void __launch_bounds__(threads) links_kernel(const SpinView spin, const StringNumbers numbers,
                                                        const LinkSearch search, const SpinLinksView links) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t s = warp_number();
  if (s >= spin.size) return;
  const int lane = lane_number();
  OccupiedAndEmpty& orbitals = lists[threadIdx.x / warp_size];
  const auto string = Bits<Words>::load(spin.strings, s);
  orbitals.fill(string, search.num_orbitals, lane);
  std::int32_t all = 0;
  for (int irrep = 0; irrep < 8; ++irrep) {
    const auto for_each = [&](const auto& visit) {
      for_each_single(orbitals, string, lane, [&](int h, int p, const Bits<Words>& target) {
        if ((search.irreps[h] ^ search.irreps[p]) != irrep) return;
        const std::int32_t number = number_of(spin, numbers, target, search.none);
        if (number >= 0) visit(h, p, number);
      });
    };
    std::int32_t count = 0;
    for_each([&](int, int, std::int32_t) { ++count; });
    __syncwarp();
    const std::int32_t before = sum_before(count, all);
    if constexpr (List) {
      std::int64_t at = links.single_offsets[s * 8 + irrep] + before, own = links.own_offsets[s] + before;
      for_each([&](int h, int p, std::int32_t number) {
        const bool negative = string.parity(h) ^ string.parity(p) ^ (h < p);
        links.single_targets[at] = number;
        links.single_codes[at++] = pair_of(h, p) | (negative ? 0x80000000U : 0U);
        if (irrep == 0) links.own_values[own++] = single_within_spin(spin, search.num_pairs, string, h, p);
      });
      __syncwarp();
    } else if (lane == 0) {
      links.single_offsets[s * 8 + irrep] = all;
      if (irrep == 0) links.own_offsets[s] = all;
    }
  }
  const auto for_each_double = [&](const auto& visit) {
    for_each_move(spin, orbitals, string, lane, [&](const Move<Words>& move) {
      const std::int32_t number = number_of(spin, numbers, move.target, search.none);
      if (number >= 0) visit(move, number);
    });
  };
  std::int32_t count = 0;
  for_each_double([&](const Move<Words>&, std::int32_t) { ++count; });
  __syncwarp();
  const std::int32_t before = sum_before(count, all);
  if constexpr (List) {
    std::int64_t at = links.double_offsets[s] + before;
    for_each_double([&](const Move<Words>& move, std::int32_t number) {
      links.double_targets[at] = number;
      links.double_values[at++] = with_phase(spin.move_values[move.at], move.negative);
    });
  } else if (lane == 0) {
    links.double_offsets[s] = all;
  }
}

__device__ std::uint32_t first_probe(std::int32_t beta) {
  return static_cast<std::uint32_t>(beta) * 0x9e3779b1U >>
         7U;  // the golden ratio; the lowest bits are the worst
}

__global__ void __launch_bounds__(threads) groups_kernel(const ListProductView list, std::uint64_t* slots) {
  const std::int64_t place = thread_number();
  if (place >= list.size) return;
  const StringGroup group = list.groups[list.alpha_of[place]];
  const std::int32_t beta = list.beta_of[place];
  const std::uint64_t entry = static_cast<std::uint64_t>(place) << 32U | static_cast<std::uint32_t>(beta);
  for (std::uint32_t at = first_probe(beta) & group.mask;; at = (at + 1) & group.mask) {
    if (atomicCAS(reinterpret_cast<unsigned long long*>(slots + group.first + at), empty_slot, entry) ==
        empty_slot)
      return;
  }
}

/// Place of a determinant from where a search in its group found `entry`; below 0: it is not listed.
__device__ std::int32_t place_from(const std::uint64_t* __restrict__ slots, std::int64_t first,
                                   std::uint32_t mask, std::uint32_t at, std::uint64_t entry,
                                   std::int32_t beta) {
  while (entry != empty_slot) {
    if (static_cast<std::int32_t>(entry) == beta) return static_cast<std::int32_t>(entry >> 32U);
    at = (at + 1) & mask;
    entry = slots[first + at];
  }
  return -1;
}

__device__ std::int32_t place_in(const ListProductView& list, const StringGroup& group, std::int32_t beta) {
  const std::uint32_t at = first_probe(beta) & group.mask;
  return place_from(list.slots, group.first, group.mask, at, list.slots[group.first + at], beta);
}

/// Sum of (pq|rr) over the orbitals of a string of the other spin.
template <int Words>
__device__ double coulomb_sum(const ListProductView& list, const Bits<Words>& of_other, std::uint32_t pq,
                              bool other_is_alpha) {
  double sum = 0.0;
  of_other.for_each([&](int r) {
    const std::int64_t rr = pair_of(r, r);
    sum += list.between[other_is_alpha ? rr * list.num_pairs + pq : std::int64_t{pq} * list.num_pairs + rr];
  });
  return sum;
}

template <int Words>
__global__ void __launch_bounds__(threads) diagonal_kernel(const ListProductView list, double* diagonal) {
  const std::int64_t place = thread_number();
  if (place >= list.size) return;
  const std::int32_t a = list.alpha_of[place], b = list.beta_of[place];
  const auto alpha = Bits<Words>::load(list.alpha.strings, a);
  double energy = list.core_energy + list.alpha.energies[a] + list.beta.energies[b];
  Bits<Words>::load(list.beta.strings, b).for_each([&](int r) {
    energy += coulomb_sum(list, alpha, pair_of(r, r), true);
  });
  diagonal[place] = energy;
}

/// What lanes do with the elements of a row: add up its product with some columns,
template <int Columns>
struct RowSums {
  const double* __restrict__ x;
  double sums[Columns] = {};

  __device__ void add(double value, std::int32_t place) {
#pragma unroll
    for (int k = 0; k < Columns; ++k) sums[k] += value * x[static_cast<std::int64_t>(place) * Columns + k];
  }
};

/// count them,
struct RowCount {
  std::int32_t count = 0;

  __device__ void add(double, std::int32_t) { ++count; }
};

/// or write them, each lane where its own are to be.
struct RowElements {
  const std::int32_t* __restrict__ rows;
  std::int32_t* columns;
  double* values;

  __device__ void add(double value, std::int32_t place) {
    *columns++ = rows[place];
    *values++ = value;
  }
};

/// The elements of a row, to a warp.
template <int Words, class Elements>
class Row {
public:
  __device__ Row(const ListProductView& list, std::int64_t place, const Elements& to)
      : elements(to), list_(list), lane_(lane_number()), alpha_(list.alpha_of[place]),
        beta_(list.beta_of[place]) {
    const double own = list.diagonal[place];
    if (lane_ == 0 && fabs(own) > list.threshold) elements.add(own, static_cast<std::int32_t>(place));
    add_beta();
    add_alpha();
    __syncwarp();
    add_opposite();
  }

  Elements elements;

private:
  static constexpr std::uint32_t pair_bits = 0x7fffffffU;

  /// Excitations of beta electrons.
  __device__ void add_beta() {
    const SpinLinksView& links = list_.beta_links;
    const StringGroup group = list_.groups[alpha_];
    const std::int64_t first = links.single_offsets[static_cast<std::int64_t>(beta_) * 8];
    const std::int64_t count = links.own_offsets[beta_ + 1] - links.own_offsets[beta_];
    for (std::int64_t k = lane_; k < count; k += warp_size) {
      const std::int32_t place = place_in(list_, group, links.single_targets[first + k]);
      if (place < 0) continue;
      const std::uint32_t code = links.single_codes[first + k];
      const auto alpha = Bits<Words>::load(list_.alpha.strings, alpha_);
      add_single(
          links.own_values[links.own_offsets[beta_] + k] + coulomb_sum(list_, alpha, code & pair_bits, true),
          code, place);
    }
    for (std::int64_t k = links.double_offsets[beta_] + lane_; k < links.double_offsets[beta_ + 1];
         k += warp_size) {
      const std::int32_t place = place_in(list_, group, links.double_targets[k]);
      if (place >= 0) elements.add(links.double_values[k], place);
    }
  }

  /// Excitations of alpha electrons.
  __device__ void add_alpha() {
    const SpinLinksView& links = list_.alpha_links;
    const std::int64_t first = links.single_offsets[static_cast<std::int64_t>(alpha_) * 8];
    const std::int64_t count = links.own_offsets[alpha_ + 1] - links.own_offsets[alpha_];
    for (std::int64_t k = lane_; k < count; k += warp_size) {
      const std::int32_t place = place_in(list_, list_.groups[links.single_targets[first + k]], beta_);
      if (place < 0) continue;
      const std::uint32_t code = links.single_codes[first + k];
      const auto beta = Bits<Words>::load(list_.beta.strings, beta_);
      add_single(
          links.own_values[links.own_offsets[alpha_] + k] + coulomb_sum(list_, beta, code & pair_bits, false),
          code, place);
    }
    for (std::int64_t k = links.double_offsets[alpha_] + lane_; k < links.double_offsets[alpha_ + 1];
         k += warp_size) {
      const std::int32_t place = place_in(list_, list_.groups[links.double_targets[k]], beta_);
      if (place >= 0) elements.add(links.double_values[k], place);
    }
  }

  /// Excitations of an alpha and a beta electron. Lanes have one of a beta electron each, and go together through those of
  /// alpha electrons, whose groups they have read, each some, before.
  __device__ void add_opposite() {
    for (int irrep = 0; irrep < 8; ++irrep) {
      const std::int64_t* alpha_begins =
          list_.alpha_links.single_offsets + static_cast<std::int64_t>(alpha_) * 8 + irrep;
      const std::int64_t* beta_begins =
          list_.beta_links.single_offsets + static_cast<std::int64_t>(beta_) * 8 + irrep;
      const std::int64_t alpha_first = alpha_begins[0], alpha_last = alpha_begins[1];
      if (alpha_first == alpha_last) continue;
      for (std::int64_t of_beta = beta_begins[0]; of_beta < beta_begins[1]; of_beta += warp_size) {
        const bool has_one = of_beta + lane_ < beta_begins[1];
        const std::int32_t target = has_one ? list_.beta_links.single_targets[of_beta + lane_] : 0;
        const std::uint32_t code = has_one ? list_.beta_links.single_codes[of_beta + lane_] : 0;
        for (std::int64_t of_alpha = alpha_first; of_alpha < alpha_last; of_alpha += warp_size)
          add_products(of_alpha, alpha_last, has_one, target, code);
      }
    }
  }

  __device__ void add_single(double value, std::uint32_t code, std::int32_t place) {
    if (fabs(value) > list_.threshold) elements.add(with_phase(value, code >> 31U != 0), place);
  }

  /// One beta excitation of each lane with up to 32 alpha excitations.
  __device__ void add_products(std::int64_t first, std::int64_t last, bool has_one, std::int32_t beta,
                               std::uint32_t beta_code) {
    const int count = static_cast<int>(last - first < warp_size ? last - first : warp_size);
    const bool is_mine = lane_ < count;
    const StringGroup mine =
        is_mine ? list_.groups[list_.alpha_links.single_targets[first + lane_]] : StringGroup{0, 0};
    const std::uint32_t my_code = is_mine ? list_.alpha_links.single_codes[first + lane_] : 0;
    const std::uint32_t probe = first_probe(beta);
    constexpr int together = 4;  // searches that wait for memory at a time
    for (int j = 0; j < count; j += together) {
      std::uint64_t entries[together];
      std::int64_t firsts[together];
      std::uint32_t masks[together], codes[together];
#pragma unroll
      for (int q = 0; q < together; ++q) {
        firsts[q] = __shfl_sync(all_lanes, mine.first, (j + q) % warp_size);
        masks[q] = __shfl_sync(all_lanes, mine.mask, (j + q) % warp_size);
        codes[q] = __shfl_sync(all_lanes, my_code, (j + q) % warp_size);
        entries[q] = has_one && j + q < count ? list_.slots[firsts[q] + (probe & masks[q])] : empty_slot;
      }
#pragma unroll
      for (int q = 0; q < together; ++q) {
        const std::int32_t place =
            place_from(list_.slots, firsts[q], masks[q], probe & masks[q], entries[q], beta);
        if (place < 0) continue;
        const double value = list_.between[static_cast<std::int64_t>(codes[q] & pair_bits) * list_.num_pairs +
                                           (beta_code & pair_bits)];
        if (fabs(value) > list_.threshold)
          elements.add(with_phase(value, ((codes[q] ^ beta_code) >> 31U) != 0), place);
      }
    }
  }

  const ListProductView& list_;
  int lane_;
  std::int32_t alpha_, beta_;
};

/// A warp for each row.
template <int Words, int Columns>
__global__ void __launch_bounds__(threads)
    product_kernel(const ListProductView list, const double* __restrict__ x, double* __restrict__ y,
                   std::int64_t stride, ProductUpdate update) {
  const std::int64_t place = warp_number();
  if (place >= list.size) return;
  const Row<Words, RowSums<Columns>> row(list, place, {x});
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    const double sum = warp_sum(row.elements.sums[k]);
    if (lane_number() != 0) continue;
    double& element = y[k * stride + list.rows[place]];
    element = update == ProductUpdate::add ? element + sum : sum;
  }
}

template <int Words>
__global__ void __launch_bounds__(threads)
    count_kernel(const ListProductView list, std::int64_t* __restrict__ counts) {
  const std::int64_t place = warp_number();
  if (place >= list.size) return;
  const Row<Words, RowCount> row(list, place, {});
  const std::int32_t all = of_last_lane(sum_up_to(row.elements.count));
  if (lane_number() == 0) counts[list.rows[place]] = all;
}

template <int Words>
__global__ void __launch_bounds__(threads)
    list_kernel(const ListProductView list, const std::int64_t* __restrict__ offsets, std::int32_t* columns,
                double* values) {
  const std::int64_t place = warp_number();
  if (place >= list.size) return;
  const std::int32_t own = Row<Words, RowCount>(list, place, {}).elements.count;
  const std::int64_t first = offsets[list.rows[place]] + (sum_up_to(own) - own);
  Row<Words, RowElements>(list, place, {list.rows, columns + first, values + first});
}

}  // namespace

template <int Words>
void launch_number_strings(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                           std::uint64_t none) {
  Launch{stream, blocks_of(spin.size), threads}(number_kernel<Words>, spin, numbers, none);
}

template <int Words>
void launch_count_links(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                        const LinkSearch& search, const SpinLinksView& links) {
  Launch{stream, blocks_of(std::int64_t{spin.size} * warp_size), threads}(links_kernel<Words, false>, spin,
                                                                          numbers, search, links);
}

template <int Words>
void launch_list_links(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                       const LinkSearch& search, const SpinLinksView& links) {
  Launch{stream, blocks_of(std::int64_t{spin.size} * warp_size), threads}(links_kernel<Words, true>, spin,
                                                                          numbers, search, links);
}

void launch_fill_groups(const Stream& stream, const ListProductView& list, std::uint64_t* slots) {
  Launch{stream, blocks_of(list.size), threads}(groups_kernel, list, slots);
}

template <int Words>
void launch_diagonal(const Stream& stream, const ListProductView& list, double* diagonal) {
  Launch{stream, blocks_of(list.size), threads}(diagonal_kernel<Words>, list, diagonal);
}

template <int Words>
void launch_product(const Stream& stream, const ListProductView& list, int columns, const double* x,
                    double* y, std::int64_t stride, ProductUpdate update) {
  const Launch launch{stream, blocks_of(list.size * warp_size), threads};
  launch(columns == 1   ? product_kernel<Words, 1>
         : columns == 2 ? product_kernel<Words, 2>
                        : product_kernel<Words, 4>,
         list, x, y, stride, update);
}

template <int Words>
void launch_count_elements(const Stream& stream, const ListProductView& list, std::int64_t* counts) {
  Launch{stream, blocks_of(list.size * warp_size), threads}(count_kernel<Words>, list, counts);
}

template <int Words>
void launch_list_elements(const Stream& stream, const ListProductView& list, const std::int64_t* offsets,
                          std::int32_t* columns, double* values) {
  Launch{stream, blocks_of(list.size * warp_size), threads}(list_kernel<Words>, list, offsets, columns,
                                                            values);
}

#define INSTANTIATE(W)                                                                                \
  template void launch_number_strings<W>(const Stream&, const SpinView&, const StringNumbers&,        \
                                         std::uint64_t);                                              \
  template void launch_count_links<W>(const Stream&, const SpinView&, const StringNumbers&,           \
                                      const LinkSearch&, const SpinLinksView&);                       \
  template void launch_list_links<W>(const Stream&, const SpinView&, const StringNumbers&,            \
                                     const LinkSearch&, const SpinLinksView&);                        \
  template void launch_diagonal<W>(const Stream&, const ListProductView&, double*);                   \
  template void launch_product<W>(const Stream&, const ListProductView&, int, const double*, double*, \
                                  std::int64_t, ProductUpdate);                                       \
  template void launch_count_elements<W>(const Stream&, const ListProductView&, std::int64_t*);       \
  template void launch_list_elements<W>(const Stream&, const ListProductView&, const std::int64_t*,   \
                                        std::int32_t*, double*);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
