// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "cisolve/problem/basis.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// CSR of both triangles in HDF5: `indptr`, `indices`, `data`, and the determinants or CSFs of the rows.
/// @param lengths  nonzeros of each row, from count_rows
/// @param result   what the file says besides: program, title, input, integrals, space
/// @throws SystemError if it cannot be written; Interrupted if a stop was requested; then no file is left
void write_matrix_hdf5(const std::filesystem::path& file, const RowSource& rows,
                       std::span<const std::int64_t> lengths, const Basis& basis, const CiResult& result,
                       const BuildOptions& options = {});

/// The lower triangle as MatrixMarket "coordinate real symmetric", 17 significant digits, from 1.
/// @throws as write_matrix_hdf5
void write_matrix_market(const std::filesystem::path& file, const RowSource& rows,
                         std::span<const std::int64_t> lengths, const CiResult& result,
                         const BuildOptions& options = {});

}  // namespace cisolve
