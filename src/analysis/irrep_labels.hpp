// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cisolve {

/// Calls rotate(columns) for each cluster: vectors whose energies follow each other by less than `width`.
/// @param vectors       [rows x energies.size()], column-major
/// @param[out] rotated  true for each vector of a cluster; may be nullptr
void rotate_clusters(std::span<const double> energies, std::span<double> vectors, double width,
                     std::vector<bool>* rotated,
                     const std::function<void(Eigen::Ref<Eigen::MatrixXd>)>& rotate);

/// Rotates degenerate columns so that each belongs to one irrep, ascending.
/// @param irreps  zero-based irrep of each row
void sort_by_irrep(const std::vector<std::int8_t>& irreps, Eigen::Ref<Eigen::MatrixXd> vectors);

/// The irrep that holds at least `pure_weight` of the vector, else mixed_irrep.
int dominant_irrep(const std::vector<std::int8_t>& irreps, std::span<const double> vector,
                   double pure_weight);

/// @see docs/output.md: the first component within 1e-6 of the largest magnitude is positive.
void fix_sign(std::span<double> vector);

}  // namespace cisolve
