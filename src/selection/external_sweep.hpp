// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/determinant_runs.hpp"
#include "cisolve/selection/externals.hpp"
#include "cisolve/space/string_table.hpp"
#include "selection/contribution_table.hpp"
#include "selection/numbered_sums.hpp"
#include "selection/string_moves.hpp"
#include "selection/unit_sample.hpp"

namespace cisolve {

/// Goes through the externals of a list by units, each with externals of its own: first the alpha strings that listed ones
/// or their single excitations are, then the listed beta strings, with what alpha double excitations alone lead to.
template <int Words>
class ExternalSweep {
public:
  /// What one thread works with.
  struct Scratch {
    explicit Scratch(const ExternalSweep& sweep, int roots)
        : table(roots, sweep.no_string_), numbered(sweep.beta_targets_.size(), roots),
          beyond(sweep.beyond_.size(), roots), coulomb(sweep.num_orbitals_),
          pair_sums(sweep.tables_.num_pairs()) {}

    ContributionTable<Words> table;
    NumberedSums numbered;  ///< where beta strings have numbers
    NumberedSums beyond;    ///< where alpha strings beyond the targets have
    std::vector<double>
        coulomb;  ///< [orbitals] of the other string of a unit's externals, in the field of its own
    std::vector<double> pair_sums;  ///< [pairs] likewise
    std::int64_t contributions = 0;
    double energy = 0.0;  ///< of the unit's string with the core, hartree
    BitString<Words> string;
    bool is_alpha = true;  ///< the unit's string is of alpha electrons
  };

  /// @param most_numbered  beta strings of externals that are numbered; of more the bits are looked for
  ExternalSweep(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                const SameSpinMoves& beta_moves, std::span<const Determinant<Words>> determinants,
                std::int64_t most_numbered);

  std::int64_t num_units() const { return std::ssize(targets_) + std::ssize(runs_.beta.strings); }

  UnitKind kind(std::int64_t unit) const {
    return unit < std::ssize(targets_) ? UnitKind::alpha : UnitKind::beta;
  }
  const BitString<Words>& string(std::int64_t unit) const {
    return kind(unit) == UnitKind::alpha ? targets_[unit] : beta_[unit - std::ssize(targets_)];
  }

  /// Sums up what the list brings to the externals of a unit.
  /// @param coefficients  [determinants * roots], those of a determinant side by side
  void fill(std::int64_t unit, std::span<const double> coefficients, int roots, Scratch& scratch) const;

  /// visit(determinant, H_aa, sums [roots]) for the externals of the unit that was filled last.
  template <class Visit>
  void for_each_external(Scratch& scratch, const Visit& visit) const {
    const auto external = [&](const BitString<Words>& string, double energy, std::span<const double> sums) {
      double diagonal = scratch.energy + energy;
      string.for_each([&](int r) { diagonal += scratch.coulomb[r]; });
      visit(scratch.is_alpha ? Determinant<Words>{scratch.string, string}
                             : Determinant<Words>{string, scratch.string},
            diagonal, sums);
    };
    if (is_numbered() && scratch.is_alpha) {
      scratch.numbered.take([&](std::int32_t string, std::span<const double> sums) {
        external(beta_targets_[string], beta_energies_[string], sums);
      });
    }
    if (!beyond_.empty() && !scratch.is_alpha) {
      scratch.beyond.take([&](std::int32_t string, std::span<const double> sums) {
        external(beyond_[string], beyond_energies_[string], sums);
      });
    }
    scratch.table.for_each(external);
  }

  /// What units are expected to bring, in proportion; 0 of what brings nothing.
  std::vector<double> weights(std::span<const double> coefficients, int roots) const;

  std::int64_t num_determinants() const { return std::ssize(runs_.alpha.members); }

private:
  /// A listed alpha string from which an excitation leads to an alpha string of externals.
  struct Source {
    static constexpr std::uint32_t self = 0xffffffffU, twofold = 0xfffffffeU;

    std::int32_t string;
    std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative), or what it is
    double
        value;  ///< element of a double excitation; of a symmetric single one its part within the spin, no phase
  };
  struct TargetedSource {
    std::int32_t target;
    Source source;
  };
  struct SourcePart {
    std::vector<TargetedSource> sources;
    std::vector<std::uint64_t> inside;
    std::vector<std::int64_t> begins;  ///< bits of `inside` where those of a string begin
  };

  void find_targets();
  void find_sources();
  void add_sources(std::int64_t string, const KeyIndex<BitString<Words>>& index, SourcePart& part) const;
  void describe_pairs();

  std::span<const Source> sources(std::int64_t target) const {
    const std::size_t at = target;
    return {sources_.data() + source_offsets_[at], sources_.data() + source_offsets_[at + 1]};
  }
  std::span<const std::uint8_t> beta_orbitals(std::int64_t string) const {
    const std::size_t n = beta_electrons_;
    return {beta_orbitals_.data() + static_cast<std::size_t>(string) * n, n};
  }
  /// Whether a double excitation of a listed alpha string leads to a target: the k-th of for_each_double.
  bool leads_inside(std::int64_t string, std::int64_t k) const {
    const std::int64_t bit = inside_begins_[string] + k;
    return (inside_[bit / 64] >> (bit % 64) & 1U) != 0;
  }

  /// A beta excitation by the numbers of strings.
  struct NumberedSingle {
    std::int32_t target;
    std::uint32_t code;  ///< as StringMoves::Single
  };
  struct NumberedDouble {
    std::int32_t target;  ///< below 0: none that a single excitation leads to
    double value;
  };

  bool is_numbered() const { return !beta_targets_.empty(); }
  void number_betas(std::int64_t most);
  void tabulate_doubles();
  void tabulate_beyond(std::int64_t most);
  std::span<const NumberedSingle> numbered_singles(std::int64_t string, int irrep) const {
    return {numbered_singles_.data() + beta_.singles_begin(string, irrep),
            beta_.singles(string, irrep).size()};
  }

  void describe_unit(Scratch& scratch, const BitString<Words>& string, bool is_alpha) const;
  double expected_contributions(std::int64_t target) const;

  template <int Roots>
  void fill_target(std::int64_t target, const double* coefficients, int roots, Scratch& scratch) const;
  template <int Roots>
  void fill_beta(std::int64_t string, const double* coefficients, int roots, Scratch& scratch) const;
  template <int Roots>
  void fill_numbered(std::int64_t target, const double* coefficients, int roots, Scratch& scratch) const;
  template <int Roots>
  void add_numbered_from_self(std::int64_t string, const double* coefficients, int roots,
                              Scratch& scratch) const;
  template <int Roots>
  void add_from_self(std::int64_t string, const double* coefficients, int roots, Scratch& scratch) const;

  const IntegralTables& tables_;
  int num_orbitals_;
  DeterminantRuns<Words> runs_;
  StringMoves<Words> alpha_, beta_;
  BitString<Words> no_string_;             ///< that no excitation leads to
  std::vector<BitString<Words>> targets_;  ///< ascending
  std::vector<std::int64_t> source_offsets_;
  std::vector<Source> sources_;
  std::vector<std::uint64_t> inside_;
  std::vector<std::int64_t> inside_begins_;  ///< [listed alpha strings]
  std::vector<std::uint8_t> pair_irreps_;
  std::vector<double> pair_strengths_;  ///< sum of (pq|rs)^2 over pairs rs
  std::vector<double> mean_singles_;    ///< [8] of listed beta strings through pairs of an irrep
  std::vector<BitString<Words>>
      beta_targets_;                   ///< numbered beta strings of externals, ascending; empty: they are not
  std::vector<double> beta_energies_;  ///< of each by itself, hartree
  std::vector<std::int32_t> beta_numbers_;        ///< of the listed ones
  std::vector<NumberedSingle> numbered_singles_;  ///< beside StringMoves::all_singles
  std::vector<std::int64_t> double_offsets_;      ///< [listed beta strings + 1]; empty: not tabulated
  std::vector<NumberedDouble> doubles_;
  std::vector<BitString<Words>>
      beyond_;  ///< numbered alpha strings that double excitations alone lead to, ascending
  std::vector<double> beyond_energies_;       ///< of each by itself, hartree
  std::vector<std::int64_t> beyond_offsets_;  ///< [listed alpha strings + 1]; empty: they are not tabulated
  std::vector<NumberedDouble> beyond_doubles_;
  std::size_t beta_electrons_ = 0;
  std::vector<std::uint8_t> beta_orbitals_;  ///< [listed beta strings * electrons]
};

}  // namespace cisolve
