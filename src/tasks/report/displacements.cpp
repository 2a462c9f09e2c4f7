// SPDX-License-Identifier: MIT
#include "tasks/report/displacements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cisolve::report {
namespace {

/// x and y of the shortest displacement; of equally long ones that with the larger x, then y.
std::array<long, 2> shortest(const LatticeDescription& lattice, std::size_t site) {
  const long x0 = lattice.coordinates[2 * site], y0 = lattice.coordinates[2 * site + 1];
  const long ax = lattice.vectors[0], ay = lattice.vectors[1], bx = lattice.vectors[2],
             by = lattice.vectors[3];
  const double determinant = static_cast<double>(ax * by - bx * ay);
  const long a0 = std::lround(static_cast<double>(x0 * by - y0 * bx) / determinant);
  const long b0 = std::lround(static_cast<double>(y0 * ax - x0 * ay) / determinant);
  constexpr long reach = 2;
  std::array<long, 2> best = {x0, y0};
  const auto rank = [](const std::array<long, 2>& d) {
    return std::array{d[0] * d[0] + d[1] * d[1], -d[0], -d[1]};
  };
  for (long a = a0 - reach; a <= a0 + reach; ++a) {
    for (long b = b0 - reach; b <= b0 + reach; ++b) {
      if (lattice.dimensions == 1 && b != 0) continue;
      const std::array<long, 2> d = {x0 - a * ax - b * bx, y0 - a * ay - b * by};
      if (rank(d) < rank(best)) best = d;
    }
  }
  return best;
}

}  // namespace

std::string displacement_text(const LatticeDescription& lattice, std::size_t site) {
  const auto [x, y] = shortest(lattice, site);
  return lattice.dimensions == 1 ? fmt::format("{}", x) : fmt::format("({}, {})", x, y);
}

std::vector<std::size_t> by_distance(const LatticeDescription& lattice) {
  std::vector<std::size_t> sites(static_cast<std::size_t>(lattice.n_sites));
  std::iota(sites.begin(), sites.end(), std::size_t{0});
  const auto length = [&](std::size_t site) {
    const auto [x, y] = shortest(lattice, site);
    return x * x + y * y;
  };
  std::ranges::stable_sort(sites, {}, length);
  return sites;
}

std::string momentum_text(const LatticeDescription& lattice, const std::vector<double>& momenta,
                          std::size_t k) {
  const double x = momenta[2 * k], y = momenta[2 * k + 1];
  return lattice.dimensions == 1 ? fmt::format("{:.4g}", x) : fmt::format("({:.4g}, {:.4g})", x, y);
}

}  // namespace cisolve::report
