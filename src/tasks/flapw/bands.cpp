// SPDX-License-Identifier: MIT
#include "tasks/flapw/bands.hpp"

#include <algorithm>
#include <limits>

namespace cisolve {

Bands bands_of(const FlapwResult& result) {
  Bands bands;
  for (const FlapwPoint& point : result.points)
    bands.states = std::max(bands.states, static_cast<int>(point.states.count()));
  if (bands.states == 0) return bands;
  const auto points = result.points.size();
  bands.labels.resize(points);
  for (std::size_t corner = 0; corner < result.path.corners.size(); ++corner)
    bands.labels[static_cast<std::size_t>(result.path.corners[corner])] = result.path.labels[corner];
  bands.energies.assign(points * static_cast<std::size_t>(bands.states),
                        std::numeric_limits<double>::quiet_NaN());
  lapw::Matrix3 reciprocal = lapw::identity3;
  if (result.crystal) reciprocal = result.crystal->lattice.reciprocal();
  for (std::size_t k = 0; k < points; ++k) {
    double step = 0.0;
    if (k > 0) {
      lapw::Vector3 change = {};
      for (std::size_t i = 0; i < 3; ++i) change[i] = result.points[k].k.k[i] - result.points[k - 1].k.k[i];
      step = lapw::length(lapw::combine_rows(reciprocal, change));
    }
    bands.x.push_back(k == 0 ? 0.0 : bands.x.back() + step);
    std::ranges::copy(result.points[k].states.energies,
                      bands.energies.begin() + static_cast<std::ptrdiff_t>(k) * bands.states);
  }
  return bands;
}

}  // namespace cisolve
