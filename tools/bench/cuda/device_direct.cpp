// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "cisolve/core/error.hpp"
#include "core/stopwatch.hpp"
#include "cuda/core/cublas_handle.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "direct_benchmark.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {
namespace {

constexpr double most_error = 1e-13;

double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  long double difference = 0.0L, norm = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += static_cast<long double>(a[i] - b[i]) * static_cast<long double>(a[i] - b[i]);
    norm += static_cast<long double>(b[i]) * static_cast<long double>(b[i]);
  }
  return static_cast<double>(std::sqrt(difference / norm));
}

/// Distance from what the host has.
double error_of(const DirectProduct& host, const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> expected(x.size());
  DirectWorkspace workspace;
  const std::int64_t n = host.size();
  host.multiply({x.data(), n, 1, n}, {expected.data(), n, 1, n}, workspace);
  return relative_distance(y, expected);
}

/// Milliseconds of E = (pq|rs) D for `pairs` pairs of orbitals and n columns, some of them at a time.
double dgemm_milliseconds(const cuda::Stream& stream, const cuda::CublasHandle& cublas, std::int64_t n,
                          std::int64_t pairs) {
  constexpr std::int64_t most_columns = 1 << 20;
  const std::int64_t columns = std::min(n, most_columns);
  cuda::DeviceArray<double> integrals(pairs * pairs);
  cuda::DeviceArray<double> d(pairs * columns), e(d.size());
  std::vector<double> values(std::max(integrals.size(), d.size()));
  std::mt19937_64 engine(2026);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (double& value : values) value = uniform(engine);
  cuda::HostTransfer transfer;
  transfer.upload(stream, values.data(), integrals.data(), integrals.size_bytes());
  transfer.upload(stream, values.data(), d.data(), d.size_bytes());
  const double one = 1.0, zero = 0.0;
  std::vector<double> samples;
  const cuda::Event start(cuda::Event::Kind::timing), stop(cuda::Event::Kind::timing);
  for (int k = 0; k < 12; ++k) {
    start.record(stream);
    cuda::check(cublasDgemm(cublas.get(), CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(pairs),
                            static_cast<int>(columns), static_cast<int>(pairs), &one, integrals.data(),
                            static_cast<int>(pairs), d.data(), static_cast<int>(pairs), &zero, e.data(),
                            static_cast<int>(pairs)));
    stop.record(stream);
    const double milliseconds = cuda::milliseconds(start, stop);
    if (k > 0) samples.push_back(milliseconds);
  }
  return spread_of(samples).median * static_cast<double>(n) / static_cast<double>(columns);
}

/// Milliseconds of the DGEMMs in a product by P. J. Knowles and N. C. Handy, Chem. Phys. Lett. 111 (1984) 315,
/// doi:10.1016/0009-2614(84)85513-X: E = (pq|rs) D with D [pairs][columns], for the pairs p >= q of each irrep by
/// themselves, with as many columns as the space has determinants. Its gathering and scattering aside.
double knowles_handy_milliseconds(const cuda::Stream& stream, std::int64_t n, const IntegralTables& tables) {
  std::array<std::int64_t, 8> pairs{};
  for (int p = 0; p < tables.num_orbitals(); ++p) {
    for (int q = 0; q <= p; ++q) ++pairs[tables.irrep(p) ^ tables.irrep(q)];
  }
  const cuda::CublasHandle cublas(stream);
  double sum = 0.0;
  for (const std::int64_t count : pairs)
    sum += count > 0 ? dgemm_milliseconds(stream, cublas, n, count) : 0.0;
  return sum;
}

}  // namespace

nlohmann::json run_direct(const DirectProduct& host, const DirectBenchmarkOptions& options) {
  Stopwatch stopwatch;
  const cuda::Stream stream;
  cuda::DirectConfig config = cuda::DirectConfig::for_device();
  config.blocks_per_multiprocessor = options.blocks_per_multiprocessor;
  config.least_long_columns = options.least_long_columns;
  config.same_spin = options.same_spin == "dense"       ? cuda::SameSpin::dense
                     : options.same_spin == "projected" ? cuda::SameSpin::projected
                                                        : cuda::SameSpin::chosen;
  const cuda::DirectProduct product(host, stream, config);
  stream.synchronize();
  const double seconds = stopwatch.seconds();
  const std::int64_t n = product.size();
  std::vector<double> x(n);
  std::mt19937_64 engine(2026);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (double& value : x) value = uniform(engine);
  cuda::DeviceArray<double> device_x(x.size()), device_y(x.size());
  cuda::HostTransfer transfer;
  transfer.upload(stream, x.data(), device_x.data(), device_x.size_bytes());
  transfer.finish();
  cuda::DirectWorkspace workspace;
  const auto multiply = [&] {
    product.multiply({device_x.data(), n, 1, n}, {device_y.data(), n, 1, n}, workspace);
  };
  const auto result = [&] {
    cuda::check(cudaMemsetAsync(device_y.data(), 0xff, device_y.size_bytes(), stream.get()));
    multiply();
    std::vector<double> y(x.size());
    transfer.download(stream, device_y.data(), y.data(), device_y.size_bytes());
    return y;
  };
  const std::vector<double> y = result();
  if (result() != y) throw Error("products don't repeat to the last bit");
  const double error = options.compare ? error_of(host, x, y) : std::nan("");
  if (error > most_error) throw Error(fmt::format("the product is {:.1e} from the host's", error));
  const cuda::Event start(cuda::Event::Kind::timing), stop(cuda::Event::Kind::timing);
  std::vector<double> samples;
  for (int k = 0; k < options.repeats; ++k) {
    start.record(stream);
    multiply();
    stop.record(stream);
    samples.push_back(cuda::milliseconds(start, stop));
  }
  const Spread spread = spread_of(samples);
  fmt::print(
      "  {} rows, tables {:.3f} GiB in {:.2f} s, workspace {:.3f} GiB, error {:.1e}: {:.3f} ms ({:.3f} to "
      "{:.3f})\n",
      n, static_cast<double>(product.bytes()) / (1 << 30), seconds,
      static_cast<double>(workspace.bytes()) / (1 << 30), error, spread.median, spread.minimum,
      spread.maximum);
  nlohmann::json dgemm;
  if (options.dgemm) {
    dgemm = knowles_handy_milliseconds(stream, n, host.integrals());
    fmt::print("  DGEMMs alone of a product with intermediates of all pairs: {:.3f} ms\n",
               dgemm.get<double>());
  }
  return {{"rows", n},
          {"dgemm_milliseconds", dgemm},
          {"table_bytes", product.bytes()},
          {"workspace_bytes", workspace.bytes()},
          {"setup_seconds", seconds},
          {"relative_error", options.compare ? nlohmann::json(error) : nlohmann::json()},
          {"milliseconds",
           {{"median", spread.median}, {"minimum", spread.minimum}, {"maximum", spread.maximum}}}};
}

}  // namespace cisolve::bench
