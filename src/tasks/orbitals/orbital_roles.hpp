// SPDX-License-Identifier: MIT
// What active orbitals are to the spaces of jobs: which may turn into each other, which references leave empty.
#pragma once

#include <span>
#include <vector>

#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Subspaces of the active orbitals: turning orbitals within one leaves the spaces of all jobs as they are. One for a CAS
/// and full CI; a RAS has three. A space cut by excitation level keeps its references' doubly occupied orbitals apart
/// from the empty ones, and every other orbital by itself.
/// @returns the subspace of each active orbital, numbered from 0 as they come
std::vector<int> active_subspaces(std::span<const CiJob> jobs);

/// In which order natural orbitals of an irrep take the places of the active ones, by descending occupation: those that
/// references occupy doubly first, then partly occupied ones and those of a CAS, then empty ones; within these, limits of
/// holes first and of particles last. So references and limits go on meaning orbitals of their kind.
/// @returns the rank of each active orbital, equal where it is open
std::vector<int> occupation_ranks(std::span<const CiJob> jobs);

/// Whether no reference of any job has an electron in an active orbital, which is no orbital of their CAS either.
/// @param p  zero-based among the active ones
bool is_empty_reference_orbital(std::span<const CiJob> jobs, int p);

/// A sector's job over fewer active orbitals; its integrals are to be replaced.
/// @param left_out  ascending numbers among the active ones, zero-based, empty in all references
CiJob without_orbitals(CiJob job, std::span<const int> left_out);

}  // namespace cisolve
