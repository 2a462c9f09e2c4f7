// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/integrals/point_group.hpp"

namespace cisolve {

/// Labels of orbitals as chemists write them: "5b1" is the fifth orbital of irrep B1, in the order given; A' and
/// A'' are written "2a'" and "1a\"".
/// @param irreps  zero-based, of all orbitals of a molecule or a file: frozen ones count
/// @param group   of the irreps
/// @returns one label per orbital; none at all where the group is unknown: then orbitals have numbers only
/// @throws DimensionError if an irrep is not one of the group
std::vector<std::string> orbital_labels(std::span<const int> irreps, const PointGroup& group);

/// Zero-based number of the orbital with a label, typed in any case, with A'' as two characters or one.
/// @returns nothing if no orbital is called so
std::optional<std::size_t> find_orbital(std::string_view label, std::span<const std::string> labels);

/// All labels in a line, by irrep: "1a1 to 7a1, 1b1, 1b2 to 2b2".
/// @param labels  as orbital_labels gives them
/// @param irreps  those that they were made from
std::string orbitals_by_irrep(std::span<const std::string> labels, std::span<const int> irreps);

}  // namespace cisolve
