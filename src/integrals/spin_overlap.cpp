// SPDX-License-Identifier: MIT
#include "cisolve/integrals/spin_overlap.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;

MatrixXd unpacked(const double* packed, int n) {
  MatrixXd matrix(n, n);
  for (int q = 0; q < n; ++q) {
    for (int p = q; p < n; ++p) matrix(p, q) = matrix(q, p) = packed[pair_index(p, q)];
  }
  return matrix;
}

/// One-electron operators over alpha and over beta orbitals: h and what the charge distributions of pairs of alpha
/// orbitals, in a random combination, are to an electron.
struct OperatorPair {
  MatrixXd alpha, beta;

  OperatorPair(const Integrals& v, std::mt19937_64& engine) {
    const std::size_t pairs = v.one.size();
    std::vector<double> a(v.one), b(v.beta->one);
    for (std::size_t ij = 0; ij < pairs; ++ij) {
      // As the standard's distributions differ from library to library: uniform in [-1, 1).
      const double x = std::ldexp(static_cast<double>(engine() >> 11), -52) - 1.0;
      for (std::size_t pq = 0; pq < pairs; ++pq) {
        a[pq] += x * v.two[pair_index(ij, pq)];
        b[pq] += x * v.beta->mixed[ij * pairs + pq];
      }
    }
    alpha = unpacked(a.data(), v.num_orbitals);
    beta = unpacked(b.data(), v.num_orbitals);
  }
};

/// Signs that make the elements of b those of a as nearly as signs can, found along the largest elements of a.
Eigen::VectorXd relative_signs(const MatrixXd& a, const MatrixXd& b) {
  const Eigen::Index n = a.rows();
  Eigen::VectorXd sign = Eigen::VectorXd::Zero(n);
  if (n > 0) sign[0] = 1.0;
  // The largest element that joins each one still open to one that has its sign.
  Eigen::VectorXd strength = n > 0 ? Eigen::VectorXd(a.col(0).cwiseAbs()) : Eigen::VectorXd();
  std::vector<Eigen::Index> from(n, 0);
  for (Eigen::Index done = 1; done < n; ++done) {
    Eigen::Index next = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (sign[j] == 0.0 && (next < 0 || strength[j] > strength[next])) next = j;
    }
    const Eigen::Index i = from[next];
    sign[next] = a(i, next) * b(i, next) < 0.0 ? -sign[i] : sign[i];
    for (Eigen::Index j = 0; j < n; ++j) {
      if (sign[j] == 0.0 && std::abs(a(next, j)) > strength[j]) {
        strength[j] = std::abs(a(next, j));
        from[j] = next;
      }
    }
  }
  return sign;
}

/// The largest difference between a block's elements and those made from another: U^T M U for the matrix M(pq) that
/// row(k) gives of each pair k, compared with made(k, pq).
template <class Row, class Made>
double largest_difference(const MatrixXd& u, const Row& row, const Made& made) {
  const auto n = static_cast<int>(u.rows());
  const auto pairs = static_cast<std::int64_t>(num_pairs(n));
  std::vector<double> largest(pairs, 0.0);
  parallel_for(pairs, 16, [&](std::int64_t k) {
    std::vector<double> packed(pairs);
    for (std::int64_t pq = 0; pq < pairs; ++pq) packed[pq] = row(k, pq);
    const MatrixXd turned = u.transpose() * unpacked(packed.data(), n) * u;
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q <= p; ++q) {
        const double off = turned(p, q) - made(k, static_cast<std::int64_t>(pair_index(p, q)));
        largest[k] = std::max(largest[k], std::abs(off));
      }
    }
  });
  return pairs > 0 ? *std::ranges::max_element(largest) : 0.0;
}

double violation_of(const Integrals& v, const MatrixXd& u) {
  const int n = v.num_orbitals;
  const std::size_t pairs = v.one.size();
  const BetaIntegrals& beta = *v.beta;
  const MatrixXd h = u.transpose() * unpacked(v.one.data(), n) * u - unpacked(beta.one.data(), n);
  const double of_mixed = largest_difference(
      u, [&](std::size_t ij, std::size_t pq) { return v.two[pair_index(ij, pq)]; },
      [&](std::size_t ij, std::size_t pq) { return beta.mixed[ij * pairs + pq]; });
  const double of_beta = largest_difference(
      u, [&](std::size_t ij, std::size_t pq) { return beta.mixed[pq * pairs + ij]; },
      [&](std::size_t ij, std::size_t pq) { return beta.two[pair_index(ij, pq)]; });
  return std::max({n > 0 ? h.cwiseAbs().maxCoeff() : 0.0, of_mixed, of_beta});
}

}  // namespace

RecoveredOverlap recover_overlap(const Integrals& integrals) {
  check_shapes(integrals);
  if (!integrals.is_unrestricted()) throw DimensionError("recover_overlap: the integrals are restricted");
  std::mt19937_64 engine(20180645);
  const OperatorPair first(integrals, engine), second(integrals, engine);
  const SymmetricEigenpairs alpha = symmetric_eigenpairs(first.alpha),
                            beta = symmetric_eigenpairs(first.beta);
  const MatrixXd a = alpha.vectors.transpose() * second.alpha * alpha.vectors;
  const MatrixXd b = beta.vectors.transpose() * second.beta * beta.vectors;
  const MatrixXd u = alpha.vectors * relative_signs(a, b).asDiagonal() * beta.vectors.transpose();
  RecoveredOverlap result;
  result.overlap = Matrix(integrals.num_orbitals, integrals.num_orbitals);
  for (int q = 0; q < integrals.num_orbitals; ++q) {
    for (int p = 0; p < integrals.num_orbitals; ++p) {
      // What the irreps forbid is rounding.
      if (integrals.irreps[p] == integrals.irreps[q]) result.overlap(p, q) = u(p, q);
    }
  }
  result.violation = violation_of(integrals, u);
  return result;
}

SpinOverlap spin_overlap(Matrix overlap, std::string source) {
  const int n = overlap.rows();
  return {.active = std::move(overlap),
          .core = Matrix(n, n),
          .virtuals = Matrix(n, n),
          .constant = 0.0,
          .source = std::move(source)};
}

SpinOverlap freeze(const SpinOverlap& overlap, const std::vector<int>& core, const std::vector<int>& virtuals,
                   const std::vector<int>& active) {
  const auto n = static_cast<int>(active.size());
  const Matrix& u = overlap.active;
  SpinOverlap left = spin_overlap(Matrix(n, n), overlap.source);
  left.constant = overlap.constant;
  for (int s = 0; s < n; ++s) {
    for (int q = 0; q < n; ++q) {
      const int to_q = active[q], to_s = active[s];
      left.active(q, s) = u(to_q, to_s);
      left.core(q, s) = overlap.core(to_q, to_s);
      for (const int i : core) left.core(q, s) += u(i, to_q) * u(i, to_s);
      left.virtuals(q, s) = overlap.virtuals(to_q, to_s);
      for (const int v : virtuals) left.virtuals(q, s) += u(to_q, v) * u(to_s, v);
    }
  }
  // S_- takes an electron from a full alpha core to any orbital that is not full of beta electrons.
  for (const int i : core) {
    left.constant += overlap.virtuals(i, i) - overlap.core(i, i);
    for (const int q : active) left.constant += u(i, q) * u(i, q);
    for (const int v : virtuals) left.constant += u(i, v) * u(i, v);
  }
  return left;
}

}  // namespace cisolve
