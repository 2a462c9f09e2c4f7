// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

// The group /molecule of a result file.

void write_molecule(Hdf5Group& root, const CiResult::Molecule& molecule);

/// @throws InputError if arrays do not have the shapes that belong together
CiResult::Molecule read_molecule(const Hdf5Group& group);

}  // namespace cisolve
