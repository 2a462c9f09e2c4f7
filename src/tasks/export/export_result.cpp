// SPDX-License-Identifier: MIT
#include "cisolve/tasks/export/export_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/molden.hpp"
#include "cisolve/molecule/trexio_basis.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/files/resolved_input.hpp"

namespace cisolve {
namespace {

/// A kind of file, told by its ending.
struct ExportFormat {
  std::string_view ending;
  std::string_view what;
  bool natural, average, threshold, root,
      integrals;                  ///< which options it has; the root and the average of natural orbitals too
  bool of_molecules, of_vectors;  ///< what it needs without options
  std::string (*write)(const ExportedResult&, const std::filesystem::path&, const ExportOptions&);
};

constexpr ExportFormat formats[] = {
    {".molden", "orbitals", true, true, false, false, false, true, false, export_molden},
    {".trexio", "everything", true, true, true, true, true, false, false, export_trexio},
    {".txt", "determinants", false, false, true, true, false, false, true, export_determinants},
    {".fcidump", "integrals", true, true, false, false, false, false, true, export_fcidump},
    {".fcidump.gz", "integrals", true, true, false, false, false, false, true, export_fcidump},
};

const ExportFormat& export_format_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  for (const ExportFormat& format : formats) {
    if (name.ends_with(format.ending)) return format;
  }
  throw InputError(
      fmt::format("{} ends neither in .molden (orbitals), .trexio (everything), .txt (determinants) nor "
                  ".fcidump or .fcidump.gz (integrals)",
                  file.string()));
}

/// Files of other programs hold real coefficients and integrals.
void require_real(const CiResult& result, const std::filesystem::path& file) {
  const bool is_complex = std::ranges::any_of(result.sectors, [](const CiResult::Sector& sector) {
    return sector.vectors != nullptr && sector.vectors->rows() == 2 * sector.space.dimension;
  });
  if (is_complex || result.system.orbitals == "spinors") {
    throw InputError(fmt::format("{} is of complex integrals, of which nothing is exported", file.string()));
  }
}

void require_options(const ExportFormat& format, const ExportOptions& options) {
  const auto refuse = [&](std::string_view option, std::string_view why) {
    throw InputError(fmt::format("{}: {} files ({}) {}", option, format.ending, format.what, why));
  };
  if (options.natural && !format.natural) refuse("--natural", "are over the orbitals of the run");
  if (options.average && !format.average) refuse("--average", "are of one root");
  if (options.average && !options.natural && format.natural && format.root)
    refuse("--average", "depend on an average with --natural only");
  if (options.integrals && !format.integrals)
    refuse("--integrals", format.what == "integrals" ? "hold them anyway" : "hold none");
  if (options.threshold > 0.0 && !format.threshold) refuse("--threshold", "leave nothing out");
  const bool of_states = options.natural || format.root;
  if (options.root && !of_states) refuse("--root", "depend on a root with --natural only");
  if (options.average && !of_states) refuse("--average", "depend on roots with --natural only");
  if (options.root && options.average) throw InputError("--root and --average exclude each other");
  if (!(options.threshold >= 0.0)) throw InputError("--threshold: it must be 0 or more");
}

/// A result with its vectors, and one determinant per row.
CiResult read(const std::filesystem::path& file, const ExportOptions& options) {
  if (!holds_scan(file)) {
    if (options.point)
      throw InputError(fmt::format("--point: {} is the result of a single calculation", file.string()));
    CiResult result = read_result(file, true);
    result.weights = ResolvedInput(result.resolved_text, file).weights();
    return result;
  }
  const ScanResult scan = read_scan(file);
  const auto points = std::ssize(scan.points);
  if (!options.point || *options.point < 1 || *options.point > points)
    throw InputError(fmt::format("{} is the result of a scan; --point 1 to --point {} says of which point",
                                 file.string(), points));
  if (!scan.points[static_cast<std::size_t>(*options.point - 1)].has_roots())
    throw InputError(fmt::format("{} has no roots at point {}", file.string(), *options.point));
  return read_scan_point(file, *options.point, true);
}

}  // namespace

void require_export(const std::filesystem::path& file, const MoleculeConfig* molecule, bool has_vectors) {
  const ExportFormat& format = export_format_of(file);
  if (format.of_molecules && molecule == nullptr)
    throw InputError(
        fmt::format("{}: {} files need the basis functions of a [molecule]", file.string(), format.ending));
  if (format.of_vectors && !has_vectors)
    throw InputError(fmt::format("{}: {} files need output.vectors = true", file.string(), format.ending));
  std::string obstacle;
  if (molecule != nullptr && format.write == export_molden)
    obstacle = molden_obstacle(molecule->basis, molecule->frame.geometry);
  if (molecule != nullptr && format.write == export_trexio) obstacle = trexio_obstacle(molecule->basis);
  if (!obstacle.empty()) throw InputError(fmt::format("{}: {}", file.string(), obstacle));
}

void export_result(const std::filesystem::path& result, const std::filesystem::path& file,
                   const ExportOptions& options, std::ostream& report) {
  const ExportFormat& format = export_format_of(file);
  require_options(format, options);
  CiResult found = read(result, options);
  require_real(found, result);
  list_from_blocks(found, result.string());
  const std::string what = format.write({found, result}, file, options);
  report << fmt::format("{}: {}\n", file.string(), what);
}

}  // namespace cisolve
