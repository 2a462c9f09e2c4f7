// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cisolve/lapw/engine.hpp"

namespace cisolve::cuda::lapw {

/// Rows of [A; B] in a block of atoms that there must be room for; where there is more, blocks are larger.
inline constexpr std::int64_t least_block_rows = 8192;

/// H and S on a device: made there, and all that solvers do with them by cuBLAS and cuSOLVER, on one stream. Of several
/// devices each makes a panel of H and S; the first keeps them, and does all else.
/// @param ordinals    of the devices, of which some may be the same
/// @param free_bytes  of memory that this engine may take of each, where others take some too; blocks of atoms depend on it
/// @throws CudaError, ResourceError
std::unique_ptr<cisolve::lapw::Engine> make_engine(std::span<const int> ordinals,
                                                   std::optional<std::int64_t> free_bytes = {});

}  // namespace cisolve::cuda::lapw
