// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"

// Whether the parts of a result file agree: what was read is used as an index or a count by those who print it.
namespace cisolve {

/// Counts, numbers of orbitals and atoms, irreps; determinants and CSFs by their orbitals and electrons.
/// @param file  for messages
/// @throws InputError  names what does not fit
void check_parts(const CiResult& result, const std::filesystem::path& file);

/// Irreps of roots.
/// @param group  that they were read from, for messages
/// @throws InputError  likewise
void check_roots(const std::vector<Root>& roots, const std::string& group, const std::filesystem::path& file);

/// Lengths of the properties of roots, before they are given to their sectors.
/// @throws InputError  likewise
void check_properties(const CiResult& result, const std::vector<Root>& roots,
                      const std::filesystem::path& file);

}  // namespace cisolve
