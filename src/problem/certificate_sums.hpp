// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
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

  /// Adds a row, of which each state has: H c, what rounding may do to that, and c.
  /// @param factor  how many rows it stands for
  void add(std::span<const double> h, std::span<const double> rounding_of_h, std::span<const double> part,
           std::span<const double> energies, double factor) {
    for (std::size_t k = 0; k < h.size(); ++k) {
      const double residual = h[k] - energies[k] * part[k], doubt = rounding_of_h[k] * rounding_of_h[k];
      in_rows[k] += residual * residual;
      all[k] += factor * residual * residual;
      rounding[k] += doubt;
      rounding_of_all[k] += factor * doubt;
      energy[k] += part[k] * h[k];
    }
  }
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

  /// Adds a row, of which each state has: c and S^2 c.
  /// @param spin    S that was asked for
  /// @param factor  how many rows it stands for
  void add(std::span<const double> part, std::span<const double> operated, double spin, double factor) {
    for (Eigen::Index k = 0; k < std::ssize(part); ++k) {
      const double off = operated[k] - spin * (spin + 1.0) * part[k];
      deviation[k] += off * off;
      for (Eigen::Index j = 0; j < std::ssize(part); ++j) {
        s_squared(j, k) += factor * part[j] * operated[k];
        weight(j, k) += factor * part[j] * part[k];
      }
    }
  }
  void add(const SpinSums& other) {
    for (std::size_t k = 0; k < deviation.size(); ++k) deviation[k] += other.deviation[k];
    s_squared += other.s_squared;
    weight += other.weight;
  }
};

/// @param checked  rows to look at
SpinSums sum_spins(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims);

/// Weights of states by irrep of the functions.
/// @param overlaps  of the states
std::vector<std::array<double, 8>> irrep_weights(const DefinitionRows& rows, const VectorSource& vectors,
                                                 const Matrix& overlaps);

}  // namespace cisolve
