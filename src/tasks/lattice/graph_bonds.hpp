// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve::detail {

/// What bonds have that don't say otherwise.
struct BondDefaults {
  double t = 1.0, j = 0.0, v = 0.0;
  bool is_t_j = false;
};

/// The bonds of a graph: lattice.bonds or lattice.bonds_file.
/// @throws InputError  a site out of range or joined with itself, the same pair twice, a line that does not parse
std::vector<LatticeBond> read_graph_bonds(const EntryReader& reader, int sites, const BondDefaults& defaults);

}  // namespace cisolve::detail
