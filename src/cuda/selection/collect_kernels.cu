// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/core/device_info.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/unit_table.cuh"
#include "cuda/selection/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// A sum as two integers.
struct Fixed {
  long long high = 0, low = 0;

  __device__ void operator+=(const Fixed& other) {
    high += other.high;
    low += other.low;
  }
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

constexpr int slots_per_chunk = 128;  // tables have a multiple of that

/// What a warp has added up. With one root lanes keep sums of their own to the end; else the warp's are in shared memory.
template <int Roots>
class WarpTotals {
public:
  __device__ WarpTotals(unsigned long long* shared, int roots)
      : values_(roots * TotalsView::per_root),
        mine_(shared + static_cast<std::int64_t>(threadIdx.x / warp_size) * values_) {
    for (int k = lane_number(); k < values_; k += warp_size) mine_[k] = 0;
    __syncwarp();
  }

  /// By all lanes together.
  __device__ void add(int root, const Fixed& energy, const Fixed& variance) {
    if constexpr (Roots == 1) {
      energy_ += energy;
      variance_ += variance;
    } else {
      add_of_warp(root, energy, variance);
    }
  }

  /// Begins anew, too.
  __device__ void add_to(unsigned long long* totals) {
    if constexpr (Roots == 1) add_of_warp(0, energy_, variance_);
    energy_ = variance_ = {};
    __syncwarp();
    for (int k = lane_number(); k < values_; k += warp_size) {
      if (mine_[k] != 0) atomicAdd(totals + k, mine_[k]);
      mine_[k] = 0;
    }
    __syncwarp();
  }

private:
  __device__ void add_of_warp(int root, const Fixed& energy, const Fixed& variance) {
    const unsigned long long sums[] = {warp_total(static_cast<unsigned long long>(energy.high)),
                                       warp_total(static_cast<unsigned long long>(energy.low)),
                                       warp_total(static_cast<unsigned long long>(variance.high)),
                                       warp_total(static_cast<unsigned long long>(variance.low))};
    if (lane_number() != 0) return;
    for (int q = 0; q < TotalsView::per_root; ++q) mine_[root * TotalsView::per_root + q] += sums[q];
  }

  int values_;
  unsigned long long* mine_;
  Fixed energy_, variance_;
};

/// Energy of a string by itself, hartree, the same to the last bit whatever led to it.
template <int Words>
__device__ double string_energy(const SpinView& spin, std::uint32_t num_pairs, const Bits<Words>& string) {
  double energy = 0.0;
  string.for_each([&](int q) {
    const std::int64_t qq = pair_of(q, q);
    double of_pairs = 0.0;
    string.for_each([&](int r) {
      const std::int64_t qr = pair_of(q, r);
      if (r < q) of_pairs += spin.within[qq * num_pairs + pair_of(r, r)] - spin.within[qr * num_pairs + qr];
    });
    energy += spin.one[qq] + of_pairs;
  });
  return energy;
}

/// Warps take chunks of slots that follow each other.
template <int Words, int Roots, Collected What>
__global__ void __launch_bounds__(threads)
    collect_kernel(const ListView list, const BatchView batch, std::int64_t first, std::int64_t last,
                   const double* __restrict__ energies, const TotalsView totals, const ChoiceView choice) {
  if (batch.externals[batch.count] != 0) return;  // a table overflowed: all is done again
  constexpr bool sum = What != Collected::chosen, of_units = What == Collected::totals_of_units;
  constexpr bool choose = What == Collected::chosen || What == Collected::totals_and_histogram;
  const double threshold = choose ? *choice.threshold : 0.0;
  extern __shared__ unsigned long long warp_totals[];  // [warps][roots * per_root]
  const int lane = lane_number(), roots = Roots == 1 ? 1 : list.roots;
  WarpTotals<Roots> mine(warp_totals, roots);
  long long externals = 0, intruders = 0;
  const std::int64_t chunks = (last - first) / slots_per_chunk, all_warps = std::int64_t{gridDim.x} * warps;
  const std::int64_t each = (chunks + all_warps - 1) / all_warps * slots_per_chunk;
  const std::int64_t begin = first + warp_number() * each, end = begin + each < last ? begin + each : last;
  std::int64_t unit = begin < end ? last_before(batch.slots, 0, batch.count - 1, begin) : 0;
  unsigned of_unit = 0;
  const auto leave_unit = [&] {
    if (sum && lane == 0 && of_unit > 0) atomicAdd(batch.externals + unit, of_unit);
    if (of_units && of_unit > 0) mine.add_to(batch.totals + unit * roots * TotalsView::per_root);
    of_unit = 0;
  };
  std::int64_t end_of_unit = batch.slots[unit + 1];
  auto unit_string = Bits<Words>::load(batch.strings, batch.first + unit);
  for (std::int64_t row = begin; row < end; row += warp_size) {
    if (row >= end_of_unit) {
      leave_unit();
      do end_of_unit = batch.slots[++unit + 1];
      while (row >= end_of_unit);
      unit_string = Bits<Words>::load(batch.strings, batch.first + unit);
    }
    const std::int64_t slot = row + lane;
    const std::uint64_t key = batch.table.keys[slot];
    const double energy = key != list.none ? batch.table.energies[slot] : removed();
    const bool is_external = energy != removed();
    const unsigned met = __ballot_sync(all_lanes, is_external);
    if (met == 0) continue;
    of_unit += static_cast<unsigned>(__popc(met));
    Bits<Words> string{};
    double diagonal = batch.energies[unit];
    if (is_external) {
      const double* field = batch.fields + unit * list.num_orbitals;
      if constexpr (Words == 1)
        string.words[0] = key;
      else
        string = Bits<Words>::load(batch.table.strings, slot);
      diagonal +=
          of_units ? string_energy(batch.is_alpha ? list.beta : list.alpha, list.num_pairs, string) : energy;
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
          if constexpr (choose) measure = fmax(measure, (choice.by_amplitude ? fabs(h) : square) / fabs(gap));
        }
      }
      if constexpr (sum) mine.add(root, of_energy, of_variance);
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
  if constexpr (!sum) return;
  leave_unit();
  if constexpr (!of_units) mine.add_to(totals.values);
  unsigned long long* others = totals.values + roots * TotalsView::per_root;
  add_total(others, externals);
  add_total(others + 1, intruders);
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

}  // namespace

template <int Words>
void launch_collect(const Stream& stream, const ListView& list, const BatchView& batch, std::int64_t first,
                    std::int64_t last, const double* energies, Collected what, const TotalsView& totals,
                    const ChoiceView& choice) {
  constexpr std::int64_t blocks_each = 8;
  const std::int64_t chunks = (last - first) / slots_per_chunk;
  const std::int64_t blocks = (chunks + warps - 1) / warps, most = blocks_each * multiprocessors();
  const std::size_t shared =
      sizeof(unsigned long long) * warps * TotalsView::per_root * static_cast<std::size_t>(list.roots);
  const Launch launch{stream, static_cast<unsigned>(blocks < most ? blocks : most), threads, shared};
  constexpr auto all = Collected::totals, of_units = Collected::totals_of_units,
                 with_histogram = Collected::totals_and_histogram;
  const bool is_one = list.roots == 1;
  launch(what == all        ? is_one ? collect_kernel<Words, 1, all> : collect_kernel<Words, 0, all>
                : what == of_units ? is_one ? collect_kernel<Words, 1, of_units> : collect_kernel<Words, 0, of_units>
                : what == with_histogram
             ? is_one ? collect_kernel<Words, 1, with_histogram> : collect_kernel<Words, 0, with_histogram>
             : collect_kernel<Words, 0, Collected::chosen>,
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

#define INSTANTIATE(W)                                                                            \
  template void launch_collect<W>(const Stream&, const ListView&, const BatchView&, std::int64_t, \
                                  std::int64_t, const double*, Collected, const TotalsView&,      \
                                  const ChoiceView&);                                             \
  template void launch_keep_above<W>(const Stream&, const ChoiceView&, std::int64_t, const ChoiceView&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
