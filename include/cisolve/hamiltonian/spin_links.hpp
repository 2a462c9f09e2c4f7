// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/ranks/row_map.hpp"

namespace cisolve {

/// Consecutive entries whose sources are of one class.
struct LinkGroup {
  std::int64_t first;  ///< entry
  std::int32_t size;   ///< entries
  std::int32_t source_class;
};

/// Entries for every target string, in groups by the class of their source.
template <class Entry>
struct GroupedLinks {
  std::vector<std::int64_t> groups_of = {0};  ///< [lists + 1]
  std::vector<LinkGroup> groups;              ///< of a list ascending by class
  std::vector<Entry> entries;

  std::span<const LinkGroup> of(std::size_t list) const {
    return {groups.data() + groups_of[list], groups.data() + groups_of[list + 1]};
  }
  const Entry* data() const { return entries.data(); }
  std::size_t size() const { return entries.size(); }
  const Entry& operator[](std::size_t at) const { return entries[at]; }

  /// Adds a list. The entries of a class keep their order.
  void add_list(std::vector<std::pair<std::int32_t, Entry>>& by_class);
  void append(const GroupedLinks& more);
  std::int64_t bytes() const;
};

/// Whether same-spin doubles are listed: where every class is projected on a device they are not read, and take most of the
/// memory.
enum class OwnDoubles { listed, left_out };

/// The excitations of the strings of one spin, from the target's point of view and by class: all that a
/// string-driven product y = H x needs to know of a spin. Nothing here depends on the other spin's
/// strings or grows with the number of determinants. Strings are numbered class after class ("ordinal",
/// an index of StringClasses::strings); a source is given by its position in its class.
struct SpinLinks {
  using Group = LinkGroup;
  /// Half of an opposite-spin double excitation: <target| E_pq + E_qp |source> = +-1, p != q.
  struct Single {
    std::int32_t source;
    std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative)
  };
  /// A same-spin double excitation with its element.
  struct OwnDouble {
    double value;  ///< hartree, phase included
    std::int32_t source;
  };
  /// A totally symmetric single excitation, its element being value + sign * J[pair] of the other spin's string.
  struct OwnSingle {
    double value;  ///< part within the spin, hartree, phase included
    double sign;
    std::int32_t source;
    std::int32_t coulomb_row;  ///< of the pair in CoulombTable
  };
  /// The single excitations of one pair from one class to another: entries first .. last - 1 of
  /// `targets`, `sources`, `signs`, ascending by target, each target once.
  struct PairList {
    std::uint32_t pair;
    std::int32_t irrep;  ///< of the pair
    std::int64_t first, last;
  };

  int num_classes = 0;
  int num_electrons = 0;
  std::vector<std::uint8_t> occupied;  ///< [strings * num_electrons] orbitals, ascending
  GroupedLinks<Single> singles;        ///< by target and irrep of the pair
  GroupedLinks<OwnDouble> own_doubles;
  GroupedLinks<OwnSingle> own_singles;
  std::vector<std::int64_t> pair_lists_of;     ///< [classes * classes + 1] by target and source class
  std::vector<PairList> pair_lists;            ///< ascending by pair within a pair of classes
  std::vector<std::int32_t> targets, sources;  ///< positions in the classes
  std::vector<double> signs;
  std::vector<std::uint8_t> linked;  ///< [classes * classes] 1: a single excitation leads there

  /// @param tables   those of the spin of the strings
  /// @param doubles  left out: own_doubles are none
  SpinLinks(const Strings& strings, const StringClasses& classes, const IntegralTables& tables,
            OwnDoubles doubles = OwnDoubles::listed);

  auto singles_of(std::int32_t target, int irrep) const {
    return singles.of(static_cast<std::size_t>(target) * 8 + static_cast<std::size_t>(irrep));
  }
  auto own_doubles_of(std::int32_t target) const { return own_doubles.of(target); }
  auto own_singles_of(std::int32_t target) const { return own_singles.of(target); }
  std::span<const PairList> pair_lists_between(int target_class, int source_class) const {
    const std::size_t at = between(target_class, source_class);
    return {pair_lists.data() + pair_lists_of[at], pair_lists.data() + pair_lists_of[at + 1]};
  }
  bool is_linked(int target_class, int source_class) const {
    return linked[between(target_class, source_class)] != 0;
  }
  std::int64_t bytes() const;

private:
  std::size_t between(int target_class, int source_class) const {
    return static_cast<std::size_t>(target_class) * static_cast<std::size_t>(num_classes) +
           static_cast<std::size_t>(source_class);
  }
  void list_pairs(const StringClasses& classes, const IntegralTables& tables);
};

/// J[pq](string) = sum over the string's orbitals r of (pq|rr), hartree, for the totally symmetric pairs
/// p != q: what a single excitation of one spin feels of the other. Rows of all strings, class after
/// class, each class padded by zeros to whole BlockLayout::lanes. Classes that meet a single string of the other spin have
/// none: nothing is excited beside them. Of a space cut at an excitation level that is the class with most strings.
struct CoulombTable {
  std::int64_t width = 0;                   ///< elements of a row
  std::vector<std::int64_t> class_offsets;  ///< [classes] first element of a class in a row; -1: it has none
  Array<double> values;                     ///< [rows * width]

  /// @param tables  those of the excited spin, which is the other one
  CoulombTable(const Strings& strings, const StringClasses& classes, const IntegralTables& tables);

  const double* row(std::int32_t coulomb_row, int c) const {
    return values.data() + coulomb_row * width + class_offsets[c];
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(values.size_bytes()); }
};

/// For each pair its row in a CoulombTable, or -1 for p = q and pairs that are not totally symmetric.
std::vector<std::int32_t> coulomb_rows(const IntegralTables& tables);

/// Diagonal of H over a product space from its strings, shape [space.size()], hartree, in parallel.
Array<double> string_diagonal(const StringProduct& space, const IntegralTables& tables);

/// Own rows of the diagonal of H over a product space, shape [rows.local_rows()], hartree, in parallel: the same bits.
/// @param rows  any of the space
/// @throws DimensionError if they are not of the space
Array<double> string_diagonal(const StringProduct& space, const IntegralTables& tables, const RowMap& rows);

}  // namespace cisolve
