// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Writes the functions of a basis into `out` as files hold them: determinants one by one, or as strings and blocks.
void list_functions(const Basis& basis, DeterminantOutput choice, CiResult::Space& out);

/// The functions of a space that lists them, where they are.
FunctionView functions_of(const CiResult::Space& space);

/// Fills `alpha` and `beta` of all spaces that have blocks, one string per determinant.
/// @throws InputError if the blocks contradict each other or the dimension; `file` is named
void list_from_blocks(CiResult& result, const std::string& file);

}  // namespace cisolve
