// SPDX-License-Identifier: MIT
#pragma once

// The view lives in core, because sparse products take views and `sparse` sees core alone.
#include "cisolve/core/block_view.hpp"  // IWYU pragma: export
