// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/kernels.hpp"

namespace cisolve::cuda::lapw {

/// Atoms of one type that stand one behind another in a block.
struct TypeRun {
  int type = 0;
  std::vector<int> atoms;  ///< from 0
  std::int64_t row = 0;    ///< first of them in an array of A alone
};

/// Atoms that are worked on at a time, those of a type together: a batch of equal products each.
struct TypeBlock {
  std::vector<TypeRun> runs;
  std::int64_t rows = 0;  ///< of A
};

/// @param functions  rows of A of each atom
/// @param rows       of [A; B] in a block, about
/// @param first      types that stand before all others, where it matters
std::vector<TypeBlock> type_blocks(std::span<const int> atom_types, std::span<const int> functions,
                                   std::int64_t rows, bool one_block, const std::vector<bool>& first = {});

/// Makes A and B of atoms on the device, for the plane waves from one on, from whatever a source is: its tables by a
/// kernel, or else what the host fills.
class CoefficientMaker {
public:
  virtual ~CoefficientMaker() = default;

  /// A of each atom of a run from `x` on, `to_b` rows below it B; the next atom `step` rows further.
  /// @param functions  rows that are made
  virtual void fill(const TypeRun& run, int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t step,
                    std::int64_t to_b) = 0;
};
/// @param uploads  must outlive what is made
/// @param first    plane wave, which the first column of A and B is of
std::unique_ptr<CoefficientMaker> make_coefficients(Uploads& uploads,
                                                    const cisolve::lapw::MatrixProblem& problem,
                                                    std::int64_t first);

}  // namespace cisolve::cuda::lapw
