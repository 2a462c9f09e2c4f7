// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/formats.hpp"
#include "job.hpp"

namespace cisolve::bench {

struct SpmvOptions {
  int warm_ups = 3;
  int repeats = 21;
  std::vector<int> columns = {1, 2, 4};        ///< vectors per product, each timed
  std::vector<std::string> formats = {"all"};  ///< names in the table of formats, "direct", or "all"
  FormatOptions format_options;
  bool all_variants = false;   ///< every shape of the device kernels for one vector
  double error_limit = 1e-14;  ///< |y - reference| / |reference| above this: not timed
};

/// Milliseconds of one product.
struct Spread {
  double median = 0.0, minimum = 0.0, maximum = 0.0, lower_quartile = 0.0, upper_quartile = 0.0;
};

/// @param samples  not empty
Spread spread_of(std::vector<double> samples);

struct SpmvMeasurement {
  std::string name;    ///< "cisolve hybrid", "cuSPARSE SELL", ...
  std::string format;  ///< a name in the table of formats, or sell
  std::string place;   ///< host or cuda
  int columns = 1;
  int batch = 1;                ///< products of one batch were timed in turns, baselines in each batch
  std::int64_t bytes = 0;       ///< that the format takes
  double relative_error = 0.0;  ///< |y - reference| / |reference|, the largest of the columns
  bool correct = false;
  std::string failure;  ///< why there is no time; empty otherwise
  Spread milliseconds;
};

/// A product under test.
struct SpmvCandidate {
  std::string name, format;
  int columns = 1;
  std::int64_t bytes = 0;
  std::function<void()> enqueue;  ///< starts y = A x for the first `columns` columns
  std::string failure;            ///< why it cannot run; empty: it can
  bool row_major = false;         ///< it leaves y as [row][columns]
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

/// H of a job as a string-driven product. Host and device products are made of it.
struct JobProduct {
  /// @param problem  without a DirectObstacle; must outlive this object
  JobProduct(const Problem& problem, SpinParity parity);

  Array<double> diagonal;
  DirectProduct product;
};

/// Null if the job's space has no blocks or the job has a threshold.
std::unique_ptr<JobProduct> direct_product_of(const BenchJob& job, SpinParity parity = SpinParity::none);

/// The matrix under test: its rows, from which formats are built, and the same as CSR.
struct SpmvMatrix {
  const RowSource& rows;
  CsrMatrix csr;
  std::vector<std::int64_t> lengths;
  std::unique_ptr<JobProduct> direct;  ///< the same without storing it; null where that is not possible

  /// Builds the CSR matrix.
  explicit SpmvMatrix(const RowSource& source);
};

/// Whether the options ask for the string-driven product: by name alone, or among all.
bool asks_for_direct(const SpmvOptions& options);
bool wants_direct(const SpmvOptions& options);

/// The formats that the options ask for, "direct" aside.
/// @throws InputError, naming them all, for a name that is not in the table
std::vector<const StorageFormat*> chosen_formats(const SpmvOptions& options);

/// Checks and times the host products, one format after the other.
std::vector<SpmvMeasurement> run_host_spmv(const SpmvMatrix& matrix, const SpmvOptions& options);

/// Checks and times the products on the current device beside cuSPARSE's: each product of a batch once per
/// round, so that all see the same state of the card. One batch where all formats fit into its memory
/// together, else as few as possible, each with the baselines; where not even those fit beside a format,
/// they are timed before and after it, each a batch of its own.
/// Only in builds with CUDA.
std::vector<SpmvMeasurement> run_device_spmv(const SpmvMatrix& matrix, const SpmvOptions& options);

}  // namespace cisolve::bench
