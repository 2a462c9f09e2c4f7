// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve::bench {

/// Writes all nonzeros as MatrixMarket "coordinate real general", for programs that read nothing else.
/// @throws SystemError if it cannot be written
void write_market(const RowSource& rows, const std::filesystem::path& file);

}  // namespace cisolve::bench
