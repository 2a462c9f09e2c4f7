// SPDX-License-Identifier: MIT
#include "cuda/core/launch.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/moves.cuh"
#include "cuda/selection/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

template <int Words>
__device__ bool is_of(const PartView& part, const Bits<Words>& string) {
  const std::uint64_t hash = string.mixed() >> 32U;
  return hash * part.of >> 32U == part.number;
}

/// Number of the unit that a string is, or below 0.
template <int Words>
__device__ std::int32_t unit_of(const PartView& part, const Bits<Words>& string, std::uint64_t none) {
  const std::uint64_t key = key_of(string, none);
  for (std::uint64_t at = place_of(key) & part.mask;; at = (at + 1) & part.mask) {
    const std::uint64_t found = part.keys[at];
    if (found == none) return -1;
    if (found == key) return part.ids[at];
  }
}

template <int Words>
__device__ void insert_unit(const PartView& part, const Bits<Words>& string, std::uint64_t none) {
  const std::uint64_t key = key_of(string, none);
  for (std::uint64_t at = place_of(key) & part.mask;; at = (at + 1) & part.mask) {
    std::uint64_t found = part.keys[at];
    if (found == none) {
      found = atomicCAS(reinterpret_cast<unsigned long long*>(part.keys + at), none, key);
      if (found == none) {
        const std::int32_t id = atomicAdd(part.count, 1);
        part.ids[at] = id;
        string.store(part.strings, id);
        return;
      }
    }
    if (found == key) return;
  }
}

template <int Words, bool Insert>
__global__ void __launch_bounds__(threads)
    units_kernel(const ListView list, const PartView part, unsigned long long* __restrict__ count) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t number = warp_number();
  if (number >= list.alpha.size) return;
  const int lane = lane_number();
  const auto string = Bits<Words>::load(list.alpha.strings, number);
  OccupiedAndEmpty& orbitals = lists[threadIdx.x / warp_size];
  orbitals.fill(string, list.num_orbitals, lane);
  unsigned long long mine = 0;
  const auto take = [&](const Bits<Words>& target) {
    if (!is_of(part, target)) return;
    if constexpr (Insert)
      insert_unit(part, target, list.none);
    else
      ++mine;
  };
  if (lane == 0) take(string);
  for_each_single(orbitals, string, lane, [&](int, int, const Bits<Words>& target) { take(target); });
  if constexpr (!Insert) {
    mine = warp_total(mine);
    if (lane == 0 && mine > 0) atomicAdd(count, mine);
  }
}

/// Counts the sources of units, or, with Place, writes them.
template <int Words, bool Place>
class Sources {
public:
  __device__ Sources(const ListView& list, const PartView& part, std::int32_t string)
      : list_(list), part_(part), string_(string),
        members_(list.alpha.offsets[string + 1] - list.alpha.offsets[string]) {}

  /// @param expected  contributions
  /// @param strength  called where the unit's weight is wanted
  /// @param value     called where the source is written
  template <class Strength, class Value>
  __device__ void add(std::int32_t unit, std::uint32_t code, unsigned long long expected,
                      const Strength& strength, const Value& value) {
    if constexpr (Place) {
      if (part_.numbers != nullptr) unit = part_.numbers[unit];
      if (unit < 0) return;
      const std::int64_t at = part_.first_source[unit] + atomicAdd(part_.placed + unit, 1U);
      part_.sources[at] = {value(), string_, unit, code};
      part_.item_counts[at] = members_;
    } else {
      atomicAdd(part_.num_sources + unit, 1U);
      atomicAdd(part_.num_items + unit, static_cast<unsigned long long>(members_));
      atomicAdd(part_.expected + unit, expected);
      const WeightsView& weights = part_.weights;
      if (weights.of_units == nullptr) return;
      const double weight = strength() * weights.of_strings[string_];
      if (weight > 0.0)  // none is so small that the unit is never drawn
        atomicAdd(weights.of_units + unit, 1ULL + static_cast<unsigned long long>(weight * weights.scale));
    }
  }

  __device__ std::int64_t members() const { return members_; }

private:
  const ListView& list_;
  const PartView& part_;
  std::int32_t string_;
  std::int64_t members_;
};

template <int Words, bool Place>
__global__ void __launch_bounds__(threads) sources_kernel(const ListView list, const PartView part) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t number = warp_number();
  if (number >= list.alpha.size) return;
  const int lane = lane_number();
  const auto string = Bits<Words>::load(list.alpha.strings, number);
  OccupiedAndEmpty& orbitals = lists[threadIdx.x / warp_size];
  orbitals.fill(string, list.num_orbitals, lane);
  Sources<Words, Place> sources(list, part, static_cast<std::int32_t>(number));
  const std::int64_t* singles = list.contributions + number * 8;
  const auto members = static_cast<unsigned long long>(sources.members());
  if (lane == 0 && is_of(part, string)) {
    const std::int32_t unit = unit_of(part, string, list.none);
    const auto doubles =
        static_cast<unsigned long long>(part.mean_doubles * static_cast<double>(sources.members()));
    sources.add(
        unit, UnitSource::self, static_cast<unsigned long long>(singles[0]) + doubles,
        [&] { return part.weights.typical; }, [] { return 0.0; });
    if constexpr (!Place) part.own[unit] = static_cast<std::int32_t>(number);
  }
  for_each_single(orbitals, string, lane, [&](int h, int p, const Bits<Words>& target) {
    if (!is_of(part, target)) return;
    const std::uint32_t irrep = list.irreps[h] ^ list.irreps[p];
    const bool negative = string.parity(h) ^ string.parity(p) ^ (h < p);
    const std::uint32_t code =
        static_cast<std::uint32_t>(h | p << 8 | static_cast<int>(negative) << 16) | irrep << 17;
    const auto within = [&] {
      return irrep == 0 ? single_within_spin(list.alpha, list.num_pairs, string, h, p) : 0.0;
    };
    const auto strength = [&] {
      const double value = within();
      return value * value + part.weights.pair_strengths[pair_of(h, p)];
    };
    sources.add(unit_of(part, target, list.none), code,
                static_cast<unsigned long long>(singles[irrep]) + (irrep == 0 ? members : 0), strength,
                within);
  });
  for_each_move(list.alpha, orbitals, string, lane, [&](const Move<Words>& move) {
    if (!is_of(part, move.target)) return;
    const std::int32_t unit = unit_of(part, move.target, list.none);
    if (unit < 0) return;
    if constexpr (!Place) {
      const std::int64_t bit = part.inside_begins[number] + move.number;
      atomicOr(part.inside + bit / 32, 1U << (bit % 32));
    }
    const double value = list.alpha.move_values[move.at];
    sources.add(
        unit, UnitSource::twofold, members, [&] { return value * value; },
        [&] { return with_phase(value, move.negative); });
  });
}

/// Warps go through the alpha strings.
template <int Words>
__global__ void __launch_bounds__(threads)
    outside_kernel(const ListView list, const PartView part, unsigned long long* __restrict__ of_alpha,
                   unsigned long long* __restrict__ of_beta) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t number = warp_number();
  if (number >= list.alpha.size) return;
  const int lane = lane_number();
  const auto string = Bits<Words>::load(list.alpha.strings, number);
  OccupiedAndEmpty& orbitals = lists[threadIdx.x / warp_size];
  orbitals.fill(string, list.num_orbitals, lane);
  unsigned long long mine = 0;
  for_each_move(list.alpha, orbitals, string, lane, [&](const Move<Words>& move) {
    const std::int64_t bit = part.inside_begins[number] + move.number;
    if ((part.inside[bit / 32] >> (bit % 32) & 1U) == 0) ++mine;
  });
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    mine += __shfl_xor_sync(0xffffffffU, mine, distance);
  if (lane == 0) of_alpha[number] = mine;
  if (mine == 0) return;
  for (std::int64_t m = list.alpha.offsets[number] + lane; m < list.alpha.offsets[number + 1]; m += warp_size)
    atomicAdd(of_beta + list.alpha.members[m].other, mine);
}

/// A launch with a warp for each alpha string.
Launch warp_each(const Stream& stream, const ListView& list) {
  return Launch{stream, static_cast<unsigned>((list.alpha.size + warps - 1) / warps), threads};
}

}  // namespace

template <int Words>
void launch_bound_units(const Stream& stream, const ListView& list, const PartView& part,
                        unsigned long long* count) {
  warp_each(stream, list)(units_kernel<Words, false>, list, part, count);
}

template <int Words>
void launch_find_units(const Stream& stream, const ListView& list, const PartView& part) {
  warp_each(stream, list)(units_kernel<Words, true>, list, part, nullptr);
}

template <int Words>
void launch_count_sources(const Stream& stream, const ListView& list, const PartView& part) {
  warp_each(stream, list)(sources_kernel<Words, false>, list, part);
}

template <int Words>
void launch_place_sources(const Stream& stream, const ListView& list, const PartView& part) {
  warp_each(stream, list)(sources_kernel<Words, true>, list, part);
}

template <int Words>
void launch_count_outside(const Stream& stream, const ListView& list, const PartView& part,
                          unsigned long long* of_alpha, unsigned long long* of_beta) {
  warp_each(stream, list)(outside_kernel<Words>, list, part, of_alpha, of_beta);
}

#define INSTANTIATE(W)                                                                                       \
  template void launch_bound_units<W>(const Stream&, const ListView&, const PartView&, unsigned long long*); \
  template void launch_find_units<W>(const Stream&, const ListView&, const PartView&);                       \
  template void launch_count_sources<W>(const Stream&, const ListView&, const PartView&);                    \
  template void launch_place_sources<W>(const Stream&, const ListView&, const PartView&);                    \
  template void launch_count_outside<W>(const Stream&, const ListView&, const PartView&,                     \
                                        unsigned long long*, unsigned long long*);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
