// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Writes the determinants of a space into `out` as files hold them: one by one, or as strings and blocks.
void describe_determinants(const Space<string_words>& space, DeterminantOutput choice, CiResult::Space& out);

/// Whether the determinants of this space are written as strings and blocks.
bool writes_blocks(const Space<string_words>& space, DeterminantOutput choice);

/// Fills `alpha` and `beta` of all spaces that have blocks, one string per determinant.
/// @throws InputError if the blocks contradict each other or the dimension; `file` is named
void list_from_blocks(CiResult& result, const std::string& file);

}  // namespace cisolve
