// SPDX-License-Identifier: MIT
#include "tasks/orbitals/start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "tasks/files/resolved_input.hpp"
#include "tasks/orbitals/orbital_roles.hpp"

namespace cisolve {
namespace {

/// Weights of a list by sector and root, padded with zeros: of two runs, one of which has more roots.
double weight_of(const std::vector<double>& weights, std::size_t sectors, std::size_t sector,
                 std::size_t root) {
  const std::size_t roots = weights.size() / sectors;
  return root < roots ? weights[sector * roots + root] : 0.0;
}

/// @param order  number of the job here of each sector there
bool is_same_average(const std::vector<double>& there, const std::vector<double>& here,
                     const std::vector<std::size_t>& order) {
  constexpr double rounding = 1e-12;
  const std::size_t sectors = order.size();
  const std::size_t roots = std::max(there.size(), here.size()) / sectors;
  for (std::size_t k = 0; k < sectors; ++k) {
    for (std::size_t root = 0; root < roots; ++root) {
      if (std::abs(weight_of(there, sectors, k, root) - weight_of(here, sectors, order[k], root)) > rounding)
        return false;
    }
  }
  return true;
}

/// Weights of the sectors there in the order of those here.
std::vector<double> in_order(const std::vector<double>& there, const std::vector<std::size_t>& order) {
  std::vector<double> here(there.size());
  const std::size_t roots = there.size() / order.size();
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t root = 0; root < roots; ++root) here[order[k] * roots + root] = there[k * roots + root];
  }
  return here;
}

/// Where roots are followed, a run that ended has their weights by the energies of its last CI: gives its vectors the
/// order of the weights here.
/// @returns whether the weights are the same but for their order
bool follow_weights(const std::vector<double>& there, const std::vector<double>& here,
                    const std::vector<std::size_t>& order, std::vector<SectorVectors>& vectors) {
  constexpr double rounding = 1e-12;
  if (there.size() != here.size()) return false;
  const std::vector<double> by_energy = in_order(there, order);
  const std::size_t sectors = order.size(), roots = here.size() / sectors;
  std::vector<std::vector<std::size_t>> sources(sectors);
  for (std::size_t sector = 0; sector < sectors; ++sector) {
    std::vector<bool> taken(roots, false);
    for (std::size_t k = sector * roots; k < (sector + 1) * roots; ++k) {
      std::size_t l = 0;
      while (l < roots && (taken[l] || std::abs(by_energy[sector * roots + l] - here[k]) > rounding)) ++l;
      if (l == roots) return false;
      taken[l] = true;
      sources[sector].push_back(l);
    }
  }
  for (std::size_t job = 0; job < vectors.size(); ++job) {
    const std::size_t rows = static_cast<std::size_t>(vectors[job].dimension);
    if (vectors[job].values.size() < rows * roots) continue;
    std::vector<double> ordered;
    for (const std::size_t l : sources[job]) {
      const auto first = vectors[job].values.begin() + static_cast<std::ptrdiff_t>(l * rows);
      ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(rows));
    }
    std::ranges::copy(ordered, vectors[job].values.begin());
  }
  return true;
}

/// Whether orbitals that another input had converged are so for this one.
bool is_converged(const CiResult::Orbitals& reached, const OrbitalsConfig& config) {
  const std::vector<double>& energies = reached.history_energy;
  const double change = energies.size() < 2 ? 0.0 : energies.back() - energies[energies.size() - 2];
  return reached.converged && reached.gradient < config.gradient_tolerance &&
         std::abs(change) < config.energy_tolerance;
}

std::string_view name_of(FinalOrbitals final) {
  switch (final) {
    case FinalOrbitals::natural:
      return "natural";
    case FinalOrbitals::unchanged:
      return "unchanged";
    default:
      return "canonical";
  }
}

/// Whether another input asks for the same orbitals beside the average.
bool asks_for_the_same(const Checkpoint& checkpoint, const OptimisationStart& start,
                       const OrbitalsConfig& config) {
  const ResolvedInput there(checkpoint.header.resolved_input, start.checkpoint_source);
  return there.final_orbitals() == name_of(config.final) &&
         std::ranges::equal(there.fixed_orbitals(), config.fixed);
}

/// Orbitals that this job fixes and the one before turned: where they were before is not in its checkpoint.
std::vector<int> turned_before(const Checkpoint& checkpoint, const OptimisationStart& start,
                               const OrbitalsConfig& config) {
  const auto there =
      ResolvedInput(checkpoint.header.resolved_input, start.checkpoint_source).fixed_orbitals();
  std::vector<int> turned;
  for (const int p : config.fixed) {
    if (std::ranges::find(there, p) == there.end()) turned.push_back(p);
  }
  return turned;
}

/// Vectors of the sectors, while orbitals were optimised or of the CI after that, for the jobs here.
std::vector<SectorVectors> vectors_of(const Checkpoint& checkpoint, const std::vector<std::size_t>& order) {
  std::vector<SectorVectors> vectors(order.size());
  if (const auto& held = checkpoint.header.orbitals->vectors) {
    for (std::size_t k = 0; k < std::min(held->size(), order.size()); ++k) vectors[order[k]] = (*held)[k];
    return vectors;
  }
  for (std::size_t k = 0; k < checkpoint.finished.size(); ++k) {
    const CiResult::Sector& sector = checkpoint.finished[k];
    if (!sector.vectors || sector.vectors->columns() == 0) continue;
    Array<double> buffer;
    const auto all = sector.vectors->view(0, sector.vectors->columns(), buffer);
    vectors[order[k]] = {sector.space.hash, sector.space.dimension, {all.begin(), all.end()}};
  }
  return vectors;
}

/// Limits of a RAS that each of `count` orbitals is under, as EarlierOrbitals has them.
std::vector<int> limits_of(const CiJob& job, std::size_t count) {
  std::vector<int> limits(count, 0);
  const auto add = [&](const std::optional<OccupationBound<most_string_words>>& bound, int bit) {
    if (bound) bound->orbitals.for_each([&](int u) { limits[job.active->active_orbitals[u]] |= bit; });
  };
  add(job.selection.max_holes, EarlierOrbitals::with_holes);
  add(job.selection.max_particles, EarlierOrbitals::with_particles);
  return limits;
}

}  // namespace

ClassifiedOrbitals orbitals_of(std::span<const CiJob> jobs) {
  const CiJob& job = jobs.front();
  const std::size_t count = job.start->irreps.size();
  ClassifiedOrbitals orbitals{job.start->coefficients, job.start->irreps, {}};
  orbitals.classes.assign(count, OrbitalClass::empty);
  for (const int p : job.core_orbitals) orbitals.classes[p] = OrbitalClass::inactive;
  orbitals.subspaces.assign(count, 0);
  const std::vector<int> subspaces = active_subspaces(jobs);
  for (std::size_t u = 0; u < subspaces.size(); ++u) {
    const int p = job.active->active_orbitals[u];
    orbitals.classes[p] = OrbitalClass::active;
    orbitals.subspaces[p] = subspaces[u];
  }
  return orbitals;
}

std::string take_earlier(const EarlierOrbitals& earlier, const MoleculeConfig& molecule, const CiJob& job,
                         ClassifiedOrbitals& start) {
  const std::vector<int> limits = limits_of(job, start.irreps.size());
  const ClassifiedOrbitals& before = earlier.orbitals;
  const std::size_t n = start.irreps.size();
  std::vector<int> source(n, -1);
  std::vector<bool> taken(before.irreps.size(), false);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q < taken.size() && source[p] < 0; ++q) {
      if (taken[q] || before.irreps[q] != start.irreps[p] || before.classes[q] != start.classes[p]) continue;
      if (!before.subspaces.empty() && before.subspaces[q] != limits[p]) continue;
      taken[q] = true;
      source[p] = static_cast<int>(q);
    }
  }
  const MoleculeConfig& there = *earlier.molecule;
  if (taken.size() != n || std::ranges::count(source, -1) > 0 ||
      there.basis.num_functions != molecule.basis.num_functions ||
      before.coefficients.rows() != molecule.basis.num_functions) {
    return fmt::format("the orbitals of {} have other irreps", earlier.origin);
  }
  Matrix carried = carried_coefficients(molecule.basis, molecule.frame.geometry,
                                        {there.basis, there.frame.geometry, before.coefficients});
  for (std::size_t p = 0; p < n; ++p)
    std::copy_n(&carried(0, source[p]), carried.rows(), &start.coefficients(0, static_cast<int>(p)));
  return "";
}

ResumedOptimisation resumed_optimisation(const CiConfig& config, const std::vector<CiJob>& jobs,
                                         const OptimisationStart& start) {
  const Checkpoint& checkpoint = *start.checkpoint;
  const CheckpointHeader& header = checkpoint.header;
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {}", start.checkpoint_source, why));
  };
  if (!header.orbitals) refuse("has no optimised orbitals, which orbitals.optimise asks for");
  ResumedOptimisation resumed{.reached = header.orbitals->reached,
                              .orbitals = orbitals_of(jobs),
                              .vectors = {},
                              .same_average = false,
                              .is_done = false};
  CiResult::Orbitals& reached = resumed.reached;
  if (reached.start_integrals_hash != jobs.front().integrals_hash) {
    refuse(fmt::format(
        "belongs to other integrals: before the orbitals were optimised their hash was {:016x}, that "
        "of this job's integrals is {:016x}",
        reached.start_integrals_hash, jobs.front().integrals_hash));
  }
  if (const std::vector<int> turned = turned_before(checkpoint, start, *config.orbitals); !turned.empty())
    refuse(fmt::format(
        "has turned orbital {}, which orbitals.fixed keeps as it is: begin anew, without --restart",
        fmt::join(turned, ", ")));
  Matrix& coefficients = resumed.orbitals.coefficients;
  const bool fits =
      std::ssize(reached.coefficients) == std::ptrdiff_t{coefficients.rows()} * coefficients.columns() &&
      reached.num_functions == coefficients.rows() &&
      std::ranges::equal(reached.irreps, resumed.orbitals.irreps, {}, [](int irrep) { return irrep - 1; });
  const std::vector<std::size_t> order = match_sectors(header, start.sectors, start.checkpoint_source);
  if (!fits || reached.weights.size() % order.size() != 0)
    refuse("is damaged: its orbitals are not those of its integrals");
  std::ranges::copy(reached.coefficients, coefficients.data());
  resumed.vectors = vectors_of(checkpoint, order);
  resumed.same_average = is_same_average(reached.weights, config.orbitals->weights, order);
  const bool has_ended = header.orbitals->vectors == nullptr;
  if (!resumed.same_average && config.orbitals->follow && has_ended) {
    resumed.same_average = follow_weights(reached.weights, config.orbitals->weights, order, resumed.vectors);
  }
  resumed.is_done = resumed.same_average && is_converged(reached, *config.orbitals) &&
                    asks_for_the_same(checkpoint, start, *config.orbitals);
  if (resumed.is_done && config.orbitals->follow) {
    reached.weights = in_order(reached.weights, order);
  } else {
    reached.weights = config.orbitals->weights;
  }
  return resumed;
}

}  // namespace cisolve
