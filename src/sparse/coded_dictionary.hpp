// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// Which values of a source are coded, and how. Codes are given to the values of a sample so that
/// those of one step of a warp lie in different banks of shared memory (see number_by_banks); then to the
/// other values, by ascending magnitude. Should there be more values than codes, the most frequent ones of
/// about 2^23 entries of rows spread over the matrix are coded.
class CodeTable {
public:
  /// Bit of an entry: the value has no code, or none that the sample has met.
  static constexpr CodedWord is_seldom = 1;

  /// @param rows  must outlive it
  /// @throws Interrupted if a stop was requested; whatever the source throws
  CodeTable(const NumberedRowSource& rows, std::int32_t max_codes, const std::stop_token& stop);

  /// By place in the table of the source: code << 16, where 0 is none, and is_seldom.
  const CodedWord* entries() const { return entries_.data(); }
  std::size_t num_places() const { return entries_.size(); }
  /// Magnitude of a place.
  double value(std::size_t place) const { return values_[place]; }

  CodedWord num_codes() const { return static_cast<CodedWord>(magnitudes_.size()) - 1; }
  /// Codes up to this one are used in the sample.
  CodedWord last_common() const { return last_common_; }
  /// By code; 0.0 for 0.
  double magnitude(CodedWord code) const { return magnitudes_[code]; }

private:
  template <class Slices>
  void spread_over_banks(const Slices& slices);

  std::vector<CodedWord> entries_;
  std::span<const double> values_;  ///< the source's table
  std::vector<double> magnitudes_;
  CodedWord last_common_ = 0;
};

/// Gives `a` its dictionary, without the codes that no word uses.
///
/// @param used    by code, those after last_common alone
/// @param seldom  by block: which of its words have codes after last_common
void make_dictionary(CodedMatrix& a, const CodeTable& table, const std::vector<std::uint8_t>& used,
                     const std::vector<std::vector<std::size_t>>& seldom);

}  // namespace cisolve
