// SPDX-License-Identifier: MIT
#include "cisolve/space/singles_by_pair.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cisolve {

SinglesByPair::SinglesByPair(const Strings& strings) : num_orbitals_(strings.num_orbitals()) {
  const StringExcitations& singles = strings.singles();
  const auto pair_of = [&](std::uint32_t code) {
    return static_cast<std::size_t>(ExcitationCode::particle(code) * num_orbitals_ +
                                    ExcitationCode::hole(code));
  };
  // By pair, sources ascending; then by classes within a pair.
  const auto num_pairs = static_cast<std::size_t>(num_orbitals_) * static_cast<std::size_t>(num_orbitals_);
  std::vector<std::int64_t> first(num_pairs + 1, 0);
  for (const auto& link : singles.links) ++first[pair_of(link.code) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  entries_.resize(singles.links.size());
  std::vector<std::int64_t> next = first;
  for (std::int32_t source = 0; source < strings.size(); ++source) {
    for (const auto& [target, code] : singles[source]) {
      entries_[next[pair_of(code)]++] = {source, 2 * static_cast<std::uint32_t>(target) + (code & 1U)};
    }
  }
  const auto classes_of = [&](const Entry& entry) {
    const int irrep = strings.classed_by_irrep() ? strings.irrep(entry.source) : 0;
    return std::tuple(strings.level(entry.source), irrep, strings.level(entry.target()));
  };
  std::vector<std::vector<Group>> of_pair(num_pairs);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    const std::span<Entry> all(entries_.data() + first[pair], entries_.data() + first[pair + 1]);
    std::ranges::stable_sort(all, {}, classes_of);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k == 0 || classes_of(all[k]) != classes_of(all[k - 1])) {
        const auto [source_level, irrep, target_level] = classes_of(all[k]);
        of_pair[pair].push_back({first[pair] + static_cast<std::int64_t>(k), 0,
                                 static_cast<std::int16_t>(source_level),
                                 static_cast<std::int16_t>(target_level), static_cast<std::int16_t>(irrep)});
      }
      ++of_pair[pair].back().size;
    }
    for (Entry& entry : all) {
      const auto target = static_cast<std::uint32_t>(strings.position(entry.target()));
      entry = {strings.position(entry.source), 2 * target + (entry.target_code & 1U)};
    }
  }
  groups_of_.push_back(0);
  for (const std::vector<Group>& more : of_pair) {
    groups_.insert(groups_.end(), more.begin(), more.end());
    groups_of_.push_back(std::ssize(groups_));
  }
}

}  // namespace cisolve
