// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "cisolve/problem/basis.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// What a matrix file says of its matrix, beside the elements.
struct MatrixDescription {
  std::string version, created, title;
  std::string resolved_text;  ///< input with every default filled in
  std::uint64_t integrals_hash = 0;
  std::int64_t reference_dimension = 0;  ///< leading rows that belong to the references
};

/// CSR of both triangles in HDF5: `indptr`, `indices`, `data`, and the determinants or CSFs of the rows.
/// @param lengths  nonzeros of each row, from count_rows
/// @throws SystemError if it cannot be written; Interrupted if a stop was requested; then no file is left
void write_matrix_hdf5(const std::filesystem::path& file, const RowSource& rows,
                       std::span<const std::int64_t> lengths, const Basis& basis,
                       const MatrixDescription& description, const BuildOptions& options = {});

/// The lower triangle as MatrixMarket "coordinate real symmetric", 17 significant digits, from 1.
/// @throws as write_matrix_hdf5
void write_matrix_market(const std::filesystem::path& file, const RowSource& rows,
                         std::span<const std::int64_t> lengths, const MatrixDescription& description,
                         const BuildOptions& options = {});

}  // namespace cisolve
