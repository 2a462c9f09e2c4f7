// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace cisolve {

/// What OpenBLAS maps for a thread that multiplies matrices (its BUFFER_SIZE on x86-64), in bytes of address space.
constexpr std::size_t blas_work_memory = std::size_t{128} << 20;

/// Whether the system would map so many bytes now. Needs no library but C's, which may not have begun.
bool has_address_space(std::size_t bytes) noexcept;

/// Where the system may refuse address space (ulimit -v, strict overcommit): has the BLAS take its work memory for so many
/// threads now, while it can be seen that there is room. OpenBLAS asks for ever where it is refused, and libgomp ends the
/// program where it gets no thread. Does nothing elsewhere.
/// @throws ResourceError  there is no room
void take_work_memory(int threads);

}  // namespace cisolve
