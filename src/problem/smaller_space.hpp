// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cisolve/problem/plan.hpp"

namespace cisolve {

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

}  // namespace cisolve
