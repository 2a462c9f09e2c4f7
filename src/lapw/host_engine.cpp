// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/engine.hpp"
#include "lapw/blas.hpp"

namespace cisolve::lapw {
namespace {

constexpr std::int64_t columns_at_a_time = 16;

class HostEngine : public Engine {
public:
  std::string device() const override {
    const int threads = omp_get_max_threads();
    return fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s");
  }
  std::string blas() const override { return blas::name(); }
  std::string warning() const override { return blas::warning(); }
  double gemm_rate(std::int64_t n) override {
    constexpr std::int64_t small = 300,
                           large = 1024;  // small: no one looks at its rate; large: as fast as any
    const double seconds = n < small ? 0.03 : 0.3;
    return blas::gemm_rate(std::min(n, large), seconds);
  }

  std::vector<LineRecord> generate(const MatrixProblem& problem, const GenerationOptions& options,
                                   const Progress& progress) override {
    factor_ = {};
    if (pair_.n != problem.waves()) {
      pair_ = {};  // free first: both need not fit
      pair_ = HermitianPair(problem.waves());
    }
    return generate_matrices(problem, options, pair_, progress);
  }

  int num_blocks(const MatrixProblem& problem, const GenerationOptions& options) const override {
    const std::vector<int> functions = functions_by_atom(problem, options.algorithm);
    return static_cast<int>(std::ssize(atom_blocks(functions, options)));
  }

  std::int64_t size() const override { return pair_.n; }

  void apply(Which which, const Complex* x, Complex* y, std::int64_t columns) const override {
    const std::int64_t n = pair_.n;
    blas::hemm(n, columns, 1.0, of(which).data(), n, x, n, 0.0, y, n);
  }

  bool factor(double sigma) override {
    make_factor([&](std::int64_t at) {
      const auto k = static_cast<std::size_t>(at);
      return pair_.h[k] - sigma * pair_.s[k];
    });
    return blas::potrf(pair_.n, factor_.data(), pair_.n);
  }
  bool factor_overlap() override {
    make_factor([&](std::int64_t at) { return pair_.s[static_cast<std::size_t>(at)]; });
    return blas::potrf(pair_.n, factor_.data(), pair_.n);
  }
  void solve(Complex* x, std::int64_t columns) const override {
    const std::int64_t n = pair_.n;
    blas::trsm(blas::Op::none, n, columns, factor_.data(), n, x, n);
    blas::trsm(blas::Op::adjoint, n, columns, factor_.data(), n, x, n);
  }

  double frobenius_norm(Which which) const override {
    const std::int64_t n = pair_.n;
    const Array<Complex>& matrix = of(which);
    std::vector<double> sums(static_cast<std::size_t>(n));
    parallel_for(n, columns_at_a_time, [&](std::int64_t j) {
      double below = 0.0;
      for (std::int64_t i = j + 1; i < n; ++i)
        below += std::norm(matrix[static_cast<std::size_t>(j * n + i)]);
      sums[j] = 2.0 * below + std::norm(matrix[static_cast<std::size_t>(j * n + j)]);
    });
    double sum = 0.0;
    for (const double column : sums) sum += column;
    return std::sqrt(sum);
  }

  std::vector<double> diagonal(Which which) const override {
    std::vector<double> result;
    for (std::int64_t j = 0; j < pair_.n; ++j)
      result.push_back(of(which)[static_cast<std::size_t>(j * (pair_.n + 1))].real());
    return result;
  }

  HermitianPair block(std::span<const std::int64_t> rows) const override {
    const auto order = std::ssize(rows);
    HermitianPair result(order);
    for (std::int64_t j = 0; j < order; ++j) {
      for (std::int64_t i = 0; i < order; ++i) {
        const auto to = static_cast<std::size_t>(j * order + i);
        result.h[to] = element(pair_.h, rows[i], rows[j]);
        result.s[to] = element(pair_.s, rows[i], rows[j]);
      }
    }
    return result;
  }

  HermitianPair to_host() const override {
    HermitianPair copy(pair_.n);
    copy_matrix(pair_.h, copy.h);
    copy_matrix(pair_.s, copy.s);
    return copy;
  }

  void solve_standard_problem(std::span<double> energies, Complex* vectors) override {
    const std::int64_t n = pair_.n, roots = std::ssize(energies);
    Array<Complex> h(pair_.h.size());
    copy_matrix(pair_.h, h);
    blas::hegst(n, h.data(), n, factor_.data(), n);
    blas::heev(n, h.data(), n, roots, energies.data(), vectors, n);
    blas::trsm(blas::Op::adjoint, n, roots, factor_.data(), n, vectors, n);
  }

  Canonical solve_canonically(std::int64_t roots, double threshold) override {
    const std::int64_t n = pair_.n;
    factor_ = {};
    Array<Complex> s(pair_.s.size()), basis(pair_.s.size());
    copy_matrix(pair_.s, s);
    std::vector<double> values(static_cast<std::size_t>(n));
    blas::heev(n, s.data(), n, n, values.data(), basis.data(), n);
    Canonical result = kept_directions(values, threshold);
    const std::int64_t dropped = result.dropped, kept = n - dropped;
    Complex* x = basis.data() + dropped * n;
    parallel_for(kept, 1, [&](std::int64_t k) {
      const double factor = 1.0 / std::sqrt(values[dropped + k]);
      for (std::int64_t i = 0; i < n; ++i) x[k * n + i] *= factor;
    });
    Array<Complex>& hx = s;
    apply(Which::h, x, hx.data(), kept);
    Array<Complex> projected(static_cast<std::size_t>(kept * kept));
    blas::gemm(blas::Op::adjoint, blas::Op::none, kept, kept, n, 1.0, x, n, hx.data(), n, 0.0,
               projected.data(), kept);
    const std::int64_t count = std::min(roots, kept);
    result.energies.resize(static_cast<std::size_t>(count));
    Array<Complex> inner(static_cast<std::size_t>(kept * count));
    blas::heev(kept, projected.data(), kept, count, result.energies.data(), inner.data(), kept);
    result.vectors = Array<Complex>(static_cast<std::size_t>(n * count));
    blas::gemm(blas::Op::none, blas::Op::none, n, count, kept, 1.0, x, n, inner.data(), kept, 0.0,
               result.vectors.data(), n);
    return result;
  }

private:
  const Array<Complex>& of(Which which) const { return which == Which::h ? pair_.h : pair_.s; }

  Complex element(const Array<Complex>& matrix, std::int64_t i, std::int64_t j) const {
    return i >= j ? matrix[static_cast<std::size_t>(j * pair_.n + i)]
                  : std::conj(matrix[static_cast<std::size_t>(i * pair_.n + j)]);
  }

  void copy_matrix(const Array<Complex>& from, Array<Complex>& to) const {
    parallel_for(pair_.n, columns_at_a_time, [&](std::int64_t j) {
      std::copy_n(from.data() + j * pair_.n, pair_.n, to.data() + j * pair_.n);
    });
  }

  template <class Element>
  void make_factor(const Element& element_at) {
    const std::int64_t n = pair_.n;
    if (factor_.size() != pair_.s.size()) factor_ = Array<Complex>(pair_.s.size());
    parallel_for(n, columns_at_a_time, [&](std::int64_t j) {
      for (std::int64_t at = j * n + j; at < (j + 1) * n; ++at)
        factor_[static_cast<std::size_t>(at)] = element_at(at);
    });
  }

  HermitianPair pair_;
  Array<Complex> factor_;  ///< the last one, in the lower triangle
};

}  // namespace

std::unique_ptr<Engine> make_host_engine() { return std::make_unique<HostEngine>(); }

std::int64_t host_engine_bytes(const MatrixProblem& problem, const GenerationOptions& options,
                               std::int64_t roots, bool by_davidson) {
  const std::int64_t n = problem.waves(), square = n * n;
  // Besides H and S at most what a nearly singular S takes, which any solver may meet: its eigenvectors and their products, work
  // of LAPACK; vectors.
  constexpr std::int64_t usual_subspace = 40;  // vectors of Davidson's method for each root
  const std::int64_t solver = roots == 0 ? 0 : 4 * square + (by_davidson ? usual_subspace : 3) * n * roots;
  const auto bytes = static_cast<std::int64_t>(sizeof(Complex));
  return bytes * 2 * square + std::max(generation_bytes(problem, options), bytes * solver);
}

}  // namespace cisolve::lapw
