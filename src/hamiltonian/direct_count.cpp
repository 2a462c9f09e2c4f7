// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cisolve/hamiltonian/direct_product.hpp"

namespace cisolve {
namespace {

/// Pairs of one single excitation each of either spin whose (pq|rs) doesn't vanish.
std::int64_t count_opposite(std::span<const SpinLinks::PairList> alpha,
                            std::span<const SpinLinks::PairList> beta, const IntegralTables& tables) {
  std::int64_t count = 0;
  for (const SpinLinks::PairList& a : alpha) {
    const double* integrals = tables.row(a.pair);
    std::int64_t met = 0;
    for (const SpinLinks::PairList& b : beta) met += integrals[b.pair] != 0.0 ? b.last - b.first : 0;
    count += (a.last - a.first) * met;
  }
  return count;
}

/// Nonzero elements of each row of a Coulomb table within a class.
std::vector<std::int64_t> nonzeros_of_rows(const CoulombTable& table, int c, std::int64_t columns) {
  std::vector<std::int64_t> result;
  if (table.class_offsets[static_cast<std::size_t>(c)] < 0) return result;  // nobody asks
  const auto num_rows = static_cast<std::int32_t>(
      table.width == 0 ? 0 : static_cast<std::int64_t>(table.values.size()) / table.width);
  for (std::int32_t row = 0; row < num_rows; ++row) {
    const double* first = table.row(row, c);
    result.push_back(columns - std::count(first, first + columns, 0.0));
  }
  return result;
}

/// Excitations within the major spin, each as often as there are strings of the minor class.
std::int64_t count_own(const SpinLinks& links, const StringClasses& major, const BlockLayout& layout,
                       const CoulombTable& coulomb) {
  std::int64_t count = 0;
  for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
    const auto allowed = [&](int c) { return layout.row(static_cast<int>(panel), c) >= 0; };
    const std::int64_t columns = layout.panels[panel].columns;
    const std::vector<std::int64_t> felt = nonzeros_of_rows(coulomb, static_cast<int>(panel), columns);
    for (int c = 0; c < major.count(); ++c) {
      if (!allowed(c)) continue;
      const std::int32_t first = major.offsets[c];
      for (std::int32_t target = first; target < first + major.size(c); ++target) {
        for (const SpinLinks::Group& group : links.own_doubles_of(target)) {
          if (allowed(group.source_class)) count += group.size * columns;
        }
        for (const SpinLinks::Group& group : links.own_singles_of(target)) {
          if (!allowed(group.source_class)) continue;
          const SpinLinks::OwnSingle* entry = links.own_singles.data() + group.first;
          for (const SpinLinks::OwnSingle* end = entry + group.size; entry != end; ++entry) {
            count += entry->value != 0.0 ? columns : felt[entry->coulomb_row];
          }
        }
      }
    }
  }
  return count;
}

}  // namespace

std::int64_t DirectProduct::count_nonzeros() const {
  const BlockStructure& blocks = direct_.blocks;
  std::int64_t count =
      size_ - std::count_if(diagonal_.begin(), diagonal_.end(), [](double value) { return value == 0.0; });
  count += count_own(direct_.alpha_links, blocks.alpha, direct_.alpha_major, direct_.beta_coulomb);
  count += count_own(direct_.beta_links, blocks.beta, direct_.beta_major, direct_.alpha_coulomb);
  for (int a = 0; a < blocks.alpha.count(); ++a) {
    for (int from_a = 0; from_a < blocks.alpha.count(); ++from_a) {
      const auto alpha = direct_.alpha_links.pair_lists_between(a, from_a);
      if (alpha.empty()) continue;
      for (int b = 0; b < blocks.beta.count(); ++b) {
        if (!blocks.is_allowed(a, b)) continue;
        for (int from_b = 0; from_b < blocks.beta.count(); ++from_b) {
          if (!blocks.is_allowed(from_a, from_b)) continue;
          count += count_opposite(alpha, direct_.beta_links.pair_lists_between(b, from_b), integrals_);
        }
      }
    }
  }
  return count;
}

}  // namespace cisolve
