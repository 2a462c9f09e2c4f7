// SPDX-License-Identifier: MIT
#include "tasks/export/exported_densities.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Eigen::MatrixXd>;

Rows rows_of(const Matrix& rotation) { return {rotation.data(), rotation.rows(), rotation.columns()}; }

/// Turns one index of a four-index array after the other.
std::vector<double> rotated(std::vector<double> tensor, const Matrix& rotation) {
  const Rows c = rows_of(rotation);
  const Index n = c.rows();
  for (int index = 0; index < 4; ++index) {  // the first is turned and becomes the last
    const Eigen::Map<const RowMajor> first(tensor.data(), n, n * n * n);
    const RowMajor turned = first.transpose() * c.transpose();
    std::copy_n(turned.data(), turned.size(), tensor.begin());
  }
  return tensor;
}

}  // namespace

std::vector<double> over_all_orbitals(const double* active, const OrbitalPlaces& places, double core,
                                      const Matrix* rotation, bool transposed) {
  const Index n = std::ssize(places.active);
  RowMajor d = Eigen::Map<const RowMajor>(active, n, n);
  if (rotation != nullptr) d = (rows_of(*rotation) * d * rows_of(*rotation).transpose()).eval();
  if (transposed) d.transposeInPlace();
  RowMajor all = RowMajor::Zero(places.num_orbitals, places.num_orbitals);
  for (const int p : places.core) all(p, p) = core;
  for (Index p = 0; p < n; ++p) {
    for (Index q = 0; q < n; ++q)
      all(places.active[static_cast<std::size_t>(p)], places.active[static_cast<std::size_t>(q)]) = d(p, q);
  }
  return {all.data(), all.data() + all.size()};
}

FullPairDensity::FullPairDensity(const TwoParticleDensity& active, const OrbitalPlaces& places,
                                 const std::vector<double>& alpha, const std::vector<double>& beta,
                                 const Matrix* rotation)
    : num_orbitals_(places.num_orbitals), num_active_(places.active.size()),
      place_(static_cast<std::size_t>(places.num_orbitals), -1), summed_(spin_summed(active)), alpha_(alpha),
      beta_(beta) {
  if (std::ssize(places.active) != active.num_orbitals)
    throw DimensionError("FullPairDensity: the density is not over the active orbitals");
  for (std::size_t p = 0; p < num_active_; ++p)
    place_[static_cast<std::size_t>(places.active[p])] = static_cast<int>(p);
  if (rotation != nullptr) summed_ = rotated(std::move(summed_), *rotation);
}

double FullPairDensity::operator()(int p, int q, int r, int s) const {
  const int a = place_[p], b = place_[q], c = place_[r], d = place_[s];
  if (a >= 0 && b >= 0 && c >= 0 && d >= 0)
    return summed_[((a * num_active_ + b) * num_active_ + c) * num_active_ + d];
  return (alpha_[at(p, q)] + beta_[at(p, q)]) * (alpha_[at(r, s)] + beta_[at(r, s)]) -
         alpha_[at(p, s)] * alpha_[at(r, q)] - beta_[at(p, s)] * beta_[at(r, q)];
}

}  // namespace cisolve
