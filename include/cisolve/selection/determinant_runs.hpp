// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// A listed determinant among those of one string.
struct RunMember {
  std::int32_t other;  ///< number of its string of the other spin
  std::int32_t row;    ///< its number in the list
};

/// Listed determinants by their strings of one spin: a run for each string that occurs.
template <int Words>
struct ListedStrings {
  std::vector<BitString<Words>> strings;    ///< that occur, ascending
  std::vector<std::int64_t> offsets = {0};  ///< [strings + 1] into `members`
  std::vector<RunMember> members;           ///< of each run ascending by `other`

  std::span<const RunMember> operator[](std::int64_t string) const {
    const std::size_t at = static_cast<std::size_t>(string);
    return {members.data() + offsets[at], members.data() + offsets[at + 1]};
  }
};

/// Listed determinants by alpha and by beta strings.
template <int Words>
struct DeterminantRuns {
  /// @param determinants  distinct, fewer than 2^31
  explicit DeterminantRuns(std::span<const Determinant<Words>> determinants);

  ListedStrings<Words> alpha, beta;
};

}  // namespace cisolve
