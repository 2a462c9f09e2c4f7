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

/// The spin parity to which a string-driven H is kept: of the multiplicity that is wanted, if the basis can be restricted to
/// it.
/// @param basis  of blocks of strings
SpinParity wanted_parity(const Basis& basis);

/// The device that a plan is made for, or null.
/// @throws InputError if one is required and there is none
const Device* device_to_plan_for(const Resources& resources);

/// Why something does not fit on a device, in words.
/// @param room  bytes
std::string what_is_free(std::int64_t needed, std::int64_t room, const Device& device);

/// The solver's configuration for a space: more roots than it has are not asked for.
DavidsonConfig solver_of(const PlanOptions& options, std::int64_t size);

/// The least that a solver with a stored matrix needs for a row: a few vectors and the diagonal.
inline constexpr double least_bytes_per_row = 8.0 * 16;

/// At most so many CSFs, counted in no time: references share configurations, and RAS limits leave some out.
double most_csfs(const CsfSelection& selection);

/// For the message that a problem over determinants doesn't fit: the largest level below the one asked for that
/// would, taking rows as large as those that don't, or that none would.
/// @param bytes_per_row  of matrix and vectors
/// @param room           bytes for these
std::string smaller_determinant_space(const BasisDefinition& definition, double bytes_per_row, double room);

/// For the message that a problem over CSFs doesn't fit: "excitation_level = 3 (42,596 CSFs) would fit", the
/// highest level below the one asked for, or that none would. Found by generating the smaller spaces,
/// from the lowest level on, and sampling their rows: some seconds at most.
std::string smaller_csf_space(const BasisDefinition& definition, const PlanOptions& options,
                              const Resources& resources, double threshold = 0.0);

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
