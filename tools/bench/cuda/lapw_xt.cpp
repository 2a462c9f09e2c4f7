// SPDX-License-Identifier: MIT
#include <cublasXt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/owned.hpp"
#include "cuda/lapw/products.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"
#include "lapw/plane_wave_pass.hpp"
#include "lapw_benchmark.hpp"

namespace cisolve::bench {
namespace {

using namespace lapw;
using cuda::check;
using cuda::lapw::to_cuda;

class XtRun {
public:
  XtRun(const MatrixProblem& problem, HermitianPair& out)
      : problem_(problem), out_(out), n_(out.n), k_(problem.rows()) {
    check(cublasXtCreate(handle_.out()));
    int device[] = {0};
    check(cublasXtDeviceSelect(handle_.get(), 1, device));
    constexpr int tile = 2048;
    check(cublasXtSetBlockDim(handle_.get(), tile));
    for (const MuffinTin& tin : problem.tins) definite_.push_back(is_positive_definite(tin));
    for (const bool definite : {true, false}) {
      for (int atom = 0; atom < std::ssize(problem.atom_types); ++atom) {
        const int type = problem.atom_types[atom];
        if (definite_[type] != definite) continue;
        places_.push_back({atom, type, rows_});
        rows_ += num_functions(problem.tins[type].lmax);
      }
      if (definite) definite_rows_ = rows_;
    }
    for (Array<Complex>* array : {&a_, &b_, &z_}) *array = Array<Complex>(static_cast<std::size_t>(k_ * n_));
  }

  std::vector<LineRecord> operator()() {
    const auto n = static_cast<double>(n_), k = static_cast<double>(k_),
               p = static_cast<double>(definite_rows_);
    lines_.time("interstitial", [&] { return plane_wave_pass(problem_, false, out_); });
    lines_.time("A and B", [&] {
      over_atoms([&](const Place& place, int, std::int64_t first, std::int64_t last, std::int64_t at) {
        problem_.coefficients->fill(place.atom, problem_.tins[place.type].lmax, first, last, a_.data() + at,
                                    b_.data() + at, k_);
      });
      return 0.0;
    });
    lines_.time("loop 1 (4-9)", [&] {
      over_atoms([&](const Place& place, int m, std::int64_t first, std::int64_t last, std::int64_t at) {
        const MuffinTin& tin = problem_.tins[place.type];
        blas::gemm(blas::Op::adjoint, blas::Op::none, m, last - first, m, 1.0, tin.t_ab.data(), m,
                   a_.data() + at, k_, 0.0, z_.data() + at, k_);
        blas::hemm(m, last - first, 0.5, tin.t_bb.data(), m, b_.data() + at, k_, 1.0, z_.data() + at, k_);
      });
      return 16.0 * squares() * n;
    });
    lines_.time("H1 (10)", [&] {
      const cuDoubleComplex one = {1.0, 0.0};
      const double beta = 1.0;
      check(cublasXtZher2k(handle_.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, size(n_), size(k_), &one,
                           to_cuda(z_.data()), size(k_), to_cuda(b_.data()), size(k_), &beta,
                           to_cuda(out_.h.data()), size(n_)));
      return 8.0 * k * n * n;
    });
    lines_.time("S1 (13)", [&] { return herk(a_.data(), k_, out_.s); });
    lines_.time("U (14)", [&] {
      over_atoms([&](const Place& place, int m, std::int64_t first, std::int64_t last, std::int64_t at) {
        const std::vector<double> norms = udot_norms_by_function(problem_.tins[place.type]);
        for (std::int64_t column = 0; column < last - first; ++column) {
          for (int row = 0; row < m; ++row)
            b_[static_cast<std::size_t>(at + column * k_ + row)] *= norms[row];
        }
      });
      return 2.0 * k * n;
    });
    lines_.time("S2 (15)", [&] { return herk(b_.data(), k_, out_.s); });
    lines_.time("loop 2 (17-27)", [&] {
      over_atoms([&](const Place& place, int m, std::int64_t first, std::int64_t last, std::int64_t at) {
        ComplexMatrix last_matrix = problem_.tins[place.type].t_aa;
        if (definite_[place.type]) {
          blas::potrf(m, last_matrix.data(), m);
          blas::trmm_adjoint(m, last - first, last_matrix.data(), m, a_.data() + at, k_);
        } else {
          blas::hemm(m, last - first, 1.0, last_matrix.data(), m, a_.data() + at, k_, 0.0, z_.data() + at,
                     k_);
        }
      });
      return 6.0 * squares() * n;
    });
    if (definite_rows_ < k_) {
      lines_.time("H2 (28)", [&] {
        const cuDoubleComplex one = {1.0, 0.0};
        check(cublasXtZgemm(handle_.get(), CUBLAS_OP_C, CUBLAS_OP_N, size(n_), size(n_),
                            size(k_ - definite_rows_), &one, to_cuda(a_.data() + definite_rows_), size(k_),
                            to_cuda(z_.data() + definite_rows_), size(k_), &one, to_cuda(out_.h.data()),
                            size(n_)));
        return 8.0 * (k - p) * n * n;
      });
    }
    if (definite_rows_ > 0) lines_.time("H3 (29)", [&] { return herk(a_.data(), definite_rows_, out_.h); });
    return lines_.take();
  }

private:
  struct Place {
    int atom, type;
    std::int64_t row;
  };

  static std::size_t size(std::int64_t number) { return static_cast<std::size_t>(number); }

  double squares() const {
    double sum = 0.0;
    for (const Place& place : places_) sum += std::pow(num_functions(problem_.tins[place.type].lmax), 2);
    return sum;
  }

  template <class Body>
  void over_atoms(const Body& body) {
    for_columns(n_, [&](std::int64_t first, std::int64_t last) {
      for (const Place& place : places_)
        body(place, num_functions(problem_.tins[place.type].lmax), first, last, first * k_ + place.row);
    });
  }

  double herk(const Complex* x, std::int64_t rows, Array<Complex>& c) {
    const double one = 1.0;
    check(cublasXtZherk(handle_.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, size(n_), size(rows), &one,
                        to_cuda(x), size(k_), &one, to_cuda(c.data()), size(n_)));
    return blas::herk_flops(static_cast<double>(n_), static_cast<double>(rows));
  }

  const MatrixProblem& problem_;
  HermitianPair& out_;
  std::int64_t n_, k_;
  cuda::Owned<cublasXtHandle_t, cublasXtDestroy> handle_;
  Lines lines_;
  std::vector<bool> definite_;
  std::vector<Place> places_;
  std::int64_t rows_ = 0, definite_rows_ = 0;
  Array<Complex> a_, b_, z_;
};

}  // namespace

std::vector<lapw::LineRecord> generate_by_xt(const lapw::MatrixProblem& problem, lapw::HermitianPair& out) {
  return XtRun(problem, out)();
}

}  // namespace cisolve::bench
