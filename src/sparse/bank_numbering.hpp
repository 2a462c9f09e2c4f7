// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"

namespace cisolve {

/// Codes that are looked up in shared memory together, by the 16 lanes that a device serves at a time.
class CodeGroups {
public:
  static constexpr int lanes = 16;

  /// Takes the codes of up to 16 lanes; equal ones are looked up once, and 0 is not counted.
  void add(std::span<const CodedWord> codes);

  std::size_t size() const { return first_.size() - 1; }
  std::span<const CodedWord> operator[](std::size_t group) const {
    return {codes_.data() + first_[group], codes_.data() + first_[group + 1]};
  }
  std::span<const CodedWord> all() const { return codes_; }

private:
  std::vector<std::size_t> first_ = {0};
  std::vector<CodedWord> codes_;
};

/// New numbers of the codes 1 .. num_codes, a permutation of them, by code, with 0 for 0. Shared memory has 16
/// banks for values of 8 bytes, and value i lies in bank i % 16: what one group looks up should lie in
/// different banks. Codes choose their bank one after the other, the most frequent first.
std::vector<CodedWord> number_by_banks(CodedWord num_codes, const CodeGroups& groups);

}  // namespace cisolve
