// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// The roots of the earlier result in solver.guess that have a part in a sector's basis, ascending: projected
/// on it and normalised, [basis.size() x k], column-major. Where the sector has a multiplicity, roots of
/// other spins are left out. Empty if there is none.
/// @throws InputError if the file is refused, has no vectors, or other orbitals or electrons
std::vector<double> read_guess(const CiConfig& config, const CiJob& job, const Basis& basis);

/// Finds out, before anything is solved, whether the earlier result in solver.guess serves the sectors that
/// will start from it: one that does not starts from the model space. Generates their spaces for that; no
/// more than one is held at a time.
/// @throws InputError    it serves none; or with solver.follow, one has fewer states to follow than are asked
///                       for; or as read_guess
/// @throws ResourceError  a space would not fit
void require_guess(const CiConfig& config, std::span<const CiJob* const> jobs);

/// @param found   states to follow that have a part in the basis
/// @param source  of them, for the message
/// @throws InputError  if solver.follow is set and there are fewer of them than states.count
void require_followed(const CiConfig& config, const CiJob& job, const Basis& basis, std::int64_t found,
                      const std::string& source);

/// Normalises columns, and leaves out those of which there is nothing but rounding.
/// @param columns  [dimension x k], column-major: parts of unit vectors
/// @return what is left: [dimension x k' <= k]
std::vector<double> normalised_parts(std::span<const double> columns, std::int64_t dimension);

}  // namespace cisolve
