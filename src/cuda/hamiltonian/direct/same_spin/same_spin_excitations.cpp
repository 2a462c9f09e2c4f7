// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/same_spin_excitations.hpp"

#include <algorithm>

#include "cisolve/core/parallel.hpp"
#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {

SameSpinExcitations<HostArray> same_spin_excitations(const SpinExcitations& excitations,
                                                     std::int32_t num_strings) {
  SameSpinExcitations<HostArray> result;
  const auto n = static_cast<std::size_t>(num_strings);
  result.groups_of.assign(n + 1, 0);
  std::vector<std::int64_t> first_of(n + 1, 0);
  // Counts, and then places, of all strings at once.
  constexpr int chunk = 64;
  parallel_for(num_strings, chunk, [&](std::int64_t target) {
    const auto at = static_cast<std::size_t>(target) + 1;
    excitations.for_each_same_spin(
        static_cast<std::int32_t>(target),
        [&](int, std::int32_t size) {
          ++result.groups_of[at];
          first_of[at] += size;
        },
        [](double, std::int32_t) {});
  });
  for (std::size_t k = 0; k < n; ++k) {
    result.groups_of[k + 1] += result.groups_of[k];
    first_of[k + 1] += first_of[k];
  }
  result.groups.resize(static_cast<std::size_t>(result.groups_of.back()));
  result.values.resize(static_cast<std::size_t>(first_of.back()));
  result.sources.resize(result.values.size());
  parallel_for(num_strings, chunk, [&](std::int64_t target) {
    auto group = static_cast<std::size_t>(result.groups_of[static_cast<std::size_t>(target)]);
    auto next = static_cast<std::size_t>(first_of[static_cast<std::size_t>(target)]);
    excitations.for_each_same_spin(
        static_cast<std::int32_t>(target),
        [&](int source_class, std::int32_t size) {
          result.groups[group++] = {static_cast<std::int64_t>(next), size, source_class};
        },
        [&](double value, std::int32_t source) {
          result.values[next] = value;
          result.sources[next++] = source;
        });
  });
  return result;
}

void add_rows(const SameSpinExcitations<HostArray>& excitations, std::int32_t target,
              const BlockLayout& layout, int panel, std::vector<double>& to_values,
              std::vector<std::int32_t>& to_rows) {
  const auto at = static_cast<std::size_t>(target);
  for (std::int64_t g = excitations.groups_of[at]; g < excitations.groups_of[at + 1]; ++g) {
    const ExcitationGroup& group = excitations.groups[static_cast<std::size_t>(g)];
    const std::int64_t row = layout.row(panel, group.source_class);
    if (row < 0) continue;
    for (std::int64_t e = group.first; e < group.first + group.size; ++e) {
      to_values.push_back(excitations.values[static_cast<std::size_t>(e)]);
      to_rows.push_back(static_cast<std::int32_t>(row + excitations.sources[static_cast<std::size_t>(e)]));
    }
  }
}

double density(const SameSpinExcitations<HostArray>& excitations, const StringClasses& classes, int c) {
  const std::int64_t size = classes.size(c);
  const auto first = static_cast<std::size_t>(classes.offsets[static_cast<std::size_t>(c)]);
  const auto last = first + static_cast<std::size_t>(size);
  std::int64_t count = 0;
  for (std::int64_t k = excitations.groups_of[first]; k < excitations.groups_of[last]; ++k) {
    const ExcitationGroup& group = excitations.groups[static_cast<std::size_t>(k)];
    if (group.source_class != c) return 0.0;
    count += group.size;
  }
  return static_cast<double>(count) / (static_cast<double>(size) * static_cast<double>(size));
}

}  // namespace cisolve::cuda::direct
