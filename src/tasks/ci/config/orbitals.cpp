// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view optimise = "orbitals.optimise", weights = "orbitals.weights";
constexpr std::string_view inactive = "space.inactive", electrons = "space.reference.electrons";

/// Refuses what cannot be optimised, or not yet.
void require_active_space(const EntryReader& reader, const CiConfig& config) {
  constexpr std::string_view example = "space.reference = { electrons = 6, orbitals = 6 }";
  const auto refuse = [&](std::string_view why) {
    reader.refuse(optimise, fmt::format("= \"casscf\" {}", why));
  };
  if (!std::holds_alternative<CasReference>(config.reference))
    refuse(fmt::format("needs an active space, such as {}", example));
  if (config.excitation_level != 0) {
    refuse(fmt::format(
        "needs space.excitation_level = 0, the active space alone; it is {}",
        config.excitation_level == full_excitation ? "\"full\"" : std::to_string(config.excitation_level)));
  }
  if (config.max_holes || config.max_particles)
    refuse("is for complete active spaces; take space.max_holes and space.max_particles out");
  if (config.guess) refuse("starts from orbitals of its own; take solver.guess out");
  if (config.follow) refuse("optimises the lowest states; take solver.follow out");
}

/// Of each irrep, below a CAS that is given so.
void read_inactive(const EntryReader& reader, CiConfig& config) {
  auto& cas = std::get<CasReference>(config.reference);
  if (cas.electrons == 0) reader.refuse(electrons, "= 0 leaves nothing to be optimised");
  if (!reader.has(inactive)) return;
  if (cas.per_irrep.empty())
    reader.refuse(inactive, "needs active orbitals per irrep, such as orbitals = { A1 = 3, B1 = 1 }");
  std::vector<int> counts = reader.integers(inactive);
  const auto irreps = static_cast<std::size_t>(config.molecule->frame.group.num_irreps());
  if (counts.size() > irreps) {
    reader.refuse(inactive, fmt::format("has {} numbers, but {} has {} irreps", counts.size(),
                                        config.molecule->frame.group.name(), irreps));
  }
  counts.resize(irreps, 0);
  const int outside = config.molecule->num_electrons - cas.electrons;
  if (2 * std::accumulate(counts.begin(), counts.end(), 0) != outside) {
    reader.refuse(inactive,
                  fmt::format("holds {} orbitals, but the {} electrons outside the CAS fill {}",
                              std::accumulate(counts.begin(), counts.end(), 0), outside, 0.5 * outside));
  }
  cas.inactive = std::move(counts);
}

/// One per root, of sum 1.
std::vector<double> read_weights(const EntryReader& reader, const CiConfig& config) {
  const std::size_t sectors =
      std::max<std::size_t>(config.irreps.size(), 1) * std::max<std::size_t>(config.multiplicities.size(), 1);
  const std::size_t roots = sectors * static_cast<std::size_t>(config.count);
  if (!reader.has(weights)) return std::vector<double>(roots, 1.0 / static_cast<double>(roots));
  const auto* given = std::get_if<std::vector<double>>(&reader.value(weights));
  std::vector<double> found = given != nullptr ? *given : std::vector<double>();
  if (found.size() != roots) {
    reader.refuse(weights, fmt::format("has {} weight{}; {} sector{} of {} root{} need {}", found.size(),
                                       found.size() == 1 ? "" : "s", sectors, sectors == 1 ? "" : "s",
                                       config.count, config.count == 1 ? "" : "s", roots));
  }
  const double sum = std::accumulate(found.begin(), found.end(), 0.0);
  if (!(sum > 0.0)) reader.refuse(weights, "are all 0; at least one root must take part");
  for (double& weight : found) weight /= sum;
  return found;
}

FinalOrbitals read_final(const std::string& word) {
  if (word == "natural") return FinalOrbitals::natural;
  return word == "unchanged" ? FinalOrbitals::unchanged : FinalOrbitals::canonical;
}

}  // namespace

void read_optimisation(const EntryMap& entries, CiConfig& config) {
  const EntryReader reader(entries);
  if (!has_section(entries, "orbitals") || reader.get<std::string>(optimise) == "none") {
    if (reader.has(inactive))
      reader.refuse(
          inactive,
          "is for orbitals that are optimised: add [orbitals] optimise = \"casscf\", or take it out");
  }
  if (!has_section(entries, "orbitals")) return;
  if (!config.molecule) {
    reader.refuse(optimise,
                  "needs orbitals over basis functions, which [molecule] gives and a file of integrals does "
                  "not; take [orbitals] out");
  }
  if (reader.get<std::string>(optimise) == "none") {
    if (reader.has(weights))
      reader.refuse(
          weights, "weigh roots for which orbitals are optimised: add optimise = \"casscf\", or take it out");
    return;
  }
  require_active_space(reader, config);
  read_inactive(reader, config);
  OrbitalsConfig orbitals;
  for (std::string* key : {&orbitals.fixed_key, &orbitals.reference_key}) {
    if (reader.has(*key)) *key = reader.begin(*key);
  }
  orbitals.weights = read_weights(reader, config);
  orbitals.gradient_tolerance = reader.get<double>("orbitals.gradient_tolerance");
  orbitals.energy_tolerance = reader.get<double>("orbitals.energy_tolerance");
  orbitals.max_iterations = reader.integer("orbitals.max_iterations");
  orbitals.max_rotation = reader.get<double>("orbitals.max_rotation");
  const auto* fixed = std::get_if<std::vector<std::int64_t>>(&reader.value("orbitals.fixed"));
  if (fixed != nullptr) orbitals.fixed.assign(fixed->begin(), fixed->end());
  orbitals.final = read_final(reader.get<std::string>("orbitals.final"));
  config.orbitals = std::move(orbitals);
}

}  // namespace cisolve::detail
