// SPDX-License-Identifier: MIT
#include "lapw/radial_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/special_functions.hpp"

namespace cisolve::lapw {
namespace {

/// The Lagrange polynomial of node j at t.
double lagrange_polynomial(const std::array<double, num_stages>& node, std::size_t j, double t) {
  double product = 1.0;
  for (std::size_t k = 0; k < node.size(); ++k) {
    if (k != j) product *= (t - node[k]) / (node[j] - node[k]);
  }
  return product;
}

}  // namespace

GaussMethod gauss_method() {
  const Quadrature rule = gauss_legendre(num_stages);
  GaussMethod method = {};
  for (std::size_t i = 0; i < num_stages; ++i) {
    method.node[i] = 0.5 * (1.0 + rule.points[i]);
    method.weight[i] = 0.5 * rule.weights[i];
  }
  for (std::size_t i = 0; i < num_stages; ++i) {
    for (std::size_t j = 0; j < num_stages; ++j) {
      for (std::size_t k = 0; k < num_stages; ++k) {
        method.butcher[i][j] += method.node[i] * method.weight[k] *
                                lagrange_polynomial(method.node, j, method.node[i] * method.node[k]);
      }
    }
  }
  return method;
}

RadialMesh radial_mesh(double first, double radius, const GaussMethod& method) {
  if (!(first > 0.0) || !(radius > first)) throw DimensionError("radial_mesh: 0 < first < radius, please");
  constexpr double intervals_per_decade = 1800.0 / 7.0;
  constexpr int fewest = 1800;
  RadialMesh mesh;
  mesh.first = first;
  mesh.radius = radius;
  mesh.intervals =
      std::max(fewest, static_cast<int>(std::ceil(std::log10(radius / first) * intervals_per_decade)));
  mesh.step = std::log(radius / first) / mesh.intervals;
  for (int n = 0; n < mesh.intervals; ++n) {
    for (std::size_t i = 0; i < num_stages; ++i) {
      const double r = first * std::exp((n + method.node[i]) * mesh.step);
      mesh.r.push_back(r);
      mesh.weights.push_back(method.weight[i] * mesh.step * r);
    }
  }
  return mesh;
}

}  // namespace cisolve::lapw
