// SPDX-License-Identifier: MIT
#include "analysis/string_remainders.hpp"

#include <algorithm>
#include <map>
#include <parallel/algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "cisolve/analysis/two_particle_density.hpp"

namespace cisolve {
namespace {

/// A string without the electrons at two places among its own; at -1 none is taken.
struct Taken {
  std::int32_t string;
  std::int16_t upper, lower;
};

std::vector<Taken> take_all(const StringClasses& classes, int electrons, int taken) {
  std::vector<Taken> found;
  for (const std::int32_t string : classes.strings) {
    if (taken == 0) found.push_back({string, -1, -1});
    for (std::int16_t upper = 0; taken > 0 && upper < electrons; ++upper) {
      if (taken == 1) found.push_back({string, upper, -1});
      for (std::int16_t lower = 0; taken == 2 && lower < upper; ++lower)
        found.push_back({string, upper, lower});
    }
  }
  return found;
}

/// Compares what is left as strings are: the highest orbital counts most. < 0, 0, > 0.
int compare_remainders(const Strings& strings, const Taken& a, const Taken& b) {
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
      : strings(s), classes(c), all(take_all(c, s.num_electrons(), taken)) {
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

/// What the members of a remainder are, but for their numbers: irrep of what was taken, and class.
using Kinds = std::set<std::pair<int, std::int32_t>>;
/// Label and class.
using SlotKey = std::pair<std::int32_t, std::int32_t>;

/// Remainders that will be a group, or a part of one.
struct Part {
  std::set<SlotKey> slots;
  double size = 0.0;
  std::int32_t group = -1;
};

/// Multiplications that the products of a group cost, in some unit, with what it costs to begin them and to add them up.
double product_cost(double slots, double size) {
  constexpr double of_adding = 32.0;
  return slots * slots * (size + of_adding);
}

/// Joins parts where that is cheaper than multiplying them one after the other.
/// @return number of groups
std::int32_t join_parts(std::vector<Part>& parts) {
  std::vector<Part> groups;
  const auto cost = [](const Part& part) {
    return product_cost(static_cast<double>(part.slots.size()), part.size);
  };
  for (Part& part : parts) {
    double best = 0.0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      Part joined = groups[k];
      joined.slots.insert(part.slots.begin(), part.slots.end());
      joined.size += part.size;
      const double added = cost(joined) - cost(groups[k]) - cost(part);
      if (added >= best) continue;
      best = added;
      part.group = static_cast<std::int32_t>(k);
    }
    if (part.group < 0) {
      part.group = static_cast<std::int32_t>(groups.size());
      groups.push_back(part);
      continue;
    }
    Part& group = groups[static_cast<std::size_t>(part.group)];
    group.slots.insert(part.slots.begin(), part.slots.end());
    group.size += part.size;
  }
  return static_cast<std::int32_t>(groups.size());
}

/// The remainders of each group, in their order: first those of the same kinds are together, then parts that are cheaper
/// joined.
std::vector<std::vector<std::size_t>> group_remainders(const SortedRemainders& remainders) {
  std::map<Kinds, std::int32_t> numbers;
  std::vector<Part> parts;
  std::vector<std::int32_t> part_of(remainders.count());
  for (std::size_t r = 0; r < remainders.count(); ++r) {
    Kinds kinds;
    for (const Taken& t : remainders[r])
      kinds.emplace(remainders.irrep_taken(t), remainders.classes.class_of[t.string]);
    const auto [at, is_new] = numbers.try_emplace(kinds, static_cast<std::int32_t>(parts.size()));
    if (is_new) parts.emplace_back();
    Part& part = parts[at->second];
    part.size += 1.0;
    for (const Taken& t : remainders[r]) {
      const auto member = remainders.member(t);
      part.slots.emplace(member.label, member.string_class);
    }
    part_of[r] = at->second;
  }
  std::vector<std::vector<std::size_t>> groups(join_parts(parts));
  for (std::size_t r = 0; r < remainders.count(); ++r) groups[parts[part_of[r]].group].push_back(r);
  return groups;
}

}  // namespace

StringRemainders::StringRemainders(const Strings& strings, const StringClasses& classes, int taken) {
  const SortedRemainders remainders(strings, classes, taken);
  members_of_.push_back(0);
  members_.reserve(remainders.all.size());
  entries_.reserve(remainders.all.size());
  for (const std::vector<std::size_t>& of_group : group_remainders(remainders)) {
    Group group{.first = std::ssize(members_of_) - 1, .last = 0, .slots = {}};
    std::map<SlotKey, std::vector<Entry>> by_slot;
    for (std::size_t column = 0; column < of_group.size(); ++column) {
      const auto first = members_.end() - members_.begin();
      for (const Taken& t : remainders[of_group[column]]) {
        members_.push_back(remainders.member(t));
        const Member& added = members_.back();
        by_slot[{added.label, added.string_class}].push_back({static_cast<std::int32_t>(column), added.code});
      }
      std::sort(members_.begin() + first, members_.end(),
                [](const Member& a, const Member& b) { return a.label < b.label; });
      members_of_.push_back(std::ssize(members_));
    }
    group.last = std::ssize(members_of_) - 1;
    for (const auto& [key, of_slot] : by_slot) {
      const std::int64_t first = std::ssize(entries_);
      entries_.insert(entries_.end(), of_slot.begin(), of_slot.end());
      const bool is_class =
          of_slot.size() == of_group.size() && std::ranges::all_of(of_slot, [](const Entry& e) {
            return e.code == 2 * static_cast<std::uint32_t>(e.column);
          });
      group.slots.push_back({key.first, key.second, first, std::ssize(entries_), is_class});
    }
    groups_.push_back(std::move(group));
  }
}

}  // namespace cisolve
