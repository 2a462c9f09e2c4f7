// SPDX-License-Identifier: MIT
#include "cisolve/problem/root_finder.hpp"

#include "cisolve/core/array.hpp"
#include "cisolve/problem/state_search.hpp"

namespace cisolve {

std::vector<double> RootFinder::residual_norms(const VectorSource& vectors,
                                               std::span<const double> energies) const {
  Array<double> buffer;
  return residual_norms(vectors.view(0, vectors.columns(), buffer), energies);
}

MissedRootProbe RootFinder::probe(const VectorSource& vectors, double lowest, double highest,
                                  std::int64_t most_products, std::vector<double>& below) const {
  Array<double> buffer;
  return probe(vectors.view(0, vectors.columns(), buffer), lowest, highest, most_products, below);
}

std::optional<std::vector<double>> RootFinder::resolve_spins(VectorSource&, std::span<const double>,
                                                             const ClusterConfig&, std::vector<bool>&) {
  return std::nullopt;
}

std::vector<LeadingDeterminant> RootFinder::leading(const VectorSource& vectors, int column, int most,
                                                    double minimum_weight) const {
  Array<double> buffer;
  return leading_determinants(vectors.view(column, 1, buffer), most, minimum_weight);
}

std::shared_ptr<const VectorSource> RootFinder::keep(
    const std::shared_ptr<const VectorSource>& vectors) const {
  if (dynamic_cast<const HeldVectors*>(vectors.get()) != nullptr) return vectors;
  return std::make_shared<HeldVectors>(all_columns(*vectors), vectors->rows(), vectors->columns());
}

}  // namespace cisolve
