// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/panel.hpp"
#include "cuda/lapw/products.hpp"

namespace cisolve::cuda::lapw {

/// Rows of [A; B] in a block of atoms where nobody says: as many as 16 GiB or an eighth of the memory hold, if they have room beside
/// H and S, and at least least_block_rows.
/// @param free_bytes  that the engine may take
std::int64_t usual_block_rows(std::int64_t waves, std::int64_t free_bytes);

/// Where a panel of H and S goes, in device memory: its first elements, on the diagonal.
struct MatrixParts {
  cuDoubleComplex* h = nullptr;
  cuDoubleComplex* s = nullptr;
  std::int64_t ld = 0;
};

/// Makes a panel of H and S on the device by the algorithms of cisolve::lapw::generate_matrices.
/// @param options  with block_rows
/// @param uploads  whose stream everything is done on
/// @param panel    the whole triangle, or what of it this device makes
/// @return what the steps took, with this panel's part of the useful flops; each is waited for
std::vector<cisolve::lapw::LineRecord> generate(Uploads& uploads, const Products& products,
                                                const cisolve::lapw::MatrixProblem& problem,
                                                const cisolve::lapw::GenerationOptions& options,
                                                const Panel& panel, const MatrixParts& to,
                                                const Progress& progress);

}  // namespace cisolve::cuda::lapw
