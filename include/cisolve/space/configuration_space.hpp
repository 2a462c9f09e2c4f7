// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cisolve/space/configuration.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/space/spin_couplings.hpp"

namespace cisolve {

/// RAS: bounds on the electrons in some orbitals.
template <int Words>
struct ElectronBounds {
  BitString<Words> orbitals;
  int fewest = 0;
  int most = 2 * BitString<Words>::max_orbitals;
};

/// What a space of CSFs is made from: orbitals, references, excitation level, irrep, spin, bounds.
template <int Words>
struct ConfigurationSelection {
  int num_orbitals = 0;
  std::vector<int> irreps;                         ///< zero-based labels, one per orbital
  std::vector<Configuration<Words>> references;    ///< at least one; equal electron numbers
  int excitation_level = 0;                        ///< electrons moved between occupations; >= max: full
  int irrep = any_irrep;                           ///< zero-based
  int two_s = 0;                                   ///< 2 S, of the parity of the electrons
  std::vector<ElectronBounds<Words>> bounds = {};  ///< a reference outside them generates all the same
};

/// The same selection with strings of another number of words, which hold all of its orbitals.
template <int To, int From>
ConfigurationSelection<To> with_words(const ConfigurationSelection<From>& from) {
  ConfigurationSelection<To> to{.num_orbitals = from.num_orbitals,
                                .irreps = from.irreps,
                                .references = {},
                                .excitation_level = from.excitation_level,
                                .irrep = from.irrep,
                                .two_s = from.two_s};
  for (const auto& c : from.references) to.references.push_back(with_words<To>(c));
  for (const auto& b : from.bounds) to.bounds.push_back({with_words<To>(b.orbitals), b.fewest, b.most});
  return to;
}

/// True if a configuration is within all bounds.
template <int Words>
bool keeps_bounds(const ConfigurationSelection<Words>& selection, const Configuration<Words>& configuration) {
  for (const ElectronBounds<Words>& bound : selection.bounds) {
    const int electrons =
        2 * (configuration.doubly & bound.orbitals).count() + (configuration.singly & bound.orbitals).count();
    if (electrons < bound.fewest || electrons > bound.most) return false;
  }
  return true;
}

/// Largest excitation level out of a configuration: full CI.
template <int Words>
int max_excitation_level(const Configuration<Words>& reference, int num_orbitals);

/// Exact numbers of a single reference's space by [level][irrep of the configurations], all irreps,
/// without generating it: a recursion over orbitals, well under a second. Saturates at 2^64 - 1.
/// @throws DimensionError unless there is exactly one reference and no bounds
struct CsfCounts {
  std::vector<std::array<std::uint64_t, 8>> configurations;  ///< those that hold a CSF
  std::vector<std::array<std::uint64_t, 8>> csfs;

  /// CSFs of one level, of one irrep or of all.
  std::uint64_t at_level(int level, int irrep) const;
};
template <int Words>
CsfCounts count_csfs(const ConfigurationSelection<Words>& selection);

/// All CSFs of one spin over the configurations that any reference reaches by at most `excitation_level`
/// electrons. Stored per configuration, not per CSF.
///
/// Order: reference configurations in their order (those of the right irrep, within the bounds, that hold
/// a CSF), then by excitation level (the least over the references), then by the strings of doubly and of
/// singly occupied orbitals. The CSFs of a configuration follow each other in the order of SpinCouplings.
template <int Words>
class ConfigurationSpace {
public:
  /// Visits each configuration once, however many references reach it: a walk over the orbitals on which
  /// references drop out as soon as they can no longer be reached.
  /// @throws DimensionError if references differ in their electrons, or shapes do not fit
  explicit ConfigurationSpace(ConfigurationSelection<Words> selection);

  const ConfigurationSelection<Words>& selection() const { return selection_; }
  const SpinCouplings& couplings() const { return couplings_; }
  int num_orbitals() const { return selection_.num_orbitals; }

  /// Number of CSFs.
  std::int64_t size() const { return offsets_.back(); }
  std::int32_t num_configurations() const { return static_cast<std::int32_t>(configurations_.size()); }
  const Configuration<Words>& configuration(std::int32_t i) const { return configurations_[i]; }
  const std::vector<Configuration<Words>>& configurations() const { return configurations_; }

  /// First CSF of a configuration; it ends where the next one begins.
  std::int64_t offset(std::int32_t i) const { return offsets_[i]; }

  /// Configuration of a CSF.
  std::int32_t configuration_of_row(std::int64_t row) const;

  /// Number of a configuration, or -1 if it is not in the space.
  std::int32_t find(const Configuration<Words>& configuration) const {
    return static_cast<std::int32_t>(index_.find(configurations_, configuration));
  }

  /// CSFs of the reference configurations: leading rows.
  std::int64_t num_reference_csfs() const { return offset(num_references_); }
  /// Reference configurations that the space holds.
  std::int32_t num_references() const { return num_references_; }

  /// CSFs per excitation level, from level 0.
  const std::vector<std::int64_t>& level_counts() const { return level_counts_; }

  /// Bytes that are held, and that are held while the space is generated, at most.
  std::int64_t bytes() const;
  std::int64_t peak_bytes() const;

  /// Hash that tells this space from any other: configurations, their order and the spin.
  std::uint64_t fingerprint() const;

  /// Step of every orbital of CSFs first .. first + count - 1, shape [count, num_orbitals]: 0 empty,
  /// 1 S + 1/2, 2 S - 1/2, 3 doubly occupied.
  std::vector<std::uint8_t> steps(std::int64_t first, std::int64_t count) const;

private:
  ConfigurationSelection<Words> selection_;
  SpinCouplings couplings_;
  std::vector<Configuration<Words>> configurations_;
  std::vector<std::int64_t> offsets_;  ///< [num_configurations + 1]
  KeyIndex<Configuration<Words>> index_;
  std::int32_t num_references_ = 0;
  std::vector<std::int64_t> level_counts_;
};

}  // namespace cisolve
