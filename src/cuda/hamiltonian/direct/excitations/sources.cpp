// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/excitations/sources.hpp"

#include <algorithm>

#include "cisolve/core/parallel.hpp"

namespace cisolve::cuda::direct {
namespace {

/// By target class the classes that excitations lead from.
std::vector<std::vector<int>> reached(const SpinExcitations& excitations, int num_classes) {
  std::vector<std::vector<int>> result(num_classes);
  for (int target = 0; target < num_classes; ++target) {
    for (int source = 0; source < num_classes; ++source) {
      if (excitations.reaches(target, source)) result[target].push_back(source);
    }
  }
  return result;
}

}  // namespace

Sources::Sources(const cisolve::DirectProduct& host, std::int64_t least_long, const StringShares& shares)
    : host_(host), least_long_(least_long), integrals_(host.integrals()),
      coulomb_rows_(coulomb_rows(host.integrals())) {
  for (int layout = 0; layout < 2; ++layout) {
    const IntegralTables& of_minor = layout == 0 ? integrals_.beta() : integrals_.alpha();
    for (std::uint32_t rs = 0; rs < integrals_.num_pairs(); ++rs) {
      const double* row = of_minor.row(rs);
      const bool any = std::any_of(row, row + integrals_.num_pairs(), [](double v) { return v != 0.0; });
      couples_[layout].push_back(any ? 1 : 0);
    }
  }
  for (int number = 0; number < (parity() ? 1 : 2); ++number)
    sides_.emplace_back(host.tables(), number, shares);
  for (const Side& side : sides_) reach_.push_back(make_reach(side));
}

Sources::Reach Sources::make_reach(const Side& side) const {
  const std::size_t majors = side.major.count();
  Reach reach{reached(side.major_excitations, side.major.count()),
              reached(side.minor_excitations, side.minor.count()),
              std::vector<std::vector<int>>(8 * majors),
              {}};
  for (int c = 0; c < side.major.count(); ++c) {
    for (const int source : reach.major[c]) {
      std::array<bool, 8> leads{c == source};  // a string to itself
      side.major_excitations.for_each_pair(c, source,
                                           [&](auto, int irrep, const auto&) { leads[irrep] = true; });
      for (std::size_t irrep = 0; irrep < leads.size(); ++irrep) {
        if (leads[irrep])
          reach.major_of_irrep[irrep * majors + static_cast<std::size_t>(c)].push_back(source);
      }
    }
  }
  reach.splits.resize(static_cast<std::size_t>(side.minor.count()) * majors);
  parallel_for(side.minor.count(), 1, [&](std::int64_t d) {
    for (std::size_t c = 0; c < majors; ++c) {
      reach.splits[static_cast<std::size_t>(d) * majors + c] =
          must_split(side, reach, static_cast<int>(c), static_cast<int>(d)) ? 1 : 0;
    }
  });
  return reach;
}

bool Sources::must_split(const Side& side, const Reach& reach, int c, int d) const {
  const std::int64_t columns = side.minor.size(d);
  const std::int64_t rows = side.major.size(c);
  if (parity() || columns > 2 * rows || rows > 2 * columns) return false;
  bool found[2] = {false, false};
  for (const int from : reach.minor[d]) {
    for (const int source : reach.major[c]) {
      if (side.layout.row(from, source) >= 0) found[prefers(side, source, from) ? 0 : 1] = true;
    }
  }
  return found[0] && found[1];
}

bool Sources::handles(const Side& side, int major_class, int minor_class) const {
  if (side.layout.row(minor_class, major_class) < 0) return false;
  const std::int64_t columns = side.minor.size(minor_class);
  const std::int64_t rows = side.major.size(major_class);
  if (parity()) return columns != rows ? columns > rows : major_class <= minor_class;
  if (splits(side, major_class, minor_class)) return true;
  return side.number == 0 ? 2 * columns >= rows : 2 * rows < columns;
}

bool Sources::handles_any(const Side& side, int minor_class) const {
  for (int c = 0; c < side.major.count(); ++c) {
    if (handles(side, c, minor_class)) return true;
  }
  return false;
}

bool Sources::prefers(const Side& side, int major_source, int minor_source) {
  const std::int64_t columns = side.minor.size(minor_source);
  const std::int64_t rows = side.major.size(major_source);
  return side.number == 0 ? columns <= 2 * rows : rows > 2 * columns;
}

bool Sources::is_fed(const Side& side, int c, int d, int from) const {
  const bool split = splits(side, c, d);
  return std::ranges::any_of(reach_of(side).major[c], [&](int source) {
    return side.layout.row(from, source) >= 0 && (!split || prefers(side, source, from));
  });
}

bool Sources::is_fed_by(const Side& side, int c, int source_class, int irrep, bool split) const {
  const auto at = static_cast<std::size_t>(irrep) * static_cast<std::size_t>(side.major.count()) +
                  static_cast<std::size_t>(c);
  return std::ranges::any_of(reach_of(side).major_of_irrep[at], [&](int source) {
    return side.layout.row(source_class, source) >= 0 && (!split || prefers(side, source, source_class));
  });
}

bool Sources::is_long(const Side& side, int d) const {
  return std::ranges::any_of(reach_of(side).minor[d], [&](int from) {
    const BlockLayout::Panel& panel = side.panel(from);
    const bool many_rows = 2 * panel.rows >= panel.columns;
    return (many_rows ? 3 * panel.columns / 2 : panel.columns) >= least_long_;
  });
}

std::int64_t Sources::most_excitations(const Side& side) const {
  std::int64_t most = 0;
  for (std::int32_t string = 0; string < side.major.num_strings(); ++string) {
    for (int irrep = 0; irrep < 8; ++irrep)
      most = std::max(most, side.major_excitations.num_singles(string, irrep) + (irrep == 0 ? 1 : 0));
  }
  return whole_steps(most);
}

std::array<std::int32_t, 8> Sources::count_pairs(const Side& side, int d, int source) const {
  std::array<std::int32_t, 8> counts{};
  side.minor_excitations.for_each_pair(d, source, [&](auto, int irrep, const auto&) { ++counts[irrep]; });
  if (source == d) counts[0] += integrals_.num_orbitals();
  return counts;
}

std::vector<Pattern> Sources::make_patterns(const Side& side, int d) const {
  const std::vector<int>& sources = reach_of(side).minor[d];
  std::vector<Pattern> patterns(8 * sources.size());
  parallel_for(std::ssize(patterns), 1, [&](std::int64_t k) {
    const std::size_t at = k;
    patterns[at] = make_pattern(side, d, sources[at % sources.size()], static_cast<int>(at / sources.size()));
  });
  std::erase_if(patterns, [](const Pattern& pattern) { return pattern.pairs.empty(); });
  return patterns;
}

Pattern Sources::make_pattern(const Side& side, int d, int source, int irrep) const {
  Pattern pattern{source, irrep, {}, {}};
  side.minor_excitations.for_each_pair(d, source, [&](std::int32_t pair, int of, const auto& excitations) {
    if (of != irrep || couples_[side.number][pair] == 0) return;
    const auto place = static_cast<std::int32_t>(pattern.pairs.size());
    pattern.pairs.push_back({pair, coulomb_rows_[pair]});
    excitations([&](std::int32_t target, std::int32_t from, bool negative) {
      pattern.entries.push_back({target, place, from, negative});
    });
  });
  if (irrep != 0 || source != d) return pattern;
  // r = s: what an excitation of the major spin feels of the minor string.
  const std::int32_t ordinal = side.minor.offsets[d];
  for (int r = 0; r < integrals_.num_orbitals(); ++r) {
    const std::uint32_t rr = integrals_.pair(r, r);
    if (couples_[side.number][rr] == 0) continue;
    const auto place = static_cast<std::int32_t>(pattern.pairs.size());
    const std::size_t before = pattern.entries.size();
    for (std::int32_t string = 0; string < side.minor.size(d); ++string) {
      const auto occupied = side.minor_excitations.occupied(ordinal + string);
      if (std::ranges::find(occupied, r) != occupied.end())
        pattern.entries.push_back({string, place, string, false});
    }
    if (pattern.entries.size() > before)
      pattern.pairs.push_back({static_cast<std::int32_t>(rr), same_orbital});
  }
  return pattern;
}

void Sources::add_excitations(const Side& side, int c, std::int32_t string, int source_class, int irrep,
                              bool split, std::vector<Excitation>& excitations) const {
  const auto before = std::ssize(excitations);
  const auto row_of = [&](int source) {
    return split && !prefers(side, source, source_class) ? std::int64_t{-1}
                                                         : side.layout.row(source_class, source);
  };
  side.major_excitations.for_each_single(side.first_ordinal(c) + string, irrep, row_of,
                                         [&](std::int64_t row, std::uint32_t code) {
                                           excitations.push_back({static_cast<std::int32_t>(row), code});
                                         });
  if (irrep == 0 && row_of(c) >= 0)
    excitations.push_back({static_cast<std::int32_t>(row_of(c) + string), self_code});
  std::ranges::sort(excitations.begin() + before, excitations.end(), {}, &Excitation::code);
}

std::int32_t Sources::count_excitations(const Side& side, int c, std::int32_t string, int source_class,
                                        int irrep, bool split) const {
  const auto row_of = [&](int source) {
    return split && !prefers(side, source, source_class) ? std::int64_t{-1}
                                                         : side.layout.row(source_class, source);
  };
  std::int32_t count = irrep == 0 && row_of(c) >= 0 ? 1 : 0;
  side.major_excitations.for_each_single(side.first_ordinal(c) + string, irrep, row_of,
                                         [&](std::int64_t, std::uint32_t) { ++count; });
  return count;
}

std::int32_t Sources::count_half(const Side& side, int c, std::int32_t string, const Pattern& pattern,
                                 std::int32_t least_pair) const {
  std::int32_t count = 0;
  side.major_excitations.for_each_single(
      side.first_ordinal(c) + string, pattern.irrep,
      [&](int source) { return side.layout.row(pattern.source_class, source); },
      [&](std::int64_t, std::uint32_t code) { count += static_cast<std::int32_t>(code / 2) >= least_pair; });
  return count;
}

}  // namespace cisolve::cuda::direct
