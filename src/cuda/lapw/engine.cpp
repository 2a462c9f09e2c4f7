// SPDX-License-Identifier: MIT
#include "cuda/lapw/engine.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>
#include <vector>

#include "cisolve/ranks/thread_ranks.hpp"
#include "core/stopwatch.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/coefficient_blocks.hpp"
#include "cuda/lapw/cusolver.hpp"
#include "cuda/lapw/generation.hpp"
#include "cuda/lapw/kernels.hpp"
#include "cuda/lapw/panel.hpp"
#include "cuda/lapw/panel_device.hpp"
#include "lapw/blas.hpp"

namespace cisolve::cuda::lapw {
namespace {

namespace host = cisolve::lapw;
using host::Complex;
using Op = Products::Op;

/// Makes the device current before anything else of the engine comes to be.
int use_device(int ordinal) {
  check(cudaSetDevice(ordinal));
  return ordinal;
}

class DeviceEngine : public host::Engine {
public:
  DeviceEngine(std::span<const int> ordinals, std::optional<std::int64_t> free_bytes)
      : ordinal_(use_device(ordinals.front())), free_bytes_(free_bytes ? *free_bytes : least_free(ordinals)),
        products_(stream_), solver_(stream_) {
    for (const DeviceInfo& device : visible_devices()) {
      if (device.ordinal == ordinal_) name_ = device.name;
    }
    if (ordinals.size() > 1) name_ = std::to_string(ordinals.size()) + " x " + name_;
    others_.resize(ordinals.size() - 1);
    if (others_.empty()) return;
    run_ranks(static_cast<int>(others_.size()), [&](const Communicator& starting) {
      const auto other = static_cast<std::size_t>(starting.rank());
      others_[other] = std::make_unique<PanelDevice>(ordinals[other + 1], ordinal_);
    });
  }

  std::string device() const override { return name_; }
  std::string blas() const override {
    int version = 0;
    check(cublasGetVersion(products_.handle(), &version));
    return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  }

  /// The host's, which does the small algebra of solvers.
  std::string warning() const override { return host::blas::warning(); }

  double gemm_rate(std::int64_t n) override {
    constexpr std::int64_t large = 8192, small = 2048;
    const bool has_room =
        free_device_bytes() > 4 * large * large * static_cast<std::int64_t>(sizeof(Complex));
    const std::int64_t order = n >= small && has_room ? large : small;
    const auto elements = static_cast<std::size_t>(order * order);
    DeviceArray<Complex> factors(2 * elements), c(elements);
    // Of random numbers: with regular ones a device takes less power, and clocks higher.
    const SyntheticView numbers{.waves = order,
                                .rows = order,
                                .stream_a = 1,
                                .stream_b = 2,
                                .functions = static_cast<std::int32_t>(order),
                                .scale = 1.0};
    const AtomPlace whole[] = {{}};
    const auto place = uploads_(std::span<const AtomPlace>(whole));
    cuDoubleComplex *a = to_cuda(factors.data()), *b = a + elements;
    fill_synthetic(stream_, numbers, place.data(), 1, static_cast<int>(order), a, order,
                   static_cast<std::int64_t>(elements));
    const Event begin(Event::Kind::timing), end(Event::Kind::timing);
    const auto multiply = [&] {
      products_.gemm(Op::adjoint, order, order, order, 1.0, a, order, b, order, 0.0, to_cuda(c.data()),
                     order);
    };
    multiply();
    double best = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      begin.record(stream_);
      multiply();
      end.record(stream_);
      const auto size = static_cast<double>(order);
      best = std::max(best, host::blas::gemm_flops(size, size, size) / (1e-3 * milliseconds(begin, end)));
    }
    return best * static_cast<double>(others_.size() + 1);
  }

  std::vector<host::LineRecord> generate(const host::MatrixProblem& problem,
                                         const host::GenerationOptions& options,
                                         const Progress& progress) override {
    factor_ = {};
    const std::int64_t n = problem.waves();
    if (n != n_) {
      h_ = {};  // free first: both need not fit
      s_ = {};
      n_ = 0;
      h_ = DeviceArray<Complex>(static_cast<std::size_t>(n * n));
      s_ = DeviceArray<Complex>(static_cast<std::size_t>(n * n));
      n_ = n;
    }
    is_mirrored_ = false;
    host::GenerationOptions chosen = options;
    chosen.block_rows = block_rows(n, options);
    return make_panels(problem, chosen, progress);
  }

  int num_blocks(const host::MatrixProblem& problem, const host::GenerationOptions& options) const override {
    const std::int64_t rows = block_rows(problem.waves(), options);
    return static_cast<int>(std::ssize(type_blocks(
        problem.atom_types, host::functions_by_atom(problem, options.algorithm), rows, options.stored)));
  }

  std::int64_t size() const override { return n_; }

  void apply(Which which, const Complex* x, Complex* y, std::int64_t columns) const override {
    const auto count = static_cast<std::size_t>(n_ * columns);
    grow(in_, count);
    grow(out_, count);
    transfer_.upload(stream_, x, in_.data(), count * sizeof(Complex));
    products_.gemm(Op::none, n_, columns, n_, 1.0, mirrored(which), n_, to_cuda(in_.data()), n_, 0.0,
                   to_cuda(out_.data()), n_);
    transfer_.download(stream_, out_.data(), y, count * sizeof(Complex));
  }

  bool factor(double sigma) override {
    make_room_for_factor();
    combine_lower(stream_, n_, matrix(Which::h), sigma, matrix(Which::s), to_cuda(factor_.data()));
    if (!solver_.potrf(n_, to_cuda(factor_.data()))) return false;
    // Products with the inverse are many times as fast as triangular solutions of few columns.
    constexpr std::int64_t largest_inverted = 46340;  // cuSOLVER counts its elements in 32 bits
    is_inverse_ = n_ <= largest_inverted;
    if (!is_inverse_) return true;
    solver_.potri(n_, to_cuda(factor_.data()));
    mirror(stream_, n_, to_cuda(factor_.data()));
    return true;
  }
  bool factor_overlap() override {
    make_room_for_factor();
    is_inverse_ = false;
    combine_lower(stream_, n_, matrix(Which::s), 0.0, nullptr, to_cuda(factor_.data()));
    return solver_.potrf(n_, to_cuda(factor_.data()));
  }
  void solve(Complex* x, std::int64_t columns) const override {
    const auto count = static_cast<std::size_t>(n_ * columns);
    grow(in_, count);
    transfer_.upload(stream_, x, in_.data(), count * sizeof(Complex));
    if (is_inverse_) {
      grow(out_, count);
      products_.gemm(Op::none, n_, columns, n_, 1.0, to_cuda(factor_.data()), n_, to_cuda(in_.data()), n_,
                     0.0, to_cuda(out_.data()), n_);
      transfer_.download(stream_, out_.data(), x, count * sizeof(Complex));
      return;
    }
    products_.trsm(Op::none, n_, columns, to_cuda(factor_.data()), to_cuda(in_.data()));
    products_.trsm(Op::adjoint, n_, columns, to_cuda(factor_.data()), to_cuda(in_.data()));
    transfer_.download(stream_, in_.data(), x, count * sizeof(Complex));
  }

  double frobenius_norm(Which which) const override {
    DeviceArray<double> sums(static_cast<std::size_t>(n_));
    column_squares(stream_, n_, matrix(which), sums.data());
    double sum = 0.0;
    for (const double column : fetch(sums.data(), n_)) sum += column;
    return std::sqrt(sum);
  }

  std::vector<double> diagonal(Which which) const override {
    std::vector<double> result(static_cast<std::size_t>(n_));
    check(cudaMemcpy2DAsync(result.data(), sizeof(double), matrix(which),
                            static_cast<std::size_t>(n_ + 1) * sizeof(Complex), sizeof(double),
                            static_cast<std::size_t>(n_), cudaMemcpyDeviceToHost, stream_.get()));
    stream_.synchronize();
    return result;
  }

  host::HermitianPair block(std::span<const std::int64_t> rows) const override {
    const std::int64_t order = std::ssize(rows);
    host::HermitianPair result(order);
    const auto on_device = uploads_(rows);
    DeviceArray<Complex> gathered(static_cast<std::size_t>(order * order));
    for (const auto& [which, to] :
         {std::pair(Which::h, result.h.data()), std::pair(Which::s, result.s.data())}) {
      gather_block(stream_, n_, matrix(which), on_device.data(), order, to_cuda(gathered.data()));
      transfer_.download(stream_, gathered.data(), to, gathered.size_bytes());
    }
    return result;
  }

  host::HermitianPair to_host() const override {
    host::HermitianPair result(n_);
    transfer_.download(stream_, h_.data(), result.h.data(), result.h.size_bytes());
    transfer_.download(stream_, s_.data(), result.s.data(), result.s.size_bytes());
    return result;
  }

  void solve_standard_problem(std::span<double> energies, Complex* vectors) override {
    const std::int64_t roots = std::ssize(energies);
    DeviceArray<Complex> standard(elements());
    DeviceArray<double> values(static_cast<std::size_t>(n_));
    check(cudaMemcpyAsync(standard.data(), h_.data(), h_.size_bytes(), cudaMemcpyDeviceToDevice,
                          stream_.get()));
    mirror(stream_, n_, to_cuda(standard.data()));
    products_.trsm(Op::none, n_, n_, to_cuda(factor_.data()), to_cuda(standard.data()));
    products_.trsm_right(n_, to_cuda(factor_.data()), to_cuda(standard.data()));
    solver_.heev(n_, roots, to_cuda(standard.data()), values.data());
    products_.trsm(Op::adjoint, n_, roots, to_cuda(factor_.data()), to_cuda(standard.data()));
    std::ranges::copy(fetch(values.data(), roots), energies.begin());
    transfer_.download(stream_, standard.data(), vectors,
                       static_cast<std::size_t>(n_ * roots) * sizeof(Complex));
  }

  Canonical solve_canonically(std::int64_t roots, double threshold) override {
    factor_ = {};
    DeviceArray<Complex> basis(elements());
    DeviceArray<double> device_values(static_cast<std::size_t>(n_));
    check(cudaMemcpyAsync(basis.data(), s_.data(), s_.size_bytes(), cudaMemcpyDeviceToDevice, stream_.get()));
    solver_.heev(n_, n_, to_cuda(basis.data()), device_values.data());
    const std::vector<double> values = fetch(device_values.data(), n_);
    Canonical result = kept_directions(values, threshold);
    const std::int64_t dropped = result.dropped, kept = n_ - dropped, count = std::min(roots, kept);
    result.vectors = Array<Complex>(static_cast<std::size_t>(n_ * count));
    std::vector<double> factors;
    for (const double value : std::span(values).subspan(static_cast<std::size_t>(dropped)))
      factors.push_back(1.0 / std::sqrt(value));
    const auto device_factors = uploads_(std::span<const double>(factors));
    cuDoubleComplex* x = to_cuda(basis.data()) + dropped * n_;
    scale_columns(stream_, n_, kept, device_factors.data(), x);
    DeviceArray<Complex> hx(static_cast<std::size_t>(n_ * kept)),
        projected(static_cast<std::size_t>(kept * kept));
    products_.hemm(n_, kept, matrix(Which::h), x, to_cuda(hx.data()));
    products_.gemm(Op::adjoint, kept, kept, n_, 1.0, x, n_, to_cuda(hx.data()), n_, 0.0,
                   to_cuda(projected.data()), kept);
    solver_.heev(kept, count, to_cuda(projected.data()), device_values.data());
    products_.gemm(Op::none, n_, count, kept, 1.0, x, n_, to_cuda(projected.data()), kept, 0.0,
                   to_cuda(hx.data()), n_);
    result.energies = fetch(device_values.data(), count);
    transfer_.download(stream_, hx.data(), result.vectors.data(), result.vectors.size_bytes());
    return result;
  }

private:
  static std::int64_t least_free(std::span<const int> ordinals) {
    return std::ranges::min(ordinals |
                            std::views::transform([](int one) { return device_memory(one).free; }));
  }

  /// By each device its panel, by one the whole triangle.
  std::vector<host::LineRecord> make_panels(const host::MatrixProblem& problem,
                                            const host::GenerationOptions& options,
                                            const Progress& progress) {
    const std::vector<Panel> panels = column_panels(n_, static_cast<int>(others_.size()) + 1);
    std::vector<std::vector<host::LineRecord>> lines(panels.size());
    const Stopwatch watch;
    run_ranks(static_cast<int>(panels.size()), [&](const Communicator& devices) {
      const auto device = static_cast<std::size_t>(devices.rank());
      const Panel& panel = panels[device];
      const std::int64_t corner = panel.first * (n_ + 1);
      const MatrixParts to = {to_cuda(h_.data()) + corner, to_cuda(s_.data()) + corner, n_};
      lines[device] = device == 0 ? lapw::generate(uploads_, products_, problem, options, panel, to, progress)
                                  : others_[device - 1]->generate(problem, options, panel, to);
    });
    return lines.size() == 1 ? lines.front() : side_by_side(lines, watch.seconds());
  }

  std::int64_t block_rows(std::int64_t waves, const host::GenerationOptions& options) const {
    return options.block_rows > 0 ? options.block_rows : usual_block_rows(waves, free_bytes_);
  }

  /// The whole matrix: products with few columns are faster than with a triangle.
  const cuDoubleComplex* mirrored(Which which) const {
    if (!is_mirrored_) {
      mirror(stream_, n_, to_cuda(h_.data()));
      mirror(stream_, n_, to_cuda(s_.data()));
      is_mirrored_ = true;
    }
    return matrix(which);
  }

  void make_room_for_factor() {
    if (factor_.size() == elements()) return;
    factor_ = {};
    factor_ = DeviceArray<Complex>(elements());
  }

  std::size_t elements() const { return static_cast<std::size_t>(n_ * n_); }
  const cuDoubleComplex* matrix(Which which) const {
    return to_cuda(which == Which::h ? h_.data() : s_.data());
  }

  std::vector<double> fetch(const double* device, std::int64_t count) const {
    std::vector<double> values(static_cast<std::size_t>(count));
    check(cudaMemcpyAsync(values.data(), device, values.size() * sizeof(double), cudaMemcpyDeviceToHost,
                          stream_.get()));
    stream_.synchronize();
    return values;
  }

  int ordinal_;              ///< the first member: the device is current before the others come to be
  std::int64_t free_bytes_;  ///< that it may take of each device
  std::string name_;
  Stream stream_;
  Products products_;
  Cusolver solver_;
  std::int64_t n_ = 0;
  mutable DeviceArray<Complex> h_, s_;
  mutable bool is_mirrored_ = false;       ///< their upper triangles are written
  DeviceArray<Complex> factor_;            ///< the last one
  bool is_inverse_ = false;                ///< or the inverse of what was factored
  mutable DeviceArray<Complex> in_, out_;  ///< vectors on their way
  mutable HostTransfer transfer_;
  mutable Uploads uploads_{stream_};
  std::vector<std::unique_ptr<PanelDevice>> others_;
};

}  // namespace

std::unique_ptr<host::Engine> make_engine(std::span<const int> ordinals,
                                          std::optional<std::int64_t> free_bytes) {
  return std::make_unique<DeviceEngine>(ordinals, free_bytes);
}

}  // namespace cisolve::cuda::lapw
