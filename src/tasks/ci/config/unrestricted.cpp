// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>

#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {

void settle_unrestricted(const EntryMap& entries, CiConfig& config) {
  if (!config.molecule || !config.molecule->scf.unrestricted) return;
  const EntryReader reader(entries);
  const auto refuse = [&](std::string_view path, std::string_view why) {
    reader.refuse(path, fmt::format("does not go with molecule.method = \"uhf\": {}", why));
  };
  constexpr std::string_view no_spin =
      "over orbitals that differ from spin to spin, H and S^2 do not commute in a CI that is not full; take "
      "it "
      "out, or set molecule.method = \"rhf\"";
  constexpr std::string_view not_carried =
      "the points of a scan begin anew, each by itself; take it out, or set molecule.method = \"rhf\"";
  if (config.basis == BasisChoice::csf)
    refuse("space.basis",
           "CSFs need orbitals that both spins share; use \"determinant\", or set "
           "molecule.method = \"rhf\"");
  if (!config.multiplicities.empty()) refuse("states.multiplicity", no_spin);
  config.spin_complete = false;  // nothing makes a space of these determinants so, but that it is full
  if (!config.orbitals_file.empty())
    refuse("orbitals.file", "its orbitals are of both spins; take molecule.method out");
  if (config.orbitals)
    refuse("orbitals.optimise",
           "only orbitals that both spins share are optimised; set molecule.method = "
           "\"rhf\", whose orbitals they start from");
  if (config.natural_orbitals.of != NaturalOrbitalOutput::Of::none)
    refuse("output.natural_orbitals",
           "natural orbitals are made of ones that both spins share; set "
           "molecule.method = \"rhf\"");
  for (const std::filesystem::path& file : config.also) {
    if (file.extension() == ".trexio")
      refuse("output.also",
             "TREXIO files are written of orbitals that both spins share; .molden and .fcidump "
             "files hold those of each");
  }
  if (!has_section(entries, "scan")) return;
  if (config.follow) refuse("solver.follow", not_carried);
  if (reader.get<std::string>("scan.scf_state") == "follow") refuse("scan.scf_state", not_carried);
}

}  // namespace cisolve::detail
