// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cisolve/integrals/point_group.hpp"
#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view optimise = "orbitals.optimise", weights = "orbitals.weights";
constexpr std::string_view inactive = "space.inactive", electrons = "space.reference.electrons";
constexpr std::string_view level = "space.excitation_level";
constexpr std::string_view cycles = "orbitals.cycles", natural_threshold = "orbitals.natural_threshold";
constexpr std::string_view follow = "orbitals.follow", of_lists = "orbitals.determinants";

/// Refuses what cannot be optimised, and what is hardly meant.
void require_optimisable(const EntryReader& reader, const CiConfig& config) {
  const auto refuse = [&](std::string_view why) {
    reader.refuse(optimise, fmt::format("= \"{}\" {}", reader.get<std::string>(optimise), why));
  };
  const bool is_natural = reader.get<std::string>(optimise) == "natural";
  // A single determinant is no CI, and the default space is hardly meant.
  const bool is_several = std::holds_alternative<ListedReferences>(config.reference) ||
                          std::holds_alternative<CasReference>(config.reference) ||
                          std::holds_alternative<FileReference>(config.reference);
  const bool is_poor = config.excitation_level == 0 ? !is_several : !reader.is_given(level);
  if (!is_natural && !is_active_space(config) && is_poor) {
    refuse(
        "needs an active space, such as space.reference = { electrons = 6, orbitals = 6 } with "
        "space.excitation_level = 0; to optimise the orbitals of a larger CI, give its "
        "space.excitation_level");
  }
  if (config.guess) refuse("starts from orbitals of its own; take solver.guess out");
  if (config.follow) refuse("looks for states among the lowest; take solver.follow out");
}

FinalOrbitals read_final(const std::string& word) {
  if (word == "natural") return FinalOrbitals::natural;
  return word == "unchanged" ? FinalOrbitals::unchanged : FinalOrbitals::canonical;
}

/// Refuses what is said of another kind of optimisation than the one asked for, or of none.
void require_use(const EntryReader& reader) {
  const std::string& kind = reader.get<std::string>(optimise);
  const OrbitalsConfig usual;
  const auto require = [&](std::string_view path, std::string_view its_kind, bool is_usual) {
    if (is_usual || kind == its_kind) return;
    reader.refuse(path,
                  fmt::format("is for optimise = \"{}\", but it is \"{}\"; take it out", its_kind, kind));
  };
  const auto real = [&](std::string_view path) { return reader.get<double>(path); };
  require("orbitals.gradient_tolerance", "casscf",
          real("orbitals.gradient_tolerance") == usual.gradient_tolerance);
  require("orbitals.energy_tolerance", "casscf", real("orbitals.energy_tolerance") == usual.energy_tolerance);
  require("orbitals.max_rotation", "casscf", real("orbitals.max_rotation") == usual.max_rotation);
  require("orbitals.max_iterations", "casscf",
          reader.integer("orbitals.max_iterations") == usual.max_iterations);
  require("orbitals.final", "casscf", read_final(reader.get<std::string>("orbitals.final")) == usual.final);
  require(follow, "casscf", reader.get<bool>(follow) == usual.follow);
  require(cycles, "natural", reader.integer(cycles) == usual.cycles);
  require(natural_threshold, "natural", real(natural_threshold) == usual.natural_threshold);
  require(of_lists, "natural", reader.get<std::int64_t>(of_lists) == usual.determinants);
  if (kind != "none") return;
  const auto* fixed = std::get_if<std::vector<std::int64_t>>(&reader.value("orbitals.fixed"));
  if (fixed != nullptr && !fixed->empty())
    reader.refuse("orbitals.fixed", "is for orbitals that are optimised: add optimise, or take it out");
}

/// Of each irrep, below a CAS that is given so.
void read_inactive(const EntryReader& reader, CiConfig& config) {
  if (!is_active_space(config)) {
    if (reader.has(inactive))
      reader.refuse(inactive,
                    "is for an active space: space.reference with electrons and orbitals, and "
                    "space.excitation_level = 0");
    return;
  }
  auto& cas = std::get<CasReference>(config.reference);
  if (cas.electrons == 0) reader.refuse(electrons, "= 0 leaves nothing to be optimised");
  if (!reader.has(inactive)) {
    if (config.molecule || cas.per_irrep.empty()) return;
    reader.refuse("space.reference.orbitals",
                  "per irrep need space.inactive, since a file of integrals does not say which orbitals are "
                  "occupied: inactive = [2, 0, 0, 0], say");
  }
  if (cas.per_irrep.empty())
    reader.refuse(inactive, "needs active orbitals per irrep, such as orbitals = { A1 = 3, B1 = 1 }");
  std::vector<int> counts = reader.integers(inactive);
  const PointGroup group = config.point_group ? PointGroup::parse(*config.point_group) : PointGroup();
  constexpr std::size_t most = 8;
  const std::size_t irreps = group.is_known() ? static_cast<std::size_t>(group.num_irreps()) : most;
  if (counts.size() > irreps) {
    reader.refuse(inactive, fmt::format("has {} numbers, but {} has {} irreps", counts.size(),
                                        group.is_known() ? group.name() : "no group", irreps));
  }
  counts.resize(irreps, 0);
  cas.inactive = std::move(counts);
}

/// Electrons of a molecule, which are known before its orbitals are.
void require_inactive_electrons(const EntryReader& reader, const CiConfig& config) {
  const auto* cas = std::get_if<CasReference>(&config.reference);
  if (!config.molecule || cas == nullptr || !cas->inactive) return;
  const std::vector<int>& counts = *cas->inactive;
  const int outside = config.molecule->num_electrons - cas->electrons;
  if (2 * std::accumulate(counts.begin(), counts.end(), 0) != outside) {
    reader.refuse(inactive,
                  fmt::format("holds {} orbitals, but the {} electrons outside the CAS fill {}",
                              std::accumulate(counts.begin(), counts.end(), 0), outside, 0.5 * outside));
  }
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
  require_use(reader);
  if (reader.get<std::string>(optimise) == "none") {
    if (!reader.has(weights)) return;
    if (config.natural_orbitals.of != NaturalOrbitalOutput::Of::average) {
      reader.refuse(weights,
                    "weigh roots in an average: add optimise = \"casscf\" or output.natural_orbitals = "
                    "\"average\", or take it out");
    }
    config.average_weights = read_weights(reader, config);
    return;
  }
  require_optimisable(reader, config);
  read_inactive(reader, config);
  require_inactive_electrons(reader, config);
  OrbitalsConfig orbitals;
  if (reader.get<std::string>(optimise) == "natural") orbitals.optimise = OrbitalsConfig::For::natural;
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
  orbitals.follow = reader.get<bool>(follow);
  orbitals.cycles = reader.integer(cycles);
  orbitals.natural_threshold = reader.get<double>(natural_threshold);
  orbitals.determinants = reader.get<std::int64_t>(of_lists);
  config.orbitals = std::move(orbitals);
}

}  // namespace cisolve::detail
