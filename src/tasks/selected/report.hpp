// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <iosfwd>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// How a list grows: what by, and the head of the table of passes.
void print_passes_heading(std::ostream& out, const CiResult::Selection& selection);

/// A pass of it, from 0.
void print_pass(std::ostream& out, const CiResult::Selection& selection, std::size_t number);

/// Why it ended.
void print_end(std::ostream& out, const CiResult::Selection& selection);

/// All of that.
void print_selection(std::ostream& out, const CiResult::Selection& selection);

/// What perturbation theory adds to the roots; nothing where no root has that.
void print_second_order(std::ostream& out, const CiResult& result);

}  // namespace cisolve
