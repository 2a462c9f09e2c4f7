// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cisolve/problem/plan.hpp"
#include "core/stopwatch.hpp"

// What make_plan is made of.

namespace cisolve {

/// Plans a matrix; see make_plan.
StoredPlan plan_stored(const Problem& problem, const PlanOptions& options, const Resources& resources,
                       const BuildOptions& counting);

/// Nonzeros per row of the matrix of a problem without Problem::spin, from a sample of its rows; none if a plan for it
/// would not fit.
std::optional<double> estimate_stored(const Problem& problem, const PlanOptions& options,
                                      const Resources& resources);

/// Plans H applied string by string; see make_plan.
/// @param problem  without a DirectObstacle
DirectPlan plan_direct(const Problem& problem, const PlanOptions& options, const Resources& resources);

/// The device that a plan is made for, or null.
/// @throws InputError if one is required and there is none
const Device* device_to_plan_for(const Resources& resources);

/// Why something does not fit on a device, in words.
std::string what_is_free(std::int64_t needed, const Device& device);

/// The solver's configuration for a space: more roots than it has are not asked for.
DavidsonConfig solver_of(const PlanOptions& options, std::int64_t size);

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
