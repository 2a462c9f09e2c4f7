// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view criterion = "selection.criterion", epsilon = "selection.epsilon";
constexpr std::string_view determinants = "selection.determinants", correction = "selection.correction";
constexpr std::string_view change = "selection.correction_change", perturbation = "selection.perturbation";

std::vector<double> read_epsilon(const EntryReader& reader) {
  if (!reader.has(epsilon)) return {};
  std::vector<double> thresholds;
  const InputValue& value = reader.value(epsilon);
  if (const auto* one = std::get_if<double>(&value)) thresholds = {*one};
  if (const auto* whole = std::get_if<std::int64_t>(&value)) thresholds = {static_cast<double>(*whole)};
  if (const auto* list = std::get_if<std::vector<double>>(&value)) thresholds = *list;
  if (thresholds.empty()) reader.refuse(epsilon, "is an empty list; it needs at least one threshold");
  for (std::size_t k = 1; k < thresholds.size(); ++k) {
    if (thresholds[k] >= thresholds[k - 1])
      reader.refuse(epsilon, fmt::format("goes from {} to {}; thresholds must descend", thresholds[k - 1],
                                         thresholds[k]));
  }
  return thresholds;
}

SelectionCriterion read_criterion(const std::string& word) {
  if (word == "heat-bath") return SelectionCriterion::heat_bath;
  return word == "amplitude" ? SelectionCriterion::amplitude : SelectionCriterion::perturbation;
}

SelectionConfig::Perturbation read_perturbation(const std::string& word) {
  using Perturbation = SelectionConfig::Perturbation;
  if (word == "none") return Perturbation::none;
  return word == "semistochastic" ? Perturbation::semistochastic : Perturbation::exact;
}

double optional_real(const EntryReader& reader, std::string_view path) {
  return reader.has(path) ? reader.get<double>(path) : 0.0;
}

/// Refuses keys of another criterion, and of sums that are not made.
void require_use(const EntryReader& reader, const SelectionConfig& selection) {
  const bool by_amplitude = selection.criterion == SelectionCriterion::amplitude;
  if (by_amplitude && reader.has(epsilon))
    reader.refuse(epsilon,
                  "is no threshold of amplitudes, of which the largest are taken; give determinants instead");
  if (!by_amplitude && selection.core > 0)
    reader.refuse("selection.core", "is for criterion = \"amplitude\"; take it out");
  const auto& word = reader.get<std::string>(perturbation);
  if (selection.perturbation == SelectionConfig::Perturbation::none) {
    if (selection.criterion == SelectionCriterion::perturbation)
      reader.refuse(perturbation,
                    "= \"none\" does not go with criterion = \"perturbation\", which sums it; take it out");
    for (const std::string_view path : {correction, change}) {
      if (reader.has(path)) reader.refuse(path, "needs the correction, but perturbation is \"none\"");
    }
  }
  const SelectionConfig usual;
  const bool by_threshold = selection.grows_by_threshold();
  if (by_threshold && selection.growth != usual.growth)
    reader.refuse("selection.growth",
                  "is for lists that grow by numbers, and this one does by thresholds; take it out");
  if (!by_threshold && selection.stage_end != usual.stage_end)
    reader.refuse("selection.stage_end", "is for thresholds, and this list grows by numbers; take it out");
  if (selection.criterion == SelectionCriterion::perturbation &&
      selection.perturbation == SelectionConfig::Perturbation::semistochastic)
    reader.refuse(perturbation,
                  "= \"semistochastic\" does not go with criterion = \"perturbation\", which sums over all "
                  "determinants to find the largest; take it out");
  if (selection.perturbation == SelectionConfig::Perturbation::semistochastic) return;
  const auto require_usual = [&](std::string_view path, bool is_usual) {
    if (!is_usual)
      reader.refuse(path, fmt::format("is for perturbation = \"semistochastic\", but it is \"{}\"", word));
  };
  require_usual("selection.perturbation_error", selection.perturbation_error == usual.perturbation_error);
  require_usual("selection.seed", selection.seed == usual.seed);
}

/// Refuses what a list that grows does not go with.
void require_compatible(const EntryReader& reader, const CiConfig& config) {
  const auto refuse = [&](std::string_view path, std::string_view why) { reader.refuse(path, why); };
  if (config.basis == BasisChoice::csf)
    refuse("space.basis",
           "= \"csf\" does not go with [selection], which works on determinants; spin_complete = true "
           "gives pure spins");
  if (config.orbitals && config.orbitals->optimise == OrbitalsConfig::For::casscf)
    refuse("orbitals.optimise",
           "= \"casscf\" does not go with [selection]; \"natural\" takes natural orbitals of a short list");
  if (config.storage == "direct")
    refuse("hamiltonian.storage",
           "= \"direct\" needs blocks of strings, and [selection] makes a list; take it out");
  if (config.guess)
    refuse("solver.guess",
           "does not go with [selection], which starts from its references: take it out, "
           "or give the file as space.reference = { file = ... }");
  if (config.follow) refuse("solver.follow", "does not go with [selection]; take it out");
  if (!config.multiplicities.empty() && reader.is_given("space.spin_complete") && !config.spin_complete)
    refuse("space.spin_complete",
           "= false has no roots of one spin, but states.multiplicity asks for them; take one out");
  if (config.max_holes)
    refuse("space.max_holes.orbitals", "limits the space that [selection] starts from alone; take it out");
  if (config.max_particles)
    refuse("space.max_particles.orbitals",
           "limits the space that [selection] starts from alone; take it out");
}

}  // namespace

void read_selection(const EntryMap& entries, CiConfig& config) {
  const EntryReader reader(entries);
  if (!has_section(entries, "selection")) {
    if (reader.is_given("orbitals.determinants"))
      reader.refuse("orbitals.determinants", "is for [selection], whose lists it limits; take it out");
    return;
  }
  SelectionConfig selection;
  selection.criterion = read_criterion(reader.get<std::string>(criterion));
  selection.epsilon = read_epsilon(reader);
  selection.determinants = reader.get<std::int64_t>(determinants);
  selection.growth = reader.get<double>("selection.growth");
  selection.core = reader.get<std::int64_t>("selection.core");
  selection.correction = optional_real(reader, correction);
  selection.correction_change = optional_real(reader, change);
  selection.stage_end = reader.get<double>("selection.stage_end");
  selection.perturbation = read_perturbation(reader.get<std::string>(perturbation));
  selection.perturbation_error = reader.get<double>("selection.perturbation_error");
  selection.seed = static_cast<std::uint64_t>(reader.get<std::int64_t>("selection.seed"));
  require_use(reader, selection);
  require_compatible(reader, config);
  config.keep_orbitals = true;
  config.selection = std::move(selection);
}

void settle_selection(EntryMap& entries) {
  if (!has_section(entries, "selection")) return;
  const auto set_default = [&](const char* path, InputValue value) {
    InputEntry& entry = entries[path];
    if (entry.is_default) entry.value = std::move(value);
  };
  const EntryReader reader(entries);
  const bool ends =
      reader.has(epsilon) || reader.is_given(determinants) || reader.has(correction) || reader.has(change);
  constexpr double usual_correction = 1e-3;  // hartree
  if (!ends && reader.get<std::string>(perturbation) != "none")
    entries.emplace(correction, InputEntry{usual_correction, reader.where(criterion), true});
  set_default("space.excitation_level", std::int64_t{0});
  set_default("space.spin_complete", entries.contains("states.multiplicity"));
}

}  // namespace cisolve::detail
