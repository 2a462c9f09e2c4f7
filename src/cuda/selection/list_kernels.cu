// SPDX-License-Identifier: MIT
#include <cub/device/device_scan.cuh>

#include "cuda/core/launch.cuh"
#include "cuda/core/sums.cuh"
#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;
constexpr int irreps = 8;

unsigned blocks_of(std::int64_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }

/// A warp for each string.
template <int Words>
__global__ void __launch_bounds__(threads)
    describe_kernel(const SpinView spin, int n, double* __restrict__ energies, double* __restrict__ fields) {
  const std::int64_t s = warp_number();
  if (s >= spin.size) return;
  const auto string = Bits<Words>::load(spin.strings, s);
  const std::int64_t num_pairs = static_cast<std::int64_t>(n) * (n + 1) / 2;
  double energy = 0.0;
  for (int q = lane_number(); q < n; q += warp_size) {
    const std::uint32_t qq = pair_of(q, q);
    double field = spin.one[qq];
    string.for_each([&](int r) {
      const std::uint32_t qr = pair_of(q, r);
      field += spin.within[qq * num_pairs + pair_of(r, r)] - spin.within[qr * num_pairs + qr];
    });
    fields[s * n + q] = field;
    if (string.test(q)) energy += 0.5 * (spin.one[qq] + field);
  }
  energy = warp_sum(energy);
  if (lane_number() == 0) energies[s] = energy;
}

/// visit(hole, particle, irrep) for all single excitations.
template <int Words, class Visit>
__device__ void for_each_single(const Bits<Words>& string, const ListView& list, const Visit& visit) {
  string.for_each([&](int h) {
    for (int p = 0; p < list.num_orbitals; ++p) {
      if (!string.test(p)) visit(h, p, list.irreps[h] ^ list.irreps[p]);
    }
  });
}

template <int Words>
__global__ void __launch_bounds__(threads) count_singles_kernel(const ListView list, std::int64_t* counts) {
  const std::int64_t s = thread_number();
  if (s >= list.beta.size) return;
  const auto string = Bits<Words>::load(list.beta.strings, s);
  for_each_single(string, list, [&](int, int, int irrep) { ++counts[s * irreps + irrep]; });
}

template <int Words>
__global__ void __launch_bounds__(threads) list_singles_kernel(const ListView list, std::uint32_t* singles) {
  const std::int64_t s = thread_number();
  if (s >= list.beta.size) return;
  const auto string = Bits<Words>::load(list.beta.strings, s);
  int next[irreps] = {};
  for_each_single(string, list, [&](int h, int p, int irrep) {
    // Electrons between the two: the hole is below the particle itself in one of the cases.
    const bool negative = string.parity(h) ^ string.parity(p) ^ (h < p);
    singles[list.single_offsets[s * irreps + irrep] + next[irrep]++] =
        static_cast<std::uint32_t>(h | p << 8 | static_cast<int>(negative) << 16);
  });
}

/// A warp for each alpha string.
__global__ void __launch_bounds__(threads)
    count_contributions_kernel(const ListView list, std::int64_t* contributions) {
  const std::int64_t s = warp_number();
  if (s >= list.alpha.size) return;
  const int lane = lane_number();
  const int irrep = lane % irreps;
  constexpr int side_by_side = warp_size / irreps;
  long long sum = 0;
  for (std::int64_t m = list.alpha.offsets[s] + lane / irreps; m < list.alpha.offsets[s + 1];
       m += side_by_side) {
    const std::int64_t at = static_cast<std::int64_t>(list.alpha.members[m].other) * irreps + irrep;
    sum += list.single_offsets[at + 1] - list.single_offsets[at];
  }
  for (int distance = warp_size / 2; distance >= irreps; distance /= 2)
    sum += __shfl_down_sync(all_lanes, sum, distance);
  if (lane < irreps) contributions[s * irreps + irrep] = sum;
}

template <int Words>
__global__ void __launch_bounds__(threads) count_moves_kernel(const SpinView spin, std::int64_t* counts) {
  const std::int64_t s = thread_number();
  if (s >= spin.size) return;
  const auto string = Bits<Words>::load(spin.strings, s);
  std::int64_t count = 0;
  string.for_each([&](int h2) {
    string.for_each([&](int h1) {
      const std::int64_t at = static_cast<std::int64_t>(h2) * (h2 - 1) / 2 + h1;
      if (h1 < h2) count += spin.move_offsets[at + 1] - spin.move_offsets[at];
    });
  });
  counts[s] = count;
}

}  // namespace

void exclusive_sum(const Stream& stream, std::int64_t* counts, std::int64_t size,
                   DeviceArray<std::byte>& workspace) {
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, counts, size, stream.get()));
  grow(workspace, bytes);
  check(cub::DeviceScan::ExclusiveSum(workspace.data(), bytes, counts, counts, size, stream.get()));
}

template <int Words>
void launch_describe_strings(const Stream& stream, const SpinView& spin, int num_orbitals, double* energies,
                             double* fields) {
  Launch{stream, blocks_of(std::int64_t{spin.size} * warp_size), threads}(describe_kernel<Words>, spin,
                                                                          num_orbitals, energies, fields);
}

template <int Words>
void launch_count_singles(const Stream& stream, const ListView& list, std::int64_t* counts) {
  Launch{stream, blocks_of(list.beta.size), threads}(count_singles_kernel<Words>, list, counts);
}

template <int Words>
void launch_list_singles(const Stream& stream, const ListView& list, std::uint32_t* singles) {
  Launch{stream, blocks_of(list.beta.size), threads}(list_singles_kernel<Words>, list, singles);
}

void launch_count_contributions(const Stream& stream, const ListView& list, std::int64_t* contributions) {
  Launch{stream, blocks_of(std::int64_t{list.alpha.size} * warp_size), threads}(count_contributions_kernel,
                                                                                list, contributions);
}

template <int Words>
void launch_count_moves(const Stream& stream, const SpinView& spin, std::int64_t* counts) {
  Launch{stream, blocks_of(spin.size), threads}(count_moves_kernel<Words>, spin, counts);
}

#define INSTANTIATE(W)                                                                             \
  template void launch_describe_strings<W>(const Stream&, const SpinView&, int, double*, double*); \
  template void launch_count_singles<W>(const Stream&, const ListView&, std::int64_t*);            \
  template void launch_list_singles<W>(const Stream&, const ListView&, std::uint32_t*);            \
  template void launch_count_moves<W>(const Stream&, const SpinView&, std::int64_t*);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
