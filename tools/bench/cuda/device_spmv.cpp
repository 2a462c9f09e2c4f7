// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/device_info.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/cusparse.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/formats.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "cuda/sparse/paper_hybrid_matrix.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {
namespace {

/// x and y on the device.
struct DeviceVectors {
  DeviceVectors(const cuda::Stream& stream, const SpmvReference& reference)
      : num_rows(reference.num_rows()), reference_x(reference.x()),
        x(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(reference.columns())), y(x.size()),
        host_y(x.size()) {
    transfer.upload(stream, reference.x().data, x.data(), x.size_bytes());
    transfer.finish();
  }
  cuda::ConstDeviceView in(int columns) const { return {x.data(), num_rows, columns, num_rows}; }
  cuda::DeviceView out(int columns) { return {y.data(), num_rows, columns, num_rows}; }

  /// The first `columns` vectors of x as [row][columns].
  double* row_major(const cuda::Stream& stream, int columns) {
    auto& block = row_major_x[columns];
    if (block.size() == 0) {
      std::vector<double> host(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(columns));
      const ConstHostView from = reference_x.slice(0, columns);
      for (std::size_t i = 0; i < host.size(); ++i) {
        const auto k = static_cast<int>(i % static_cast<std::size_t>(columns));
        host[i] = from.column(k)[i / static_cast<std::size_t>(columns)];
      }
      block = cuda::DeviceArray<double>(host.size());
      transfer.upload(stream, host.data(), block.data(), block.size_bytes());
      transfer.finish();
    }
    return block.data();
  }

  /// host_y, which is [row][columns], as columns.
  void to_column_major(int columns) {
    const std::vector<double> packed = host_y;
    const std::size_t k = columns;
    const std::size_t n = num_rows;
    for (std::size_t i = 0; i < n * k; ++i) host_y[i % k * n + i / k] = packed[i];
  }

  std::int64_t num_rows;
  ConstHostView reference_x;
  cuda::DeviceArray<double> x, y;
  std::map<int, cuda::DeviceArray<double>> row_major_x;
  std::vector<double> host_y;
  cuda::HostTransfer transfer;
};

/// A format on the device and the products over it.
struct FormatOnDevice {
  std::shared_ptr<void> owner;  // of everything that the candidates refer to
  std::vector<SpmvCandidate> candidates;
};

std::string text_of(const cuda::SpmvConfig& config) {
  return fmt::format(" e{} l{} f{} b{} r{}", config.elements_per_lane, config.lanes_per_row,
                     config.products_in_flight, config.block_size, config.rows_per_group);
}

/// Shapes worth trying for long rows and one vector.
std::vector<cuda::SpmvConfig> variants() {
  std::vector<cuda::SpmvConfig> configs;
  for (const int elements : {1, 2, 4}) {
    for (const int in_flight : {4, 8}) {
      for (const int block_size : {256, 512, 1024}) {
        for (const int rows : {2, 4, 8}) {
          configs.push_back({elements, 32, in_flight, block_size, rows});
        }
      }
    }
  }
  return configs;
}

/// Every kernel shape of a format that has such.
template <class Matrix>
void add_variants(const cuda::Stream& stream, const cuda::DeviceMatrix& a, cuda::SpmvWorkspace& workspace,
                  DeviceVectors& vectors, const std::string& format, std::vector<SpmvCandidate>& candidates) {
  const auto* stored = dynamic_cast<const cuda::DeviceStoredAs<Matrix>*>(&a);
  if (stored == nullptr) return;
  for (const cuda::SpmvConfig& config : variants()) {
    candidates.push_back({"cisolve " + format + text_of(config),
                          format,
                          1,
                          a.bytes(),
                          [&stream, &workspace, &vectors, stored, config] {
                            spmv(stream, stored->matrix(), vectors.in(1), vectors.out(1), workspace,
                                 ProductUpdate::assign, config);
                          },
                          {},
                          false});
  }
}

/// The paper's kernel with each of its block sizes (its Tables 6 to 8).
void add_paper_blocks(const cuda::Stream& stream, const cuda::DeviceMatrix& a, DeviceVectors& vectors,
                      const std::string& format, std::vector<SpmvCandidate>& candidates) {
  const auto* stored = dynamic_cast<const cuda::DeviceStoredAs<cuda::DevicePaperHybridMatrix>*>(&a);
  if (stored == nullptr) return;
  for (const int block_size : {16, 32, 64}) {
    candidates.push_back({fmt::format("cisolve {} block {}", format, block_size),
                          format,
                          1,
                          a.bytes(),
                          [&stream, &vectors, stored, block_size] {
                            spmv_in_blocks(stream, stored->matrix(), vectors.in(1), vectors.out(1),
                                           block_size);
                          },
                          {},
                          false});
  }
}

/// A format of cisolve. Its host copy is freed before this returns.
FormatOnDevice load_format(const cuda::Stream& stream, const SpmvMatrix& matrix, const StorageFormat& format,
                           DeviceVectors& vectors, const SpmvOptions& options) {
  struct Owned {
    std::unique_ptr<cuda::DeviceMatrix> matrix;
    cuda::SpmvWorkspace workspace;
  };
  auto owned = std::make_shared<Owned>();
  owned->matrix =
      cuda::upload(*format.build(matrix.rows, matrix.lengths, options.format_options, {}), stream);
  const cuda::DeviceMatrix& a = *owned->matrix;
  const std::string name(format.name);
  std::vector<SpmvCandidate> candidates;
  for (const int columns : options.columns) {
    candidates.push_back({"cisolve " + name,
                          name,
                          columns,
                          a.bytes(),
                          [&stream, &a, &workspace = owned->workspace, &vectors, columns] {
                            a.multiply(stream, vectors.in(columns), vectors.out(columns), workspace);
                          },
                          {},
                          false});
  }
  if (options.all_variants) {
    add_variants<cuda::DeviceCsrMatrix>(stream, a, owned->workspace, vectors, name, candidates);
    add_variants<cuda::DeviceHybridMatrix>(stream, a, owned->workspace, vectors, name, candidates);
    add_paper_blocks(stream, a, vectors, name, candidates);
  }
  return {owned, std::move(candidates)};
}

/// The product that stores nothing.
FormatOnDevice load_direct(const cuda::Stream& stream, const DirectProduct& host, DeviceVectors& vectors,
                           const SpmvOptions& options) {
  struct Owned {
    Owned(const DirectProduct& h, const cuda::Stream& s) : product(h, s) {}
    cuda::DirectProduct product;
    cuda::DirectWorkspace workspace;
  };
  auto owned = std::make_shared<Owned>(host, stream);
  const std::int64_t bytes = owned->product.bytes() + owned->product.workspace_bytes();
  std::vector<SpmvCandidate> candidates;
  for (const int columns : options.columns) {
    candidates.push_back({"cisolve direct",
                          "direct",
                          columns,
                          bytes,
                          [&owned = *owned, &vectors, columns] {
                            owned.product.multiply(vectors.in(columns), vectors.out(columns),
                                                   owned.workspace);
                          },
                          {},
                          false});
  }
  return {owned, std::move(candidates)};
}

/// A product of cuSPARSE, or why it has none.
template <class Format>
SpmvCandidate cusparse_candidate(const cuda::Stream& stream, Format& format, DeviceVectors& vectors,
                                 const std::string& name, cusparseSpMVAlg_t algorithm, bool preprocess) {
  SpmvCandidate candidate{"cuSPARSE " + name, Format::name, 1, format.bytes(), {}, {}, false};
  try {
    candidate.enqueue = [product = std::make_shared<CusparseProduct>(
                             stream, format.descriptor(), vectors.num_rows, vectors.x.data(),
                             vectors.y.data(), algorithm, preprocess)] { product->enqueue(); };
  } catch (const cuda::CudaError& error) {
    candidate.failure = error.what();
  }
  return candidate;
}

/// The products of cuSPARSE with a block of vectors: every algorithm, in both orders of x and y.
void add_block_candidates(const cuda::Stream& stream, CusparseCsr& format, DeviceVectors& vectors,
                          int columns, std::vector<SpmvCandidate>& candidates) {
  constexpr std::pair<cusparseSpMMAlg_t, const char*> algorithms[] = {
      {CUSPARSE_SPMM_CSR_ALG1, "ALG1"}, {CUSPARSE_SPMM_CSR_ALG2, "ALG2"}, {CUSPARSE_SPMM_CSR_ALG3, "ALG3"}};
  for (const auto order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
    const bool row_major = order == CUSPARSE_ORDER_ROW;
    for (const auto& [algorithm, name] : algorithms) {
      SpmvCandidate candidate{fmt::format("cuSPARSE SpMM CSR_{}{}", name, row_major ? " row-major" : ""),
                              CusparseCsr::name,
                              columns,
                              format.bytes(),
                              {},
                              {},
                              row_major};
      try {
        double* x = row_major ? vectors.row_major(stream, columns) : vectors.x.data();
        candidate.enqueue = [product = std::make_shared<CusparseBlockProduct>(
                                 stream, format.descriptor(), vectors.num_rows, columns, x, vectors.y.data(),
                                 order, algorithm)] { product->enqueue(); };
      } catch (const cuda::CudaError& error) {
        candidate.failure = error.what();
      }
      candidates.push_back(std::move(candidate));
    }
  }
}

FormatOnDevice load_cusparse_csr(const cuda::Stream& stream, const CsrMatrix& host, DeviceVectors& vectors,
                                 const SpmvOptions& options) {
  struct Owned {
    Owned(const cuda::Stream& s, const CsrMatrix& h)
        : matrix(cuda::to_device(h, s)), cusparse(s, h, matrix) {}
    cuda::DeviceCsrMatrix matrix;
    CusparseCsr cusparse;
  };
  auto owned = std::make_shared<Owned>(stream, host);
  std::vector<SpmvCandidate> candidates;
  candidates.push_back(
      cusparse_candidate(stream, owned->cusparse, vectors, "CSR_ALG1", CUSPARSE_SPMV_CSR_ALG1, false));
  candidates.push_back(cusparse_candidate(stream, owned->cusparse, vectors, "CSR_ALG2 preprocessed",
                                          CUSPARSE_SPMV_CSR_ALG2, true));
  for (const int columns : options.columns) {
    if (columns > 1) add_block_candidates(stream, owned->cusparse, vectors, columns, candidates);
  }
  return {owned, std::move(candidates)};
}

FormatOnDevice load_cusparse_sell(const cuda::Stream& stream, const CsrMatrix& host, DeviceVectors& vectors) {
  struct Owned {
    Owned(const cuda::Stream& s, const CsrMatrix& h) : matrix(s, h) {}
    CusparseSell matrix;
  };
  auto owned = std::make_shared<Owned>(stream, host);
  return {owned,
          {cusparse_candidate(stream, owned->matrix, vectors, "SELL", CUSPARSE_SPMV_SELL_ALG1, false)}};
}

/// Runs a candidate once over a poisoned y.
SpmvMeasurement verify(const cuda::Stream& stream, const SpmvCandidate& candidate, DeviceVectors& vectors,
                       const SpmvReference& reference, const SpmvOptions& options) {
  SpmvMeasurement result;
  result.name = candidate.name;
  result.format = candidate.format;
  result.place = "cuda";
  result.columns = candidate.columns;
  result.bytes = candidate.bytes;
  result.failure = candidate.failure;
  if (!result.failure.empty()) return result;
  cuda::check(cudaMemsetAsync(vectors.y.data(), 0xff, vectors.y.size_bytes(), stream.get()));
  try {
    candidate.enqueue();
    stream.synchronize();
  } catch (const cuda::CudaError& error) {
    result.failure = error.what();
    return result;
  }
  vectors.transfer.download(stream, vectors.y.data(), vectors.host_y.data(), vectors.y.size_bytes());
  if (candidate.row_major) vectors.to_column_major(candidate.columns);
  result.relative_error = reference.relative_error(
      {vectors.host_y.data(), vectors.num_rows, reference.columns(), vectors.num_rows}, candidate.columns);
  result.correct = result.relative_error <= options.error_limit;
  if (!result.correct) result.failure = "wrong result";
  return result;
}

/// Checks all candidates, then times them in rounds.
void measure(const cuda::Stream& stream, const std::vector<SpmvCandidate>& candidates, DeviceVectors& vectors,
             const SpmvReference& reference, const SpmvOptions& options, int batch,
             std::vector<SpmvMeasurement>& results) {
  const std::size_t first_result = results.size();
  for (const SpmvCandidate& candidate : candidates) {
    results.push_back(verify(stream, candidate, vectors, reference, options));
    results.back().batch = batch;
  }
  const cuda::Event start(cuda::Event::Kind::timing), stop(cuda::Event::Kind::timing);
  std::vector<std::vector<double>> samples(candidates.size());
  for (int round = -options.warm_ups; round < options.repeats; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!results[first_result + i].correct) continue;
      // Once ahead, so that the card is at work while the host queues what is timed.
      candidates[i].enqueue();
      start.record(stream);
      candidates[i].enqueue();
      stop.record(stream);
      const double taken = cuda::milliseconds(start, stop);
      if (round >= 0) samples[i].push_back(taken);
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!samples[i].empty()) results[first_result + i].milliseconds = spread_of(std::move(samples[i]));
  }
}

/// One run of the benchmark.
class DeviceRun {
public:
  DeviceRun(const SpmvMatrix& matrix, const SpmvOptions& options)
      : matrix_(matrix), options_(options),
        reference_(matrix.csr, *std::max_element(options.columns.begin(), options.columns.end())),
        vectors_(stream_, reference_) {}

  std::vector<SpmvMeasurement> operator()() {
    auto waiting = chosen_formats(options_);
    std::int64_t largest = 0;
    for (const StorageFormat* format : waiting) largest = std::max(largest, bytes_of(*format));
    const std::int64_t baselines =
        array_bytes(matrix_.csr) + 4 * matrix_.csr.num_rows + CusparseSell::bytes_of(matrix_.csr);
    const std::int64_t room = available_memory();
    if (baselines + largest <= room)
      in_batches(waiting, room - baselines);
    else
      one_by_one(waiting);
    return std::move(results_);
  }

private:
  bool has_direct() const { return matrix_.direct && wants_direct(options_); }

  std::int64_t bytes_of(const StorageFormat& format) const {
    return format.bytes_for(matrix_.lengths, options_.format_options);
  }

  static std::int64_t available_memory() {
    int device = 0;
    cuda::check(cudaGetDevice(&device));
    // A tenth is left for the vectors packed by the products and the buffers of cuSPARSE.
    return cuda::device_memory(device).free / 10 * 9;
  }

  /// Baselines and the direct product stay on the card, and as many formats at a time as there is room for.
  void in_batches(const std::vector<const StorageFormat*>& formats, std::int64_t room) {
    std::vector<FormatOnDevice> baselines = load_baselines();
    if (has_direct()) baselines.push_back(load_direct(stream_, matrix_.direct->product, vectors_, options_));
    if (formats.empty()) time(baselines);
    for (std::size_t next = 0; next < formats.size();) {
      std::vector<FormatOnDevice> loaded = baselines;  // shares the matrices
      std::int64_t taken = 0;
      for (; next < formats.size() && taken + bytes_of(*formats[next]) <= room; ++next) {
        taken += bytes_of(*formats[next]);
        loaded.push_back(load_format(stream_, matrix_, *formats[next], vectors_, options_));
      }
      time(loaded);
    }
  }

  void one_by_one(const std::vector<const StorageFormat*>& formats) {
    if (has_direct()) {
      time_baselines();
      time({load_direct(stream_, matrix_.direct->product, vectors_, options_)});
    }
    for (const StorageFormat* format : formats) {
      time_baselines();
      time({load_format(stream_, matrix_, *format, vectors_, options_)});
    }
    time_baselines();
  }

  void time_baselines() {
    time({load_cusparse_csr(stream_, matrix_.csr, vectors_, options_)});
    time({load_cusparse_sell(stream_, matrix_.csr, vectors_)});
  }

  std::vector<FormatOnDevice> load_baselines() {
    std::vector<FormatOnDevice> baselines;
    baselines.push_back(load_cusparse_csr(stream_, matrix_.csr, vectors_, options_));
    baselines.push_back(load_cusparse_sell(stream_, matrix_.csr, vectors_));
    return baselines;
  }

  void time(const std::vector<FormatOnDevice>& loaded) {
    std::vector<SpmvCandidate> candidates;
    for (const FormatOnDevice& format : loaded) {
      candidates.insert(candidates.end(), format.candidates.begin(), format.candidates.end());
    }
    measure(stream_, candidates, vectors_, reference_, options_, next_batch_++, results_);
  }

  const SpmvMatrix& matrix_;
  const SpmvOptions& options_;
  const cuda::Stream stream_;
  const SpmvReference reference_;
  DeviceVectors vectors_;
  int next_batch_ = 1;
  std::vector<SpmvMeasurement> results_;
};

}  // namespace

std::vector<SpmvMeasurement> run_device_spmv(const SpmvMatrix& matrix, const SpmvOptions& options) {
  return DeviceRun(matrix, options)();
}

}  // namespace cisolve::bench
