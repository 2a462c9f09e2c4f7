// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/same_spin_excitations.hpp"

#include <numeric>

#include "cisolve/core/parallel.hpp"
#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {

SameSpinExcitations<HostArray> same_spin_excitations(const SpinExcitations& excitations,
                                                     const StringClasses& classes,
                                                     const std::vector<bool>& is_read) {
  std::vector<std::int32_t> targets;
  for (int c = 0; c < classes.count(); ++c) {
    if (!is_read[c]) continue;
    const std::int32_t first = classes.offsets[c];
    for (std::int32_t k = 0; k < classes.size(c); ++k) targets.push_back(first + k);
  }
  SameSpinExcitations<HostArray> result;
  result.groups_of.assign(classes.num_strings() + 1, 0);
  std::vector<std::int64_t> first_of(result.groups_of.size(), 0);
  // Counts, and then places, of all strings at once.
  constexpr int chunk = 64;
  parallel_for(std::ssize(targets), chunk, [&](std::int64_t k) {
    const std::int32_t target = targets[k];
    const auto at = static_cast<std::size_t>(target) + 1;
    const auto count = [&](int, std::int32_t size) {
      ++result.groups_of[at];
      first_of[at] += size;
    };
    excitations.for_each_same_spin(target, count, [](double, std::int32_t) {});
  });
  std::partial_sum(result.groups_of.begin(), result.groups_of.end(), result.groups_of.begin());
  std::partial_sum(first_of.begin(), first_of.end(), first_of.begin());
  result.groups.resize(result.groups_of.back());
  result.values.resize(first_of.back());
  result.sources.resize(result.values.size());
  parallel_for(std::ssize(targets), chunk, [&](std::int64_t k) {
    const std::int32_t target = targets[k];
    std::size_t group = result.groups_of[target];
    std::size_t next = first_of[target];
    const auto open = [&](int source_class, std::int32_t size) {
      result.groups[group++] = {static_cast<std::int64_t>(next), size, source_class};
    };
    excitations.for_each_same_spin(target, open, [&](double value, std::int32_t source) {
      result.values[next] = value;
      result.sources[next++] = source;
    });
  });
  return result;
}

void add_rows(const SameSpinExcitations<HostArray>& excitations, std::int32_t target,
              const BlockLayout& layout, int panel, std::vector<double>& to_values,
              std::vector<std::int32_t>& to_rows) {
  const std::size_t at = target;
  for (std::int64_t g = excitations.groups_of[at]; g < excitations.groups_of[at + 1]; ++g) {
    const ExcitationGroup& group = excitations.groups[g];
    const std::int64_t row = layout.row(panel, group.source_class);
    if (row < 0) continue;
    for (std::int64_t e = group.first; e < group.first + group.size; ++e) {
      to_values.push_back(excitations.values[e]);
      to_rows.push_back(static_cast<std::int32_t>(row + excitations.sources[e]));
    }
  }
}

double density(const SpinExcitations& excitations, const StringClasses& classes, int c) {
  const std::int32_t size = classes.size(c);
  const std::int32_t first = classes.offsets[c];
  std::int64_t count = 0;
  bool is_linked = false;
  const auto add = [&](int source_class, std::int32_t more) {
    is_linked = is_linked || source_class != c;
    count += more;
  };
  for (std::int32_t k = 0; k < size && !is_linked; ++k)
    excitations.for_each_same_spin(first + k, add, [](double, std::int32_t) {});
  return is_linked ? 0.0
                   : static_cast<double>(count) / (static_cast<double>(size) * static_cast<double>(size));
}

}  // namespace cisolve::cuda::direct
