// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// Strings of one spin, class after class. Strings are numbered as in the space's table of them.
struct StringClasses {
  std::vector<std::int32_t> strings;   ///< [strings in use] numbers, class after class
  std::vector<std::int32_t> offsets;   ///< [classes + 1] into `strings`
  std::vector<std::int32_t> class_of;  ///< [table size]; -1: the string is in no determinant
  std::vector<std::int32_t> position;  ///< [table size] place in its class
  std::vector<std::int64_t> met;       ///< [classes] how many strings of the other spin its strings meet

  int count() const { return static_cast<int>(offsets.size()) - 1; }
  std::int32_t size(int c) const { return offsets[c + 1] - offsets[c]; }
  std::int32_t num_strings() const { return offsets.back(); }
};

/// A StringProduct as a union of blocks (alpha class) x (beta class), the classes as coarse as the space
/// lets them be: two strings of a spin are in one class if they meet the same strings of the other
/// spin. Full CI has one class per irrep and spin; a space cut at an excitation level one per level and
/// irrep; bounds on holes and particles tell those apart as well. Found from the runs of the space alone.
struct BlockStructure {
  /// Consecutive strings of a beta class that a list of the space has, as ListPart::gather says where.
  struct ListPart {
    std::int32_t beta_class, position, size;
    std::int64_t gather;  ///< first in `places`; -1: they are the whole list, in its order
  };

  StringClasses alpha;
  StringClasses beta;
  std::vector<std::uint8_t> allowed;  ///< [alpha classes * beta classes]; 1: the block is in the space
  bool symmetric =
      false;  ///< exchanging the spins of a determinant never leaves the space; then both spins have
              ///< the same string table and classes
  std::vector<std::int64_t> parts_of;  ///< [lists of the space + 1] into `parts`
  std::vector<ListPart> parts;         ///< of each list
  std::vector<std::int32_t> places;    ///< where the strings of parts stand in their lists

  explicit BlockStructure(const StringProduct& space);

  bool is_allowed(int alpha_class, int beta_class) const {
    return allowed[static_cast<std::size_t>(alpha_class) * static_cast<std::size_t>(beta.count()) +
                   static_cast<std::size_t>(beta_class)] != 0;
  }

private:
  void count_met();
  void list_parts(const StringProduct& space, const StringClasses& pieces);
  void use_symmetry(const StringProduct& space);
};

/// A vector of coefficients as one dense matrix per class of the *minor* spin: its rows are the strings
/// of all classes of the *major* spin that meet it, class after class, its columns the strings of the
/// class, padded by zeros to whole `lanes`. Alpha major and beta major are each other's transposes.
struct BlockLayout {
  static constexpr std::int64_t lanes = 8;  ///< doubles of a 64-byte cache line

  struct Panel {
    std::int64_t offset = 0;  ///< of its first element in the vector
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;  ///< elements from row to row
  };
  std::vector<Panel> panels;            ///< [minor classes]
  std::vector<std::int64_t> first_row;  ///< [minor classes * major classes] in the panel; -1: no such block
  int num_major = 0;                    ///< classes of the major spin
  std::int64_t size = 0;                ///< elements, padding included

  BlockLayout(const BlockStructure& blocks, bool alpha_major);

  std::int64_t row(int minor_class, int major_class) const {
    return first_row[static_cast<std::size_t>(minor_class) * static_cast<std::size_t>(num_major) +
                     static_cast<std::size_t>(major_class)];
  }
};

}  // namespace cisolve
