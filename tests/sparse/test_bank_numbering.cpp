// SPDX-License-Identifier: MIT
#include "sparse/bank_numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace cisolve {
namespace test_bank_numbering {

/// Look-ups of a group that share a bank with another: 0 if all lie in different ones.
int conflicts(std::span<const CodedWord> codes, const std::vector<CodedWord>& numbers) {
  std::set<CodedWord> banks;
  for (const CodedWord code : codes) banks.insert(numbers[code] % 16);
  return static_cast<int>(codes.size() - banks.size());
}

int all_conflicts(const CodeGroups& groups, const std::vector<CodedWord>& numbers) {
  int sum = 0;
  for (std::size_t at = 0; at < groups.size(); ++at) sum += conflicts(groups[at], numbers);
  return sum;
}

void expect_permutation(const std::vector<CodedWord>& numbers) {
  std::vector<CodedWord> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  for (CodedWord at = 0; at < sorted.size(); ++at) ASSERT_EQ(sorted[at], at);
  EXPECT_EQ(numbers[0], 0U);
}

TEST(BankNumbering, GroupsHoldEachCodeOnceAndNoZero) {
  CodeGroups groups;
  groups.add(std::array<CodedWord, 6>{5, 0, 3, 5, 5, 3});
  groups.add({});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(std::vector<CodedWord>(groups[0].begin(), groups[0].end()), (std::vector<CodedWord>{3, 5}));
  EXPECT_TRUE(groups[1].empty());
}

TEST(BankNumbering, CodesOfOneGroupGoToDifferentBanks) {
  // Codes 16 apart stand together: by their own numbers all of a group lie in one bank.
  constexpr CodedWord num_codes = 16 * 8;
  CodeGroups groups;
  for (CodedWord first = 1; first <= 16; ++first) {
    std::vector<CodedWord> codes;
    for (CodedWord code = first; code <= num_codes; code += 16) codes.push_back(code);
    groups.add(codes);
  }
  std::vector<CodedWord> own(num_codes + 1);
  for (CodedWord code = 0; code <= num_codes; ++code) own[code] = code;
  ASSERT_EQ(all_conflicts(groups, own), 16 * 7);
  const std::vector<CodedWord> numbers = number_by_banks(num_codes, groups);
  expect_permutation(numbers);
  EXPECT_EQ(all_conflicts(groups, numbers), 0);
}

TEST(BankNumbering, IsAPermutationOfAnyNumberOfCodes) {
  std::mt19937_64 engine(5);
  for (const CodedWord num_codes : {0U, 1U, 15U, 16U, 17U, 100U, 1000U}) {
    CodeGroups groups;
    for (int group = 0; num_codes > 0 && group < 200; ++group) {
      std::array<CodedWord, 16> codes;
      for (CodedWord& code : codes) code = static_cast<CodedWord>(engine() % (num_codes + 1));
      groups.add(codes);
    }
    expect_permutation(number_by_banks(num_codes, groups));
  }
}

}  // namespace test_bank_numbering
}  // namespace cisolve
