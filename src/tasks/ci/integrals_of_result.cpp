// SPDX-License-Identifier: MIT
#include "tasks/ci/integrals_of_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "tasks/files/read_trexio.hpp"
#include "tasks/files/resolved_input.hpp"

namespace cisolve {
namespace {

/// Zero-based frozen orbitals of a file of integrals.
struct Frozen {
  std::vector<int> core, virtuals;
};

Frozen frozen_orbitals(const CiResult::System& system, int num_orbitals) {
  Frozen frozen;
  const auto holds = [](const std::vector<std::int32_t>& list, int p) {
    return std::ranges::find(list, p + 1) != list.end();
  };
  for (int p = 0; p < num_orbitals; ++p) {
    if (holds(system.active_orbitals, p)) continue;
    (holds(system.core_orbitals, p) ? frozen.core : frozen.virtuals).push_back(p);
  }
  return frozen;
}

/// Reads the integrals once more from the file that the input named.
/// @throws InputError  they cannot be had from there
std::shared_ptr<const Integrals> read_source(const CiResult& result, const std::filesystem::path& file) {
  const CiResult::System& system = result.system;
  const std::string lacks = fmt::format("{} holds no integrals", file.string());
  if (system.integrals_file.empty())
    throw InputError(
        lacks +
        ": a result has them beside its vectors (output.vectors), if they take up to 64 MiB or no "
        "more than those; cisolve INPUT --write-fcidump FILE writes those of a molecule, also over "
        "the orbitals that orbitals.file names");
  if (!std::filesystem::exists(system.integrals_file))
    throw InputError(fmt::format("{}, and their source is not there: {}", lacks, system.integrals_file));
  FcidumpOptions options;
  if (system.point_group != "unknown") options.point_group = PointGroup::parse(system.point_group);
  const bool unrestricted = system.orbitals == "unrestricted";
  // Unrestricted ones are, whoever told it.
  if (unrestricted) {
    options.spins = FcidumpSpins::unrestricted;
  } else if (ResolvedInput(result.resolved_text, file).spins() == "restricted") {
    options.spins = FcidumpSpins::restricted;
  }
  FcidumpFile source = read_integral_file(system.integrals_file, options);
  if (unrestricted) {
    RecoveredOverlap found = recover_overlap(source.integrals);
    if (found.violation <= one_space_violation)
      source.integrals.beta->overlap = spin_overlap(std::move(found.overlap), "integrals");
  }
  if (source.complex)
    throw InputError(fmt::format("{}, and those of {} are complex", lacks, system.integrals_file));
  const Frozen frozen = frozen_orbitals(system, source.integrals.num_orbitals);
  const bool known = std::ssize(frozen.core) == system.n_frozen_core &&
                     std::ssize(frozen.virtuals) == system.n_frozen_virtual;
  if (!known)
    throw InputError(fmt::format("{}, and does not say which orbitals of {} are the frozen core", lacks,
                                 system.integrals_file));
  auto integrals =
      std::make_shared<const Integrals>(freeze(source.integrals, frozen.core, frozen.virtuals).integrals);
  if (hash(*integrals) != system.integrals_hash)
    throw InputError(
        fmt::format("{}, and {} is not what it was at the time of the run", lacks, system.integrals_file));
  return integrals;
}

}  // namespace

std::shared_ptr<const Integrals> integrals_of(const CiResult& result, const std::filesystem::path& file) {
  return result.integrals ? result.integrals : read_source(result, file);
}

}  // namespace cisolve
