// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/progress.hpp"
#include "cisolve/lapw/matrices.hpp"

namespace cisolve::lapw {

/// Where H and S are made and stay: the host, or a device. Vectors that go in and out are on the host, N x columns,
/// column-major; next to H and S they are small.
class Engine {
public:
  enum class Which { h, s };

  virtual ~Engine() = default;

  /// "cpu, 16 threads", "NVIDIA H200"
  virtual std::string device() const = 0;
  /// Which library multiplies matrices, with its kernels where it says so.
  virtual std::string blas() const = 0;
  /// Why it could be faster, and how; may be empty.
  virtual std::string warning() const { return {}; }

  /// Flop/s of ZGEMM, measured now: of n x n matrices, or of large ones where these are larger. Of several devices, that of the
  /// first times their number.
  virtual double gemm_rate(std::int64_t n) = 0;

  /// Makes H and S of a k-point in place of what was there, see generate_matrices.
  virtual std::vector<LineRecord> generate(const MatrixProblem& problem, const GenerationOptions& options,
                                           const Progress& progress) = 0;

  /// Blocks of atoms that `generate` would take.
  virtual int num_blocks(const MatrixProblem& problem, const GenerationOptions& options) const = 0;

  /// N
  virtual std::int64_t size() const = 0;

  /// y = H x or S x.
  virtual void apply(Which which, const Complex* x, Complex* y, std::int64_t columns) const = 0;

  /// Cholesky factor of H - sigma S; false: it is not positive definite.
  virtual bool factor(double sigma) = 0;
  /// Cholesky factor of S; false: it is not positive definite.
  virtual bool factor_overlap() = 0;
  /// x becomes A^-1 x, with A what was factored last.
  virtual void solve(Complex* x, std::int64_t columns) const = 0;

  virtual double frobenius_norm(Which which) const = 0;
  virtual std::vector<double> diagonal(Which which) const = 0;
  /// H and S between some rows, whole matrices of that order.
  virtual HermitianPair block(std::span<const std::int64_t> rows) const = 0;
  /// H and S as they are: lower triangles.
  virtual HermitianPair to_host() const = 0;

  /// Lowest eigenpairs of L^-1 H L^-H, and L^-H of their vectors, where S = L L^H was factored last.
  /// @param energies  as many as are wanted
  /// @param vectors   N x energies.size()
  virtual void solve_standard_problem(std::span<double> energies, Complex* vectors) = 0;

  /// Lowest eigenpairs of X^H H X, X = V s^-1/2 with the eigenvectors V of S whose eigenvalues s are kept.
  struct Canonical {
    double lowest = 0.0, highest = 0.0, smallest_kept = 0.0;  ///< eigenvalues of S
    std::int64_t dropped = 0;
    std::vector<double> energies;
    Array<Complex> vectors;  ///< N x energies.size()
  };
  /// Which of the eigenvalues of S, ascending, are kept; without states yet.
  /// @throws Error  none is positive
  static Canonical kept_directions(std::span<const double> eigenvalues, double threshold);
  /// @param threshold  least eigenvalue of S that is kept, as a fraction of the largest
  /// @throws Error  none is positive
  virtual Canonical solve_canonically(std::int64_t roots, double threshold) = 0;
};

/// All in host memory, by BLAS and LAPACK.
std::unique_ptr<Engine> make_host_engine();

/// Host bytes that it takes for a k-point: H and S, what makes them, and the solver of so many roots.
std::int64_t host_engine_bytes(const MatrixProblem& problem, const GenerationOptions& options,
                               std::int64_t roots, bool by_davidson);

}  // namespace cisolve::lapw
