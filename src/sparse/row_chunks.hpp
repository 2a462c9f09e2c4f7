// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Runs work(RowRange) over [0, num_rows) in chunks that the threads take one after the other. The
/// first exception ends the loop and is thrown again on the calling thread.
///
/// @throws Interrupted if a stop was requested; DimensionError if rows_per_chunk < 1
template <class Work>
void for_each_chunk(std::int64_t num_rows, const BuildOptions& options, const Work& work) {
  if (options.rows_per_chunk < 1) throw DimensionError("building a matrix: rows_per_chunk must be >= 1");
  const std::int64_t rows_per_chunk = options.rows_per_chunk;
  const std::int64_t num_chunks = (num_rows + rows_per_chunk - 1) / rows_per_chunk;
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::mutex mutex;  // of failure, done_chunks and the progress callback
  std::int64_t done_chunks = 0;

#pragma omp parallel for schedule(dynamic, 1) if (num_chunks > 1)
  for (std::int64_t chunk = 0; chunk < num_chunks; ++chunk) {
    if (ended.load(std::memory_order_relaxed)) continue;
    try {
      if (options.stop.stop_requested()) throw Interrupted("stopped while the matrix was being built");
      const std::int64_t first = chunk * rows_per_chunk;
      work(RowRange{first, std::min(first + rows_per_chunk, num_rows)});
      if (options.progress) {
        const std::lock_guard lock(mutex);
        ++done_chunks;
        options.progress(static_cast<double>(done_chunks) / static_cast<double>(num_chunks));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      ended.store(true, std::memory_order_relaxed);
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Hands rows on to store(row) after checking that they come one by one, in order, are as long as was counted, and
/// have no columns but those of the matrix.
template <class Store, class Scalar = double>
class CheckedSink final : public BasicRowSink<Scalar> {
public:
  CheckedSink(RowRange range, std::span<const std::int64_t> lengths, std::int64_t num_columns,
              const Store& store)
      : next_(range.first), last_(range.last), lengths_(lengths), num_columns_(num_columns), store_(store) {}

  void row(const BasicMatrixRow<Scalar>& row) override {
    if (row.index != next_ || next_ >= last_) throw DimensionError("row source: rows are not in order");
    if (row.columns.size() != row.values.size()) {
      throw DimensionError("row source: a row has unlike numbers of columns and values");
    }
    // Columns ascend, so the ends tell whether all are in range.
    if (!row.columns.empty() && (row.columns.front() < 0 || row.columns.back() >= num_columns_)) {
      throw DimensionError("row source: a column is out of range");
    }
    if (std::ssize(row.columns) != lengths_[row.index]) {
      throw DimensionError("row source: a row differs from its count");
    }
    store_(row);
    ++next_;
  }

  /// @throws DimensionError if rows are missing
  void finish() const {
    if (next_ != last_) throw DimensionError("row source: rows are missing");
  }

private:
  std::int64_t next_;
  std::int64_t last_;
  std::span<const std::int64_t> lengths_;
  std::int64_t num_columns_;
  const Store& store_;
};

/// The second pass: store(row) for every row, from several threads at once.
/// @param lengths  those of count_rows
template <class Scalar, class Store>
void fill_rows(const BasicRowSource<Scalar>& source, std::span<const std::int64_t> lengths,
               const BuildOptions& options, const Store& store) {
  for_each_chunk(source.num_rows(), options, [&](RowRange range) {
    CheckedSink<Store, Scalar> sink(range, lengths, source.num_columns(), store);
    source.fill(range, sink);
    sink.finish();
  });
}

/// The same options for one of two passes, whose progress goes from `from` to `to`. Refers to `options`.
BuildOptions options_of_pass(const BuildOptions& options, double from, double to);

/// @throws DimensionError unless there are 0 .. 2^31 - 1 rows and columns
void require_indexable(std::int64_t num_rows, std::int64_t num_columns);

/// The number of rows of a source.
/// @param lengths  of the rows
/// @param builder  who asks, for the message
/// @throws DimensionError if there are 2^31 or more of them or of columns, or not as many lengths
std::int64_t checked_rows(const RowPattern& source, std::span<const std::int64_t> lengths,
                          const char* builder);

}  // namespace cisolve
