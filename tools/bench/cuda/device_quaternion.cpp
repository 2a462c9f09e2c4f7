// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/host_transfer.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/device_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "quaternion_benchmark.hpp"

namespace cisolve::bench {
namespace {

template <class Matrix, class Scalar>
void measure(const Matrix& host, const KnownProducts<Scalar>& known, const std::string& name,
             const QuaternionOptions& options, std::vector<SpmvMeasurement>& results) {
  const cuda::Stream stream;
  const auto a = cuda::to_device(host, stream);
  cuda::DeviceArray<Scalar> x(known.x.size()), y(known.x.size());
  cuda::HostTransfer transfer;
  transfer.upload(stream, known.x.data(), x.data(), x.size_bytes());
  transfer.finish();
  cuda::SpmvWorkspace workspace;
  std::vector<Scalar> found(known.y.size());
  const cuda::Event start(cuda::Event::Kind::timing), stop(cuda::Event::Kind::timing);
  for (const int columns : options.columns) {
    const BlockView<const Scalar, Memory::cuda> in{x.data(), known.num_rows, columns, known.num_rows};
    const BlockView<Scalar, Memory::cuda> out{y.data(), known.num_rows, columns, known.num_rows};
    cuda::check(cudaMemsetAsync(y.data(), 0xff, y.size_bytes(), stream.get()));
    spmv(stream, a, in, out, workspace);
    transfer.download(stream, y.data(), found.data(), y.size_bytes());
    SpmvMeasurement result;
    result.name = name;
    result.format = name;
    result.place = "cuda";
    result.columns = columns;
    result.bytes = array_bytes(a);
    result.relative_error = known.relative_error(found, columns);
    result.correct = result.relative_error <= options.error_limit;
    std::vector<double> samples;
    for (int turn = -options.warm_ups; turn < options.repeats; ++turn) {
      // Once ahead, so that the card is at work while the host queues what is timed.
      spmv(stream, a, in, out, workspace);
      start.record(stream);
      spmv(stream, a, in, out, workspace);
      stop.record(stream);
      const double taken = cuda::milliseconds(start, stop);
      if (turn >= 0) samples.push_back(taken);
    }
    result.milliseconds = spread_of(std::move(samples));
    results.push_back(std::move(result));
  }
}

}  // namespace

void measure_on_device(const ComplexCsrMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results) {
  measure(a, known, name, options, results);
}

void measure_on_device(const ComplexHybridMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results) {
  measure(a, known, name, options, results);
}

void measure_on_device(const QuaternionHybridMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results) {
  measure(a, known, name, options, results);
}

void measure_on_device(const CsrMatrix& a, const KnownProducts<double>& known, const std::string& name,
                       const QuaternionOptions& options, std::vector<SpmvMeasurement>& results) {
  measure(a, known, name, options, results);
}

void measure_on_device(const HybridMatrix& a, const KnownProducts<double>& known, const std::string& name,
                       const QuaternionOptions& options, std::vector<SpmvMeasurement>& results) {
  measure(a, known, name, options, results);
}

}  // namespace cisolve::bench
