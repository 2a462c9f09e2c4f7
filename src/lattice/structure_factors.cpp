// SPDX-License-Identifier: MIT
#include "cisolve/lattice/structure_factors.hpp"

#include <cmath>
#include <numbers>

namespace cisolve {

std::vector<double> translation_average(const Cluster& cluster, const Matrix& pairs) {
  const int n = cluster.sites();
  std::vector<double> average(n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) average[cluster.difference(i, j)] += pairs(i, j);
  }
  for (double& value : average) value /= n;
  return average;
}

std::vector<double> structure_factor(const Cluster& cluster, const Matrix& pairs,
                                     std::span<const std::array<double, 2>> vectors) {
  const int n = cluster.sites();
  std::vector<double> factor;
  for (const auto& [x, y] : vectors) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      const LatticeVector a = cluster.position(i);
      for (int j = 0; j < n; ++j) {
        const LatticeVector b = cluster.position(j);
        sum += std::cos(std::numbers::pi * (x * (a.x - b.x) + y * (a.y - b.y))) * pairs(i, j);
      }
    }
    factor.push_back(sum / n);
  }
  return factor;
}

}  // namespace cisolve
