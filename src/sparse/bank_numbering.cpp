// SPDX-License-Identifier: MIT
#include "sparse/bank_numbering.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace cisolve {
namespace {

constexpr CodedWord num_banks = 16;

/// Groups by code.
struct Occurrences {
  Occurrences(CodedWord num_codes, const CodeGroups& groups)
      : first(num_codes + 2, 0), list(groups.all().size()) {
    for (const CodedWord code : groups.all()) ++first[code + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const CodedWord code : groups[group]) list[next[code]++] = static_cast<std::uint32_t>(group);
    }
  }
  std::span<const std::uint32_t> operator[](CodedWord code) const {
    return {list.data() + first[code], list.data() + first[code + 1]};
  }

  std::vector<std::size_t> first;
  std::vector<std::uint32_t> list;
};

}  // namespace

void CodeGroups::add(std::span<const CodedWord> codes) {
  std::array<CodedWord, lanes> sorted;
  const auto end = std::copy(codes.begin(), codes.end(), sorted.begin());
  std::sort(sorted.begin(), end);
  for (auto at = sorted.begin(); at != end; ++at) {
    if (*at != 0 && (at == sorted.begin() || *at != at[-1])) codes_.push_back(*at);
  }
  first_.push_back(codes_.size());
}

std::vector<CodedWord> number_by_banks(CodedWord num_codes, const CodeGroups& groups) {
  const Occurrences occurrences(num_codes, groups);
  std::vector<CodedWord> order(num_codes);
  std::iota(order.begin(), order.end(), 1U);
  std::stable_sort(order.begin(), order.end(), [&](CodedWord left, CodedWord right) {
    return occurrences[left].size() > occurrences[right].size();
  });

  std::vector<std::array<std::uint8_t, num_banks>> used(groups.size());  // codes of each group by bank
  std::array<CodedWord, num_banks> next;                                 // number that a bank gives next
  for (CodedWord bank = 0; bank < num_banks; ++bank) next[bank] = bank == 0 ? num_banks : bank;
  std::vector<CodedWord> numbers(num_codes + 1, 0);
  for (const CodedWord code : order) {
    std::array<std::uint32_t, num_banks> conflicts{};
    for (const std::uint32_t group : occurrences[code]) {
      for (CodedWord bank = 0; bank < num_banks; ++bank) conflicts[bank] += used[group][bank];
    }
    CodedWord best = num_banks;
    for (CodedWord bank = 0; bank < num_banks; ++bank) {
      if (next[bank] > num_codes) continue;  // full
      const bool is_better = best == num_banks || conflicts[bank] < conflicts[best] ||
                             (conflicts[bank] == conflicts[best] && next[bank] < next[best]);
      if (is_better) best = bank;
    }
    numbers[code] = next[best];
    next[best] += num_banks;
    for (const std::uint32_t group : occurrences[code]) ++used[group][best];
  }
  return numbers;
}

}  // namespace cisolve
