// SPDX-License-Identifier: MIT
// What a lattice makes of the keys of a CI calculation.
#include <array>
#include <string_view>

#include "cisolve/lattice/band_orbitals.hpp"
#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {
namespace {

bool is_t_j(const EntryMap& entries) {
  const auto model = entries.find("lattice.model");
  return model != entries.end() && std::get<std::string>(model->second.value) == "t-J";
}

/// Every irrep that the orbitals have: which of them the lowest state has is not known before.
std::vector<std::string> all_irreps(const LatticeModel& model) {
  std::vector<std::string> irreps;
  const std::size_t count = std::size_t{1} << commuting_involutions(model).size();
  for (std::size_t number = 1; number <= count; ++number) irreps.push_back(std::to_string(number));
  return irreps;
}

}  // namespace

void settle_lattice(EntryMap& entries) {
  if (!has_section(entries, "lattice")) return;
  const EntryReader reader(entries);
  // Without a dominant determinant the solver is not much better than Lanczos' method.
  constexpr std::int64_t iterations = 1000;
  if (const auto entry = entries.find("solver.max_iterations");
      entry != entries.end() && entry->second.is_default)
    entry->second.value = iterations;
  if (is_t_j(entries)) {
    for (const auto& [path, entry] : entries) {
      if (!path.starts_with("space.") || entry.is_default) continue;
      reader.refuse(path,
                    "does not go with lattice.model = \"t-J\": its space is that of all determinants "
                    "without a doubly occupied site");
    }
    return;
  }
  const auto set = [&](const char* path, const char* word) {
    const auto entry = entries.find(path);
    if (entry != entries.end() && entry->second.is_default) entry->second.value = std::string(word);
  };
  set("space.excitation_level", "full");
  set("space.reference", "lowest");
}

EntryMap shown_entries(const EntryMap& entries) {
  EntryMap shown = entries;
  if (is_t_j(entries))
    std::erase_if(shown, [](const auto& entry) { return entry.first.starts_with("space."); });
  return shown;
}

void require_lattice_keys(const EntryMap& entries, const CiConfig& given) {
  if (!given.lattice) return;
  const EntryReader reader(entries);
  constexpr std::array<std::string_view, 2> of_molecules = {"orbitals.file", "orbitals.optimise"};
  for (const std::string_view path : of_molecules) {
    if (reader.is_given(path)) reader.refuse(path, "does not go with [lattice], whose orbitals are given");
  }
  if (!given.lattice->model.is_t_j()) return;
  if (given.selection) {
    throw InputError(reader.begin("lattice.model") +
                     " = \"t-J\" has a space of its own, which [selection] does not grow in; take that out");
  }
  if (reader.has("states.irrep"))
    reader.refuse("states.irrep",
                  "does not go with lattice.model = \"t-J\", whose states have no irreps here");
}

void settle_lattice_space(CiConfig& config) {
  if (!config.lattice) return;
  if (config.lattice->model.is_t_j()) {
    config.irreps = {"all"};
    config.excitation_level = 0;
    return;
  }
  if (config.irreps.empty() && config.lattice->orbitals == LatticeOrbitalChoice::band)
    config.irreps = all_irreps(config.lattice->model);
}

}  // namespace cisolve::detail
