// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "cisolve/problem/certificate.hpp"
#include "problem/certificate_rows.hpp"

// What certificates are made of, over rows of H and S^2 and over the vectors themselves. Sums have the same order for
// any number of threads.

namespace cisolve {

/// What the checked rows of H say of the states.
struct ResidualSums {
  explicit ResidualSums(std::size_t states)
      : in_rows(states, 0.0), all(states, 0.0), rounding(states, 0.0), rounding_of_all(states, 0.0),
        energy(states, 0.0) {}

  std::vector<double> in_rows;                    ///< squares of the residual, of the rows checked
  std::vector<double> all;                        ///< the same, estimated for all rows
  std::vector<double> rounding, rounding_of_all;  ///< squares of what rounding may add to these
  std::vector<double> energy;                     ///< <c|H|c>, of the rows checked
};

ResidualSums sum_residuals(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims,
                           const CertificateConfig& config);

/// What rows of S^2 say of the states.
struct SpinSums {
  explicit SpinSums(Eigen::Index states)
      : deviation(states, 0.0), s_squared(Eigen::MatrixXd::Zero(states, states)),
        weight(Eigen::MatrixXd::Zero(states, states)) {}

  std::vector<double> deviation;      ///< squares of (S^2 - S(S+1)) c, of the rows looked at
  Eigen::MatrixXd s_squared, weight;  ///< <c|S^2|c'> and <c|c'>, estimated unless all rows were looked at
};

/// @param checked  rows to look at
SpinSums sum_spins(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims);

/// Weights of states by irrep of the functions.
std::vector<std::array<double, 8>> irrep_weights(const DefinitionRows& rows, const StateClaims& claims);

/// Overlaps of all states.
Eigen::MatrixXd overlaps(const StateClaims& claims, std::int64_t functions);

}  // namespace cisolve
