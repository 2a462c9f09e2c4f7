// SPDX-License-Identifier: MIT
#include "spmv_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/problem/plan.hpp"
#include "cisolve/sparse/row_lengths.hpp"

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
    const std::size_t first = a.offsets[row];
    const std::size_t last = a.offsets[row + 1];
    for (int k = 0; k < columns_; ++k) {
      const double* vector = x().column(k);
      long double sum = 0.0L;
      for (std::size_t at = first; at < last; ++at) {
        sum += static_cast<long double>(a.values[at]) * static_cast<long double>(vector[a.columns[at]]);
      }
      y_[k * num_rows_ + row] = sum;
    }
  }
}

double SpmvReference::relative_error(ConstHostView y, int columns) const {
  double largest = 0.0;
  for (int k = 0; k < columns; ++k) {
    long double difference = 0.0L;
    long double norm = 0.0L;
    for (std::int64_t row = 0; row < num_rows_; ++row) {
      const long double expected = y_[k * num_rows_ + row];
      const long double distance = static_cast<long double>(y.column(k)[row]) - expected;
      difference += distance * distance;
      norm += expected * expected;
    }
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    if (norm > 0.0L)
      largest = std::max(largest, static_cast<double>(std::sqrt(difference / norm)));
    else if (difference > 0.0L)
      return std::numeric_limits<double>::infinity();
  }
  return largest;
}

SpmvMatrix::SpmvMatrix(const RowSource& source) : rows(source), lengths(count_rows(source)) {
  csr = build_csr(source, lengths);
}

namespace {

/// A job's product in the shape of a stored matrix.
class DirectMatrix final : public StoredMatrix {
public:
  explicit DirectMatrix(const DirectProduct& product) : product_(product) {}

  std::string_view format() const override { return "direct"; }
  std::int64_t num_rows() const override { return product_.size(); }
  std::int64_t num_nonzeros() const override { return product_.count_nonzeros(); }
  std::int64_t bytes() const override { return product_.bytes() + product_.workspace_bytes(); }
  void multiply(ConstHostView x, HostView y, SpmvWorkspace&, ProductUpdate update) const override {
    if (update == ProductUpdate::add) throw DimensionError("a direct product is not added to y");
    product_.multiply(x, y, workspace_);
  }
  void multiply_plainly(ConstHostView x, HostView y) const override { product_.multiply(x, y, workspace_); }

private:
  const DirectProduct& product_;
  mutable DirectWorkspace workspace_;
};

}  // namespace

JobProduct::JobProduct(const Problem& problem, SpinParity parity)
    : diagonal(string_diagonal(*problem.basis->as_product(), *problem.tables)),
      product(*problem.basis->as_product(), *problem.tables, diagonal, parity) {}

std::unique_ptr<JobProduct> direct_product_of(const BenchJob& job, SpinParity parity) {
  if (direct_obstacle(*job.problem) != DirectObstacle::none) return nullptr;
  return std::make_unique<JobProduct>(*job.problem, parity);
}

bool asks_for_direct(const SpmvOptions& options) {
  return std::ranges::find(options.formats, "direct") != options.formats.end();
}

bool wants_direct(const SpmvOptions& options) {
  return asks_for_direct(options) || std::ranges::find(options.formats, "all") != options.formats.end();
}

std::vector<const StorageFormat*> chosen_formats(const SpmvOptions& options) {
  std::vector<const StorageFormat*> chosen;
  for (const std::string& name : options.formats) {
    if (name == "all") {
      for (const StorageFormat& format : storage_formats()) chosen.push_back(&format);
      continue;
    }
    if (name == "direct") continue;
    const StorageFormat* format = find_storage_format(name);
    if (format == nullptr) {
      std::string known = "all, direct";
      for (const StorageFormat& one : storage_formats()) known += ", " + std::string(one.name);
      throw InputError("--formats: there is no format \"" + name + "\"; known are " + known);
    }
    chosen.push_back(format);
  }
  return chosen;
}

namespace {

/// The first call is checked, the others are timed.
SpmvMeasurement measure(const StoredMatrix& a, int columns, const SpmvReference& reference,
                        const SpmvOptions& options, SpmvWorkspace& workspace, std::vector<double>& y) {
  const std::int64_t n = reference.num_rows();
  SpmvMeasurement result;
  result.name = "cisolve " + std::string(a.format());
  result.format = a.format();
  result.place = "host";
  result.columns = columns;
  result.bytes = a.bytes();
  const ConstHostView from = reference.x().slice(0, columns);
  const HostView to{y.data(), n, columns, n};
  std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
  a.multiply(from, to, workspace);
  result.relative_error = reference.relative_error(to, columns);
  result.correct = result.relative_error <= options.error_limit;
  if (!result.correct) {
    result.failure = "wrong result";
    return result;
  }
  std::vector<double> samples;
  for (int turn = -options.warm_ups; turn < options.repeats; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    a.multiply(from, to, workspace);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (turn >= 0) samples.push_back(taken.count());
  }
  result.milliseconds = spread_of(std::move(samples));
  return result;
}

}  // namespace

std::vector<SpmvMeasurement> run_host_spmv(const SpmvMatrix& matrix, const SpmvOptions& options) {
  const auto formats = chosen_formats(options);
  const SpmvReference reference(matrix.csr,
                                *std::max_element(options.columns.begin(), options.columns.end()));
  SpmvWorkspace workspace;
  std::vector<double> y(static_cast<std::size_t>(reference.num_rows()) *
                        static_cast<std::size_t>(reference.columns()));
  std::vector<SpmvMeasurement> results;
  for (const StorageFormat* format : formats) {
    const auto a = format->build(matrix.rows, matrix.lengths, options.format_options, {});
    for (const int columns : options.columns) {
      results.push_back(measure(*a, columns, reference, options, workspace, y));
    }
  }
  if (matrix.direct && wants_direct(options)) {
    const DirectMatrix direct(matrix.direct->product);
    for (const int columns : options.columns) {
      results.push_back(measure(direct, columns, reference, options, workspace, y));
    }
  }
  return results;
}

}  // namespace cisolve::bench
