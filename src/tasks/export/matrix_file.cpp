// SPDX-License-Identifier: MIT
#include "tasks/export/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "tasks/export/matrix_slabs.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

std::int64_t sum_of(std::span<const std::int64_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

void write_row_offsets(Hdf5Group root, std::span<const std::int64_t> lengths) {
  std::vector<std::int64_t> offsets(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  root.write<std::int64_t>("indptr", offsets, {offsets.size()},
                           {.description = "row i holds the nonzeros indptr[i] .. indptr[i + 1] - 1"});
}

/// The functions of all rows, as in a result file.
void write_functions(Hdf5Group root, const Basis& basis) {
  const BasisSummary summary = basis.summary();
  const FunctionList list = basis.list(false);
  const int num_orbitals = basis.definition().integrals->num_orbitals;
  Hdf5Group group = root.create_group("space");
  group.write_attribute("n_orbitals", static_cast<std::int32_t>(num_orbitals));
  group.write_attribute("hash", summary.hash);
  group.write<std::int64_t>(
      "level_counts", summary.level_counts, {summary.level_counts.size()},
      {.description = fmt::format("{}s per excitation level, from 0", basis.function_name())});
  if (basis.kind() == FunctionKind::determinant) return write_determinants(group, summary, list);
  group.write<std::uint8_t>(
      "steps", list.steps,
      {static_cast<std::uint64_t>(summary.dimension), static_cast<std::uint64_t>(num_orbitals)},
      {.description = "per active orbital: 0 empty, 1 coupled to S + 1/2, 2 coupled to S - 1/2, "
                      "3 doubly occupied"},
      Hdf5Packing::compressed);
}

void write_attributes(Hdf5Group root, const CiResult& result, std::int64_t rows, std::int64_t nonzeros) {
  write_stamp(root, {"cisolve-matrix", 1, result.version, result.created});
  root.write_attribute("title", result.title);
  root.write_attribute("rows", rows);
  root.write_attribute("nonzeros", nonzeros);
  root.write_attribute("symmetric", true);
  root.write_attribute("reference_dimension", result.sectors.front().space.reference_dimension);
  root.write_attribute("integrals_hash", result.system.integrals_hash);
  Hdf5Group input = root.create_group("input");
  input.write_string("resolved", result.resolved_text,
                     {.description = "the input with every default filled in"});
}

/// The lower triangle of some rows as text.
std::string text_of(const MatrixSlab& slab, std::int64_t first, std::int64_t last, std::int64_t& entries) {
  std::string text;
  for (std::int64_t row = first; row < last; ++row) {
    const std::size_t at = row - slab.rows.first;
    for (std::size_t k = slab.offsets[at]; k < static_cast<std::size_t>(slab.offsets[at + 1]); ++k) {
      if (slab.columns[k] > row) break;
      text += fmt::format("{} {} {:.17g}\n", row + 1, slab.columns[k] + 1, slab.values[k]);
      ++entries;
    }
  }
  return text;
}

/// Appends the lower triangle of a slab; returns its number of elements.
std::int64_t append(std::ostream& out, const MatrixSlab& slab) {
  constexpr std::int64_t rows_per_text = 256;
  const std::int64_t num_texts = (slab.rows.size() + rows_per_text - 1) / rows_per_text;
  std::vector<std::string> texts(num_texts);
  std::int64_t entries = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : entries)
  for (std::int64_t k = 0; k < num_texts; ++k) {
    const std::int64_t first = slab.rows.first + k * rows_per_text;
    texts[k] = text_of(slab, first, std::min(first + rows_per_text, slab.rows.last), entries);
  }
  for (const std::string& text : texts) out.write(text.data(), std::ssize(text));
  return entries;
}

/// Its own line, whatever the title holds.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

void write_matrix_hdf5(const std::filesystem::path& file, const RowSource& rows,
                       std::span<const std::int64_t> lengths, const Basis& basis, const CiResult& result,
                       const BuildOptions& options) {
  const std::int64_t n = std::ssize(lengths);
  const std::int64_t nonzeros = sum_of(lengths);
  constexpr std::int64_t bytes_per_nonzero = sizeof(double) + sizeof(ColumnIndex);
  AtomicFile target(file, static_cast<std::uint64_t>(bytes_per_nonzero * nonzeros + 8 * n));
  Hdf5File out = Hdf5File::create(target.temporary(), file);
  Hdf5Group root = out.root();
  write_attributes(root, result, n, nonzeros);
  write_functions(root, basis);
  write_row_offsets(root, lengths);
  const Hdf5Shape shape = {static_cast<std::uint64_t>(nonzeros)};
  auto columns = root.create_dataset<std::int32_t>(
      "indices", shape, {.description = "column of each nonzero, from 0, ascending in a row"});
  auto values =
      root.create_dataset<double>("data", shape, {.unit = "hartree", .description = "nonzeros, row by row"});
  for_each_slab(rows, lengths, options, [&](const MatrixSlab& slab) {
    if (slab.columns.empty()) return;
    const Hdf5Shape start = {static_cast<std::uint64_t>(slab.first_nonzero)};
    columns.write(slab.columns, start, {slab.columns.size()});
    values.write(slab.values, start, {slab.values.size()});
  });
  out.close();
  target.commit();
}

void write_matrix_market(const std::filesystem::path& file, const RowSource& rows,
                         std::span<const std::int64_t> lengths, const CiResult& result,
                         const BuildOptions& options) {
  const std::int64_t n = std::ssize(lengths);
  constexpr std::int64_t bytes_per_line = 36;  // of typical matrices; the disk is tried for this much
  AtomicFile target(file, static_cast<std::uint64_t>(bytes_per_line * (sum_of(lengths) / 2)));
  std::ofstream out(target.temporary(), std::ios::binary);
  out << fmt::format(
      "%%MatrixMarket matrix coordinate real symmetric\n"
      "% {}\n% Hamiltonian in hartree, lower triangle; written by cisolve {}, {}\n",
      one_line(result.title), result.version, result.created);
  // Which diagonal elements vanish is known at the end, so that the size has its place kept free.
  const auto size_line = [n](std::int64_t entries) { return fmt::format("{} {} {:<19}\n", n, n, entries); };
  const std::ofstream::pos_type size_at = out.tellp();
  out << size_line(0);
  std::int64_t entries = 0;
  for_each_slab(rows, lengths, options, [&](const MatrixSlab& slab) {
    entries += append(out, slab);
    if (!out) throw SystemError(fmt::format("{} cannot be written; is the disk full?", file.string()));
  });
  out.seekp(size_at);
  out << size_line(entries);
  out.close();
  if (!out) throw SystemError(fmt::format("{} cannot be written; is the disk full?", file.string()));
  target.commit();
}

}  // namespace cisolve
