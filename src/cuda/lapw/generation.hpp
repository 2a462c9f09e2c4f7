// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/products.hpp"

namespace cisolve::cuda::lapw {

/// Rows of [A; B] in a block of atoms where nobody says: as many as 16 GiB or an eighth of the memory hold, if they have room beside
/// H and S, and at least least_block_rows.
/// @param free_bytes  that the engine may take
std::int64_t usual_block_rows(std::int64_t waves, std::int64_t free_bytes);

/// Makes H and S on the device by the algorithms of cisolve::lapw::generate_matrices.
/// @param options  with block_rows
/// @param uploads  whose stream everything is done on
/// @param h, s     N x N in device memory, of which the lower triangles are written
/// @return what the steps took; each is waited for
std::vector<cisolve::lapw::LineRecord> generate(Uploads& uploads, const Products& products,
                                                const cisolve::lapw::MatrixProblem& problem,
                                                const cisolve::lapw::GenerationOptions& options,
                                                cuDoubleComplex* h, cuDoubleComplex* s,
                                                const Progress& progress);

}  // namespace cisolve::cuda::lapw
