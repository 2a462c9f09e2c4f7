// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_links.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// Where a string stands in the lists of an order, and in which of them.
struct Places {
  const Strings& strings;
  LinkOrder order;

  int num_levels() const { return order == LinkOrder::by_class ? strings.num_levels() : 1; }
  int level(std::int32_t string) const { return order == LinkOrder::by_class ? strings.level(string) : 0; }
  std::int32_t place(std::int32_t string) const {
    return order == LinkOrder::by_class ? strings.position(string) : string;
  }
};

std::uint32_t pair_code(const IntegralTables& tables, std::uint32_t single) {
  return 2 * tables.pair(ExcitationCode::hole(single), ExcitationCode::particle(single)) + (single & 1U);
}

}  // namespace

template <class Link>
template <class List>
LinkLists<Link>::LinkLists(const Strings& strings, const UsedStrings& used, int num_groups, const List& list)
    : num_groups_(num_groups) {
  constexpr std::int32_t chunk = 64;
  const std::size_t n = strings.size();
  std::vector<std::vector<Link>> parts((n + chunk - 1) / chunk);  // of a chunk of strings
  offsets_.assign(n * num_groups_ + 1, 0);
  parallel_for(std::ssize(parts), 1, [&](std::int64_t part) {
    std::vector<std::vector<Link>> groups(num_groups_);
    std::vector<Link>& links = parts[part];
    const auto first = static_cast<std::int32_t>(part) * chunk;
    for (std::int32_t string = first; string < std::min(first + chunk, strings.size()); ++string) {
      if (used[string] == 0) continue;
      list(string, groups);
      if (links.empty()) {
        std::size_t found = 0;
        for (const auto& group : groups) found += group.size();
        links.reserve(chunk * found);  // others have about as many
      }
      for (std::size_t g = 0; g < num_groups_; ++g) {
        if (!std::ranges::is_sorted(groups[g], {}, &Link::target))
          std::ranges::sort(groups[g], {}, &Link::target);
        offsets_[static_cast<std::size_t>(string) * num_groups_ + g + 1] = std::ssize(groups[g]);
        links.insert(links.end(), groups[g].begin(), groups[g].end());
        groups[g].clear();
      }
    }
  });
  most_.assign(static_cast<std::size_t>(strings.num_levels()) * num_groups_, 0);
  for (std::size_t k = 0; k < n * num_groups_; ++k) {
    const std::size_t level = strings.level(static_cast<std::int32_t>(k / num_groups_));
    std::size_t& largest = most_[level * num_groups_ + k % num_groups_];
    largest = std::max(largest, static_cast<std::size_t>(offsets_[k + 1]));
  }
  for (std::size_t k = 1; k < offsets_.size(); ++k) offsets_[k] += offsets_[k - 1];
  links_ = Array<Link>(offsets_.back());
  parallel_for(std::ssize(parts), 1, [&](std::int64_t part) {
    std::vector<Link>& links = parts[part];
    std::copy(links.begin(), links.end(),
              links_.data() + offsets_[static_cast<std::size_t>(part) * chunk * num_groups_]);
    links = {};
  });
}

SingleLinks::SingleLinks(const Strings& strings, const UsedStrings& used, const IntegralTables& tables,
                         LinkOrder order)
    : LinkLists(
          strings, used, 8 * Places{strings, order}.num_levels(),
          [&, at = Places{strings, order}, &singles = strings.singles()](std::int32_t string, auto& groups) {
            for (const StringExcitations::Link& link : singles[string]) {
              if (used[link.target] == 0) continue;
              const int irrep = tables.irrep(ExcitationCode::hole(link.code)) ^
                                tables.irrep(ExcitationCode::particle(link.code));
              groups[group(at.level(link.target), irrep)].push_back(
                  {at.place(link.target), pair_code(tables, link.code)});
            }
          }) {
  const Places at{strings, order};
  for (std::int32_t string = 0; string < strings.size(); ++string) {
    const auto links = (*this)(string, group(at.level(string), 0));
    const auto first = std::ranges::lower_bound(links, at.place(string), {}, &SingleLink::target);
    split_.push_back(static_cast<std::int32_t>(first - links.begin()));
  }
}

OwnLinks::OwnLinks(const Strings& strings, const UsedStrings& used, const IntegralTables& tables,
                   LinkOrder order, bool all_singles)
    : LinkLists(
          strings, used, Places{strings, order}.num_levels(),
          [&, at = Places{strings, order}, &singles = strings.singles()](std::int32_t string, auto& groups) {
            const auto add = [&](std::int32_t target, std::uint32_t code, double value) {
              groups[at.level(target)].push_back({at.place(target), code, value});
            };
            add(string, OwnLink::self, 0.0);
            for (const StringExcitations::Link& link : singles[string]) {
              const int h = ExcitationCode::hole(link.code), p = ExcitationCode::particle(link.code);
              const bool symmetric = tables.irrep(h) == tables.irrep(p);
              if (used[link.target] == 0 || (!symmetric && !all_singles)) continue;
              add(link.target, pair_code(tables, link.code),
                  symmetric ? tables.single_within_spin(strings.orbitals(string), h, p) : 0.0);
            }
            for (const StringExcitations::Link& link : strings.doubles({&string, 1}).links) {
              if (used[link.target] == 0) continue;
              const double value = tables.same_spin_double(link.code);
              if (std::abs(value) > tables.threshold())
                add(link.target, link.code | OwnLink::twofold_bit, value);
            }
          }) {}

OwnLinks::OwnLinks(const Strings& strings, const UsedStrings& used, const OwnLinks& by_string)
    : LinkLists(strings, used, strings.num_levels(), [&](std::int32_t string, auto& groups) {
        for (const OwnLink& link : by_string(string, 0)) {
          const bool symmetric = strings.irrep(link.target) == strings.irrep(string);
          if (symmetric)
            groups[strings.level(link.target)].push_back(
                {strings.position(link.target), link.code, link.value});
        }
      }) {}

}  // namespace cisolve
