// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>

#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve {
class StringProduct;
struct BlockStructure;
struct BlockLayout;
}  // namespace cisolve

// S^2 in layout 0, as cisolve::StringSpin defines it: an alpha and a beta string exchange the spins of two electrons.
namespace cisolve::cuda::direct {

/// A string with the electron of one orbital in another.
struct Moved {
  static constexpr std::int32_t none = -1;

  std::int32_t
      code;  ///< 2 * position in its class + (1 if the sign is negative); none: there is no such string
  std::int32_t class_number;
};

/// A panel of layout 0, which holds the columns of one beta class.
struct SpinPanel {
  std::int64_t offset;  ///< of its first element in x
  std::int32_t stride, columns;
  std::int32_t first_string;  ///< ordinal of its first beta string
};

/// An own row of a panel.
struct SpinRow {
  std::int64_t y;      ///< its first element, of own rows alone
  std::int32_t alpha;  ///< ordinal
  std::int32_t panel;
  std::int32_t row;  ///< of the panel
};

template <template <class> class Array>
struct SpinArrays {
  Array<Moved> alpha_moved;            ///< [string][electron][orbital that it goes to]
  Array<Moved> beta_moved;             ///< [electron][orbital that it goes to][string]
  Array<std::uint8_t> alpha_occupied;  ///< [string][electron]
  Array<std::uint8_t> beta_occupied;   ///< [electron][string]
  Array<SpinPanel> panels;             ///< [beta classes]
  Array<std::int64_t> first_rows;      ///< [beta classes][alpha classes] in the panel, -1: no such block
  Array<SpinRow> rows;

  static auto members(auto& of) {
    return std::tie(of.alpha_moved, of.beta_moved, of.alpha_occupied, of.beta_occupied, of.panels,
                    of.first_rows, of.rows);
  }
};

/// Numbers that hold for all strings.
struct SpinNumbers {
  int num_alpha, num_beta, num_orbitals;
  int alpha_classes;
  std::int32_t beta_strings;
};

/// What S^2 of the own rows of a rank needs.
struct SpinPlan {
  SpinArrays<HostArray> arrays;
  SpinNumbers numbers;

  /// @param blocks  of the space
  /// @param layout  of the blocks, alpha major
  SpinPlan(const StringProduct& space, const BlockStructure& blocks, const BlockLayout& layout,
           const StringShares& shares = {});
};

}  // namespace cisolve::cuda::direct
