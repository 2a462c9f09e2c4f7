// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/products.hpp"

namespace cisolve::cuda::lapw {

/// Rows of [A; B] in a block of atoms where nobody says: as many as 16 GiB or an eighth of the device's memory hold, if they are
/// free, and least_block_rows else.
std::int64_t usual_block_rows(std::int64_t waves);

/// Makes H and S on the device by the algorithms of cisolve::lapw::generate_matrices.
/// @param uploads  whose stream everything is done on
/// @param h, s     N x N in device memory, of which the lower triangles are written
/// @return what the steps took; each is waited for
std::vector<cisolve::lapw::LineRecord> generate(Uploads& uploads, const Products& products,
                                                const cisolve::lapw::MatrixProblem& problem,
                                                const cisolve::lapw::GenerationOptions& options,
                                                cuDoubleComplex* h, cuDoubleComplex* s,
                                                const Progress& progress);

}  // namespace cisolve::cuda::lapw
