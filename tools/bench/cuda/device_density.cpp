// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "core/stopwatch.hpp"
#include "cuda/analysis/string_density.hpp"
#include "cuda/core/host_transfer.hpp"
#include "density_benchmark.hpp"
#include "random.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {
namespace {

constexpr double most_difference = 1e-12;

/// Each element from its own sequence, so that all threads may fill it.
Array<double> random_unit_vector(std::int64_t size) {
  Array<double> x(size);
  double square = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : square)
  for (std::int64_t k = 0; k < size; ++k) {
    x.data()[k] = Random(1, k).uniform() - 0.5;
    square += x.data()[k] * x.data()[k];
  }
  const double factor = 1.0 / std::sqrt(square);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < size; ++k) x.data()[k] *= factor;
  return x;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0.0;
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) largest = std::max(largest, std::abs(a(p, q) - b(p, q)));
  }
  return largest;
}

double largest_difference(const SpinDensity& a, const SpinDensity& b) {
  return std::max(largest_difference(a.alpha, b.alpha), largest_difference(a.beta, b.beta));
}

}  // namespace

nlohmann::json run_device_density(const BenchJob& job, int repeats) {
  const Basis& basis = *job.problem->basis;
  if (basis.as_product() == nullptr) throw InputError("density: the space is not made of blocks of strings");
  const std::int64_t n = basis.size();
  const Array<double> x = random_unit_vector(n);
  Stopwatch stopwatch;
  const SpinDensity expected = basis.spin_densities(x, 1, {basis, x, 1})(0, 0);
  const double on_host = stopwatch.seconds();

  const cuda::Stream stream;
  cuda::DeviceArray<double> vector(x.size());
  cuda::HostTransfer transfer;
  stopwatch = Stopwatch();
  transfer.upload(stream, x.data(), vector.data(), vector.size_bytes());
  stream.synchronize();
  const double transferred = stopwatch.seconds();
  stopwatch = Stopwatch();
  cuda::StringDensities densities(*basis.as_product(), stream);
  stream.synchronize();
  const double planned = stopwatch.seconds();
  const auto sum = [&] { return densities({vector.data(), n, 1, n})(0, 0); };
  const SpinDensity found = sum();
  const double error = largest_difference(found, expected);
  if (!(error < most_difference)) throw Error(fmt::format("the densities are {:.1e} from the host's", error));
  std::vector<double> samples;
  for (int k = 0; k < repeats; ++k) {
    stopwatch = Stopwatch();
    const SpinDensity again = sum();
    samples.push_back(1e3 * stopwatch.seconds());
    if (largest_difference(again, found) > 0.0) throw Error("densities don't repeat to the last bit");
  }
  const Spread spread = spread_of(samples);
  fmt::print("{}\n  host, {} threads: {:.3f} s\n", job.name, omp_get_max_threads(), on_host);
  fmt::print(
      "  device: {:.3f} ms ({:.3f} to {:.3f}), difference {:.1e}; tables {:.3f} GiB in {:.2f} s, vector "
      "there in "
      "{:.2f} s\n",
      spread.median, spread.minimum, spread.maximum, error,
      static_cast<double>(densities.bytes()) / (1 << 30), planned, transferred);
  return {{"determinants", n},
          {"threads", omp_get_max_threads()},
          {"host_seconds", on_host},
          {"table_bytes", densities.bytes()},
          {"setup_seconds", planned},
          {"transfer_seconds", transferred},
          {"largest_difference", error},
          {"milliseconds",
           {{"median", spread.median}, {"minimum", spread.minimum}, {"maximum", spread.maximum}}}};
}

}  // namespace cisolve::bench
