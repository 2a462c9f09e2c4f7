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

/// Half of K of a symmetric density from one packed row (pq|rs), p >= q, of which the elements up to (pq|pq) are read:
///     H_pr += (pq|rs) D_qs and H_qr += (pq|rs) D_ps for all r, s with rs <= pq, (pq|pq) by half.
/// K = H + H^T. `half` takes them transposed, so that columns are contiguous: element (r, p) is H_pr.
inline void add_exchange(const double* row, const Matrix& density, int p, int q, Matrix& half) {
  const int n = density.rows();
  const auto column = [n](const Matrix& m, int k) {
    return m.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(n);
  };
  const double* dq = column(density, q);
  const double* dp = column(density, p);
  double* hp = &half(0, p);
  double* hq = &half(0, q);
  for (int r = 0; r <= p; ++r, row += r) {
    const int end = r < p ? r : q;  // elements beside the diagonal; the last r has those before q
    const double last = r < p ? row[r] : 0.5 * row[q];
    double sum_p = 0.0, sum_q = 0.0;
    const double a = dq[r], b = dp[r];
    if (p == q) {
#pragma omp simd reduction(+ : sum_p)
      for (int s = 0; s < end; ++s) {
        sum_p += row[s] * dq[s];
        hp[s] += row[s] * a;
      }
      hp[r] += sum_p + last * a;
      continue;
    }
#pragma omp simd reduction(+ : sum_p, sum_q)
    for (int s = 0; s < end; ++s) {
      sum_p += row[s] * dq[s];
      sum_q += row[s] * dp[s];
      hp[s] += row[s] * a;
      hq[s] += row[s] * b;
    }
    hp[r] += sum_p;
    hq[r] += sum_q;
    // (pq|rr) or, of the last r, (pq|pq), which stands for (pq|qp) too.
    hp[end] += last * a;
    hq[end] += last * b;
    if (r == p) {
      hp[p] += last * dq[q];
      hq[p] += last * dp[q];
    }
  }
}

/// J of a symmetric density from the elements of one packed row (pq|rs) up to (pq|pq): J_pq = sum_rs and, for rs < pq, its
/// share of J_rs, both packed. `folded`: the density packed, with off-diagonal elements twice.
inline void add_coulomb(const double* row, std::span<const double> folded, std::size_t pq,
                        std::span<double> coulomb) {
  using Packed = Eigen::Map<const Eigen::VectorXd>;
  const auto before = static_cast<Eigen::Index>(pq);
  const Packed integrals(row, before), density(folded.data(), before);
  coulomb[pq] += integrals.dot(density) + row[pq] * folded[pq];
  Eigen::Map<Eigen::VectorXd>(coulomb.data(), before) += folded[pq] * integrals;
}

/// The exchange of many densities at a time, as products of matrices: for each row (pq|rs), unpacked to a symmetric matrix
/// up to (pq|pq), what add_exchange adds. Sums: [functions x densities] for each p, one after the other.
class ExchangeOfMany {
public:
  explicit ExchangeOfMany(std::span<const Matrix> densities) : count_(std::ssize(densities)) {
    if (count_ == 0) return;
    n_ = densities[0].rows();
    columns_.resize(n_, n_ * count_);
    for (Eigen::Index k = 0; k < count_; ++k) {
      const Matrix& d = densities[static_cast<std::size_t>(k)];
      for (Eigen::Index p = 0; p < n_; ++p) columns_.col(p * count_ + k) = as_eigen(d).col(p);
    }
  }

  Eigen::MatrixXd zero() const { return Eigen::MatrixXd::Zero(n_, n_ * count_); }

  void add(const double* row, int p, int q, Eigen::MatrixXd& sums) const {
    const Eigen::Index size = p + 1;
    Eigen::MatrixXd unpacked(size, size);
    unpack_symmetric(row, unpacked);
    const double half = 0.5 * unpacked(p, q);
    unpacked.col(p).tail(size - q).setZero();
    unpacked.row(p).tail(size - q).setZero();
    unpacked(p, q) = unpacked(q, p) = half;
    const auto add_to = [&](int to, int from) {
      sums.block(0, to * count_, size, count_).noalias() +=
          unpacked * columns_.block(0, from * count_, size, count_);
    };
    add_to(p, q);
    if (p != q) add_to(q, p);
  }

  /// The half of density k.
  Matrix half(const Eigen::MatrixXd& sums, std::size_t k) const {
    Matrix m(static_cast<int>(n_), static_cast<int>(n_));
    for (Eigen::Index p = 0; p < n_; ++p)
      as_eigen(m).col(p) = sums.col(p * count_ + static_cast<Eigen::Index>(k));
    return m;
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

/// target += half + its transpose
inline void add_symmetric(const Matrix& half, Matrix& target) {
  for (int q = 0; q < half.columns(); ++q) {
    for (int p = 0; p < half.rows(); ++p) target(p, q) += half(p, q) + half(q, p);
  }
}

}  // namespace cisolve::detail
