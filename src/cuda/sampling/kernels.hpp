// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/core/stream.hpp"
#include "cuda/sampling/engine.hpp"
#include "cuda/sampling/views.hpp"

namespace cisolve::cuda::sampling {

/// Bytes of a chain's places, aligned to 16, with the fields of a Jastrow factor or without.
CISOLVE_HOST_DEVICE constexpr std::size_t places_bytes(int sites, bool has_fields) {
  const auto count = static_cast<std::size_t>(sites);
  return (4 * count * sizeof(Site) + 15) / 16 * 16 + (has_fields ? 2 * count * sizeof(double) : 0);
}

/// A kernel that walks; which depends on the state and the size of its tables.
class WalkKernel {
public:
  virtual ~WalkKernel() = default;
  virtual const char* name() const = 0;
  /// Of the tables of a chain in device memory.
  virtual std::int64_t table_doubles(const WalkView& walk) const = 0;
  /// Groups of threads that are on the current device together, each of which needs scratch.
  virtual int groups(const Setup& setup) const = 0;
  virtual void launch(const Stream& stream, const Setup& setup, const BlockOrder& order, const SumsView& sums,
                      const SegmentQueue& queue) const = 0;
};

std::unique_ptr<WalkKernel> plain_kernel(bool is_sea);
/// A warp for each chain, up to 32 sites.
std::unique_ptr<WalkKernel> small_kernel();
/// A block for each chain, whose table is in shared memory; up to 160 sites.
std::unique_ptr<WalkKernel> shared_kernel(int sites);
/// A block of so many threads, 128 or 256, for each chain, whose table is in device memory.
/// @param bytes  of shared memory of each, on which depends how many are on a multiprocessor
std::unique_ptr<WalkKernel> delayed_kernel(int threads, std::size_t bytes);
/// Shared memory of the changes that wait in a delayed table and of all else that its chain has there, bytes.
std::size_t delayed_bytes(int sites, bool has_fields, int ranks);

/// Tables of all chains in device memory made from their places.
void launch_rebuild(const Stream& stream, const Setup& setup, EngineKind kind);
/// 1 / (|M|_1 |M^-1|_1) of each chain, of two determinants the smaller.
void launch_conditions(const Stream& stream, const Setup& setup, double* conditions);
/// Groups of threads of these two, each of which needs scratch.
int rebuild_groups(int chains);

}  // namespace cisolve::cuda::sampling
