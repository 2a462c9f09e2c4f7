// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace cisolve::lapw {

inline constexpr int num_stages = 4;

/// The Gauss collocation method of four stages, order 8, on [0, 1].
struct GaussMethod {
  std::array<double, num_stages> node, weight;
  std::array<std::array<double, num_stages>, num_stages>
      butcher;  ///< integral of the j-th Lagrange polynomial to node i
};
GaussMethod gauss_method();

/// Intervals of equal length in x = ln r, and the Gauss points of each.
struct RadialMesh {
  double first = 0.0, radius = 0.0;  ///< bohr
  int intervals = 0;
  double step = 0.0;            ///< of x
  std::vector<double> r;        ///< Gauss points, num_stages an interval, ascending
  std::vector<double> weights;  ///< of integrals over r

  std::size_t num_points() const { return r.size(); }
};

/// 1800 intervals for seven decades, as many more as it is longer.
RadialMesh radial_mesh(double first, double radius, const GaussMethod& method);

}  // namespace cisolve::lapw
