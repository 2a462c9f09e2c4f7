// SPDX-License-Identifier: MIT
#include "cisolve/selection/moves.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// Largest magnitudes first; equal ones in the order of their particles, so that nothing depends on the sort.
template <class Move>
void sort_by_magnitude(std::vector<Move>& moves) {
  std::ranges::stable_sort(moves, std::ranges::greater(), [](const Move& m) { return std::abs(m.value); });
}

/// Puts lists that were made in parallel behind one another.
template <class Move>
std::vector<Move> joined(std::vector<std::vector<Move>>& lists, std::vector<std::int64_t>& offsets) {
  offsets.assign(lists.size() + 1, 0);
  for (std::size_t k = 0; k < lists.size(); ++k) offsets[k + 1] = offsets[k] + std::ssize(lists[k]);
  std::vector<Move> all;
  all.reserve(offsets.back());
  for (std::vector<Move>& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    list = {};
  }
  return all;
}

}  // namespace

SameSpinMoves::SameSpinMoves(const IntegralTables& tables) {
  const int n = tables.num_orbitals();
  const auto repulsion = [&](int p, int q) { return tables.eri(p, p, q, q) - tables.eri(p, q, q, p); };
  std::vector<std::vector<Move>> lists(static_cast<std::size_t>(n) *
                                       static_cast<std::size_t>(std::max(n - 1, 0)) / 2);
  parallel_for(n, 1, [&](std::int64_t second) {
    const int h2 = static_cast<int>(second);
    for (int h1 = 0; h1 < h2; ++h1) {
      std::vector<Move>& list = lists[static_cast<std::size_t>(h2) * static_cast<std::size_t>(h2 - 1) / 2 +
                                      static_cast<std::size_t>(h1)];
      for (int p2 = 0; p2 < n; ++p2) {
        if (p2 == h1 || p2 == h2) continue;
        for (int p1 = 0; p1 < p2; ++p1) {
          if (p1 == h1 || p1 == h2 ||
              (tables.irrep(p1) ^ tables.irrep(p2)) != (tables.irrep(h1) ^ tables.irrep(h2)))
            continue;
          const double value = tables.eri(p1, h1, p2, h2) - tables.eri(p1, h2, p2, h1);
          if (std::abs(value) <= tables.threshold()) continue;
          const bool negative = ((h1 < p1) != (h2 < p2)) != ((p1 < h2) != (h1 < p2));
          list.push_back({negative ? -value : value,
                          repulsion(h1, h2) + repulsion(p1, p2) - repulsion(p1, h1) - repulsion(p1, h2) -
                              repulsion(p2, h1) - repulsion(p2, h2),
                          static_cast<std::uint8_t>(p1), static_cast<std::uint8_t>(p2)});
        }
      }
      sort_by_magnitude(list);
    }
  });
  moves_ = joined(lists, offsets_);
}

OppositeSpinMoves::OppositeSpinMoves(const IntegralTables& tables, double floor)
    : num_orbitals_(tables.num_orbitals()) {
  const int n = num_orbitals_;
  const double least = std::max(floor, tables.threshold());
  std::vector<std::vector<Move>> lists(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  parallel_for(n, 1, [&](std::int64_t alpha_hole) {
    const int h = static_cast<int>(alpha_hole);
    for (int hb = 0; hb < n; ++hb) {
      std::vector<Move>& list =
          lists[static_cast<std::size_t>(h) * static_cast<std::size_t>(n) + static_cast<std::size_t>(hb)];
      for (int p = 0; p < n; ++p) {
        if (p == h) continue;
        const double* row = tables.row(tables.pair(h, p));
        const int irrep = tables.irrep(h) ^ tables.irrep(p) ^ tables.irrep(hb);
        for (int pb = 0; pb < n; ++pb) {
          const double value = row[tables.pair(hb, pb)];
          if (pb == hb || tables.irrep(pb) != irrep || std::abs(value) <= least) continue;
          const bool negative = (h < p) != (hb < pb);
          list.push_back(
              {negative ? -value : value, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(pb)});
        }
      }
      sort_by_magnitude(list);
    }
  });
  moves_ = joined(lists, offsets_);
}

}  // namespace cisolve
