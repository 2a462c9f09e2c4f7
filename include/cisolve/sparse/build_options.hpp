// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stop_token>

#include "cisolve/core/progress.hpp"

namespace cisolve {

/// How a storage format is filled from a RowSource.
struct BuildOptions {
  Progress progress = {};             ///< both passes together; may be empty
  std::stop_token stop = {};          ///< asked between chunks; ends the build with Interrupted
  std::int64_t rows_per_chunk = 256;  ///< rows one thread takes at a time, >= 1: small enough to
                                      ///< balance rows of very different length
};

}  // namespace cisolve
