// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <ostream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/export/matrix_file.hpp"
#include "tasks/orbitals/optimise.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

std::vector<std::int64_t> count_nonzeros(const RowSource& rows, const RunControl& control) {
  ProgressLine progress(control, "Counting nonzeros");
  BuildOptions options;
  options.progress = progress.callback();
  options.stop = control.stop;
  return count_rows(rows, options);
}

void print_matrix(std::ostream& report, const std::filesystem::path& file,
                  std::span<const std::int64_t> lengths) {
  const auto line = [&](std::string_view what, const std::string& value) {
    report << fmt::format("  {:<38}{}\n", what, value);
  };
  report << "\nMatrix\n";
  line("Rows", format_count(std::ssize(lengths)));
  line("Nonzeros, both triangles",
       format_count(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})));
  line("Longest row", format_count(*std::max_element(lengths.begin(), lengths.end())));
  line("Bytes of the file", format_bytes(static_cast<std::int64_t>(std::filesystem::file_size(file))));
  report << fmt::format("\nThe matrix is in {}; it was not diagonalised.\n", file.string());
}

}  // namespace

void require_matrix_file_name(const std::filesystem::path& file) {
  if (file.extension() == ".h5" || file.extension() == ".mtx") return;
  throw InputError(fmt::format(
      "--write-matrix: {} ends neither in .h5 (CSR in HDF5) nor in .mtx (MatrixMarket)", file.string()));
}

void write_matrix(const CiConfig& config, const std::filesystem::path& file, const RunControl& control,
                  std::ostream& report) {
  require_matrix_file_name(file);
  require_one_sector(config);
  if (config.selection)
    throw InputError(
        "--write-matrix: writes the matrix of [space], and [selection] grows another; give the list of a "
        "result as space.reference = { file = ..., weight = 0 } without [selection]");
  const ThreadScope threads(config.threads);
  CiResult result = begin_result(config);
  print_header(report, result.version, result.created, "cpu", config.title);
  const RunContext context{config, control, report, result};
  std::vector<CiJob> jobs = prepare_sectors(context);
  if (config.orbitals) optimise_orbitals(context, jobs);
  const CiJob job = std::move(jobs.front());
  const auto basis = make_sector_basis(context, job, result.sectors.front());
  const IntegralTables tables(job.active->integrals, config.threshold);
  const auto rows = basis->make_rows(tables);
  const std::vector<std::int64_t> lengths = count_nonzeros(*rows, control);
  {
    ProgressLine progress(control, "Writing the matrix");
    BuildOptions options;
    options.progress = progress.callback();
    options.stop = control.stop;
    if (file.extension() == ".mtx") {
      write_matrix_market(file, *rows, lengths, result, options);
    } else {
      write_matrix_hdf5(file, *rows, lengths, *basis, result, options);
    }
  }
  print_warnings(report, result.warnings);
  print_matrix(report, file, lengths);
  if (job.active->complex) {
    report << "The complex matrix is in it as a real one of twice the order: rows 2i and 2i + 1, from 0, are "
              "the real and\n"
              "the imaginary part of row i, and every eigenvalue comes twice.\n";
  }
}

}  // namespace cisolve
