// SPDX-License-Identifier: MIT
#include "analysis/string_remainders.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <parallel/algorithm>
#include <tuple>
#include <utility>

#include "cisolve/analysis/two_particle_density.hpp"

namespace cisolve {
namespace {

/// A string without the electrons at two places among its own; at -1 none is taken.
struct Taken {
  std::uint64_t left;  ///< what is left in the 64 highest orbitals, a bit each
  std::int32_t string;
  std::int16_t upper, lower;
};

/// Orbitals below those that Taken::left tells.
int orbitals_below(const Strings& strings) { return std::max(strings.num_orbitals() - 64, 0); }

std::vector<Taken> take_all(const Strings& strings, const StringClasses& classes, int taken) {
  const auto electrons = static_cast<std::int16_t>(strings.num_electrons());
  const int below = orbitals_below(strings);
  std::vector<Taken> found;
  for (const std::int32_t string : classes.strings) {
    const auto orbitals = strings.orbitals(string);
    const auto bit = [&](int p) { return p < below ? 0 : std::uint64_t{1} << (p - below); };
    std::uint64_t bits = 0;
    for (const int p : orbitals) bits |= bit(p);
    if (taken == 0) found.push_back({bits, string, -1, -1});
    for (std::int16_t upper = 0; taken > 0 && upper < electrons; ++upper) {
      const std::uint64_t left = bits ^ bit(orbitals[upper]);
      if (taken == 1) found.push_back({left, string, upper, -1});
      for (std::int16_t lower = 0; taken == 2 && lower < upper; ++lower)
        found.push_back({left ^ bit(orbitals[lower]), string, upper, lower});
    }
  }
  return found;
}

/// Compares what is left as strings are: the highest orbital counts most. < 0, 0, > 0.
int compare_remainders(const Strings& strings, const Taken& a, const Taken& b) {
  if (a.left != b.left) return a.left < b.left ? -1 : 1;
  if (orbitals_below(strings) == 0) return 0;
  const auto of_a = strings.orbitals(a.string), of_b = strings.orbitals(b.string);
  auto i = static_cast<int>(of_a.size()) - 1, j = i;
  while (true) {
    while (i >= 0 && (i == a.upper || i == a.lower)) --i;
    while (j >= 0 && (j == b.upper || j == b.lower)) --j;
    if (i < 0 || j < 0) return 0;  // equally many are left: both are at their ends
    if (of_a[i] != of_b[j]) return of_a[i] < of_b[j] ? -1 : 1;
    --i;
    --j;
  }
}

/// All strings with electrons taken, those together that leave the same.
struct SortedRemainders {
  const Strings& strings;
  const StringClasses& classes;
  std::vector<Taken> all;
  std::vector<std::size_t> first_of;  ///< [remainders + 1] into `all`

  SortedRemainders(const Strings& s, const StringClasses& c, int taken)
      : strings(s), classes(c), all(take_all(s, c, taken)) {
    if (taken > 0) {
      __gnu_parallel::sort(all.begin(), all.end(), [&](const Taken& a, const Taken& b) {
        const int order = compare_remainders(strings, a, b);
        if (order != 0) return order < 0;
        return std::tie(a.upper, a.lower, a.string) < std::tie(b.upper, b.lower, b.string);
      });
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k == 0 || taken == 0 || compare_remainders(strings, all[k - 1], all[k]) != 0) first_of.push_back(k);
    }
    first_of.push_back(all.size());
  }

  std::size_t count() const { return first_of.size() - 1; }
  std::span<const Taken> operator[](std::size_t remainder) const {
    return std::span(all).subspan(first_of[remainder], first_of[remainder + 1] - first_of[remainder]);
  }

  StringRemainders::Member member(const Taken& t) const {
    const auto orbitals = strings.orbitals(t.string);
    std::int32_t label = 0;
    if (t.lower >= 0)
      label = static_cast<std::int32_t>(TwoParticleDensity::pair(orbitals[t.upper], orbitals[t.lower]));
    else if (t.upper >= 0)
      label = orbitals[t.upper];
    // Each annihilator passes the electrons below its own; of two, the upper one is the first to act.
    const bool negative = (std::max<int>(t.upper, 0) + std::max<int>(t.lower, 0)) % 2 != 0;
    const auto position = static_cast<std::uint32_t>(classes.position[t.string]);
    return {label, classes.class_of[t.string], 2 * position + (negative ? 1U : 0U)};
  }

  int irrep_taken(const Taken& t) const {
    const auto orbitals = strings.orbitals(t.string);
    int irrep = 0;
    for (const int place : {t.upper, t.lower}) {
      if (place >= 0) irrep ^= strings.irrep_of_orbital(orbitals[place]);
    }
    return irrep;
  }
};

/// What the members of a remainder are, but for their numbers: irreps of what was taken and classes, ascending.
using Kinds = std::vector<std::pair<int, std::int32_t>>;
/// Label and class.
using SlotKey = std::pair<std::int32_t, std::int32_t>;

/// Remainders that will be a group, or a part of one.
struct Part {
  std::vector<std::size_t> remainders;  ///< ascending
  std::vector<SlotKey> slots;           ///< ascending
};

std::vector<SlotKey> joined(const std::vector<SlotKey>& a, const std::vector<SlotKey>& b) {
  std::vector<SlotKey> both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

/// Multiplications that the products of a group cost, in some unit, with what it costs to begin them and to add them up.
double product_cost(double slots, double size) {
  constexpr double of_adding = 32.0;
  return slots * slots * (size + of_adding);
}

/// Joins parts where that is cheaper than multiplying them one after the other.
std::vector<Part> join_parts(std::vector<Part> parts) {
  std::vector<Part> groups;
  const auto cost = [](std::size_t slots, std::size_t size) {
    return product_cost(static_cast<double>(slots), static_cast<double>(size));
  };
  for (Part& part : parts) {
    double best = 0.0;
    Part* chosen = nullptr;
    for (Part& group : groups) {
      const double added =
          cost(joined(group.slots, part.slots).size(), group.remainders.size() + part.remainders.size()) -
          cost(group.slots.size(), group.remainders.size()) - cost(part.slots.size(), part.remainders.size());
      if (added >= best) continue;
      best = added;
      chosen = &group;
    }
    if (chosen == nullptr) {
      groups.push_back(std::move(part));
      continue;
    }
    chosen->slots = joined(chosen->slots, part.slots);
    std::vector<std::size_t> both;
    std::ranges::merge(chosen->remainders, part.remainders, std::back_inserter(both));
    chosen->remainders = std::move(both);
  }
  return groups;
}

/// First those of the same kinds together, then parts that are cheaper joined.
std::vector<Part> group_remainders(const SortedRemainders& remainders) {
  std::map<Kinds, std::size_t> numbers;
  std::vector<Part> parts;
  Kinds kinds;
  for (std::size_t r = 0; r < remainders.count(); ++r) {
    kinds.clear();
    for (const Taken& t : remainders[r])
      kinds.emplace_back(remainders.irrep_taken(t), remainders.classes.class_of[t.string]);
    std::ranges::sort(kinds);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const auto [at, is_new] = numbers.try_emplace(kinds, parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].remainders.push_back(r);
  }
  for (Part& part : parts) {
    for (const std::size_t r : part.remainders) {
      for (const Taken& t : remainders[r]) {
        const auto member = remainders.member(t);
        part.slots.emplace_back(member.label, member.string_class);
      }
    }
    std::ranges::sort(part.slots);
    part.slots.erase(std::unique(part.slots.begin(), part.slots.end()), part.slots.end());
  }
  return join_parts(std::move(parts));
}

}  // namespace

StringRemainders::StringRemainders(const Strings& strings, const StringClasses& classes, int taken) {
  const SortedRemainders remainders(strings, classes, taken);
  members_of_.push_back(0);
  members_.reserve(remainders.all.size());
  entries_.reserve(remainders.all.size());
  for (const Part& part : group_remainders(remainders)) add_group(remainders, part.remainders, part.slots);
}

/// @param numbers  of the remainders
/// @param slots    label and class of all their members, ascending
template <class Sorted, class Key>
void StringRemainders::add_group(const Sorted& remainders, const std::vector<std::size_t>& numbers,
                                 const std::vector<Key>& slots) {
  Group group{.first = std::ssize(members_of_) - 1, .last = 0, .slots = {}};
  std::vector<std::vector<Entry>> by_slot(slots.size());
  for (std::size_t column = 0; column < numbers.size(); ++column) {
    const auto first = members_.end() - members_.begin();
    for (const auto& taken : remainders[numbers[column]]) {
      members_.push_back(remainders.member(taken));
      const Member& added = members_.back();
      const auto slot = std::ranges::lower_bound(slots, Key(added.label, added.string_class)) - slots.begin();
      by_slot[slot].push_back({static_cast<std::int32_t>(column), added.code});
    }
    std::sort(members_.begin() + first, members_.end(),
              [](const Member& a, const Member& b) { return a.label < b.label; });
    members_of_.push_back(std::ssize(members_));
  }
  group.last = std::ssize(members_of_) - 1;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const std::vector<Entry>& entries = by_slot[slot];
    const std::int64_t first = std::ssize(entries_);
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    const bool is_class =
        entries.size() == numbers.size() && std::ranges::all_of(entries, [](const Entry& entry) {
          return entry.code == 2 * static_cast<std::uint32_t>(entry.column);
        });
    group.slots.push_back({slots[slot].first, slots[slot].second, first, std::ssize(entries_), is_class});
  }
  groups_.push_back(std::move(group));
}

}  // namespace cisolve
