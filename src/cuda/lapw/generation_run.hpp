// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/products.hpp"
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
  cuDoubleComplex* h;
  cuDoubleComplex* s;
  const Progress& progress;
  std::int64_t rows_in_block;
  host::Lines lines = {};

  std::int64_t n() const { return problem.waves(); }

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

// The algorithms, which add the muffin-tin parts to what is in h and s.
void run_merged(GenerationRun& run);
void run_hsdla(GenerationRun& run);

/// Makes an algorithm, which is its own step, and runs it.
template <class Algorithm>
void run_algorithm(GenerationRun& run) {
  std::optional<Algorithm> algorithm;
  run.time("tables", [&] {
    algorithm.emplace(run);
    return 0.0;
  });
  (*algorithm)();
}

}  // namespace cisolve::cuda::lapw
