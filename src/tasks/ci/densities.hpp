// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// For sums of two-particle densities; fixes their order: no machine's memory.
inline constexpr std::int64_t bytes_for_pair_sums = std::int64_t{512} << 20;

/// Whether a run needs density matrices of its roots.
bool needs_densities(const CiConfig& config);

/// The same of a job: not where coefficients are complex.
bool needs_densities(const CiConfig& config, const CiJob& job);

/// Whether of all pairs of a sector's roots: for properties of a molecule, and for the file.
bool needs_density_pairs(const CiConfig& config, const CiJob& job);

/// Most bytes of the density matrices that a result will hold.
std::int64_t density_bytes(const CiConfig& config, std::span<const CiJob> jobs);

/// Most bytes that summing them takes while one sector or root is done, beside those and the vectors.
std::int64_t density_work_bytes(const CiConfig& config, std::span<const CiJob> jobs);

/// @throws DoesNotFit  they, and what summing them takes, would not fit the memory
void require_room_for_densities(const CiConfig& config, std::span<const CiJob> jobs);

/// Gives a result whose sectors are complete what the density matrices of its roots say: properties of roots and
/// between all of them, natural orbitals, the matrices themselves, as far as the input asks for them.
/// @param bases  of the sectors; null where one has no functions
void add_densities(const RunContext& context, const std::vector<CiJob>& jobs,
                   std::span<const std::unique_ptr<Basis>> bases);

}  // namespace cisolve
