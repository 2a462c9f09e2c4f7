// SPDX-License-Identifier: MIT
#include "cisolve/sparse/row_source.hpp"

#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

std::unique_ptr<const NumberedRowSource> RowSource::numbered() const { return nullptr; }

Array<std::int32_t> RowSource::local_order() const { return {}; }

}  // namespace cisolve
