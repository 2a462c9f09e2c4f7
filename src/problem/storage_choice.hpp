// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/formats.hpp"

namespace cisolve {

/// Rates at which a device streams a matrix in a product of one vector, bytes per second. Only their ratio
/// decides; measured on an H200 (docs/performance.md).
struct StorageRates {
  double plain = 4.2e12;  ///< 12-byte nonzeros: limited by the device's memory
  double coded = 3.4e12;  ///< of its fewer bytes: limited by how x and the dictionary are read, too
  /// Largest dictionary that a block has in shared memory beside its sums; beyond, nothing is known.
  std::int64_t most_values = 27'000;
};

/// What hamiltonian.storage = "auto" stores on a GPU: of hybrid and coded, the one whose product is expected to be
/// faster, bytes over rate; the smaller where the faster does not fit.
/// @param hybrid_bytes, coded_bytes  that the matrix would take
/// @param num_values                 distinct magnitudes of its coded elements
/// @param room                       bytes that the device has for it
const StorageFormat& best_on_cuda(std::int64_t hybrid_bytes, std::int64_t coded_bytes,
                                  std::int64_t num_values, std::int64_t room, const StorageRates& rates = {});

}  // namespace cisolve
