// SPDX-License-Identifier: MIT
#include "cisolve/molecule/one_electron.hpp"

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/orthonormal_coefficients.hpp"

namespace cisolve {
namespace detail {

Eigen::MatrixXd orthonormal_coefficients(const OrbitalsAt& orbitals) {
  const Matrix overlap = one_electron_matrices(orbitals.basis, orbitals.geometry).overlap;
  const auto [values, vectors] = symmetric_eigenpairs(as_eigen(overlap));
  const Eigen::VectorXd roots = values.cwiseMax(0.0).cwiseSqrt();
  return vectors * (roots.asDiagonal() * (vectors.transpose() * as_eigen(orbitals.coefficients)));
}

}  // namespace detail

std::vector<double> mulliken_populations(const GaussianBasis& basis, const Geometry& geometry,
                                         const Matrix& density) {
  const Matrix overlap = detail::one_electron_matrices(basis, geometry).overlap;
  std::vector<double> populations(geometry.atoms.size(), 0.0);
  for (const GaussianShell& shell : basis.shells) {
    for (int k = 0; k < shell.num_functions(); ++k) {
      const int m = shell.first_function + k;
      for (int n = 0; n < basis.num_functions; ++n) {
        populations[shell.atom] += density(m, n) * overlap(n, m);
      }
    }
  }
  return populations;
}

std::vector<double> mulliken_charges(const GaussianBasis& basis, const Geometry& geometry,
                                     const Matrix& density) {
  std::vector<double> charges = mulliken_populations(basis, geometry, density);
  for (std::size_t a = 0; a < charges.size(); ++a) charges[a] = geometry.atoms[a].charge - charges[a];
  return charges;
}

Matrix carried_overlap(const OrbitalsAt& here, const OrbitalsAt& earlier) {
  if (here.basis.num_functions != earlier.basis.num_functions) {
    throw DimensionError("carried_overlap: the orbitals are over different numbers of functions");
  }
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  return detail::to_matrix(detail::orthonormal_coefficients(here).transpose() *
                           detail::orthonormal_coefficients(earlier));
}

Matrix carried_coefficients(const GaussianBasis& basis, const Geometry& geometry, const OrbitalsAt& earlier) {
  if (basis.num_functions != earlier.basis.num_functions) {
    throw DimensionError("carried_coefficients: the orbitals are over different numbers of functions");
  }
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const Matrix overlap = detail::one_electron_matrices(basis, geometry).overlap;
  const auto [values, vectors] = symmetric_eigenpairs(detail::as_eigen(overlap));
  const Eigen::VectorXd inverse_roots = values.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd orthonormal = detail::orthonormal_coefficients(earlier);
  return detail::to_matrix(vectors * (inverse_roots.asDiagonal() * (vectors.transpose() * orthonormal)));
}

}  // namespace cisolve
