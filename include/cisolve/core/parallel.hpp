// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace cisolve {

/// body(i) for 0 <= i < count, the threads taking `chunk` values at a time. The first exception ends the
/// loop and is thrown again on the calling thread: one that left an OpenMP region would end the program.
/// @param chunk  >= 1
void parallel_for(std::int64_t count, int chunk, const std::function<void(std::int64_t)>& body);

}  // namespace cisolve
