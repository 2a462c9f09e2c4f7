// SPDX-License-Identifier: MIT
#include "analysis/irrep_labels.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/analysis/states.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;

/// sum over irreps g of (g + 1) P_g in the span of the columns: its eigenvalues tell the irreps.
MatrixXd irrep_matrix(const std::vector<std::int8_t>& irreps, const Eigen::Ref<const MatrixXd>& vectors) {
  MatrixXd result = MatrixXd::Zero(vectors.cols(), vectors.cols());
  for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
    const double label = irreps[i] + 1.0;
    result.noalias() += label * vectors.row(i).transpose() * vectors.row(i);
  }
  return result;
}

}  // namespace

void rotate_clusters(std::span<const double> energies, std::span<double> vectors, double width,
                     std::vector<bool>* rotated, const std::function<void(Eigen::Ref<MatrixXd>)>& rotate) {
  const std::size_t roots = energies.size();
  if (rotated != nullptr) rotated->assign(roots, false);
  for (std::size_t first = 0, last; first < roots; first = last) {
    for (last = first + 1; last < roots && energies[last] - energies[last - 1] < width;) ++last;
    if (last - first == 1) continue;
    const std::size_t n = vectors.size() / roots;
    rotate(Eigen::Map<MatrixXd>(vectors.data() + first * n, static_cast<Eigen::Index>(n),
                                static_cast<Eigen::Index>(last - first)));
    for (std::size_t k = first; rotated != nullptr && k < last; ++k) (*rotated)[k] = true;
  }
}

void sort_by_irrep(const std::vector<std::int8_t>& irreps, Eigen::Ref<MatrixXd> vectors) {
  vectors = (vectors * symmetric_eigenpairs(irrep_matrix(irreps, vectors)).vectors).eval();
}

int dominant_irrep(const std::vector<std::int8_t>& irreps, std::span<const double> vector,
                   double pure_weight) {
  double weight[8] = {};
  for (std::size_t i = 0; i < vector.size(); ++i) weight[irreps[i]] += vector[i] * vector[i];
  const auto largest = std::max_element(std::begin(weight), std::end(weight));
  return *largest >= pure_weight ? static_cast<int>(largest - std::begin(weight)) : mixed_irrep;
}

void fix_sign(std::span<double> vector) {
  constexpr double tie = 1e-6;
  const std::int64_t size = std::ssize(vector);
  double* c = vector.data();
  double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(c[i]));
  const auto first =
      std::find_if(vector.begin(), vector.end(), [&](double x) { return std::abs(x) >= largest - tie; });
  if (first == vector.end() || *first >= 0.0) return;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) c[i] = -c[i];
}

}  // namespace cisolve
