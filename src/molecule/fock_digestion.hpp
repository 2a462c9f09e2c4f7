// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {

/// K of a symmetric density from one packed row (pq|..), p >= q:
///     K_pr += (pq|rs) D_qs and K_qr += (pq|rs) D_ps for all r, s.
/// `exchange` takes them transposed, so that columns are contiguous: element (r, p) is K_pr.
inline void add_exchange(const double* row, const Matrix& density, int p, int q, Matrix& exchange) {
  const int n = density.rows();
  const auto column = [n](const Matrix& m, int k) {
    return m.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(n);
  };
  const double* dq = column(density, q);
  const double* dp = column(density, p);
  double* kp = &exchange(0, p);
  double* kq = &exchange(0, q);
  if (p == q) {
    for (int r = 0; r < n; ++r, row += r) {
      double sum = 0.0;
      const double d = dq[r];
#pragma omp simd reduction(+ : sum)
      for (int s = 0; s < r; ++s) {
        sum += row[s] * dq[s];
        kp[s] += row[s] * d;
      }
      kp[r] += sum + row[r] * d;
    }
    return;
  }
  for (int r = 0; r < n; ++r, row += r) {
    double sum_p = 0.0, sum_q = 0.0;
    const double a = dq[r], b = dp[r];
#pragma omp simd reduction(+ : sum_p, sum_q)
    for (int s = 0; s < r; ++s) {
      sum_p += row[s] * dq[s];
      sum_q += row[s] * dp[s];
      kp[s] += row[s] * a;
      kq[s] += row[s] * b;
    }
    kp[r] += sum_p + row[r] * a;
    kq[r] += sum_q + row[r] * b;
  }
}

/// The exchange of many densities at a time, as products of matrices: for each row (pq|..), unpacked to a symmetric
/// matrix, what add_exchange adds.
class ExchangeOfMany {
public:
  /// What rows add up to, for all densities: [functions x densities] for each p, one after the other.
  struct Sums {
    Eigen::MatrixXd exchange, unpacked;
  };

  explicit ExchangeOfMany(std::span<const Matrix> densities) : count_(std::ssize(densities)) {
    if (count_ == 0) return;
    n_ = densities[0].rows();
    columns_.resize(n_, n_ * count_);
    for (Eigen::Index k = 0; k < count_; ++k) {
      const Matrix& d = densities[static_cast<std::size_t>(k)];
      for (Eigen::Index p = 0; p < n_; ++p) columns_.col(p * count_ + k) = as_eigen(d).col(p);
    }
  }

  Sums sums() const { return {Eigen::MatrixXd::Zero(n_, n_ * count_), Eigen::MatrixXd(n_, n_)}; }

  void add(const double* row, int p, int q, Sums& sums) const {
    unpack_symmetric(row, sums.unpacked);
    sums.exchange.middleCols(p * count_, count_).noalias() +=
        sums.unpacked * columns_.middleCols(q * count_, count_);
    if (p == q) return;
    sums.exchange.middleCols(q * count_, count_).noalias() +=
        sums.unpacked * columns_.middleCols(p * count_, count_);
  }

  /// Adds the sums of density k to its matrix.
  void take(const Sums& sums, std::size_t k, Matrix& exchange) const {
    for (Eigen::Index p = 0; p < n_; ++p)
      as_eigen(exchange).col(p) += sums.exchange.col(p * count_ + static_cast<Eigen::Index>(k));
  }

private:
  Eigen::Index n_ = 0, count_ = 0;
  Eigen::MatrixXd columns_;  ///< [functions x densities] for each column of the densities
};

/// J and K from one integral (pq|rs), p >= q, r >= s, pq >= rs, standing for all its permutations. Only the
/// sum with the transpose is J or K: see add_symmetric.
inline void add_integral(const std::array<int, 4>& f, double value, const Matrix& density,
                         CoulombExchange& out) {
  const auto [p, q, r, s] = f;
  // A permutation that changes nothing must not count twice.
  double x = value;
  if (p == q) x *= 0.5;
  if (r == s) x *= 0.5;
  if (p == r && q == s) x *= 0.5;
  // Each line also stands for the two factors exchanged; the transpose comes with add_symmetric.
  out.coulomb(p, q) += 2.0 * x * density(r, s);
  out.coulomb(r, s) += 2.0 * x * density(p, q);
  out.exchange(p, r) += x * density(q, s);
  out.exchange(p, s) += x * density(q, r);
  out.exchange(q, r) += x * density(p, s);
  out.exchange(q, s) += x * density(p, r);
}

/// target += term
inline void add(const Matrix& term, Matrix& target) {
  const std::size_t size = static_cast<std::size_t>(term.rows()) * static_cast<std::size_t>(term.columns());
  for (std::size_t k = 0; k < size; ++k) target.data()[k] += term.data()[k];
}

/// target += half + its transpose
inline void add_symmetric(const Matrix& half, Matrix& target) {
  for (int q = 0; q < half.columns(); ++q) {
    for (int p = 0; p < half.rows(); ++p) target(p, q) += half(p, q) + half(q, p);
  }
}

}  // namespace cisolve::detail
