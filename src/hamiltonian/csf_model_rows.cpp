// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/csf_model_rows.hpp"

#include <algorithm>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"

namespace cisolve {
template <int Words>
std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<Words>& space,
                                            std::span<const double> diagonal, const ModelRowsConfig& config) {
  if (std::ssize(diagonal) != space.size())
    throw DimensionError("choose_model_csfs: one element per row is needed");
  const auto candidates = lowest_elements(diagonal, std::min(config.minimum, config.maximum));
  std::set<std::int64_t> chosen;
  if (!candidates.empty()) chosen.insert(candidates.front());
  const std::size_t num_references = space.num_reference_csfs();
  for (const std::int64_t row : lowest_elements(diagonal.first(num_references), config.maximum)) {
    if (std::ssize(chosen) >= config.maximum) break;
    chosen.insert(row);
  }
  for (const std::int64_t row : candidates) {
    if (std::ssize(chosen) >= config.minimum) break;
    chosen.insert(row);
  }
  return {chosen.begin(), chosen.end()};
}

#define INSTANTIATE(W)                                                               \
  template std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<W>&, \
                                                       std::span<const double>, const ModelRowsConfig&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
