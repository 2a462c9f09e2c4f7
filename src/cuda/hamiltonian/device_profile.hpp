// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cisolve::cuda {

/// What plans of direct products depend on that differs from card to card: its sizes, and figures by which ways of
/// doing the same are compared. Needs no device; of the one at hand: `profile_of_device`.
///
/// Figures of Hopper (H100, H200) were measured on an H200 (docs/performance.md); those of other cards are the vendor's,
/// with the share of them that Hopper reaches. A figure that is off costs time, never correctness.
struct DeviceProfile {
  std::string name;
  int compute_major = 0, compute_minor = 0;  ///< compute capability
  std::int64_t memory = 0;                   ///< bytes
  std::int64_t shared_memory = 0;            ///< of a multiprocessor, bytes
  std::int64_t shared_memory_of_system =
      1024;  ///< what the system takes of it for each block of threads, bytes

  /// Rates by which dense, projected and sparse same-spin parts are compared.
  struct Rates {
    double dense;        ///< multiplications and additions per second in large dense products
    double small_dense;  ///< in small ones
    double memory;       ///< bytes per second of device memory
    double cache;        ///< bytes per second of the second-level cache
  } rates{};

  /// Device memory that a direct product takes to save time, bytes.
  struct Budgets {
    std::int64_t dense_matrices;           ///< of same-spin classes
    std::int64_t panel_matrices;           ///< of same-spin panels
    std::int64_t intermediates;            ///< of projections, always allowed
    std::int64_t preferred_intermediates;  ///< of projections, for wider strips than the narrowest
    std::int64_t packs;                    ///< of what can be made once instead of in every product
  } budgets{};

  /// Smallest same-spin class that is worth a dense matrix, and the least share of its elements that are not zero.
  struct DenseLimits {
    std::int32_t size;
    double share;
  } dense{};

  /// Costs and limits of opposite-spin sums. Time is in multiplications of a warp with eight pairs rs.
  struct OppositeCosts {
    double tile_loads;        ///< loading what a warp multiplies with eight pairs
    double tile_stores;       ///< storing what results
    double same_spin;         ///< a string's same-spin excitations per column, in products with t
    std::int64_t least_rows;  ///< rows are long if fewer of them would fit into shared memory
    double least_pairs;       ///< or if fewer pairs rs at a time fit,
    double
        least_share;  ///< and a smaller share of those that are wanted; what two blocks of threads must have
    std::int64_t least_factors;  ///< elements of factors that a block of threads holds at least
    std::int32_t
        enough_pairs;  ///< fewest pairs rs at a time for which a long row of y is kept in shared memory
  } opposite{};
};

/// Cards that are known by name: "H200", "H100", "A100", "RTX 3070".
std::span<const DeviceProfile> device_profiles();

/// The profile of that name.
/// @throws InputError if there is none; it names those that there are
const DeviceProfile& device_profile(std::string_view name);

/// The profile to plan by for a device that isn't there and of which only the memory is known: that of the card whose
/// memory is nearest, with `memory` instead of its own.
/// @param memory  bytes
DeviceProfile device_profile_for(std::int64_t memory);

/// The profile of a card by what the driver says of it, with the figures of the named card that is most like it: from
/// compute capability 9.0 on H200, below A100; RTX 3070 where double precision is slow, that is, of capabilities with a
/// minor number and from 12.0 on.
/// @param memory, shared_memory  bytes, shared memory that of a multiprocessor
DeviceProfile device_profile_of(std::string name, int compute_major, int compute_minor, std::int64_t memory,
                                std::int64_t shared_memory);

/// The profile of the current device.
/// @throws CudaError if there is none
DeviceProfile profile_of_device();

}  // namespace cisolve::cuda
