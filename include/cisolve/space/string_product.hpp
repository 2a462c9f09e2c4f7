// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/space/strings.hpp"

namespace cisolve {

inline constexpr int any_irrep = -1;

/// A space of determinants made of blocks, alpha strings times lists of beta strings that many of them share, for all
/// who needn't see the bits of strings. Nothing of length size() is stored.
///
/// A *run* is a maximal set of rows with one excitation level and one alpha string; its beta
/// strings are one list, ascending. Run number = level * alpha().size() + alpha number.
class StringProduct {
public:
  /// Beta strings that stand beside an alpha string at some level: a class of the table, or a part of it.
  struct BetaList {
    std::vector<std::int32_t> members;  ///< [length] numbers, ascending
    int level = 0;                      ///< of the class in the table of beta strings
    /// [strings of the class] where each stands among the members, -1: it doesn't. Empty: they all do.
    std::vector<std::int32_t> places = {};

    /// Place among the members of the string at a position of its class, or -1.
    std::int32_t place(std::int32_t position) const { return places.empty() ? position : places[position]; }
  };
  /// A run that holds something.
  struct Run {
    std::int64_t first_row;
    const BetaList* list;
  };
  static constexpr std::int32_t no_list = -1;

  virtual ~StringProduct() = default;

  virtual const Strings& alpha() const = 0;
  virtual const Strings& beta() const = 0;
  virtual int num_orbitals() const = 0;
  virtual int num_alpha() const = 0;
  virtual int num_beta() const = 0;

  /// Zero-based irrep of every determinant, or any_irrep.
  virtual int irrep() const = 0;

  /// Rows in an order that products read x from few cache lines in; see space/local_order.hpp.
  virtual Array<std::int32_t> local_order() const = 0;

  /// Number of determinants.
  virtual std::int64_t size() const = 0;
  int num_levels() const { return num_levels_; }

  /// First row of the run (level, alpha string); the run ends where the next one begins.
  std::int64_t run_offset(int level, std::int32_t alpha) const {
    return run_offsets_[run_number(level, alpha)];
  }
  std::int64_t run_size(int level, std::int32_t alpha) const {
    const std::size_t run = run_number(level, alpha);
    return run_offsets_[run + 1] - run_offsets_[run];
  }
  /// Run that holds a row.
  std::int64_t run_of_row(std::int64_t row) const;

  /// The different lists of beta strings that runs have.
  std::span<const BetaList> beta_lists() const { return lists_; }

  /// Number of the list in beta_lists() that a run has; no_list: the run is empty.
  std::int32_t run_list(int level, std::int32_t alpha) const { return run_lists_[run_number(level, alpha)]; }

  /// Beta strings of a run, in row order.
  std::span<const std::int32_t> run_betas(int level, std::int32_t alpha) const {
    const std::int32_t list = run_list(level, alpha);
    if (list == no_list) return {};
    return lists_[list].members;
  }

  /// The runs of one alpha string, by level.
  void list_runs(std::int32_t alpha, std::vector<Run>& runs) const;

protected:
  StringProduct() = default;
  explicit StringProduct(int num_levels) : num_levels_(num_levels) {}
  StringProduct(StringProduct&&) = default;

  std::size_t run_number(int level, std::int32_t alpha) const {
    return static_cast<std::size_t>(level) * num_alpha_strings_ + static_cast<std::size_t>(alpha);
  }

  /// Fills in the places of lists and the offsets of runs.
  void number_rows();

  int num_levels_ = 0;
  std::size_t num_alpha_strings_ = 0;
  std::vector<BetaList> lists_;
  std::vector<std::int32_t> run_lists_;    ///< [num_levels * alpha strings]
  std::vector<std::int64_t> run_offsets_;  ///< [num_levels * alpha strings + 1]
};

}  // namespace cisolve
