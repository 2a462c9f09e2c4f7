// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/integrals/rotation.hpp"
#include "tasks/ci/integrals_of_result.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_states.hpp"

namespace cisolve {

std::string export_fcidump(const ExportedResult& from, const std::filesystem::path& file,
                           const ExportOptions& options) {
  const CiResult& result = from.result;
  const std::string& source = result.system.integrals_file;
  if (!source.empty() && std::filesystem::exists(file) && std::filesystem::exists(source) &&
      std::filesystem::equivalent(file, source))
    throw InputError(
        fmt::format("{} is the file that the integrals come from; give another name", file.string()));
  const auto integrals = integrals_of(result, from.file);
  const auto roots = chosen_roots(result, options, from.file);
  const CiResult::Sector& sector = result.sectors[result.roots[roots.front()].sector];
  const int irrep = std::max(result.root(roots.front()).irrep, 1);
  std::string what = "the orbitals of the run";
  if (options.natural) {
    const NaturalOrbitals natural = natural_orbitals_of(result, roots, from.file);
    what = "the natural orbitals of " + states_text(roots, options);
    write_fcidump(file, rotated(*integrals, natural.coefficients, natural.irreps), result.system.n_electrons,
                  sector.ms2, irrep);
  } else {
    write_fcidump(file, *integrals, result.system.n_electrons, sector.ms2, irrep);
  }
  return fmt::format("integrals over {} active orbitals, {}", result.system.n_orbitals, what);
}

}  // namespace cisolve
