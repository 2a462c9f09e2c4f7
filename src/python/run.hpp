// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Calculations from an input, as the program does them; keys and files.
void bind_run(nanobind::module_& module);

}  // namespace cisolve::python
