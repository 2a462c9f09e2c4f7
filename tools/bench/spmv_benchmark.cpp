// SPDX-License-Identifier: MIT
#include "spmv_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "csr_source.hpp"

namespace cisolve::bench {

Spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  return {quantile(0.5), samples.front(), samples.back(), quantile(0.25), quantile(0.75)};
}

SpmvReference::SpmvReference(const CsrMatrix& a, int columns)
    : num_rows_(a.num_rows), columns_(columns),
      x_(static_cast<std::size_t>(a.num_rows) * static_cast<std::size_t>(columns)), y_(x_.size()) {
  std::mt19937_64 engine(2026);
  std::normal_distribution<double> normal;
  for (double& value : x_) value = normal(engine);
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t row = 0; row < num_rows_; ++row) {
    const auto first = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
    const auto last = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]);
    for (int k = 0; k < columns_; ++k) {
      const double* vector = x().column(k);
      long double sum = 0.0L;
      for (std::size_t at = first; at < last; ++at) {
        sum += static_cast<long double>(a.values[at]) * static_cast<long double>(vector[a.columns[at]]);
      }
      y_[static_cast<std::size_t>(k * num_rows_ + row)] = sum;
    }
  }
}

double SpmvReference::relative_error(ConstHostView y, int columns) const {
  double largest = 0.0;
  for (int k = 0; k < columns; ++k) {
    long double difference = 0.0L;
    long double norm = 0.0L;
    for (std::int64_t row = 0; row < num_rows_; ++row) {
      const long double expected = y_[static_cast<std::size_t>(k * num_rows_ + row)];
      const long double distance = static_cast<long double>(y.column(k)[row]) - expected;
      difference += distance * distance;
      norm += expected * expected;
    }
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    if (norm > 0.0L) largest = std::max(largest, static_cast<double>(std::sqrt(difference / norm)));
    else if (difference > 0.0L) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

namespace {

template <class Storage>
void run_host_format(const Storage& a, const std::string& format, const SpmvReference& reference,
                     const SpmvOptions& options, std::vector<SpmvMeasurement>& results) {
  const std::int64_t n = reference.num_rows();
  SpmvWorkspace workspace;
  std::vector<double> y(static_cast<std::size_t>(n) * static_cast<std::size_t>(reference.columns()));
  for (const int columns : options.columns) {
    SpmvMeasurement result;
    result.name = "cisolve " + format;
    result.format = format;
    result.place = "host";
    result.columns = columns;
    result.bytes = real_bytes(a);
    const ConstHostView from = reference.x().slice(0, columns);
    const HostView to{y.data(), n, columns, n};
    std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
    spmv(a, from, to, workspace);
    result.relative_error = reference.relative_error(to, columns);
    result.correct = result.relative_error <= options.error_limit;
    if (!result.correct) {
      result.failure = "wrong result";
      results.push_back(result);
      continue;
    }
    std::vector<double> samples;
    for (int turn = -options.warm_ups; turn < options.repeats; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      spmv(a, from, to, workspace);
      const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
      if (turn >= 0) samples.push_back(taken.count());
    }
    result.milliseconds = spread_of(std::move(samples));
    results.push_back(result);
  }
}

}  // namespace

std::vector<SpmvMeasurement> run_host_spmv(const CsrMatrix& a, const SpmvOptions& options) {
  const SpmvReference reference(a, *std::max_element(options.columns.begin(), options.columns.end()));
  std::vector<SpmvMeasurement> results;
  run_host_format(a, "csr", reference, options, results);
  run_host_format(build_hybrid(CsrSource(a), options.ell_width), "hybrid", reference, options, results);
  return results;
}

}  // namespace cisolve::bench
