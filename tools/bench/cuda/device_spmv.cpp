// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "csr_source.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/cusparse.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {
namespace {

/// x and y on the device.
struct DeviceVectors {
  DeviceVectors(const cuda::Stream& stream, const SpmvReference& reference)
      : num_rows(reference.num_rows()),
        x(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(reference.columns())), y(x.size()),
        host_y(x.size()) {
    transfer.upload(stream, reference.x().data, x.data(), x.size_bytes());
    transfer.finish();
  }
  cuda::ConstDeviceView in(int columns) const { return {x.data(), num_rows, columns, num_rows}; }
  cuda::DeviceView out(int columns) { return {y.data(), num_rows, columns, num_rows}; }

  std::int64_t num_rows;
  cuda::DeviceArray<double> x, y;
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

/// The products of cisolve over one of its formats.
template <class DeviceMatrix>
std::vector<SpmvCandidate> own_candidates(const cuda::Stream& stream, const DeviceMatrix& a,
                                          cuda::SpmvWorkspace& workspace, DeviceVectors& vectors,
                                          const std::string& format, const SpmvOptions& options) {
  std::vector<SpmvCandidate> candidates;
  const auto add = [&](int columns, const std::string& name, const cuda::SpmvConfig& config) {
    candidates.push_back({name, format, columns, cuda::real_bytes(a),
                          [&stream, &a, &workspace, &vectors, columns, config] {
                            spmv(stream, a, vectors.in(columns), vectors.out(columns), workspace, config);
                          },
                          {}});
  };
  for (const int columns : options.columns) add(columns, "cisolve " + format, {});
  if (options.all_variants) {
    for (const cuda::SpmvConfig& config : variants()) add(1, "cisolve " + format + text_of(config), config);
  }
  candidates.push_back({"cisolve " + format + " plain", format, 1, cuda::real_bytes(a),
                        [&stream, &a, &vectors] { spmv_plainly(stream, a, vectors.in(1), vectors.out(1)); },
                        {}});
  return candidates;
}

/// A product of cuSPARSE, or why it has none.
template <class Format>
SpmvCandidate cusparse_candidate(const cuda::Stream& stream, Format& format, DeviceVectors& vectors,
                                 const std::string& name, cusparseSpMVAlg_t algorithm, bool preprocess) {
  SpmvCandidate candidate{"cuSPARSE " + name, Format::name, 1, format.bytes(), {}, {}};
  try {
    candidate.enqueue = [product = std::make_shared<CusparseProduct>(
                             stream, format.descriptor(), vectors.num_rows, vectors.x.data(),
                             vectors.y.data(), algorithm, preprocess)] { product->enqueue(); };
  } catch (const cuda::CudaError& error) {
    candidate.failure = error.what();
  }
  return candidate;
}

FormatOnDevice load_csr(const cuda::Stream& stream, const CsrMatrix& host, DeviceVectors& vectors,
                        const SpmvOptions& options) {
  struct Owned {
    Owned(const cuda::Stream& s, const CsrMatrix& h) : matrix(h, s), cusparse(s, h, matrix) {}
    cuda::DeviceCsrMatrix matrix;
    CusparseCsr cusparse;
    cuda::SpmvWorkspace workspace;
  };
  auto owned = std::make_shared<Owned>(stream, host);
  auto candidates = own_candidates(stream, owned->matrix, owned->workspace, vectors, "csr", options);
  candidates.push_back(cusparse_candidate(stream, owned->cusparse, vectors, "CSR_ALG1",
                                          CUSPARSE_SPMV_CSR_ALG1, false));
  candidates.push_back(cusparse_candidate(stream, owned->cusparse, vectors, "CSR_ALG2 preprocessed",
                                          CUSPARSE_SPMV_CSR_ALG2, true));
  return {owned, std::move(candidates)};
}

FormatOnDevice load_hybrid(const cuda::Stream& stream, const CsrMatrix& host, DeviceVectors& vectors,
                           const SpmvOptions& options) {
  struct Owned {
    Owned(const cuda::Stream& s, const HybridMatrix& h) : matrix(h, s) {}
    cuda::DeviceHybridMatrix matrix;
    cuda::SpmvWorkspace workspace;
  };
  auto owned = std::make_shared<Owned>(stream, build_hybrid(CsrSource(host), options.ell_width));
  return {owned, own_candidates(stream, owned->matrix, owned->workspace, vectors, "hybrid", options)};
}

FormatOnDevice load_sell(const cuda::Stream& stream, const CsrMatrix& host, DeviceVectors& vectors) {
  struct Owned {
    Owned(const cuda::Stream& s, const CsrMatrix& h) : matrix(s, h) {}
    CusparseSell matrix;
  };
  auto owned = std::make_shared<Owned>(stream, host);
  return {owned, {cusparse_candidate(stream, owned->matrix, vectors, "SELL", CUSPARSE_SPMV_SELL_ALG1,
                                     false)}};
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
  result.relative_error = reference.relative_error(
      {vectors.host_y.data(), vectors.num_rows, reference.columns(), vectors.num_rows}, candidate.columns);
  result.correct = result.relative_error <= options.error_limit;
  if (!result.correct) result.failure = "wrong result";
  return result;
}

/// Checks all candidates, then times them in rounds.
void measure(const cuda::Stream& stream, const std::vector<SpmvCandidate>& candidates,
             DeviceVectors& vectors, const SpmvReference& reference, const SpmvOptions& options,
             std::vector<SpmvMeasurement>& results) {
  const std::size_t first_result = results.size();
  for (const SpmvCandidate& candidate : candidates) {
    results.push_back(verify(stream, candidate, vectors, reference, options));
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

}  // namespace

std::vector<SpmvMeasurement> run_device_spmv(const CsrMatrix& a, const SpmvOptions& options) {
  const cuda::Stream stream;
  const SpmvReference reference(a, *std::max_element(options.columns.begin(), options.columns.end()));
  DeviceVectors vectors(stream, reference);

  using Loader = std::function<FormatOnDevice()>;
  const std::vector<Loader> loaders = {[&] { return load_csr(stream, a, vectors, options); },
                                       [&] { return load_hybrid(stream, a, vectors, options); },
                                       [&] { return load_sell(stream, a, vectors); }};
  const std::int64_t all_bytes =
      real_bytes(a) + 4 * a.num_rows + CusparseSell::bytes_of(a) +
      storage_sizes(count_rows(CsrSource(a)), options.ell_width).hybrid_bytes;
  int device = 0;
  cuda::check(cudaGetDevice(&device));
  // A tenth is left for the vectors packed by the products and the buffers of cuSPARSE.
  const bool together = all_bytes < cuda::device_memory(device).free / 10 * 9;

  std::vector<SpmvMeasurement> results;
  std::vector<FormatOnDevice> loaded;
  std::vector<SpmvCandidate> candidates;
  for (const Loader& load : loaders) {
    loaded.push_back(load());
    candidates.insert(candidates.end(), loaded.back().candidates.begin(), loaded.back().candidates.end());
    if (together) continue;
    measure(stream, candidates, vectors, reference, options, results);
    candidates.clear();
    loaded.clear();
  }
  if (together) measure(stream, candidates, vectors, reference, options, results);
  return results;
}

}  // namespace cisolve::bench
