// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/generation.hpp"
#include "cuda/lapw/panel.hpp"
#include "cuda/lapw/products.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"

namespace cisolve::cuda::lapw {

namespace host = cisolve::lapw;

/// What the algorithms share.
struct GenerationRun {
  Uploads& uploads;
  const Stream& stream;
  const Products& products;
  const host::MatrixProblem& problem;
  const host::GenerationOptions& options;
  Panel panel;
  MatrixParts to;
  const Progress& progress;
  std::int64_t rows_in_block;
  host::Lines lines = {};

  /// Plane waves that the panel has rows of: those from panel.first on.
  std::int64_t waves() const { return problem.waves() - panel.first; }
  std::int64_t columns() const { return panel.columns; }

  /// Useful flops of a rank-k update of the panel.
  double herk_flops(double k) const {
    const auto all = static_cast<double>(waves()), rest = static_cast<double>(waves() - columns());
    return host::blas::herk_flops(all, k) - host::blas::herk_flops(rest, k);
  }
  /// Of what all panels need of each wave, one after another: the part of this panel.
  double share() const { return static_cast<double>(columns()) / static_cast<double>(problem.waves()); }

  /// A step, which is waited for.
  template <class Step>
  void time(std::string_view name, const Step& step) {
    lines.time(name, [&] {
      const double flops = step();
      stream.synchronize();
      return flops;
    });
  }
};

/// A small matrix of the host on its way.
inline DeviceArray<host::Complex> upload_matrix(Uploads& uploads, const host::ComplexMatrix& matrix) {
  const auto size = static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(matrix.columns());
  return uploads(std::span<const host::Complex>(matrix.data(), size));
}

// The algorithms, which add the muffin-tin parts to what is there.
void run_merged(GenerationRun& run);
void run_hsdla(GenerationRun& run);

/// Makes an algorithm, which is a step of its own, and has it add the blocks of atoms.
template <class Algorithm>
void run_algorithm(GenerationRun& run) {
  std::optional<Algorithm> algorithm;
  run.time("tables", [&] {
    algorithm.emplace(run);
    return 0.0;
  });
  const auto& blocks = algorithm->blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    algorithm->add(blocks[k]);
    if (run.progress) run.progress(static_cast<double>(k + 1) / static_cast<double>(blocks.size()));
  }
}

}  // namespace cisolve::cuda::lapw
