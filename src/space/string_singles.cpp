// SPDX-License-Identifier: MIT
#include "cisolve/space/string_singles.hpp"

#include <map>
#include <tuple>

#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

struct Entry {
  std::int32_t source, target;
  double sign;
};
/// Level and irrep of the source, level of the target.
using Classes = std::tuple<int, int, int>;
using Buckets = std::map<Classes, std::vector<Entry>>;

template <int Words>
Buckets list_singles(const StringTable<Words>& strings, int p, int q) {
  Buckets buckets;
  if (p == q) return buckets;
  for (std::int32_t source = 0; source < strings.size(); ++source) {
    const BitString<Words>& s = strings[source];
    if (!s.test(q) || s.test(p)) continue;
    const std::int32_t target = strings.find(s.moved(q, p));
    if (target < 0) continue;
    const int irrep = strings.classed_by_irrep() ? strings.irrep(source) : 0;
    buckets[{strings.level(source), irrep, strings.level(target)}].push_back(
        {strings.position(source), strings.position(target), is_negative(s, q, p) ? -1.0 : 1.0});
  }
  return buckets;
}

}  // namespace

template <int Words>
StringSingles::StringSingles(const StringTable<Words>& strings, int orbitals) : num_orbitals(orbitals) {
  const int pairs = num_orbitals * num_orbitals;
  std::vector<Buckets> of_pair(static_cast<std::size_t>(pairs));
#pragma omp parallel for schedule(dynamic)
  for (int pair = 0; pair < pairs; ++pair) {
    of_pair[static_cast<std::size_t>(pair)] = list_singles(strings, pair / num_orbitals, pair % num_orbitals);
  }
  groups_of.push_back(0);
  for (Buckets& buckets : of_pair) {
    for (const auto& [classes, entries] : buckets) {
      const auto [source_level, source_irrep, target_level] = classes;
      groups.push_back({std::ssize(sources), static_cast<std::int32_t>(entries.size()),
                        static_cast<std::int16_t>(source_level), static_cast<std::int16_t>(target_level),
                        static_cast<std::int16_t>(source_irrep)});
      for (const Entry& entry : entries) {
        sources.push_back(entry.source);
        targets.push_back(entry.target);
        signs.push_back(entry.sign);
      }
    }
    groups_of.push_back(std::ssize(groups));
    buckets = {};
  }
}

template StringSingles::StringSingles(const StringTable<1>&, int);
template StringSingles::StringSingles(const StringTable<2>&, int);

}  // namespace cisolve
