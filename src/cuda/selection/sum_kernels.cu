// SPDX-License-Identifier: MIT
#include "cuda/core/launch.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/moves.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int warp_size = 32;
constexpr int warps = threads / warp_size;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ int lane_number() { return static_cast<int>(threadIdx.x % warp_size); }
__device__ std::int64_t warp_number() {
  return (static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x) / warp_size;
}

__device__ unsigned long long warp_total(unsigned long long value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(all_lanes, value, distance);
  return value;
}

/// The table of one unit.
template <int Words>
class UnitTable {
public:
  __device__ UnitTable(const ListView& list, const BatchView& batch, std::int64_t unit)
      : none_(list.none), first_(batch.slots[unit]),
        mask_(static_cast<std::uint64_t>(batch.slots[unit + 1] - batch.slots[unit] - 1)) {}
  __device__ UnitTable(std::uint64_t none, std::int64_t first, std::uint64_t mask)
      : none_(none), first_(first), mask_(mask) {}

  /// A search for a string that is under way: its first slot is being read.
  struct Search {
    std::uint64_t key, at, found;
  };

  __device__ Search begin(const SumTable& table, const Bits<Words>& string) const {
    Search search;
    search.key = key_of(string, none_);
    search.at = place_of(search.key) & mask_;
    search.found = read(table, search.at);
    return search;
  }

  /// Slot of a string, a new one where it has none, or below 0 where there is no room.
  /// @param energy  called for a new one
  template <class Energy>
  __device__ std::int64_t end(const SumTable& table, Search search, const Bits<Words>& string,
                              const Energy& energy) const {
    for (std::uint64_t probe = 0; probe <= mask_ && probe < most_probes; ++probe) {
      const std::int64_t slot = first_ + static_cast<std::int64_t>(search.at);
      if (search.found == none_) {
        search.found = atomicCAS(reinterpret_cast<unsigned long long*>(table.keys + slot), none_, search.key);
        if (search.found == none_) {
          table.energies[slot] = energy();
          if constexpr (Words > 1) string.store(table.strings, slot);
          return slot;
        }
      }
      if (search.found == search.key) return slot;
      search.at = (search.at + 1) & mask_;
      search.found = read(table, search.at);
    }
    return -1;
  }

  template <class Energy>
  __device__ std::int64_t claim(const SumTable& table, const Bits<Words>& string,
                                const Energy& energy) const {
    return end(table, begin(table, string), string, energy);
  }

  /// Slot of a string, or below 0.
  __device__ std::int64_t find(const SumTable& table, const Bits<Words>& string) const {
    const std::uint64_t key = key_of(string, none_);
    std::uint64_t at = place_of(key) & mask_;
    for (std::uint64_t probe = 0; probe <= mask_ && probe < most_probes; ++probe) {
      const std::int64_t slot = first_ + static_cast<std::int64_t>(at);
      if (table.keys[slot] == key) return slot;
      if (table.keys[slot] == none_) return -1;
      at = (at + 1) & mask_;
    }
    return -1;
  }

  __device__ std::int64_t first() const { return first_; }
  __device__ std::uint64_t mask() const { return mask_; }

private:
  static constexpr std::uint64_t most_probes = 256;  // in a table with room some ten are many

  __device__ std::uint64_t read(const SumTable& table, std::uint64_t at) const {
    return __ldcg(reinterpret_cast<const unsigned long long*>(table.keys + first_) + at);
  }

  std::uint64_t none_;
  std::int64_t first_;
  std::uint64_t mask_;
};

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

/// Number of the last of first .. last whose begin is not beyond `item`.
__device__ std::int64_t last_before(const std::int64_t* __restrict__ begins, std::int64_t first,
                                    std::int64_t last, std::int64_t item) {
  while (first < last) {
    const std::int64_t middle = (first + last + 1) / 2;
    if (begins[middle] <= item)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// Determinants of sources whose beta excitations a warp goes through, in shared memory.
struct WarpItems {
  std::int64_t single_begins[warp_size];  ///< in ListView::singles
  std::int64_t tables[warp_size];         ///< first slot of the unit's table
  std::int64_t coefficients[warp_size];   ///< where those of the determinant begin
  std::uint64_t masks[warp_size];
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
  next.item = item;
  next.value = with_phase(value, ((single >> 16U ^ pair >> 31U) & 1U) != 0);
  next.target =
      Bits<Words>::load(list.beta.strings, items.strings[item]).flipped(next.hole).flipped(next.particle);
  next.search =
      UnitTable<Words>(list.none, items.tables[item], items.masks[item]).begin(batch.table, next.target);
  return next;
}

template <int Words, int Roots>
__device__ void end_contribution(const ListView& list, const BatchView& batch, const WarpItems& items,
                                 const Waiting<Words>& waiting, unsigned long long& added) {
  if (waiting.item < 0) return;
  const UnitTable<Words> table(list.none, items.tables[waiting.item], items.masks[waiting.item]);
  const std::int64_t slot = table.end(batch.table, waiting.search, waiting.target, [&] {
    return energy_of_single(list.beta, list, items.strings[waiting.item], waiting.hole, waiting.particle);
  });
  if (slot >= 0)
    add_to<Roots>(list, batch.table, slot, waiting.value,
                  list.coefficients + items.coefficients[waiting.item]);
  else
    batch.overflows[items.units[waiting.item]] = 1;
  ++added;
}

/// Warps take chunks of items, which are the determinants of sources. First a lane does for each what leads to its own beta
/// string; then the beta excitations of 32 of them are shared out among all lanes.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    sources_kernel(const ListView list, const PartView part, const BatchView batch, std::int64_t chunk,
                   unsigned long long* __restrict__ contributions) {
  __shared__ WarpItems all_items[warps];
  WarpItems& items = all_items[threadIdx.x / warp_size];
  const int lane = lane_number();
  const std::int64_t begin = batch.first_item + warp_number() * chunk;
  const std::int64_t end = begin + chunk < batch.last_item ? begin + chunk : batch.last_item;
  if (begin >= end) return;
  unsigned long long added = 0;
  std::int64_t source = last_before(batch.item_begins, batch.first_source, batch.last_source - 1, begin);
  for (std::int64_t group = begin; group < end; group += warp_size) {
    // Sources have items, so that those of 32 items are 32 at most.
    const std::int64_t next = source + 1 + lane;
    const std::int64_t boundary = next <= batch.last_source ? batch.item_begins[next] : batch.last_item;
    const std::int64_t item = group + lane;
    int behind = 0;
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
    items.masks[lane] = table.mask();
    items.coefficients[lane] = coefficients;
    items.strings[lane] = beta;
    items.units[lane] = static_cast<std::int32_t>(unit);
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const std::int32_t before = __shfl_up_sync(all_lanes, count, distance);
      if (lane >= distance) count += before;
    }
    items.ends[lane] = count;
    const int total = __shfl_sync(all_lanes, count, warp_size - 1);
    __syncwarp();
    if (has_own) {
      const std::int64_t slot = table.claim(batch.table, Bits<Words>::load(list.beta.strings, beta),
                                            [&] { return list.beta.energies[beta]; });
      if (slot >= 0)
        add_to<Roots>(list, batch.table, slot, own_value, list.coefficients + coefficients);
      else
        batch.overflows[unit] = 1;
      ++added;
    }
    int at = 0;
    for (int k = lane; k < total; k += 2 * warp_size) {  // two at a time: each waits for memory
      const Waiting<Words> first = begin_contribution<Words>(list, batch, items, k, total, at);
      const Waiting<Words> second = begin_contribution<Words>(list, batch, items, k + warp_size, total, at);
      end_contribution<Words, Roots>(list, batch, items, first, added);
      end_contribution<Words, Roots>(list, batch, items, second, added);
    }
    source = __shfl_sync(all_lanes, own, warp_size - 1);
    __syncwarp();
  }
  added = warp_total(added);
  if (lane == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// Adds the double excitations of one string, of those that lead inside none.
/// @param inside  bits of those, or a null pointer: all are added
template <int Words, int Roots>
__device__ void add_doubles(const ListView& list, const SpinView& spin, OccupiedAndEmpty& orbitals,
                            std::int32_t number, const UnitTable<Words>& table, const BatchView& batch,
                            std::int64_t unit, const double* c, const std::uint32_t* inside,
                            std::int64_t inside_begin, unsigned long long& added) {
  const int lane = lane_number();
  const auto string = Bits<Words>::load(spin.strings, number);
  __syncwarp();
  orbitals.fill(string, list.num_orbitals, lane);
  const double* field = spin.fields + static_cast<std::int64_t>(number) * list.num_orbitals;
  const double energy = spin.energies[number];
  for_each_move(spin, orbitals, string, lane, [&](const Move<Words>& move) {
    if (inside != nullptr) {
      const std::int64_t bit = inside_begin + move.number;
      if ((inside[bit / 32] >> (bit % 32) & 1U) != 0) return;
    }
    const std::int64_t slot = table.claim(batch.table, move.target, [&] {
      return energy - field[move.h1] - field[move.h2] + field[move.p1] + field[move.p2] +
             spin.move_energies[move.at];
    });
    if (slot >= 0)
      add_to<Roots>(list, batch.table, slot, with_phase(spin.move_values[move.at], move.negative), c);
    else
      batch.overflows[unit] = 1;
    ++added;
  });
}

/// blockIdx.x: a unit; the warps of all blockIdx.y take its determinants in turn. Beta excitations within the unit.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    own_kernel(const ListView list, const PartView part, const BatchView batch,
               unsigned long long* __restrict__ contributions) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t unit = blockIdx.x;
  const std::int32_t alpha = part.own[batch.first + unit];
  if (alpha < 0) return;
  const UnitTable<Words> table(list, batch, unit);
  const auto alpha_string = Bits<Words>::load(list.alpha.strings, alpha);
  const int lane = lane_number(), warp = static_cast<int>(threadIdx.x / warp_size);
  unsigned long long added = 0;
  for (std::int64_t m = list.alpha.offsets[alpha] + static_cast<std::int64_t>(blockIdx.y) * warps + warp;
       m < list.alpha.offsets[alpha + 1]; m += static_cast<std::int64_t>(gridDim.y) * warps) {
    const RunMember member = list.alpha.members[m];
    const double* c = list.coefficients + static_cast<std::int64_t>(member.row) * list.roots;
    const std::int64_t at = static_cast<std::int64_t>(member.other) * 8;
    const auto string = Bits<Words>::load(list.beta.strings, member.other);
    for (std::int64_t k = list.single_offsets[at] + lane; k < list.single_offsets[at + 1]; k += warp_size) {
      const std::uint32_t single = list.singles[k];
      const int h = static_cast<int>(single & 255U), p = static_cast<int>(single >> 8U & 255U);
      const std::int64_t hp = pair_of(h, p);
      double value = single_within_spin(list.beta, list.num_pairs, string, h, p);
      alpha_string.for_each(
          [&](int r) { value += list.between[std::int64_t{pair_of(r, r)} * list.num_pairs + hp]; });
      if (fabs(value) <= list.threshold) continue;
      const std::int64_t slot = table.claim(batch.table, string.flipped(h).flipped(p), [&] {
        return energy_of_single(list.beta, list, member.other, h, p);
      });
      if (slot >= 0)
        add_to<Roots>(list, batch.table, slot, with_phase(value, (single >> 16U & 1U) != 0), c);
      else
        batch.overflows[unit] = 1;
      ++added;
    }
    add_doubles<Words, Roots>(list, list.beta, lists[warp], member.other, table, batch, unit, c, nullptr, 0,
                              added);
  }
  added = warp_total(added);
  if (lane == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// Likewise: alpha excitations within a beta string.
template <int Words, int Roots>
__global__ void __launch_bounds__(threads)
    outside_kernel(const ListView list, const PartView part, const BatchView batch,
                   unsigned long long* __restrict__ contributions) {
  __shared__ OccupiedAndEmpty lists[warps];
  const std::int64_t unit = blockIdx.x, beta = batch.first + unit;
  const UnitTable<Words> table(list, batch, unit);
  const int lane = lane_number(), warp = static_cast<int>(threadIdx.x / warp_size);
  unsigned long long added = 0;
  for (std::int64_t m = list.beta.offsets[beta] + static_cast<std::int64_t>(blockIdx.y) * warps + warp;
       m < list.beta.offsets[beta + 1]; m += static_cast<std::int64_t>(gridDim.y) * warps) {
    const RunMember member = list.beta.members[m];
    if (part.outside[member.other] == 0) continue;
    const double* c = list.coefficients + static_cast<std::int64_t>(member.row) * list.roots;
    add_doubles<Words, Roots>(list, list.alpha, lists[warp], member.other, table, batch, unit, c, part.inside,
                              part.inside_begins[member.other], added);
  }
  added = warp_total(added);
  if (lane == 0 && added > 0 && contributions != nullptr) atomicAdd(contributions, added);
}

/// Energies beyond all: the string was taken out.
__device__ double removed() { return __longlong_as_double(0x7ff0000000000000LL); }  // infinity

/// As own_kernel, a thread for each determinant.
template <int Words>
__global__ void __launch_bounds__(threads)
    remove_kernel(const ListView list, const PartView part, const BatchView batch) {
  const std::int64_t unit = blockIdx.x;
  const std::int32_t alpha = part.own[batch.first + unit];
  if (alpha < 0) return;
  const UnitTable<Words> table(list, batch, unit);
  for (std::int64_t m =
           list.alpha.offsets[alpha] + static_cast<std::int64_t>(blockIdx.y) * threads + threadIdx.x;
       m < list.alpha.offsets[alpha + 1]; m += static_cast<std::int64_t>(gridDim.y) * threads) {
    const std::int32_t beta = list.alpha.members[m].other;
    const std::int64_t slot = table.find(batch.table, Bits<Words>::load(list.beta.strings, beta));
    if (slot >= 0) batch.table.energies[slot] = removed();
  }
}

/// A sum as two integers.
struct Fixed {
  long long high = 0, low = 0;

  __device__ void add(double value) {
    const double of_high = rint(value * TotalsView::high_scale);
    high += __double2ll_rn(of_high);
    low += __double2ll_rn((value - of_high / TotalsView::high_scale) * TotalsView::low_scale);
  }
};

__device__ void add_total(unsigned long long* to, long long mine) {
  const unsigned long long sum = warp_total(static_cast<unsigned long long>(mine));
  if (lane_number() == 0 && sum != 0) atomicAdd(to, sum);
}

constexpr int slots_per_chunk = 128;  // of a warp; tables have as many slots, or more

/// Warps take chunks of slots.
template <int Words, Collected What>
__global__ void __launch_bounds__(threads)
    collect_kernel(const ListView list, const BatchView batch, std::int64_t first, std::int64_t last,
                   const double* __restrict__ energies, const TotalsView totals, const ChoiceView choice) {
  constexpr bool sum = What != Collected::chosen;
  double threshold = 0.0;
  if constexpr (What != Collected::totals) threshold = *choice.threshold;
  extern __shared__ unsigned long long warp_totals[];  // [warps][roots * per_root]
  const int lane = lane_number(), roots = list.roots;
  const int values = roots * TotalsView::per_root;
  unsigned long long* mine = warp_totals + static_cast<std::int64_t>(threadIdx.x / warp_size) * values;
  if constexpr (sum) {
    for (int k = lane; k < values; k += warp_size) mine[k] = 0;
    __syncwarp();
  }
  long long externals = 0, intruders = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * warps * slots_per_chunk;
  for (std::int64_t begin = first + warp_number() * slots_per_chunk; begin < last; begin += step) {
    const std::int64_t unit = last_before(batch.slots, 0, batch.count - 1, begin);
    if (batch.overflows[unit] != 0) continue;
    const auto unit_string = Bits<Words>::load(batch.strings, batch.first + unit);
    const double* field = batch.fields + unit * list.num_orbitals;
    for (int k = 0; k < slots_per_chunk / warp_size; ++k) {
      const std::int64_t slot = begin + static_cast<std::int64_t>(k) * warp_size + lane;
      const std::uint64_t key = batch.table.keys[slot];
      const double energy = key != list.none ? batch.table.energies[slot] : removed();
      const bool is_external = energy != removed();
      const unsigned met = __ballot_sync(all_lanes, is_external);
      if (met == 0) continue;
      if (sum && lane == 0) atomicAdd(batch.externals + unit, static_cast<unsigned>(__popc(met)));
      Bits<Words> string{};
      double diagonal = batch.energies[unit] + energy;
      if (is_external) {
        if constexpr (Words == 1)
          string.words[0] = key;
        else
          string = Bits<Words>::load(batch.table.strings, slot);
        string.for_each([&](int r) { diagonal += field[r]; });
        ++externals;
      }
      double measure = 0.0;
      for (int root = 0; root < roots; ++root) {
        Fixed of_energy, of_variance;
        if (is_external) {
          const double h =
              static_cast<double>(static_cast<long long>(batch.table.sums[slot * roots + root])) / list.scale;
          const double square = h * h, gap = energies[root] - diagonal;
          if (square > 0.0) {
            of_variance.add(square);
            of_energy.add(square / gap);
            intruders += gap >= 0.0 ? 1 : 0;
            if constexpr (What != Collected::totals)
              measure = fmax(measure, (choice.by_amplitude ? fabs(h) : square) / fabs(gap));
          }
        }
        if constexpr (!sum) continue;
        const unsigned long long sums[] = {warp_total(static_cast<unsigned long long>(of_energy.high)),
                                           warp_total(static_cast<unsigned long long>(of_energy.low)),
                                           warp_total(static_cast<unsigned long long>(of_variance.high)),
                                           warp_total(static_cast<unsigned long long>(of_variance.low))};
        if (lane == 0) {
          for (int q = 0; q < TotalsView::per_root; ++q) mine[root * TotalsView::per_root + q] += sums[q];
        }
      }
      if (!(measure > threshold)) continue;
      if constexpr (What == Collected::totals_and_histogram)
        atomicAdd(choice.histogram + (__double_as_longlong(measure) >> ChoiceView::bin_shift), 1ULL);
      if constexpr (What == Collected::chosen) {
        const auto at = static_cast<std::int64_t>(atomicAdd(choice.count, 1ULL));
        (batch.is_alpha ? unit_string : string).store(choice.determinants, 2 * at);
        (batch.is_alpha ? string : unit_string).store(choice.determinants, 2 * at + 1);
        choice.measures[at] = measure;
      }
    }
  }
  if constexpr (!sum) return;
  __syncwarp();
  for (int k = lane; k < values; k += warp_size) {
    if (mine[k] != 0) atomicAdd(totals.values + k, mine[k]);
  }
  add_total(totals.values + values, externals);
  add_total(totals.values + values + 1, intruders);
}

constexpr int raising_threads = 1024;

/// One block. Threads count bins of their own, from the top on; the one in whose bins `most` is reached knows the bin.
__global__ void __launch_bounds__(raising_threads)
    raise_kernel(const ChoiceView choice, unsigned long long most, double tolerance) {
  constexpr int bins_each = ChoiceView::bins / raising_threads;
  __shared__ unsigned long long counts[raising_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int top = ChoiceView::bins - 1 - thread * bins_each;
  unsigned long long own = 0;
  for (int k = 0; k < bins_each; ++k) own += choice.histogram[top - k];
  counts[thread] = own;
  __syncthreads();
  for (int distance = 1; distance < raising_threads; distance *= 2) {
    const unsigned long long before = thread >= distance ? counts[thread - distance] : 0;
    __syncthreads();
    counts[thread] += before;
    __syncthreads();
  }
  unsigned long long count = counts[thread] - own;
  if (count >= most || counts[thread] < most) return;
  for (int bin = top;; --bin) {
    count += choice.histogram[bin];
    if (count < most) continue;
    const double edge = __longlong_as_double(static_cast<long long>(bin) << ChoiceView::bin_shift);
    *choice.threshold = fmax(*choice.threshold, edge * (1.0 - tolerance));
    return;
  }
}

template <int Words>
__global__ void __launch_bounds__(threads)
    keep_kernel(const ChoiceView from, std::int64_t count, const ChoiceView to) {
  const std::int64_t k =
      static_cast<std::int64_t>(blockIdx.x) * threads + static_cast<std::int64_t>(threadIdx.x);
  if (k >= count || !(from.measures[k] > *from.threshold)) return;
  const auto at = static_cast<std::int64_t>(atomicAdd(to.count, 1ULL));
  Bits<Words>::load(from.determinants, 2 * k).store(to.determinants, 2 * at);
  Bits<Words>::load(from.determinants, 2 * k + 1).store(to.determinants, 2 * at + 1);
  to.measures[at] = from.measures[k];
}

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// A grid of units by so many blocks for each as its determinants need.
dim3 grid_of(const BatchView& batch, std::int64_t most_members, int members_per_block) {
  constexpr std::int64_t most = 1024;
  const std::int64_t slices = (most_members + members_per_block - 1) / members_per_block;
  return {static_cast<unsigned>(batch.count), static_cast<unsigned>(slices < 1      ? 1
                                                                    : slices > most ? most
                                                                                    : slices)};
}

unsigned long long* contributions_of(const ListView& list, const TotalsView& totals) {
  return totals.values == nullptr ? nullptr : totals.values + list.roots * TotalsView::per_root + 2;
}

}  // namespace

template <int Words>
void launch_describe_units(const Stream& stream, const ListView& list, const BatchView& batch) {
  Launch{stream, static_cast<unsigned>((batch.count + warps - 1) / warps), threads}(units_kernel<Words>, list,
                                                                                    batch);
}

template <int Words>
void launch_add_sources(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, const TotalsView& totals) {
  constexpr std::int64_t least = warp_size, most = 16 * warp_size, rounds = 16, blocks_each = 6;
  const std::int64_t items = batch.last_item - batch.first_item;
  if (items == 0) return;
  const std::int64_t all_warps = rounds * blocks_each * warps * multiprocessors();
  std::int64_t chunk = (items / all_warps + warp_size - 1) / warp_size * warp_size;
  chunk = chunk < least ? least : chunk > most ? most : chunk;
  const std::int64_t chunks = (items + chunk - 1) / chunk;
  const Launch launch{stream, static_cast<unsigned>((chunks + warps - 1) / warps), threads};
  launch(list.roots == 1 ? sources_kernel<Words, 1> : sources_kernel<Words, 0>, list, part, batch, chunk,
         contributions_of(list, totals));
}

template <int Words>
void launch_add_own(const Stream& stream, const ListView& list, const PartView& part, const BatchView& batch,
                    std::int64_t most_members, const TotalsView& totals) {
  if (most_members == 0) return;
  Launch{stream, grid_of(batch, most_members, warps), threads}(
      list.roots == 1 ? own_kernel<Words, 1> : own_kernel<Words, 0>, list, part, batch,
      contributions_of(list, totals));
}

template <int Words>
void launch_add_outside(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, std::int64_t most_members, const TotalsView& totals) {
  Launch{stream, grid_of(batch, most_members, warps), threads}(
      list.roots == 1 ? outside_kernel<Words, 1> : outside_kernel<Words, 0>, list, part, batch,
      contributions_of(list, totals));
}

template <int Words>
void launch_remove_listed(const Stream& stream, const ListView& list, const PartView& part,
                          const BatchView& batch, std::int64_t most_members) {
  if (most_members == 0) return;
  Launch{stream, grid_of(batch, most_members, threads), threads}(remove_kernel<Words>, list, part, batch);
}

template <int Words>
void launch_collect(const Stream& stream, const ListView& list, const BatchView& batch, std::int64_t first,
                    std::int64_t last, const double* energies, Collected what, const TotalsView& totals,
                    const ChoiceView& choice) {
  constexpr std::int64_t blocks_each = 8;
  const std::int64_t chunks = (last - first + slots_per_chunk - 1) / slots_per_chunk;
  const std::int64_t blocks = (chunks + warps - 1) / warps, most = blocks_each * multiprocessors();
  const std::size_t shared =
      sizeof(unsigned long long) * warps * TotalsView::per_root * static_cast<std::size_t>(list.roots);
  const Launch launch{stream, static_cast<unsigned>(blocks < most ? blocks : most), threads, shared};
  launch(what == Collected::totals   ? collect_kernel<Words, Collected::totals>
         : what == Collected::chosen ? collect_kernel<Words, Collected::chosen>
                                     : collect_kernel<Words, Collected::totals_and_histogram>,
         list, batch, first, last, energies, totals, choice);
}

void launch_raise_threshold(const Stream& stream, const ChoiceView& choice, std::int64_t most,
                            double tolerance) {
  Launch{stream, 1, raising_threads}(raise_kernel, choice, static_cast<unsigned long long>(most), tolerance);
}

template <int Words>
void launch_keep_above(const Stream& stream, const ChoiceView& from, std::int64_t count,
                       const ChoiceView& to) {
  Launch{stream, static_cast<unsigned>((count + threads - 1) / threads), threads}(keep_kernel<Words>, from,
                                                                                  count, to);
}

#define INSTANTIATE(W)                                                                                     \
  template void launch_describe_units<W>(const Stream&, const ListView&, const BatchView&);                \
  template void launch_add_sources<W>(const Stream&, const ListView&, const PartView&, const BatchView&,   \
                                      const TotalsView&);                                                  \
  template void launch_add_own<W>(const Stream&, const ListView&, const PartView&, const BatchView&,       \
                                  std::int64_t, const TotalsView&);                                        \
  template void launch_add_outside<W>(const Stream&, const ListView&, const PartView&, const BatchView&,   \
                                      std::int64_t, const TotalsView&);                                    \
  template void launch_remove_listed<W>(const Stream&, const ListView&, const PartView&, const BatchView&, \
                                        std::int64_t);                                                     \
  template void launch_collect<W>(const Stream&, const ListView&, const BatchView&, std::int64_t,          \
                                  std::int64_t, const double*, Collected, const TotalsView&,               \
                                  const ChoiceView&);                                                      \
  template void launch_keep_above<W>(const Stream&, const ChoiceView&, std::int64_t, const ChoiceView&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
