// SPDX-License-Identifier: MIT
#include "build_benchmark.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/stopwatch.hpp"

namespace cisolve::bench {
namespace {

/// Compares a row with what it should be.
class CheckingSink final : public RowSink {
public:
  explicit CheckingSink(std::vector<double> expected) : expected_(std::move(expected)) {}

  void row(const MatrixRow& row) override {
    constexpr double tolerance = 1e-10;  // hartree, in elements of some hundred
    std::size_t at = 0;
    for (std::size_t j = 0; j < expected_.size(); ++j) {
      const bool present = at < row.columns.size() && row.columns[at] == static_cast<ColumnIndex>(j);
      const double found = present ? row.values[at++] : 0.0;
      if (std::abs(found - expected_[j]) > tolerance) {
        throw Error(fmt::format("row {}, column {}: {} instead of {}", row.index, j, found, expected_[j]));
      }
    }
  }

private:
  std::vector<double> expected_;
};

void check_rows(const BenchJob& job) {
  constexpr std::int64_t samples = 16;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t row = (job.rows->num_rows() - 1) * k / (samples - 1);
    CheckingSink sink(job.row_by_definition(row));
    job.rows->fill({row, row + 1}, sink);
  }
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + std::ssize(samples) / 2, samples.end());
  return samples[samples.size() / 2];
}

}  // namespace

nlohmann::json run_build(const BenchJob& job, int repeats) {
  check_rows(job);
  nlohmann::json report;
  const int threads = omp_get_max_threads();
  fmt::print("{}\n{:<10}{:>14}{:>10}{:>10}{:>12}{:>14}{:>12}\n", job.name, "format", "nonzeros", "count/s",
             "fill/s", "total/s", "nnz/s/core", "bytes");
  const auto measure = [&](const char* format, auto&& build) {
    std::vector<double> count_seconds;
    std::vector<double> fill_seconds;
    std::int64_t nonzeros = 0;
    std::int64_t bytes = 0;
    for (int k = 0; k < repeats; ++k) {
      Stopwatch stopwatch;
      const auto lengths = count_rows(*job.rows);
      count_seconds.push_back(std::exchange(stopwatch, {}).seconds());
      const auto matrix = build(lengths);
      fill_seconds.push_back(std::exchange(stopwatch, {}).seconds());
      nonzeros = matrix.num_nonzeros();
      bytes = array_bytes(matrix);
    }
    const double count = median(count_seconds);
    const double fill = median(fill_seconds);
    const double total = job.source_seconds + count + fill;
    const double rate = static_cast<double>(nonzeros) / total / threads;
    fmt::print("{:<10}{:>14}{:>10.3f}{:>10.3f}{:>12.3f}{:>14.3e}{:>12}\n", format, nonzeros, count, fill,
               total, rate, bytes);
    report["formats"][format] = {{"nonzeros", nonzeros},
                                 {"bytes", bytes},
                                 {"count_seconds", count_seconds},
                                 {"fill_seconds", fill_seconds},
                                 {"nonzeros_per_second_and_core", rate}};
  };
  measure("csr", [&](const auto& lengths) { return build_csr(*job.rows, lengths); });
  const std::int64_t peak = peak_memory();
  measure("coded", [&](const auto& lengths) { return build_coded(*job.rows, lengths); });
  measure("hybrid",
          [&](const auto& lengths) { return build_hybrid(*job.rows, lengths, choose_ell_width(lengths)); });
  fmt::print("tables {:.3f} s (included), {} threads, peak memory after the CSR builds {} bytes\n",
             job.source_seconds, threads, peak);
  report["threads"] = threads;
  report["source_seconds"] = job.source_seconds;
  report["peak_bytes_after_csr"] = peak;
  return report;
}

}  // namespace cisolve::bench
