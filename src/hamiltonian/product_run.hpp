// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/product_rows.hpp"

namespace cisolve {

/// What all rows of a run share: the column blocks they connect to, ascending.
struct ProductRowSource::Run {
  enum class Kind : std::uint8_t {
    alpha_doubles,  ///< a stretch of alpha double excitations: one element each
    opposite,       ///< an alpha single excitation times the beta strings it meets
    own             ///< the same alpha string: excitations within beta, and the diagonal
  };
  struct Block {
    Kind kind;
    bool dense = true;               ///< opposite: no vanishing element
    bool has_identity = false;       ///< opposite: the beta string itself may be among the columns
    std::int32_t group = 0;          ///< opposite: group of beta singles; own: level of beta strings
    std::uint32_t phase = 0;         ///< opposite: phase of the alpha excitation, in bit 0
    std::uint32_t pair = 0;          ///< opposite: pair of the alpha excitation
    std::int32_t first = 0;          ///< alpha_doubles: first of a range in double_*
    std::int32_t last = 0;           ///< alpha_doubles: its end
    std::int64_t base = 0;           ///< first column of the block
    double value = 0.0;              ///< opposite: within-spin part of the alpha single excitation
    const BetaList* part = nullptr;  ///< the columns, if they are a part of a class of beta strings
  };
  /// A group of beta singles that dense opposite blocks use, as often.
  struct GroupUse {
    int group;
    const BetaList* part;
    std::int64_t times;
  };

  std::int32_t alpha = 0;
  int level = 0;
  int beta_level = 0;
  std::vector<Block> blocks;
  std::vector<ColumnIndex> double_base;
  std::vector<double> double_value;
  std::vector<ValueNumber> double_number;    ///< if alpha_numbers are there
  std::vector<const BetaList*> double_part;  ///< if the space has parts of classes: as Block::part
  const ValueNumber* alpha_numbers = nullptr;
  std::size_t capacity = 0;  ///< no row has more elements, vanishing ones included
  /// J[rs] = sum over the alpha string's orbitals p of (pp|rs), once it was asked for.
  std::vector<double> coulomb;
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<GroupUse> group_uses;

  // What a row keeps of a block with parts.
  std::vector<SingleLink> kept_links;
  std::vector<ColumnIndex> kept_columns;
  std::vector<double> kept_values;
  std::vector<ValueNumber> kept_numbers;

  void use(int group, const BetaList* part) {
    const auto known = std::ranges::find_if(
        group_uses, [&](const GroupUse& use) { return use.group == group && use.part == part; });
    if (known != group_uses.end()) {
      ++known->times;
    } else {
      group_uses.push_back({group, part, 1});
    }
  }

  /// Links to strings of the part, their positions being those there.
  std::span<const SingleLink> keep(std::span<const SingleLink> links, const BetaList& part) {
    if (kept_links.size() < links.size()) kept_links.resize(2 * links.size());
    std::size_t size = 0;
    for (const SingleLink& link : links) {
      const std::int32_t place = part.places[link.target];
      kept_links[size] = {place, link.code};
      size += place >= 0 ? 1U : 0U;
    }
    return {kept_links.data(), size};
  }
};

}  // namespace cisolve
