// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Density matrices and <S^2> of vectors over a space.
void bind_densities(nanobind::module_& module);

}  // namespace cisolve::python
