// SPDX-License-Identifier: MIT
#include "cisolve/molecule/carried_overlap.hpp"

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;

/// S^1/2 C.
Eigen::MatrixXd orthonormal_coefficients(const OrbitalsAt& orbitals) {
  const Matrix overlap = detail::one_electron_matrices(orbitals.basis, orbitals.geometry).overlap;
  const auto [values, vectors] = symmetric_eigenpairs(as_eigen(overlap));
  const Eigen::VectorXd roots = values.cwiseMax(0.0).cwiseSqrt();
  return vectors * (roots.asDiagonal() * (vectors.transpose() * as_eigen(orbitals.coefficients)));
}

}  // namespace

Matrix carried_overlap(const OrbitalsAt& here, const OrbitalsAt& earlier) {
  if (here.basis.num_functions != earlier.basis.num_functions) {
    throw DimensionError("carried_overlap: the orbitals are over different numbers of functions");
  }
  const detail::OneThread one_thread;
  return detail::to_matrix(orthonormal_coefficients(here).transpose() * orthonormal_coefficients(earlier));
}

}  // namespace cisolve
