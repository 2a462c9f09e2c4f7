// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_links.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

constexpr std::uint32_t negative_bit = 0x80000000U;

/// One array from per-string lists that were made in parallel.
template <class T>
Array<T> concatenate(std::vector<std::vector<T>>& lists) {
  std::vector<std::size_t> start(lists.size() + 1, 0);
  for (std::size_t i = 0; i < lists.size(); ++i) start[i + 1] = start[i] + lists[i].size();
  Array<T> all(start.back());
  parallel_for(std::ssize(lists), 64, [&](std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    std::copy(lists[i].begin(), lists[i].end(), all.data() + start[i]);
    lists[i] = {};
  });
  return all;
}

/// Calls visit(target, code, value) for the totally symmetric excitations within one spin whose
/// element can be nonzero. A single excitation has code = pair | phase and value = its part within
/// the spin; a double one code = num_pairs | phase and value = its antisymmetrised integral.
template <class Strings, class Visit>
void for_each_own(const Strings& strings, const IntegralTables& tables, std::int32_t i, Visit&& visit) {
  const int n = tables.num_orbitals();
  for_each_single(strings[i], n, [&](const auto& t, int h, int p, bool negative) {
    if (tables.irrep(h) != tables.irrep(p)) return;
    const std::int32_t target = strings.find(t);
    if (target < 0) return;
    visit(target, tables.pair(h, p) | (negative ? negative_bit : 0U),
          tables.single_within_spin(strings[i], h, p));
  });
  for_each_double(strings[i], n, [&](const auto& t, int h1, int p1, int h2, int p2, bool negative) {
    if ((tables.irrep(h1) ^ tables.irrep(h2) ^ tables.irrep(p1) ^ tables.irrep(p2)) != 0) return;
    const double value = tables.eri(p1, h1, p2, h2) - tables.eri(p1, h2, p2, h1);
    if (std::abs(value) <= tables.threshold()) return;
    const std::int32_t target = strings.find(t);
    if (target < 0) return;
    visit(target, tables.num_pairs() | (negative ? negative_bit : 0U), value);
  });
}

}  // namespace

template <int Words>
BetaLinks::BetaLinks(const StringTable<Words>& strings, const IntegralTables& tables)
    : num_levels_(strings.num_levels()) {
  const auto n = static_cast<std::size_t>(strings.size());
  const auto groups = static_cast<std::size_t>(num_groups());
  const auto levels = static_cast<std::size_t>(num_levels_);
  single_offsets_.assign(n * groups + 1, 0);
  own_offsets_.assign(n * levels + 1, 0);
  single_split_.resize(n);
  own_split_.resize(n);
  std::vector<std::vector<Link>> singles(n);
  std::vector<std::vector<OwnLink>> own(n);

  parallel_for(static_cast<std::int64_t>(n), 64, [&](std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    const auto string = static_cast<std::int32_t>(i);
    std::vector<std::vector<Link>> single_groups(groups);
    std::vector<std::vector<OwnLink>> own_groups(levels);
    for_each_single(strings[string], tables.num_orbitals(),
                    [&](const BitString<Words>& t, int h, int p, bool negative) {
                      const std::int32_t target = strings.find(t);
                      if (target < 0) return;
                      const int g = group(strings.level(target), tables.irrep(h) ^ tables.irrep(p));
                      single_groups[static_cast<std::size_t>(g)].push_back(
                          {strings.position(target), tables.pair(h, p) | (negative ? negative_bit : 0U)});
                    });
    for_each_own(strings, tables, string, [&](std::int32_t target, std::uint32_t code, double value) {
      own_groups[static_cast<std::size_t>(strings.level(target))].push_back(
          {strings.position(target), code, value});
    });

    const auto ascending = [](const auto& a, const auto& b) { return a.position < b.position; };
    const auto split = [&](const auto& list) {
      return static_cast<std::int32_t>(std::count_if(list.begin(), list.end(), [&](const auto& link) {
        return link.position < strings.position(string);
      }));
    };
    for (std::size_t g = 0; g < groups; ++g) {
      std::sort(single_groups[g].begin(), single_groups[g].end(), ascending);
      single_offsets_[i * groups + g + 1] = static_cast<std::int64_t>(single_groups[g].size());
      singles[i].insert(singles[i].end(), single_groups[g].begin(), single_groups[g].end());
    }
    for (std::size_t g = 0; g < levels; ++g) {
      std::sort(own_groups[g].begin(), own_groups[g].end(), ascending);
      own_offsets_[i * levels + g + 1] = static_cast<std::int64_t>(own_groups[g].size());
      own[i].insert(own[i].end(), own_groups[g].begin(), own_groups[g].end());
    }
    const int level = strings.level(string);
    single_split_[i] = split(single_groups[static_cast<std::size_t>(group(level, 0))]);
    own_split_[i] = split(own_groups[static_cast<std::size_t>(level)]);
  });
  const auto most_by_level = [&](const std::vector<std::int64_t>& sizes, std::size_t kinds) {  // not yet offsets
    std::vector<std::size_t> most(levels * kinds, 0);
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
      const auto level = static_cast<std::size_t>(strings.level(static_cast<std::int32_t>(k / kinds)));
      std::size_t& largest = most[level * kinds + k % kinds];
      largest = std::max(largest, static_cast<std::size_t>(sizes[k + 1]));
    }
    return most;
  };
  most_singles_ = most_by_level(single_offsets_, groups);
  most_own_ = most_by_level(own_offsets_, levels);
  for (std::size_t k = 1; k < single_offsets_.size(); ++k) single_offsets_[k] += single_offsets_[k - 1];
  for (std::size_t k = 1; k < own_offsets_.size(); ++k) own_offsets_[k] += own_offsets_[k - 1];
  singles_ = concatenate(singles);
  own_ = concatenate(own);
}

std::int64_t BetaLinks::bytes() const {
  return static_cast<std::int64_t>(singles_.size() * sizeof(Link) + own_.size() * sizeof(OwnLink) +
                                   (single_offsets_.size() + own_offsets_.size()) * 8 +
                                   (single_split_.size() + own_split_.size()) * 4);
}

template <class Strings>
StringLinks::StringLinks(const Strings& strings, const IntegralTables& tables) {
  const auto n = static_cast<std::size_t>(strings.size());
  offsets_.assign(n + 1, 0);
  std::vector<std::vector<Link>> lists(n);
  parallel_for(static_cast<std::int64_t>(n), 64, [&](std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    const auto string = static_cast<std::int32_t>(i);
    std::vector<Link>& links = lists[i];
    links.push_back({string, self, 0.0});
    for_each_single(strings[string], tables.num_orbitals(), [&](const auto& t, int h, int p, bool negative) {
      const std::int32_t target = strings.find(t);
      if (target < 0) return;
      const bool symmetric = tables.irrep(h) == tables.irrep(p);
      links.push_back({target, tables.pair(h, p) | (negative ? negative_bit : 0U),
                       symmetric ? tables.single_within_spin(strings[string], h, p) : forbidden});
    });
    for_each_own(strings, tables, string, [&](std::int32_t target, std::uint32_t code, double value) {
      if ((code & ~negative_bit) != tables.num_pairs()) return;  // singles are in already
      links.push_back({target, tables.num_pairs(), (code & negative_bit) != 0 ? -value : value});
    });
    std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.target < b.target; });
    offsets_[i + 1] = static_cast<std::int64_t>(links.size());
  });
  for (std::size_t k = 1; k <= n; ++k) offsets_[k] += offsets_[k - 1];
  links_ = concatenate(lists);
}

std::int64_t StringLinks::bytes() const {
  return static_cast<std::int64_t>(links_.size() * sizeof(Link) + offsets_.size() * 8);
}

template BetaLinks::BetaLinks(const StringTable<1>&, const IntegralTables&);
template BetaLinks::BetaLinks(const StringTable<2>&, const IntegralTables&);
template StringLinks::StringLinks(const StringTable<1>&, const IntegralTables&);
template StringLinks::StringLinks(const StringTable<2>&, const IntegralTables&);
template StringLinks::StringLinks(const StringList<1>&, const IntegralTables&);
template StringLinks::StringLinks(const StringList<2>&, const IntegralTables&);

}  // namespace cisolve
