// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/row_source.hpp"

#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/product_rows.hpp"

namespace cisolve {

template <int Words>
std::unique_ptr<RowSource> make_row_source(const Space<Words>& space, const IntegralTables& tables) {
  if (const auto* product = dynamic_cast<const ProductSpace<Words>*>(&space)) {
    return std::make_unique<ProductRowSource<Words>>(*product, tables);
  }
  return std::make_unique<ListRowSource<Words>>(space, tables);
}

template std::unique_ptr<RowSource> make_row_source(const Space<1>&, const IntegralTables&);
template std::unique_ptr<RowSource> make_row_source(const Space<2>&, const IntegralTables&);

}  // namespace cisolve
