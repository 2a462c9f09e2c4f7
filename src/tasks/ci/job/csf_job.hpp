// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cisolve/space/configuration_space.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Settles the references of a job over CSFs that the input lists as occupations: u, d and 1 all mean singly
/// occupied. Fills job.csf's references, the irrep and the reference energy.
/// @throws InputError naming space.reference
void settle_listed_configurations(const CiConfig& config, const SectorChoice& sector, CiJob& job);

/// Settles the rest of job.csf: the configurations of the reference determinants unless they were listed,
/// level and RAS limits, which references must keep.
/// @throws InputError naming space.max_holes or space.max_particles if none does
void settle_csf(const CiConfig& config, CiJob& job);

/// A few vectors and the diagonal are the least that any solver needs for a CSF.
inline constexpr double least_bytes_per_csf = 8.0 * 16;

/// At most so many CSFs, counted in no time: references share configurations, and RAS limits leave some out.
double most_csfs(const ConfigurationSelection<string_words>& selection);

/// Generates the space of a job over CSFs.
/// @param memory  bytes that may be used
/// @throws EmptySpaceError  the space holds no CSF
/// @throws ResourceError    it would not fit, said before anything is generated
std::unique_ptr<ConfigurationSpace<string_words>> build_configuration_space(const CiConfig& config,
                                                                            const CiJob& job,
                                                                            std::int64_t memory);

/// "22110": one character per orbital.
std::string occupation_text(const Configuration<string_words>& configuration, int num_orbitals);

}  // namespace cisolve
