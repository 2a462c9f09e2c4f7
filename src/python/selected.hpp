// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Lists of determinants that grow by selection: cisolve.SelectedCI.
void bind_selected(nanobind::module_& module);

}  // namespace cisolve::python
