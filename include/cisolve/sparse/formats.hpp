// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/stored_matrix.hpp"

namespace cisolve {

/// What the formats can be told; each takes what concerns it.
struct FormatOptions {
  /// hybrid, hybrid-paper; none: choose_ell_width, and the shortest row, decide
  std::optional<std::int32_t> ell_width = {};
  std::optional<std::int64_t> reference_columns = {};  ///< hybrid: the ELL part is these columns, not a width
  std::int64_t slice_size = 32;                        ///< sliced-ell, sliced-ell-r: rows
  std::int32_t block_size = 0;                         ///< csb: rows and columns of a block; 0: from the rows
  RowOrder row_order = RowOrder::automatic;            ///< coded
  std::optional<std::int64_t> num_columns = {};        ///< csb, for bytes_for; none: as many as rows
  CodedSample coded = {};                              ///< coded: what is known of its rows, for bytes_for
};

/// A row of the table of storage formats.
struct StorageFormat {
  std::string_view name;      ///< as in hamiltonian.storage
  std::string_view meaning;   ///< for docs/input.md: one clause, without the name
  bool selectable = true;     ///< by hamiltonian.storage; else for cisolve-bench alone
  bool needs_lengths = true;  ///< of rows; else build takes none as well

  /// What build will allocate for rows of these lengths, bytes. Where the pattern of the matrix decides too:
  /// of hybrid with reference_columns an upper bound, of coded an estimate (see estimate_coded_bytes). Takes no
  /// memory of size nnz.
  std::int64_t (*bytes_for)(std::span<const std::int64_t> lengths, const FormatOptions& options);

  /// Fills the format from the rows, in parallel, without another copy of the nonzeros; the result does
  /// not depend on the number of threads.
  /// @param lengths  those of count_rows, or where they are not needed none
  /// @throws DimensionError, Interrupted, std::bad_alloc; whatever the source throws
  std::unique_ptr<StoredMatrix> (*build)(const RowSource& source, std::span<const std::int64_t> lengths,
                                         const FormatOptions& options, const BuildOptions& build_options);
};

/// Every storage format. docs/architecture.md says how to add one.
std::span<const StorageFormat> storage_formats();

/// The format with this name, or null.
const StorageFormat* find_storage_format(std::string_view name);

/// The names that hamiltonian.storage takes, "auto" aside.
std::vector<std::string_view> selectable_formats();

}  // namespace cisolve
