// SPDX-License-Identifier: MIT
#include "formats_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/ell_width.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "paper_bytes.hpp"
#include "paper_matrix.hpp"

namespace cisolve::bench {
namespace {

/// Counts the nonzeros in the columns before a border.
class RegionSink final : public RowSink {
public:
  explicit RegionSink(std::int64_t border) : border_(border) {}

  void row(const MatrixRow& row) override {
    nonzeros += std::lower_bound(row.columns.begin(), row.columns.end(), border_) - row.columns.begin();
  }

  std::int64_t nonzeros = 0;

private:
  std::int64_t border_;
};

std::int64_t nonzeros_before(const RowSource& rows, std::int64_t border) {
  constexpr std::int64_t rows_per_chunk = 256;
  const std::int64_t n = rows.num_rows();
  std::int64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (std::int64_t first = 0; first < n; first += rows_per_chunk) {
    RegionSink sink(border);
    rows.fill({first, std::min(first + rows_per_chunk, n)}, sink);
    sum += sink.nonzeros;
  }
  return sum;
}

/// What the paper's formulae need to know.
struct PaperShape {
  std::span<const std::int64_t> lengths;
  std::int64_t longest = 0;
  std::int64_t nonzeros = 0;
  std::int32_t boundary = 0;
  std::int64_t tail_nonzeros = 0;
  std::int64_t slice_rows = 1;
};

/// Bytes by the paper's formula, or null for a format of which it gives none.
nlohmann::json paper_bytes(std::string_view format, const PaperShape& shape) {
  const std::int64_t rows = std::ssize(shape.lengths);
  if (format == "csr") return paper_csr_bytes(rows, shape.nonzeros);
  if (format == "ell") return paper_ell_bytes(rows, shape.longest);
  if (format == "ell-r") return paper_ell_r_bytes(rows, shape.longest);
  if (format == "sliced-ell") return paper_sliced_ell_bytes(shape.lengths, shape.slice_rows);
  if (format == "sliced-ell-r") return paper_sliced_ell_r_bytes(shape.lengths, shape.slice_rows);
  if (format == "hybrid" || format == "hybrid-paper") {
    return paper_hybrid_bytes(rows, shape.boundary, shape.tail_nonzeros);
  }
  return nullptr;
}

PaperShape shape_of(std::span<const std::int64_t> lengths, const FormatsOptions& options) {
  PaperShape shape;
  shape.lengths = lengths;
  shape.boundary = options.ell_width.value_or(choose_ell_width(lengths));
  shape.slice_rows = options.slice_rows;
  for (const std::int64_t length : lengths) {
    shape.longest = std::max(shape.longest, length);
    shape.nonzeros += length;
    shape.tail_nonzeros += std::max<std::int64_t>(length - shape.boundary, 0);
  }
  return shape;
}

/// Share of zeros among `elements`, which need not be a whole number.
double sparsity(std::int64_t nonzeros, double elements) {
  return elements > 0.0 ? 1.0 - static_cast<double>(nonzeros) / elements : 0.0;
}

}  // namespace

nlohmann::json describe_formats(const RowSource& rows, const FormatsOptions& options) {
  const std::vector<std::int64_t> lengths = count_rows(rows);
  const PaperShape shape = shape_of(lengths, options);
  const std::int64_t n = rows.num_rows();
  const std::int64_t border = paper_reference_columns(n);
  const std::int64_t in_reference = nonzeros_before(rows, border);
  const double all = static_cast<double>(n) * static_cast<double>(n);

  nlohmann::json formats = nlohmann::json::array();
  FormatOptions how;
  how.ell_width = shape.boundary;
  how.coded = sample_coded(rows);
  for (const StorageFormat& format : storage_formats()) {
    const std::int64_t bytes =
        options.allocate ? format.build(rows, lengths, how, {})->bytes() : format.bytes_for(lengths, how);
    formats.push_back(
        {{"name", format.name}, {"bytes", bytes}, {"paper_bytes", paper_bytes(format.name, shape)}});
  }
  return {{"rows", n},
          {"nonzeros", shape.nonzeros},
          {"longest_row", shape.longest},
          {"longest_row_index", std::max_element(lengths.begin(), lengths.end()) - lengths.begin()},
          {"reference_columns", border},
          {"reference_nonzeros", in_reference},
          {"expansion_nonzeros", shape.nonzeros - in_reference},
          // As in the paper's Table 4, shares of exactly a tenth and nine tenths of the elements.
          {"reference_sparsity", sparsity(in_reference, 0.1 * all)},
          {"expansion_sparsity", sparsity(shape.nonzeros - in_reference, 0.9 * all)},
          {"sparsity", sparsity(shape.nonzeros, all)},
          {"ell_width", shape.boundary},
          {"tail_nonzeros", shape.tail_nonzeros},
          {"slice_rows", options.slice_rows},
          {"allocated", options.allocate},
          {"formats", formats}};
}

void print_formats(const nlohmann::json& matrix) {
  fmt::print("{}: {} rows, {} nonzeros, longest row {} (row {})\n", matrix.value("name", "matrix"),
             matrix["rows"].get<std::int64_t>(), matrix["nonzeros"].get<std::int64_t>(),
             matrix["longest_row"].get<std::int64_t>(), matrix["longest_row_index"].get<std::int64_t>());
  fmt::print("zeros: {:.6f} of all, {:.6f} in the left tenth of the columns, {:.6f} beyond; ELL width {}\n\n",
             matrix["sparsity"].get<double>(), matrix["reference_sparsity"].get<double>(),
             matrix["expansion_sparsity"].get<double>(), matrix["ell_width"].get<int>());
  fmt::print("{:<16}{:>18}{:>12}{:>12}{:>20}{:>12}\n", "format", "bytes", "MiB", "per nonzero",
             "paper's formula", "MiB");
  const double nonzeros = std::max(1.0, matrix["nonzeros"].get<double>());
  for (const auto& format : matrix["formats"]) {
    const auto bytes = format["bytes"].get<std::int64_t>();
    fmt::print("{:<16}{:>18}{:>12.2f}{:>12.2f}", format["name"].get<std::string>(), bytes,
               static_cast<double>(bytes) / (1 << 20), static_cast<double>(bytes) / nonzeros);
    if (format["paper_bytes"].is_null()) {
      fmt::print("{:>20}{:>12}\n", "-", "-");
    } else {
      const auto paper = format["paper_bytes"].get<std::int64_t>();
      fmt::print("{:>20}{:>12.2f}\n", paper, static_cast<double>(paper) / (1 << 20));
    }
  }
}

}  // namespace cisolve::bench
