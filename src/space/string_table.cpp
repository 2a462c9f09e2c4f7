// SPDX-License-Identifier: MIT
#include "cisolve/space/string_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/space/configuration.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

/// Calls visit(chosen) for each k-subset of 0 .. n-1, chosen ascending.
template <class Visit>
void for_each_subset(int n, int k, Visit&& visit) {
  if (k > n) return;
  std::vector<int> chosen(static_cast<std::size_t>(k));
  std::iota(chosen.begin(), chosen.end(), 0);
  while (true) {
    visit(std::span<const int>(chosen));
    int at = k - 1;
    while (at >= 0 && chosen[static_cast<std::size_t>(at)] == n - k + at) --at;
    if (at < 0) return;
    int next = ++chosen[static_cast<std::size_t>(at)];
    while (++at < k) chosen[static_cast<std::size_t>(at)] = ++next;
  }
}

}  // namespace

template <int Words>
std::vector<BitString<Words>> strings_within(const StringSelection<Words>& selection) {
  const OrbitalList occupied = OrbitalList::occupied(selection.reference);
  const OrbitalList empty = OrbitalList::empty(selection.reference, selection.num_orbitals);
  std::vector<BitString<Words>> strings;
  for (int level = 0; level <= selection.max_level; ++level) {
    for_each_subset(occupied.size, level, [&](std::span<const int> holes) {
      BitString<Words> without = selection.reference;
      for (const int h : holes) without.reset(occupied[h]);
      for_each_subset(empty.size, level, [&](std::span<const int> particles) {
        BitString<Words> s = without;
        for (const int p : particles) s.set(empty[p]);
        strings.push_back(s);
      });
    });
  }
  std::sort(strings.begin(), strings.end());
  return strings;
}

template <class Key>
KeyIndex<Key>::KeyIndex(const std::vector<Key>& keys) {
  const std::size_t slots = std::bit_ceil(2 * keys.size() + 1);
  mask_ = slots - 1;
  slots_.assign(slots, -1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t at = mix(keys[i]) & mask_;
    while (slots_[at] >= 0) {
      if (keys[static_cast<std::size_t>(slots_[at])] == keys[i]) {
        throw DimensionError("KeyIndex: a key appears twice");
      }
      at = (at + 1) & mask_;
    }
    slots_[at] = static_cast<std::int32_t>(i);
  }
}

template <int Words>
StringTable<Words>::StringTable(const StringSelection<Words>& selection)
    : selection_(selection), strings_(strings_within(selection)), level_(strings_.size()),
      irrep_(strings_.size()), position_(strings_.size()),
      classes_(static_cast<std::size_t>(selection.max_level + 1) * 8U), index_(strings_) {
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    const int level = (strings_[i] & ~selection.reference).count();
    const int irrep = irrep_of(strings_[i], selection.irreps);
    level_[i] = static_cast<std::int8_t>(level);
    irrep_[i] = static_cast<std::int8_t>(irrep);
    auto& members = classes_[class_number(level, irrep)];
    position_[i] = static_cast<std::int32_t>(members.size());
    members.push_back(static_cast<std::int32_t>(i));
  }
}

template <int Words>
std::span<const std::int32_t> StringTable<Words>::members(int level, int irrep) const {
  if (level < 0 || level > selection_.max_level) return {};
  return classes_[class_number(level, irrep)];
}

std::vector<std::vector<double>> count_strings(int num_orbitals, const std::vector<bool>& occupied,
                                               int max_level, std::span<const int> irreps) {
  // counts[holes][particles][irrep] over the orbitals treated so far; the irrep is that of the
  // excitation, so a hole and a particle each contribute their label.
  const auto levels = static_cast<std::size_t>(max_level) + 1;
  using Table = std::vector<std::vector<std::array<double, 8>>>;
  Table counts(levels, std::vector<std::array<double, 8>>(levels, std::array<double, 8>{}));
  counts[0][0][0] = 1.0;
  int reference_irrep = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(num_orbitals); ++p) {
    const auto label = static_cast<std::size_t>(irreps[p]);
    if (occupied[p]) reference_irrep ^= irreps[p];
    Table next = counts;
    for (std::size_t h = 0; h < levels; ++h) {
      for (std::size_t q = 0; q < levels; ++q) {
        if ((occupied[p] ? h : q) + 1 == levels) continue;
        auto& to = occupied[p] ? next[h + 1][q] : next[h][q + 1];
        for (std::size_t g = 0; g < 8; ++g) to[g ^ label] += counts[h][q][g];
      }
    }
    counts = std::move(next);
  }
  std::vector<std::vector<double>> result(levels, std::vector<double>(8, 0.0));
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t g = 0; g < 8; ++g) {
      result[level][g ^ static_cast<std::size_t>(reference_irrep)] = counts[level][level][g];
    }
  }
  return result;
}

template std::vector<BitString<1>> strings_within(const StringSelection<1>&);
template std::vector<BitString<2>> strings_within(const StringSelection<2>&);
template class StringTable<1>;
template class StringTable<2>;
template class KeyIndex<BitString<1>>;
template class KeyIndex<BitString<2>>;
template class KeyIndex<Determinant<1>>;
template class KeyIndex<Determinant<2>>;
template class KeyIndex<Configuration<1>>;
template class KeyIndex<Configuration<2>>;

}  // namespace cisolve
