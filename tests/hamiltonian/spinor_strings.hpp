// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cisolve/space/string_table.hpp"

namespace cisolve::test {

/// All strings of so many electrons in some of the spinors, ascending.
template <int Words>
std::vector<BitString<Words>> strings_in(const std::vector<int>& spinors, int electrons) {
  std::vector<BitString<Words>> strings;
  for (unsigned bits = 0; bits < 1U << spinors.size(); ++bits) {
    if (std::popcount(bits) != electrons) continue;
    BitString<Words> s;
    for (std::size_t k = 0; k < spinors.size(); ++k) {
      if ((bits >> k & 1U) != 0) s.set(spinors[k]);
    }
    strings.push_back(s);
  }
  std::sort(strings.begin(), strings.end());
  return strings;
}

template <int Words>
StringTable<Words> table_of(const std::vector<BitString<Words>>& strings, int num_spinors) {
  const std::vector<int> irreps(static_cast<std::size_t>(num_spinors), 0);
  return StringTable<Words>(strings, std::vector<std::int8_t>(strings.size(), 0), irreps, false);
}

inline std::vector<int> first_spinors(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// All strings of so many electrons in the first spinors.
inline StringTable<1> full_table(int num_spinors, int electrons) {
  return table_of(strings_in<1>(first_spinors(num_spinors), electrons), num_spinors);
}

}  // namespace cisolve::test
