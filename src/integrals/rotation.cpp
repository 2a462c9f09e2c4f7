// SPDX-License-Identifier: MIT
#include "cisolve/integrals/rotation.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Orbitals = Eigen::Map<const MatrixXd>;

/// C M C^T of a symmetric matrix whose packed lower triangle `read(pair)` gives; `write(pair, value)` takes that of the
/// product.
template <class Read, class Write>
void transform(const Orbitals& c, Read&& read, Write&& write) {
  MatrixXd m(c.cols(), c.cols());
  std::size_t pair = 0;
  for (Index p = 0; p < c.cols(); ++p) {
    for (Index q = 0; q <= p; ++q) m(p, q) = m(q, p) = read(pair++);
  }
  const MatrixXd product = c * m * c.transpose();
  pair = 0;
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) write(pair++, 0.5 * (product(i, j) + product(j, i)));
  }
}

/// The product of the irreps of each pair i >= j.
std::vector<int> pair_irreps(std::span<const int> irreps) {
  std::vector<int> pairs;
  for (std::size_t i = 0; i < irreps.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) pairs.push_back(irreps[i] ^ irreps[j]);
  }
  return pairs;
}

}  // namespace

Integrals rotated(const Integrals& integrals, const Matrix& orbitals, std::span<const int> irreps,
                  std::int64_t max_bytes) {
  check_shapes(integrals);
  if (orbitals.columns() != integrals.num_orbitals || std::ssize(irreps) != orbitals.rows())
    throw DimensionError("rotated: the orbitals are not [new x old], or an irrep is missing");
  const Orbitals c(orbitals.data(), orbitals.rows(), orbitals.columns());
  Integrals out(orbitals.rows());
  out.core_energy = integrals.core_energy;
  out.irreps.assign(irreps.begin(), irreps.end());
  const std::vector<int> irrep_of_pair = pair_irreps(irreps);
  transform(
      c, [&](std::size_t pair) { return integrals.one[pair]; },
      [&](std::size_t pair, double value) { out.one[pair] = irrep_of_pair[pair] == 0 ? value : 0.0; });

  const std::size_t old_pairs = integrals.one.size(), new_pairs = out.one.size();
  const std::size_t fit = static_cast<std::size_t>(std::max<std::int64_t>(max_bytes, 0)) / sizeof(double);
  const std::size_t at_once =
      std::max<std::size_t>(std::min(fit / std::max<std::size_t>(old_pairs, 1), new_pairs), 1);
  Array<double> half(old_pairs * at_once);  // (pq|kl): [pairs kl of a pass][pairs pq]
  for (std::size_t first = 0; first < new_pairs; first += at_once) {
    const std::size_t last = std::min(first + at_once, new_pairs);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t pq = 0; pq < old_pairs; ++pq) {
      transform(
          c, [&](std::size_t rs) { return integrals.two[pair_index(pq, rs)]; },
          [&](std::size_t kl, double value) {
            if (kl >= first && kl < last) half[(kl - first) * old_pairs + pq] = value;
          });
    }
#pragma omp parallel for schedule(dynamic)
    for (std::size_t kl = first; kl < last; ++kl) {
      transform(
          c, [&](std::size_t pq) { return half[(kl - first) * old_pairs + pq]; },
          [&](std::size_t ij, double value) {
            if (ij >= kl) out.two[pair_index(ij, kl)] = irrep_of_pair[ij] == irrep_of_pair[kl] ? value : 0.0;
          });
    }
  }
  return out;
}

}  // namespace cisolve
