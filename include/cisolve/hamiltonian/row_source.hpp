// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// The fastest source of the rows of H for a kind of space.
///
/// @param space, tables  must outlive the result
template <int Words>
std::unique_ptr<RowSource> make_row_source(const Space<Words>& space, const IntegralTables& tables);

}  // namespace cisolve
