// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// For the message that a job over CSFs doesn't fit: "excitation_level = 3 (42,596 CSFs) would fit", the
/// highest level below the one asked for, or that none would. Found by generating the smaller spaces,
/// from the lowest level on, and sampling their rows, as --check does: some seconds at most.
/// @param memory  bytes that the host may use
std::string smaller_csf_space(const CiConfig& config, const CiJob& job, std::int64_t memory);

}  // namespace cisolve
