// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Names of the active orbitals: labels such as "5b1", or numbers of the file where its point group is unknown.
std::vector<std::string> active_orbital_names(const CiJob& job);

/// A configuration as what is replaced in a reference: "5b1(a) -> 2a2(a)", "5b1^2 -> 2a2^2", "reference". Of CSFs,
/// whose electrons have no spin of their own, "5b1 -> 2a2", with the steps of the open shells, in the order of the
/// orbitals, where there are three or more that can be coupled in several ways: "3a1 5b1 -> 2a2 6a1, coupled udud".
/// @param reference      occupation of the reference, one character per orbital: 2, 0, u, d; of CSFs 2, 1, 0
/// @param configuration  likewise; of CSFs 2, 0, u (step S + 1/2), d (step S - 1/2)
/// @param names          of the orbitals
/// @param is_csf         whether these are CSFs
/// @throws DimensionError if there is not one name and one character per orbital
std::string replacement_text(std::string_view reference, std::string_view configuration,
                             std::span<const std::string> names, bool is_csf);

}  // namespace cisolve
