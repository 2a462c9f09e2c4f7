// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/opposite_sources.hpp"

#include <algorithm>
#include <utility>

namespace cisolve::cuda::direct {
namespace {

bool reaches(const SpinLinks& links, int target, int source) {
  return target == source || links.is_linked(target, source);
}

}  // namespace

Sources::Sources(const cisolve::DirectProduct& host, std::int64_t least_tiled)
    : host_(host), least_tiled_(least_tiled), integrals_(host.integrals()),
      coulomb_rows_(coulomb_rows(host.integrals())) {
  for (std::uint32_t rs = 0; rs < integrals_.num_pairs(); ++rs) {
    const double* row = integrals_.row(rs);
    couples_.push_back(std::any_of(row, row + integrals_.num_pairs(), [](double v) { return v != 0.0; }) ? 1
                                                                                                         : 0);
  }
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

bool Sources::splits(const Side& side, int major_class, int minor_class) const {
  const std::int64_t columns = side.minor.size(minor_class);
  const std::int64_t rows = side.major.size(major_class);
  if (parity() || columns > 2 * rows || rows > 2 * columns) return false;
  bool found[2] = {false, false};
  for (int from = 0; from < side.minor.count(); ++from) {
    if (!reaches(side.minor_links, minor_class, from)) continue;
    for (int source = 0; source < side.major.count(); ++source) {
      if (side.layout.row(from, source) >= 0 && reaches(side.major_links, major_class, source))
        found[prefers(side, source, from) ? 0 : 1] = true;
    }
  }
  return found[0] && found[1];
}

bool Sources::is_fed(const Side& side, int c, int d, int from) const {
  const bool split = splits(side, c, d);
  for (int source = 0; source < side.major.count(); ++source) {
    if (side.layout.row(from, source) >= 0 && reaches(side.major_links, c, source) &&
        (!split || prefers(side, source, from)))
      return true;
  }
  return false;
}

bool Sources::is_tiled(const Side& side, int d) const {
  for (int from = 0; from < side.minor.count(); ++from) {
    if (!reaches(side.minor_links, d, from)) continue;
    const BlockLayout::Panel& panel = side.layout.panels[static_cast<std::size_t>(from)];
    const bool many_rows = 2 * panel.rows >= panel.columns;
    if ((many_rows ? 3 * panel.columns / 2 : panel.columns) >= least_tiled_) return true;
  }
  return false;
}

std::int64_t Sources::most_links(const Side& side) const {
  std::int64_t most = 0;
  for (std::int32_t string = 0; string < side.major.num_strings(); ++string) {
    for (int irrep = 0; irrep < 8; ++irrep) {
      std::int64_t count = irrep == 0 ? 1 : 0;
      for (const SpinLinks::Group& group : side.major_links.singles_of(string, irrep)) count += group.size;
      most = std::max(most, count);
    }
  }
  return whole_steps(most);
}

std::array<std::int32_t, 8> Sources::count_pairs(const Side& side, int d, int source) const {
  std::array<std::int32_t, 8> counts{};
  for (const auto& list : side.minor_links.pair_lists_between(d, source))
    ++counts[static_cast<std::size_t>(list.irrep)];
  if (source == d) counts[0] += integrals_.num_orbitals();
  return counts;
}

std::vector<Pattern> Sources::make_patterns(const Side& side, int d) const {
  std::vector<Pattern> patterns;
  for (int irrep = 0; irrep < 8; ++irrep) {
    for (int source = 0; source < side.minor.count(); ++source) {
      Pattern pattern = make_pattern(side, d, source, irrep);
      if (!pattern.pairs.empty()) patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

Pattern Sources::make_pattern(const Side& side, int d, int source, int irrep) const {
  Pattern pattern{source, irrep, {}, {}};
  const SpinLinks& minor = side.minor_links;
  for (const SpinLinks::PairList& list : minor.pair_lists_between(d, source)) {
    if (list.irrep != irrep || couples_[list.pair] == 0) continue;
    const auto place = static_cast<std::int32_t>(pattern.pairs.size());
    pattern.pairs.push_back({static_cast<std::int32_t>(list.pair), coulomb_rows_[list.pair]});
    for (auto k = static_cast<std::size_t>(list.first); k < static_cast<std::size_t>(list.last); ++k)
      pattern.entries.push_back({minor.targets[k], place, minor.sources[k], minor.signs[k] < 0.0});
  }
  if (irrep != 0 || source != d) return pattern;
  // r = s: what an excitation of the major spin feels of the minor string.
  const auto electrons = static_cast<std::size_t>(minor.num_electrons);
  for (int r = 0; r < integrals_.num_orbitals(); ++r) {
    const std::uint32_t rr = integrals_.pair(r, r);
    if (couples_[rr] == 0) continue;
    const auto place = static_cast<std::int32_t>(pattern.pairs.size());
    const std::size_t before = pattern.entries.size();
    for (std::int32_t string = 0; string < side.minor.size(d); ++string) {
      const auto ordinal = static_cast<std::size_t>(side.minor.offsets[static_cast<std::size_t>(d)] + string);
      const std::uint8_t* orbitals = minor.occupied.data() + ordinal * electrons;
      if (std::find(orbitals, orbitals + electrons, r) != orbitals + electrons)
        pattern.entries.push_back({string, place, string, false});
    }
    if (pattern.entries.size() > before)
      pattern.pairs.push_back({static_cast<std::int32_t>(rr), same_orbital});
  }
  return pattern;
}

void Sources::add_links(const Side& side, int c, std::int32_t string, int source_class, int irrep, bool split,
                        std::vector<Link>& links) const {
  const auto before = std::ssize(links);
  const std::int32_t ordinal = side.major.offsets[static_cast<std::size_t>(c)] + string;
  for (const SpinLinks::Group& group : side.major_links.singles_of(ordinal, irrep)) {
    const std::int64_t row = side.layout.row(source_class, group.source_class);
    if (row < 0 || (split && !prefers(side, group.source_class, source_class))) continue;
    const SpinLinks::Single* entry = side.major_links.singles.data() + group.first;
    for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry)
      links.push_back({static_cast<std::int32_t>(row + entry->source), entry->code});
  }
  const std::int64_t own_row = side.layout.row(source_class, c);
  if (irrep == 0 && own_row >= 0 && (!split || prefers(side, c, source_class)))
    links.push_back({static_cast<std::int32_t>(own_row + string), self_code});
  std::ranges::sort(links.begin() + before, links.end(), {}, &Link::code);
}

}  // namespace cisolve::cuda::direct
