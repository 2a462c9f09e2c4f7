// SPDX-License-Identifier: MIT
#include "cisolve/sparse/formats.hpp"

#include <algorithm>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/csb_matrix.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/ell_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/paper_hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"

namespace cisolve {
namespace {

using Lengths = std::span<const std::int64_t>;

template <class Matrix>
std::unique_ptr<StoredMatrix> stored(std::string_view name, Matrix matrix) {
  return std::make_unique<StoredAs<Matrix>>(name, std::move(matrix));
}

EllShape ell_shape(std::string_view name, const FormatOptions& options) {
  return {.slice_size = name.starts_with("sliced") ? options.slice_size : 0,
          .row_counts = name.ends_with("-r")};
}

/// The row of one of the four ELL formats.
template <const char* name>
constexpr StorageFormat ell_format(std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .bytes_for =
              [](Lengths lengths, const FormatOptions& options) {
                return ell_matrix_bytes(lengths, ell_shape(name, options));
              },
          .build =
              [](const RowSource& source, Lengths lengths, const FormatOptions& options,
                 const BuildOptions& build) {
                return stored(name, build_ell(source, lengths, ell_shape(name, options), build));
              }};
}

constexpr char ell[] = "ell", ell_r[] = "ell-r", sliced_ell[] = "sliced-ell", sliced_ell_r[] = "sliced-ell-r";

std::int64_t hybrid_bytes(Lengths lengths, const FormatOptions& options) {
  if (!options.reference_columns) return storage_sizes(lengths, options.ell_width).hybrid_bytes;
  // How many nonzeros fall left of the boundary is the pattern's business: the worst is taken of both parts.
  const StorageSizes sizes = storage_sizes(lengths, 0);
  const auto width = static_cast<std::int32_t>(std::min(*options.reference_columns, sizes.longest_row));
  const auto rows = static_cast<std::int64_t>(lengths.size());
  return sizes.hybrid_bytes + 12 * rows * ell_stride_of(width) + 4 * rows;
}

std::unique_ptr<StoredMatrix> make_hybrid(const RowSource& source, Lengths lengths,
                                          const FormatOptions& options, const BuildOptions& build) {
  if (options.reference_columns) {
    return stored("hybrid", build_hybrid_by_columns(source, lengths, *options.reference_columns, build));
  }
  const std::int32_t width = options.ell_width ? *options.ell_width : choose_ell_width(lengths);
  return stored("hybrid", build_hybrid(source, lengths, width, build));
}

/// The paper's BOUNDARY: its published counts are those of its matrices' shortest rows.
std::int32_t paper_boundary(Lengths lengths, const FormatOptions& options) {
  if (lengths.empty()) return 0;
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  return static_cast<std::int32_t>(options.ell_width ? std::min<std::int64_t>(*options.ell_width, *longest)
                                                     : *shortest);
}

constexpr StorageFormat formats[] = {
    {.name = "csr",
     .meaning = "compressed sparse rows",
     .bytes_for = [](Lengths lengths, const FormatOptions&) { return storage_sizes(lengths, 0).csr_bytes; },
     .build = [](const RowSource& source, Lengths lengths, const FormatOptions&,
                 const BuildOptions& build) { return stored("csr", build_csr(source, lengths, build)); }},
    ell_format<ell>("every row padded to the longest"),
    ell_format<ell_r>("ell with a count per row"),
    ell_format<sliced_ell>("rows padded to the longest of their 32"),
    ell_format<sliced_ell_r>("sliced-ell with a count per row"),
    {.name = "csb",
     .meaning = "compressed sparse blocks (doi:10.1145/1583991.1584053)",
     .bytes_for =
         [](Lengths lengths, const FormatOptions& options) {
           return csb_matrix_bytes(lengths, options.block_size, options.num_columns);
         },
     .build =
         [](const RowSource& source, Lengths lengths, const FormatOptions& options,
            const BuildOptions& build) {
           return stored("csb", build_csb(source, lengths, options.block_size, build));
         }},
    {.name = "coded",
     .meaning = "sliced ELL of 4-byte words: sign, number in a dictionary of values, step to "
                "the next column",
     .needs_lengths = false,
     .bytes_for =
         [](Lengths lengths, const FormatOptions& options) {
           return estimate_coded_bytes(lengths, options.coded, {.row_order = options.row_order});
         },
     .build =
         [](const RowSource& source, Lengths lengths, const FormatOptions& options,
            const BuildOptions& build) {
           const CodedLayout layout{.row_order = options.row_order};
           return stored("coded", lengths.empty() ? build_coded(source, build, layout)
                                                  : build_coded(source, lengths, build, layout));
         }},
    {.name = "hybrid",
     .meaning = "the first nonzeros of every row in an ELL part of fixed width, "
                "the rest in CSR (doi:10.3390/computation6030045)",
     .bytes_for = hybrid_bytes,
     .build = make_hybrid},
    {.name = "hybrid-paper",
     .meaning = "hybrid in the layout and with the kernel of its publication",
     .selectable = false,
     .bytes_for =
         [](Lengths lengths, const FormatOptions& options) {
           const std::int32_t boundary = paper_boundary(lengths, options);
           const auto rows = static_cast<std::int64_t>(lengths.size());
           const std::int64_t in_tail = storage_sizes(lengths, boundary).tail_nonzeros;
           return 12 * (rows * boundary + in_tail + rows);
         },
     .build =
         [](const RowSource& source, Lengths lengths, const FormatOptions& options,
            const BuildOptions& build) {
           return stored("hybrid-paper",
                         build_paper_hybrid(source, lengths, paper_boundary(lengths, options), build));
         }},
};

}  // namespace

std::span<const StorageFormat> storage_formats() { return formats; }

const StorageFormat* find_storage_format(std::string_view name) {
  const auto* found = std::ranges::find(formats, name, &StorageFormat::name);
  return found == std::end(formats) ? nullptr : found;
}

std::vector<std::string_view> selectable_formats() {
  std::vector<std::string_view> names;
  for (const StorageFormat& format : formats) {
    if (format.selectable) names.push_back(format.name);
  }
  return names;
}

}  // namespace cisolve
