// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/core/device_info.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/moves.cuh"
#include "cuda/selection/unit_table.cuh"
#include "cuda/selection/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int together = 2;  // contributions of a lane that wait for memory at a time
constexpr int at_a_time = together * warp_size;

__device__ void overflow(const BatchView& batch, std::int64_t unit) {
  batch.overflows[unit] = 1;
  batch.externals[batch.count] = 1;
}

/// Adds an element times the coefficients of a determinant.
template <int Roots>
__device__ void add_to(const ListView& list, const SumTable& table, std::int64_t slot, double value,
                       const double* __restrict__ c) {
  const double scaled = value * list.scale;
  if constexpr (Roots == 1) {
    atomicAdd(table.sums + slot, static_cast<unsigned long long>(__double2ll_rn(scaled * *c)));
  } else {
    for (int k = 0; k < list.roots; ++k)
      atomicAdd(table.sums + slot * list.roots + k,
                static_cast<unsigned long long>(__double2ll_rn(scaled * c[k])));
  }
}

/// What a single excitation leads to, as StringMoves::energy_of_single.
__device__ double energy_of_single(const SpinView& spin, const ListView& list, std::int64_t string, int h,
                                   int p) {
  const double* field = spin.fields + string * list.num_orbitals;
  const std::int64_t hp = pair_of(h, p);
  return spin.energies[string] - field[h] + field[p] -
         (spin.within[std::int64_t{pair_of(h, h)} * list.num_pairs + pair_of(p, p)] -
          spin.within[hp * list.num_pairs + hp]);
}

/// A warp for each unit.
template <int Words>
__global__ void __launch_bounds__(threads) units_kernel(const ListView list, const BatchView batch) {
  const std::int64_t unit = warp_number();
  if (unit >= batch.count) return;
  const auto string = Bits<Words>::load(batch.strings, batch.first + unit);
  const SpinView& own = batch.is_alpha ? list.alpha : list.beta;
  const std::int64_t n = list.num_orbitals, num_pairs = list.num_pairs;
  double energy = 0.0;
  for (int q = lane_number(); q < n; q += warp_size) {
    const std::int64_t qq = pair_of(q, q);
    double of_other = 0.0, within = 2.0 * own.one[qq];
    string.for_each([&](int r) {
      const std::int64_t rr = pair_of(r, r), qr = pair_of(q, r);
      of_other += list.between[batch.is_alpha ? rr * num_pairs + qq : qq * num_pairs + rr];
      within += own.within[qq * num_pairs + rr] - own.within[qr * num_pairs + qr];
    });
    batch.fields[unit * n + q] = of_other;
    if (string.test(q)) energy += 0.5 * within;
  }
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    energy += __shfl_down_sync(all_lanes, energy, distance);
  if (lane_number() == 0) batch.energies[unit] = list.core_energy + energy;
}

/// Determinants of sources whose beta excitations a warp goes through, in shared memory.
struct WarpItems {
  std::int64_t single_begins[warp_size];  ///< in ListView::singles
  std::int64_t tables[warp_size];         ///< first slot of the unit's table
  std::int64_t coefficients[warp_size];   ///< where those of the determinant begin
  std::uint32_t table_sizes[warp_size];
  std::int32_t ends[warp_size];  ///< contributions of the items up to this one
  std::int32_t strings[warp_size], units[warp_size];
  std::uint32_t pairs[warp_size];  ///< of the alpha excitation, its phase in bit 31
};

/// A contribution of a beta excitation beside an alpha one, which waits for its slot.
template <int Words>
struct Waiting {
  Bits<Words> target;
  typename UnitTable<Words>::Search search;
  double value;
  int item = -1;  ///< below 0: there is none
  int hole, particle;
};

/// Finds the k-th contribution of the items; they come with k growing.
template <int Words>
__device__ Waiting<Words> begin_contribution(const ListView& list, const BatchView& batch,
                                             const WarpItems& items, int k, int total, int& item) {
  Waiting<Words> next;
  if (k >= total) return next;
  while (k >= items.ends[item]) ++item;
  const int before = item > 0 ? items.ends[item - 1] : 0;
  const std::uint32_t single = list.singles[items.single_begins[item] + (k - before)];
  next.hole = static_cast<int>(single & 255U);
  next.particle = static_cast<int>(single >> 8U & 255U);
  const std::uint32_t pair = items.pairs[item];
  const double value = list.between[static_cast<std::int64_t>(pair & 0x7fffffffU) * list.num_pairs +
                                    pair_of(next.hole, next.particle)];
  if (fabs(value) <= list.threshold) return next;
  next.target =
      Bits<Words>::load(list.beta.strings, items.strings[item]).flipped(next.hole).flipped(next.particle);
  if (!is_of_portion(list, batch, next.target)) return next;
  next.item = item;
  next.value = with_phase(value, ((single >> 16U ^ pair >> 31U) & 1U) != 0);
  next.search = UnitTable<Words>(list.none, items.tables[item], items.table_sizes[item])
                    .begin(batch.table, next.target);
  return next;
}

template <int Words, int Roots>
__device__ void end_contribution(const ListView& list, const BatchView& batch, const WarpItems& items,
                                 const Waiting<Words>& waiting, unsigned long long& added) {
  if (waiting.item < 0) return;
  const UnitTable<Words> table(list.none, items.tables[waiting.item], items.table_sizes[waiting.item]);
  const std::int64_t slot = table.end(batch.table, waiting.search, waiting.target, [&] {
    return energy_of_single(list.beta, list, items.strings[waiting.item], waiting.hole, waiting.particle);
  });
  if (slot >= 0)
    add_to<Roots>(list, batch.table, slot, waiting.value,
                  list.coefficients + items.coefficients[waiting.item]);
  else
    overflow(batch, items.units[waiting.item]);
  ++added;
}

/// Warps take chunks of items, which are the determinants of sources, `slices` of them each chunk. First a lane does for each
/// what leads to its own beta string; then the beta excitations of 32 of them are shared out among all lanes of the slices.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    sources_kernel(const ListView list, const PartView part, const BatchView batch, std::int64_t chunk,
                   int slices, unsigned long long* __restrict__ contributions) {
  __shared__ WarpItems all_items[warps];
  WarpItems& items = all_items[threadIdx.x / warp_size];
  const int lane = lane_number();
  const auto slice = static_cast<int>(warp_number() % slices);
  const std::int64_t begin = batch.first_item + warp_number() / slices * chunk;
  const std::int64_t end = begin + chunk < batch.last_item ? begin + chunk : batch.last_item;
  if (begin >= end) return;
  unsigned long long added = 0;
  std::int64_t source = last_before(batch.item_begins, batch.first_source, batch.last_source - 1, begin);
  for (std::int64_t group = begin; group < end; group += warp_size) {
    // Sources have items, so that those of 32 items are 32 at most; `source` may end right before them.
    const std::int64_t next = source + 1 + lane;
    const std::int64_t boundary = next <= batch.last_source ? batch.item_begins[next] : batch.last_item;
    const std::int64_t item = group + lane;
    int behind = __shfl_sync(all_lanes, boundary, warp_size - 1) <= item ? 1 : 0;  // up to 32 with that
    for (int step = warp_size / 2; step > 0; step /= 2) {
      if (__shfl_sync(all_lanes, boundary, behind + step - 1) <= item) behind += step;
    }
    const bool is_active = item < end;
    const std::int64_t own = source + behind;
    const UnitSource from = part.sources[is_active ? own : source];
    const std::int64_t unit = from.unit - batch.first;
    const UnitTable<Words> table(list, batch, unit);
    std::int32_t beta = 0;
    std::int64_t coefficients = 0;
    double own_value = 0.0;
    bool has_own = false;
    std::int32_t count = 0;
    if (is_active && from.code != UnitSource::self) {
      const RunMember member =
          list.alpha.members[list.alpha.offsets[from.string] + (item - batch.item_begins[own])];
      beta = member.other;
      coefficients = static_cast<std::int64_t>(member.row) * list.roots;
      if (from.code == UnitSource::twofold) {
        own_value = from.value;
        has_own = true;
      } else {
        const std::uint32_t irrep = from.code >> 17U;
        const bool negative = (from.code >> 16U & 1U) != 0;
        const std::uint32_t pair =
            pair_of(static_cast<int>(from.code & 255U), static_cast<int>(from.code >> 8U & 255U));
        const std::int64_t at = static_cast<std::int64_t>(beta) * 8 + irrep;
        const std::int64_t first = list.single_offsets[at];
        count = static_cast<std::int32_t>(list.single_offsets[at + 1] - first);
        items.single_begins[lane] = first;
        items.pairs[lane] = pair | (negative ? 0x80000000U : 0U);
        if (irrep == 0) {
          const double* row = list.between + std::int64_t{pair} * list.num_pairs;
          own_value = from.value;
          Bits<Words>::load(list.beta.strings, beta).for_each([&](int r) {
            own_value += row[pair_of(r, r)];
          });
          has_own = fabs(own_value) > list.threshold;
          own_value = with_phase(own_value, negative);
        }
      }
    }
    items.tables[lane] = table.first();
    items.table_sizes[lane] = table.size();
    items.coefficients[lane] = coefficients;
    items.strings[lane] = beta;
    items.units[lane] = static_cast<std::int32_t>(unit);
    count = sum_up_to(count);
    items.ends[lane] = count;
    const std::int32_t total = of_last_lane(count);
    __syncwarp();
    const auto beta_string = Bits<Words>::load(list.beta.strings, beta);
    if (has_own && slice == 0 && is_of_portion(list, batch, beta_string)) {
      const std::int64_t slot =
          table.claim(batch.table, beta_string, [&] { return list.beta.energies[beta]; });
      if (slot >= 0)
        add_to<Roots>(list, batch.table, slot, own_value, list.coefficients + coefficients);
      else
        overflow(batch, unit);
      ++added;
    }
    int at = 0;
    for (int k = at_a_time * slice + lane; k < total; k += at_a_time * slices) {
      Waiting<Words> waiting[together];
#pragma unroll
      for (int q = 0; q < together; ++q)
        waiting[q] = begin_contribution<Words>(list, batch, items, k + q * warp_size, total, at);
#pragma unroll
      for (int q = 0; q < together; ++q)
        end_contribution<Words, Roots>(list, batch, items, waiting[q], added);
    }
    source = __shfl_sync(all_lanes, own, warp_size - 1);
    __syncwarp();
  }
  added = warp_total(added);
  if (lane == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// A double excitation that waits for its slot.
template <int Words>
struct WaitingMove {
  Move<Words> move;
  typename UnitTable<Words>::Search search;
  bool is_there = false;
};

/// Adds the double excitations of one string, of those that lead inside none, a slice of them.
/// @param inside  bits of those, or a null pointer: all are added
template <int Words, int Roots>
__device__ void add_doubles(const ListView& list, const SpinView& spin, OccupiedAndEmpty& orbitals,
                            std::int32_t number, const UnitTable<Words>& table, const BatchView& batch,
                            std::int64_t unit, const double* c, const std::uint32_t* inside,
                            std::int64_t inside_begin, int slice, int slices, unsigned long long& added) {
  const auto string = Bits<Words>::load(spin.strings, number);
  orbitals.fill(string, list.num_orbitals, lane_number());
  const double* field = spin.fields + static_cast<std::int64_t>(number) * list.num_orbitals;
  MoveWalk<Words> walk(spin, string, orbitals);
  const auto begin = [&](std::int32_t k) {
    WaitingMove<Words> next;
    if (k >= walk.size() || !walk.find(k, next.move)) return next;
    if (inside != nullptr) {
      const std::int64_t bit = inside_begin + next.move.number;
      if ((inside[bit / 32] >> (bit % 32) & 1U) != 0) return next;
    }
    next.is_there = is_of_portion(list, batch, next.move.target);
    if (next.is_there) next.search = table.begin(batch.table, next.move.target);
    return next;
  };
  const auto end = [&](const WaitingMove<Words>& waiting) {
    if (!waiting.is_there) return;
    const Move<Words>& move = waiting.move;
    const std::int64_t slot = table.end(batch.table, waiting.search, move.target, [&] {
      return spin.energies[number] - field[move.h1] - field[move.h2] + field[move.p1] + field[move.p2] +
             spin.move_energies[move.at];
    });
    if (slot >= 0)
      add_to<Roots>(list, batch.table, slot, with_phase(spin.move_values[move.at], move.negative), c);
    else
      overflow(batch, unit);
    ++added;
  };
  while (walk.next()) {
    for (std::int32_t k = at_a_time * slice + lane_number(); k < walk.size(); k += at_a_time * slices) {
      WaitingMove<Words> waiting[together];
#pragma unroll
      for (int q = 0; q < together; ++q) waiting[q] = begin(k + q * warp_size);
#pragma unroll
      for (int q = 0; q < together; ++q) end(waiting[q]);
    }
  }
}

/// `slices` warps for each determinant of the units that are listed: beta excitations within the unit.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    own_kernel(const ListView list, const PartView part, const BatchView batch, int slices,
               unsigned long long* __restrict__ contributions) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t item = warp_number() / slices;
  if (item >= batch.own_items) return;
  const auto slice = static_cast<int>(warp_number() % slices);
  const std::int64_t unit = last_before(batch.own_begins, 0, batch.count - 1, item);
  const std::int32_t alpha = part.own[batch.first + unit];
  const UnitTable<Words> table(list, batch, unit);
  const auto alpha_string = Bits<Words>::load(list.alpha.strings, alpha);
  const int lane = lane_number();
  unsigned long long added = 0;
  const RunMember member = list.alpha.members[list.alpha.offsets[alpha] + (item - batch.own_begins[unit])];
  const double* c = list.coefficients + static_cast<std::int64_t>(member.row) * list.roots;
  const std::int64_t at = static_cast<std::int64_t>(member.other) * 8;
  const auto string = Bits<Words>::load(list.beta.strings, member.other);
  for (std::int64_t k = list.single_offsets[at] + slice * warp_size + lane; k < list.single_offsets[at + 1];
       k += slices * warp_size) {
    const std::uint32_t single = list.singles[k];
    const int h = static_cast<int>(single & 255U), p = static_cast<int>(single >> 8U & 255U);
    const std::int64_t hp = pair_of(h, p);
    double value = single_within_spin(list.beta, list.num_pairs, string, h, p);
    alpha_string.for_each(
        [&](int r) { value += list.between[std::int64_t{pair_of(r, r)} * list.num_pairs + hp]; });
    const auto target = string.flipped(h).flipped(p);
    if (fabs(value) <= list.threshold || !is_of_portion(list, batch, target)) continue;
    const std::int64_t slot = table.claim(
        batch.table, target, [&] { return energy_of_single(list.beta, list, member.other, h, p); });
    if (slot >= 0)
      add_to<Roots>(list, batch.table, slot, with_phase(value, (single >> 16U & 1U) != 0), c);
    else
      overflow(batch, unit);
    ++added;
  }
  __syncwarp();
  add_doubles<Words, Roots>(list, list.beta, lists[threadIdx.x / warp_size], member.other, table, batch, unit,
                            c, nullptr, 0, slice, slices, added);
  added = warp_total(added);
  if (lane == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// Likewise of the determinants of the batch's beta strings: alpha excitations within these.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    outside_kernel(const ListView list, const PartView part, const BatchView batch, int slices,
                   unsigned long long* __restrict__ contributions) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t item = batch.first_item + warp_number() / slices;
  if (item >= batch.last_item) return;
  const auto slice = static_cast<int>(warp_number() % slices);
  const RunMember member = list.beta.members[item];
  if (part.outside[member.other] == 0) return;
  const std::int64_t unit = last_before(list.beta.offsets + batch.first, 0, batch.count - 1, item);
  if (batch.slots[unit] == batch.slots[unit + 1]) return;  // not of the sample
  const UnitTable<Words> table(list, batch, unit);
  const double* c = list.coefficients + static_cast<std::int64_t>(member.row) * list.roots;
  unsigned long long added = 0;
  add_doubles<Words, Roots>(list, list.alpha, lists[threadIdx.x / warp_size], member.other, table, batch,
                            unit, c, part.inside, part.inside_begins[member.other], slice, slices, added);
  added = warp_total(added);
  if (lane_number() == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// As own_kernel, a thread for each determinant.
template <int Words>
__global__ void __launch_bounds__(threads)
    remove_kernel(const ListView list, const PartView part, const BatchView batch) {
  const std::int64_t item = thread_number();
  if (item >= batch.own_items) return;
  const std::int64_t unit = last_before(batch.own_begins, 0, batch.count - 1, item);
  const std::int64_t first = list.alpha.offsets[part.own[batch.first + unit]];
  const std::int32_t beta = list.alpha.members[first + (item - batch.own_begins[unit])].other;
  const UnitTable<Words> table(list, batch, unit);
  const std::int64_t slot = table.find(batch.table, Bits<Words>::load(list.beta.strings, beta));
  if (slot >= 0) batch.table.energies[slot] = removed();
}

unsigned blocks_of_warps(std::int64_t count) { return static_cast<unsigned>((count + warps - 1) / warps); }

/// Warps that the device runs at a time, about.
std::int64_t warps_at_a_time() {
  constexpr int blocks_each = 6;
  return std::int64_t{blocks_each} * warps * multiprocessors();
}

/// Warps that share each piece of work, so that all of the device has some, and no warp too little.
/// @param contributions  of all pieces
int slices_for(std::int64_t pieces, double contributions) {
  constexpr int rounds = 4, most = 256;
  constexpr double least = 4.0 * at_a_time;
  const double wanted = static_cast<double>(rounds * warps_at_a_time()) / static_cast<double>(pieces);
  const double worth = contributions / least / static_cast<double>(pieces);
  return static_cast<int>(std::clamp(std::min(wanted, worth), 1.0, double{most}));
}

unsigned long long* contributions_of(const ListView& list, const TotalsView& totals) {
  return totals.values == nullptr ? nullptr : totals.values + list.roots * TotalsView::per_root + 2;
}

}  // namespace

template <int Words>
void launch_describe_units(const Stream& stream, const ListView& list, const BatchView& batch) {
  Launch{stream, blocks_of_warps(batch.count), threads}(units_kernel<Words>, list, batch);
}

template <int Words>
void launch_add_sources(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, double expected, std::int64_t chunk,
                        const TotalsView& totals) {
  constexpr std::int64_t least = warp_size, most = 16 * warp_size, rounds = 16;
  const std::int64_t items = batch.last_item - batch.first_item;
  if (items == 0) return;
  if (chunk == 0) chunk = items / (rounds * warps_at_a_time());
  chunk = std::clamp((chunk + warp_size - 1) / warp_size * warp_size, least, most);
  const std::int64_t chunks = (items + chunk - 1) / chunk;
  const int slices = slices_for(chunks, expected);
  Launch{stream, blocks_of_warps(chunks * slices), threads}(
      list.roots == 1 ? sources_kernel<Words, 1> : sources_kernel<Words, 0>, list, part, batch, chunk, slices,
      contributions_of(list, totals));
}

template <int Words>
void launch_add_own(const Stream& stream, const ListView& list, const PartView& part, const BatchView& batch,
                    const TotalsView& totals) {
  if (batch.own_items == 0) return;
  const int slices = slices_for(batch.own_items, part.mean_doubles * static_cast<double>(batch.own_items));
  Launch{stream, blocks_of_warps(batch.own_items * slices), threads}(
      list.roots == 1 ? own_kernel<Words, 1> : own_kernel<Words, 0>, list, part, batch, slices,
      contributions_of(list, totals));
}

template <int Words>
void launch_add_outside(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, double expected, const TotalsView& totals) {
  const std::int64_t items = batch.last_item - batch.first_item;
  if (items == 0) return;
  const int slices = slices_for(items, expected);
  Launch{stream, blocks_of_warps(items * slices), threads}(
      list.roots == 1 ? outside_kernel<Words, 1> : outside_kernel<Words, 0>, list, part, batch, slices,
      contributions_of(list, totals));
}

template <int Words>
void launch_remove_listed(const Stream& stream, const ListView& list, const PartView& part,
                          const BatchView& batch) {
  Launch{stream, static_cast<unsigned>((batch.own_items + threads - 1) / threads), threads}(
      remove_kernel<Words>, list, part, batch);
}

#define INSTANTIATE(W)                                                                                   \
  template void launch_describe_units<W>(const Stream&, const ListView&, const BatchView&);              \
  template void launch_add_sources<W>(const Stream&, const ListView&, const PartView&, const BatchView&, \
                                      double, std::int64_t, const TotalsView&);                          \
  template void launch_add_own<W>(const Stream&, const ListView&, const PartView&, const BatchView&,     \
                                  const TotalsView&);                                                    \
  template void launch_add_outside<W>(const Stream&, const ListView&, const PartView&, const BatchView&, \
                                      double, const TotalsView&);                                        \
  template void launch_remove_listed<W>(const Stream&, const ListView&, const PartView&, const BatchView&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
