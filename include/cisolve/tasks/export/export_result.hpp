// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>

namespace cisolve {

struct MoleculeConfig;

/// What of a result is written for other programs.
struct ExportOptions {
  std::optional<int> root = {};   ///< number in the report, from 1; none: the first
  bool average = false;           ///< of all roots with the run's weights, in place of one
  bool integrals = false;         ///< with the integrals over all orbitals
  bool natural = false;           ///< over natural orbitals in place of those of the run
  double threshold = 0.0;         ///< determinants whose coefficient is smaller are left out
  std::optional<int> point = {};  ///< of a scan, from 1
};

/// Writes a part of a result file for other programs; the ending of the name chooses which: orbitals (.molden),
/// orbitals, determinants and density matrices (.trexio, a file per root), determinants (.txt) or integrals (.fcidump,
/// .fcidump.gz). docs/output.md describes them. Each file replaces an older one in one step. What was written goes to
/// `report`.
///
/// @throws InputError   absent or refused, another ending, an option that does not belong to it, or something that the
///                      result does not hold: says which
/// @throws SystemError  I/O failed
/// @throws ResourceError  integrals do not fit the memory
void export_result(const std::filesystem::path& result, const std::filesystem::path& file,
                   const ExportOptions& options, std::ostream& report);

/// Checks that export_result knows what the ending of a name asks for, and that a calculation gives it.
/// @param molecule     whose integrals they are; null: they are of a file
/// @param has_vectors  the result file will hold the vectors
/// @throws InputError
void require_export(const std::filesystem::path& file, const MoleculeConfig* molecule, bool has_vectors);

}  // namespace cisolve
