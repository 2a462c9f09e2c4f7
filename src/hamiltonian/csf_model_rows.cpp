// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/csf_model_rows.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cisolve/core/error.hpp"

namespace cisolve {

template <int Words>
std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<Words>& space,
                                            std::span<const double> diagonal, const ModelRowsConfig& config) {
  if (std::ssize(diagonal) != space.size())
    throw DimensionError("choose_model_csfs: one element per row is needed");
  std::vector<std::int64_t> lowest(diagonal.size());
  std::iota(lowest.begin(), lowest.end(), 0);
  const auto wanted = lowest.begin() + std::min<std::int64_t>(config.minimum, std::ssize(lowest));
  std::partial_sort(lowest.begin(), wanted, lowest.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = diagonal[static_cast<std::size_t>(a)];
    const double y = diagonal[static_cast<std::size_t>(b)];
    return x != y ? x < y : a < b;
  });
  lowest.erase(wanted, lowest.end());

  std::set<std::int64_t> chosen;
  if (!lowest.empty()) chosen.insert(lowest.front());
  for (std::int64_t row = 0; row < std::min(space.num_reference_csfs(), config.maximum); ++row)
    chosen.insert(row);
  for (const std::int64_t row : lowest) {
    if (std::ssize(chosen) >= config.minimum) break;
    chosen.insert(row);
  }
  return {chosen.begin(), chosen.end()};
}

template std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<1>&, std::span<const double>,
                                                     const ModelRowsConfig&);
template std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<2>&, std::span<const double>,
                                                     const ModelRowsConfig&);

}  // namespace cisolve
