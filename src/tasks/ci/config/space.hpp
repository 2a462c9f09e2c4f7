// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve::detail {

/// [space] of an input whose kinds and ranges have been checked.
/// @throws InputError  begins with file and line
void read_space(const EntryReader& reader, CiConfig& config);

/// [states]; needs the basis and the point group.
/// @throws InputError  begins with file and line
void read_states(const EntryReader& reader, CiConfig& config);

}  // namespace cisolve::detail
