// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/csr_matrix.hpp"

namespace cisolve::bench {

struct SpmvOptions {
  int warm_ups = 3;
  int repeats = 21;
  std::vector<int> columns = {1, 2, 4};     ///< vectors per product, each timed
  std::optional<std::int32_t> ell_width;    ///< of the hybrid format; none: automatic
  bool all_variants = false;                ///< every shape of the device kernels for one vector
  double error_limit = 1e-14;               ///< |y - reference| / |reference| above this: not timed
};

/// Milliseconds of one product.
struct Spread {
  double median = 0.0, minimum = 0.0, maximum = 0.0, lower_quartile = 0.0, upper_quartile = 0.0;
};

/// @param samples  not empty
Spread spread_of(std::vector<double> samples);

struct SpmvMeasurement {
  std::string name;     ///< "cisolve hybrid", "cuSPARSE SELL", ...
  std::string format;   ///< csr, hybrid, sell
  std::string place;    ///< host or cuda
  int columns = 1;
  std::int64_t bytes = 0;       ///< that the format takes
  double relative_error = 0.0;  ///< |y - reference| / |reference|, the largest of the columns
  bool correct = false;
  std::string failure;          ///< why there is no time; empty otherwise
  Spread milliseconds;
};

/// A product under test.
struct SpmvCandidate {
  std::string name, format;
  int columns = 1;
  std::int64_t bytes = 0;
  std::function<void()> enqueue;  ///< starts y = A x for the first `columns` columns
  std::string failure;            ///< why it cannot run; empty: it can
};

/// Input vectors and the products that they must have.
class SpmvReference {
public:
  /// Sums in long double.
  SpmvReference(const CsrMatrix& a, int columns);

  std::int64_t num_rows() const noexcept { return num_rows_; }
  int columns() const noexcept { return columns_; }
  ConstHostView x() const { return {x_.data(), num_rows_, columns_, num_rows_}; }

  /// The largest |y - reference| / |reference| of the first `columns` columns; infinite if any element
  /// is not a number.
  double relative_error(ConstHostView y, int columns) const;

private:
  std::int64_t num_rows_;
  int columns_;
  std::vector<double> x_;
  Array<long double> y_;
};

/// Checks and times the host products.
std::vector<SpmvMeasurement> run_host_spmv(const CsrMatrix& a, const SpmvOptions& options);

/// Checks and times the products on the current device beside cuSPARSE's: each product once per round,
/// so that all see the same state of the card, where all formats fit into its memory together.
/// Only in builds with CUDA.
std::vector<SpmvMeasurement> run_device_spmv(const CsrMatrix& a, const SpmvOptions& options);

}  // namespace cisolve::bench
