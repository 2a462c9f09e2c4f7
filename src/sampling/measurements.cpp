// SPDX-License-Identifier: MIT
#include "sampling/measurements.hpp"

#include <algorithm>

namespace cisolve::sampling {

EnergyTerms::EnergyTerms(const LatticeModel& model) : is_t_j_(model.is_t_j()), u_(model.parameters.u) {
  for (const LatticeBond& bond : model.bonds)
    bonds_.push_back({bond.pair.i, bond.pair.j, -bond.t * bond.pair.phase.real(), 0.5 * bond.j, bond.v});
}

CorrelationPlaces::CorrelationPlaces(const Cluster& cluster) {
  const int sites = cluster.sites();
  place_.resize(sites);
  if (!cluster.is_translation_invariant()) {
    is_pairs_ = true;
    count_ = sites * sites;
    number_.resize(count_);
    for (int i = 0; i < sites; ++i) place_[i] = i * sites;
    for (int pair = 0; pair < count_; ++pair) number_[pair] = pair;
    return;
  }
  count_ = sites;
  weight_ = 1.0 / sites;
  LatticeVector extent;
  for (int i = 0; i < sites; ++i) {
    extent.x = std::max(extent.x, cluster.position(i).x);
    extent.y = std::max(extent.y, cluster.position(i).y);
  }
  const int width = 2 * extent.x + 1, height = 2 * extent.y + 1;
  centre_ = extent.x + width * extent.y;
  for (int i = 0; i < sites; ++i) place_[i] = cluster.position(i).x + width * cluster.position(i).y;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const WrappedSite d = cluster.find({x - extent.x, y - extent.y});
      number_.push_back(d.site);
      sign_.push_back(cluster.phase(d.wraps).real());
    }
  }
}

CorrelationTerms::CorrelationTerms(const LatticeModel& model)
    : is_t_j_(model.is_t_j()), places_(model.cluster) {}

}  // namespace cisolve::sampling
