// SPDX-License-Identifier: MIT
#include "tasks/ci/job/csf_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"

namespace cisolve {
namespace {

using Config = Configuration<most_string_words>;
using Selection = ConfigurationSelection<most_string_words>;

Config parse_occupation(const std::string& text, const CiJob& job) {
  if (std::ssize(text) > job.num_orbitals()) {
    throw InputError(fmt::format("space.reference: \"{}\" has {} orbitals, but there are {} active ones",
                                 text, text.size(), job.num_orbitals()));
  }
  Config c;
  for (int p = 0; p < static_cast<int>(text.size()); ++p) {
    const char occupation = text[p];
    if (occupation == '2') c.doubly.set(p);
    if (occupation != '2' && occupation != '0') c.singly.set(p);
  }
  if (c.num_electrons() != job.num_electrons) {
    throw InputError(fmt::format("space.reference: \"{}\" holds {} electrons, but there are {} active ones",
                                 text, c.num_electrons(), job.num_electrons));
  }
  return c;
}

/// Determinant with the alpha electrons in the lowest open shells, Ms = S if there are enough of them.
Determinant<most_string_words> first_determinant(const Config& c, int two_s) {
  const int open = c.num_open();
  const int alpha = std::min((open + two_s) / 2, open);
  return determinant_of(c, (std::uint64_t{1} << alpha) - 1);
}

/// Each once, where it comes first.
std::vector<Config> distinct(const std::vector<Config>& all) {
  std::set<Config> seen;
  std::vector<Config> result;
  for (const Config& c : all) {
    if (seen.insert(c).second) result.push_back(c);
  }
  return result;
}

/// RAS limits as bounds on electrons.
std::vector<ElectronBounds<most_string_words>> bounds_of(const SpaceSelection<most_string_words>& selection) {
  std::vector<ElectronBounds<most_string_words>> bounds;
  if (const auto& holes = selection.max_holes) {
    bounds.push_back({.orbitals = holes->orbitals, .fewest = 2 * holes->orbitals.count() - holes->count});
  }
  if (const auto& particles = selection.max_particles) {
    bounds.push_back({.orbitals = particles->orbitals, .most = particles->count});
  }
  return bounds;
}

}  // namespace

void settle_listed_configurations(const CiConfig& config, const SectorChoice& sector, CiJob& job) {
  Selection& selection = job.csf.emplace();
  const Integrals& v = job.active->integrals;
  for (const std::string& text : std::get<ListedReferences>(config.reference).occupations) {
    selection.references.push_back(parse_occupation(text, job));
  }
  const Config& first = selection.references.front();
  const bool restricted = !sector.irrep || *sector.irrep != "all";
  job.selection.irrep = !restricted    ? any_irrep
                        : sector.irrep ? job.point_group.irrep_number(*sector.irrep) - 1
                                       : irrep_of(first.singly, v.irreps);
  const auto determinant = first_determinant(first, job.ms2);
  job.selection.references = {determinant};
  job.reference_energy = matrix_element(v, determinant, determinant);
}

void settle_csf(const CiConfig& config, CiJob& job) {
  if (!job.csf) {
    Selection& selection = job.csf.emplace();
    for (const auto& d : job.selection.references) selection.references.push_back(configuration_of(d));
  }
  Selection& selection = *job.csf;
  selection.references = distinct(selection.references);
  selection.num_orbitals = job.num_orbitals();
  selection.irreps = job.active->integrals.irreps;
  selection.irrep = job.selection.irrep;
  selection.two_s = job.ms2;
  const int most = max_excitation_level(selection.references.front(), selection.num_orbitals);
  selection.excitation_level =
      config.excitation_level == full_excitation ? most : std::min(config.excitation_level, most);
  selection.bounds = bounds_of(job.selection);
  const auto removed =
      std::erase_if(selection.references, [&](const Config& c) { return !keeps_bounds(selection, c); });
  if (selection.references.empty()) {
    throw InputError(fmt::format("space.{}: none of the {} reference configurations keeps this limit",
                                 config.max_holes ? "max_holes" : "max_particles", removed));
  }
  job.spin_complete = true;
}

}  // namespace cisolve
