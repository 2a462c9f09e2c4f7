// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cuda/hamiltonian/direct/own_rows.hpp"

namespace cisolve::cuda::direct {

/// The excitations of the strings of one spin, as plans read them: the one place on the device's side that knows how
/// the host tabulates them. Strings are numbered class after class (ordinals).
class SpinExcitations {
public:
  explicit SpinExcitations(const SpinLinks& links) : links_(links) {}

  int num_electrons() const { return links_.num_electrons; }

  /// Orbitals of a string, ascending.
  std::span<const std::uint8_t> occupied(std::int32_t ordinal) const {
    const std::size_t n = links_.num_electrons;
    return {links_.occupied.data() + static_cast<std::size_t>(ordinal) * n, n};
  }

  /// Whether a class is the same or a single excitation leads there from another.
  bool reaches(int target_class, int source_class) const {
    return target_class == source_class || links_.is_linked(target_class, source_class);
  }

  std::int64_t num_singles(std::int32_t target, int irrep) const {
    std::int64_t count = 0;
    for (const SpinLinks::Group& group : links_.singles_of(target, irrep)) count += group.size;
    return count;
  }

  /// visit(source, code) for the single excitations of a string through pairs of an irrep, from the source classes
  /// for which row_of is not negative; `source` is that row and the place in the class together.
  template <class RowOf, class Visit>
  void for_each_single(std::int32_t target, int irrep, const RowOf& row_of, const Visit& visit) const {
    for (const SpinLinks::Group& group : links_.singles_of(target, irrep)) {
      const std::int64_t row = row_of(group.source_class);
      if (row < 0) continue;
      const SpinLinks::Single* entry = links_.singles.data() + group.first;
      for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry)
        visit(row + entry->source, entry->code);
    }
  }

  /// visit(pair, irrep, excitations) for each pair that leads from one class to another, ascending; and
  /// excitations(visit) calls visit(target, source, negative) for each of its excitations, ascending by target.
  template <class Visit>
  void for_each_pair(int target_class, int source_class, const Visit& visit) const {
    for (const SpinLinks::PairList& list : links_.pair_lists_between(target_class, source_class)) {
      visit(static_cast<std::int32_t>(list.pair), list.irrep, [&](const auto& each) {
        for (std::size_t k = list.first; k < static_cast<std::size_t>(list.last); ++k)
          each(links_.targets[k], links_.sources[k], links_.signs[k] < 0.0);
      });
    }
  }

  /// open(source class, size) and then add(value, source) for every one of them: doubles within the spin, and the part
  /// of singles within the spin, hartree, phase included.
  template <class Open, class Add>
  void for_each_same_spin(std::int32_t target, const Open& open, const Add& add) const {
    const auto all = [&](const auto& groups, const auto& entries) {
      for (const SpinLinks::Group& group : groups) {
        open(group.source_class, group.size);
        for (std::int64_t k = group.first; k < group.first + group.size; ++k)
          add(entries[k].value, entries[k].source);
      }
    };
    all(links_.own_doubles_of(target), links_.own_doubles);
    all(links_.own_singles_of(target), links_.own_singles);
  }

private:
  const SpinLinks& links_;
};

/// One of the two layouts and the roles that the spins have in it.
struct Side {
  int number;
  const BlockLayout& layout;
  const StringClasses& major;
  const StringClasses& minor;
  SpinExcitations major_excitations;
  SpinExcitations minor_excitations;
  const CoulombTable& major_coulomb;
  OwnRows own;

  Side(const DirectTables& tables, int n, const StringShares& shares = {})
      : number(n), layout(n == 0 ? tables.alpha_major : tables.beta_major),
        major(n == 0 ? tables.blocks.alpha : tables.blocks.beta),
        minor(n == 0 ? tables.blocks.beta : tables.blocks.alpha),
        major_excitations(n == 0 ? tables.alpha_links : tables.beta_links),
        minor_excitations(n == 0 ? tables.beta_links : tables.alpha_links),
        major_coulomb(n == 0 ? tables.alpha_coulomb : tables.beta_coulomb), own(layout, major, shares) {}

  const BlockLayout::Panel& panel(int minor_class) const { return layout.panels[minor_class]; }

  /// First element of a block, which must be there, in vectors that hold all rows.
  std::int64_t first_element(int minor_class, int major_class) const {
    const BlockLayout::Panel& p = panel(minor_class);
    return p.offset + layout.row(minor_class, major_class) * p.stride;
  }

  /// Ordinal of the first string of a major class.
  std::int32_t first_ordinal(int c) const { return major.offsets[c]; }
};

}  // namespace cisolve::cuda::direct
