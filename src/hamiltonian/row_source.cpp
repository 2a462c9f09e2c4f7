// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/row_source.hpp"

#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/product_rows.hpp"
#include "cisolve/hamiltonian/single_occupancy_rows.hpp"

namespace cisolve {

template <int Words>
std::unique_ptr<RowSource> make_row_source(const Space<Words>& space, const IntegralTables& tables) {
  if (const auto* product = space.as_product()) {
    return std::make_unique<ProductRowSource>(*product, tables);
  }
  if (const auto* order = space.as_single_occupancy(); order != nullptr && are_lattice_integrals(tables)) {
    return std::make_unique<SingleOccupancyRows>(*order, tables);
  }
  return std::make_unique<ListRowSource>(space, tables);
}

#define INSTANTIATE(W) \
  template std::unique_ptr<RowSource> make_row_source(const Space<W>&, const IntegralTables&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
