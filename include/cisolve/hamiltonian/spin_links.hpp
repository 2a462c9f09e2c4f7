// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"

namespace cisolve {

/// Excitations within the strings of one spin, from the target's point of view and by class: all that a
/// string-driven product y = H x needs to know of a spin. Nothing here depends on the other spin's
/// strings or grows with the number of determinants. Strings are numbered class after class ("ordinal",
/// an index of StringClasses::strings); a source is given by its position in its class.
struct SpinLinks {
  /// Links of a target string to the sources of one class.
  struct Group {
    std::int64_t first;  ///< entry
    std::int32_t size;   ///< entries
    std::int32_t source_class;
  };
  /// Half of an opposite-spin double excitation: <target| E_pq + E_qp |source> = +-1, p != q.
  struct Single {
    std::int32_t source;
    std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative)
  };
  /// Same-spin double excitation.
  struct OwnDouble {
    double value;  ///< hartree, phase included
    std::int32_t source;
  };
  /// Totally symmetric single excitation: element value + sign * J[pair] of the other spin's string.
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

  /// A single excitation on its way into the lists of pairs.
  struct PairLink {
    std::int32_t target;  ///< number in the string table
    std::int32_t source_class, source;
    std::uint32_t code;  ///< as in Single
  };

  int num_classes = 0;
  int num_electrons = 0;
  std::vector<std::uint8_t> occupied;          ///< [strings * num_electrons] orbitals, ascending
  std::vector<std::int64_t> single_groups_of;  ///< [strings * 8 + 1] by target and irrep of the pair
  std::vector<Group> single_groups;
  std::vector<Single> singles;
  std::vector<std::int64_t> own_double_groups_of, own_single_groups_of;  ///< [strings + 1] by target
  std::vector<Group> own_double_groups, own_single_groups;
  std::vector<OwnDouble> own_doubles;
  std::vector<OwnSingle> own_singles;
  std::vector<std::int64_t> pair_lists_of;     ///< [classes * classes + 1] by target and source class
  std::vector<PairList> pair_lists;            ///< ascending by pair within a pair of classes
  std::vector<std::int32_t> targets, sources;  ///< positions in the classes
  std::vector<double> signs;
  std::vector<std::uint8_t> linked;  ///< [classes * classes] 1: a single excitation leads there

  template <int Words>
  SpinLinks(const StringTable<Words>& strings, const StringClasses& classes, const IntegralTables& tables);

  std::span<const Group> singles_of(std::int32_t target, int irrep) const {
    return span_of(single_groups, single_groups_of,
                   static_cast<std::size_t>(target) * 8 + static_cast<std::size_t>(irrep));
  }
  std::span<const Group> own_doubles_of(std::int32_t target) const {
    return span_of(own_double_groups, own_double_groups_of, static_cast<std::size_t>(target));
  }
  std::span<const Group> own_singles_of(std::int32_t target) const {
    return span_of(own_single_groups, own_single_groups_of, static_cast<std::size_t>(target));
  }
  std::span<const PairList> pair_lists_between(int target_class, int source_class) const {
    return span_of(pair_lists, pair_lists_of,
                   static_cast<std::size_t>(target_class) * static_cast<std::size_t>(num_classes) +
                       static_cast<std::size_t>(source_class));
  }
  bool is_linked(int target_class, int source_class) const {
    return linked[static_cast<std::size_t>(target_class) * static_cast<std::size_t>(num_classes) +
                  static_cast<std::size_t>(source_class)] != 0;
  }
  std::int64_t bytes() const;

private:
  void list_pairs(std::vector<PairLink>& links, const StringClasses& classes, const IntegralTables& tables);
  template <class T>
  static std::span<const T> span_of(const std::vector<T>& all, const std::vector<std::int64_t>& offsets,
                                    std::size_t at) {
    return {all.data() + offsets[at], all.data() + offsets[at + 1]};
  }
};

/// J[pq](string) = sum over the string's orbitals r of (pq|rr), hartree, for the totally symmetric pairs
/// p != q: what a single excitation of one spin feels of the other. Rows of all strings, class after
/// class, each class padded by zeros to whole BlockLayout::lanes.
struct CoulombTable {
  std::int64_t width = 0;                   ///< elements of a row
  std::vector<std::int64_t> class_offsets;  ///< [classes] first element of a class in a row
  Array<double> values;                     ///< [rows * width]

  template <int Words>
  CoulombTable(const StringTable<Words>& strings, const StringClasses& classes, const IntegralTables& tables);

  const double* row(std::int32_t coulomb_row, int c) const {
    return values.data() + coulomb_row * width + class_offsets[static_cast<std::size_t>(c)];
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(values.size_bytes()); }
};

/// For each pair its row in a CoulombTable, or -1 for p = q and pairs that are not totally symmetric.
std::vector<std::int32_t> coulomb_rows(const IntegralTables& tables);

/// Diagonal of H over a product space from its strings, shape [space.size()], hartree, in parallel.
template <int Words>
std::vector<double> string_diagonal(const ProductSpace<Words>& space, const IntegralTables& tables);

}  // namespace cisolve
