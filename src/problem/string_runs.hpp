// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/problem/functions.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {

/// Determinants in the order of files as runs of rows that share their alpha string, with every string once: what is
/// made of any list, whether or not its space is made of blocks.
template <int Words>
class StringRuns {
public:
  /// Rows first_row, first_row + 1, ... hold alpha string `alpha` with these beta strings.
  struct Run {
    std::int64_t first_row = 0;
    std::int32_t alpha = 0;
    bool ascending = false;  ///< the beta strings' numbers
    std::span<const std::int32_t> betas;
  };

  /// @param functions     determinants, as files list them
  /// @param num_orbitals  that the strings may occupy
  /// @throws InputError if they are not so many different determinants over these orbitals with the same electrons
  StringRuns(const BasisSummary& summary, const FunctionList& functions, int num_orbitals);
  StringRuns(const StringRuns&) = delete;
  StringRuns& operator=(const StringRuns&) = delete;

  std::int64_t size() const { return size_; }
  const std::vector<BitString<Words>>& alpha() const { return alpha_; }
  const std::vector<BitString<Words>>& beta() const { return beta_; }
  const std::vector<Run>& runs() const { return runs_; }

  /// The runs of an alpha string, by their numbers.
  std::span<const std::int32_t> runs_of(std::int32_t alpha) const {
    return std::span(runs_of_alpha_).subspan(first_run_[alpha], first_run_[alpha + 1] - first_run_[alpha]);
  }

  /// Run of a row.
  const Run& run_of(std::int64_t row) const;
  Determinant<Words> determinant(std::int64_t row) const {
    const Run& run = run_of(row);
    return {alpha_[run.alpha], beta_[run.betas[static_cast<std::size_t>(row - run.first_row)]]};
  }

  /// Row of a determinant, or -1.
  std::int64_t find(const Determinant<Words>& determinant) const;

  /// Place of a beta string in a run, or -1.
  static std::int64_t place_in(const Run& run, std::int32_t beta);

private:
  void take_list();  ///< with a string per row in alpha_ and beta_
  void take_blocks(const BasisSummary& summary, const StringBlocks& blocks);
  void require_strings(const std::vector<BitString<Words>>& strings, int num_orbitals) const;
  void index_runs();
  void require_different() const;

  std::int64_t size_ = 0;
  std::vector<BitString<Words>> alpha_, beta_;  ///< distinct
  KeyIndex<BitString<Words>> alpha_index_, beta_index_;
  std::vector<Run> runs_;
  std::vector<std::int32_t> members_;  ///< of the runs of a list
  std::vector<std::size_t> first_run_;
  std::vector<std::int32_t> runs_of_alpha_;
};

}  // namespace cisolve
