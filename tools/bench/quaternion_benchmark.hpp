// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "spinor_problem.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {

struct QuaternionOptions {
  std::vector<int> columns = {1, 2, 4};  ///< vectors per product, each timed
  int warm_ups = 3;
  int repeats = 21;
  int roots = 4;                    ///< compared between formats; 0: none
  double threshold = 1e-12;         ///< hartree; elements of at most this are left out
  double kramers_limit = 1e-9;      ///< hartree; see require_kramers_pairs
  double error_limit = 1e-13;       ///< |y - reference| / |reference| above this is wrong
  double energy_limit = 1e-11;      ///< hartree; roots of two formats further apart are wrong
  double davidson_residual = 1e-7;  ///< hartree; energies are then right to its square over their distance
  bool on_device = false;
};

/// Vectors and the products that they must have.
template <class Scalar>
struct KnownProducts {
  std::int64_t num_rows = 0;
  int columns = 0;
  std::vector<Scalar> x;  ///< [columns][num_rows]
  std::vector<Scalar> y;  ///< likewise

  BlockView<const Scalar, Memory::host> in(int count) const { return {x.data(), num_rows, count, num_rows}; }

  /// The largest |y - found| / |y| of the first columns; infinite if an element is no number.
  double relative_error(const std::vector<Scalar>& found, int count) const {
    double largest = 0.0;
    for (int k = 0; k < count; ++k) {
      double difference = 0.0, norm = 0.0;
      for (std::int64_t i = k * num_rows; i < (k + 1) * num_rows; ++i) {
        difference += std::norm(found[static_cast<std::size_t>(i)] - y[static_cast<std::size_t>(i)]);
        norm += std::norm(y[static_cast<std::size_t>(i)]);
      }
      if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::sqrt(difference / norm));
    }
    return largest;
  }
};

/// Checks that H over determinants of spinors, as complex CSR and hybrid matrices and adapted to time reversal, as a
/// quaternion hybrid matrix with an odd number of electrons or as real CSR and hybrid ones with an even one, gives the same
/// products and lowest roots; then counts bytes and times products of each, on the host or on the current device.
/// What the integrals miss of the structure of Kramers pairs is averaged out first.
/// @throws InputError     the integrals are not of Kramers pairs, or over more than 64 spinors
/// @throws ResourceError  a matrix does not fit into the memory of the host, or of the device
/// @throws Error          products or roots disagree
nlohmann::json run_quaternion(const SpinorProblem& problem, const QuaternionOptions& options);

/// Checks and times products on the current device. Only in builds with CUDA.
/// @param name  of the format, for the report
void measure_on_device(const ComplexCsrMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results);
void measure_on_device(const ComplexHybridMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results);
void measure_on_device(const QuaternionHybridMatrix& a, const KnownProducts<Complex>& known,
                       const std::string& name, const QuaternionOptions& options,
                       std::vector<SpmvMeasurement>& results);
void measure_on_device(const CsrMatrix& a, const KnownProducts<double>& known, const std::string& name,
                       const QuaternionOptions& options, std::vector<SpmvMeasurement>& results);
void measure_on_device(const HybridMatrix& a, const KnownProducts<double>& known, const std::string& name,
                       const QuaternionOptions& options, std::vector<SpmvMeasurement>& results);

}  // namespace cisolve::bench
