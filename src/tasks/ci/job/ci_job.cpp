// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci/job/ci_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/problem/resources.hpp"
#include "tasks/ci/job/followed_orbitals.hpp"
#include "tasks/ci/job/integral_source.hpp"
#include "tasks/ci/job/left_out.hpp"
#include "tasks/ci/job/sector_functions.hpp"
#include "tasks/ci/job/split_states.hpp"
#include "tasks/orbitals/active_space.hpp"

namespace cisolve {
namespace {

/// The active part of the SCF's determinant where that is not the first orbitals, nothing else is asked for, the states
/// have its Ms, and frozen orbitals are doubly occupied or empty in it; else none.
std::optional<std::string> determinant_as_reference(const CiConfig& config, const IntegralSource& source,
                                                    const OrbitalPartition& partition) {
  const std::string& all = source.determinant;
  const bool is_default = std::holds_alternative<AufbauReference>(config.reference) &&
                          config.irreps.empty() && config.ms2.value_or(source.ms2) == source.ms2;
  if (all.empty() || !is_default) return std::nullopt;
  std::string outside = all, active;
  for (const int p : partition.active) {
    active += all[p];
    outside[p] = '0';
  }
  for (const int p : partition.core) outside[p] = all[p] == '2' ? '0' : 'u';
  if (outside.find_first_not_of('0') != std::string::npos) return std::nullopt;
  active.resize(active.find_last_not_of('0') + 1);
  return active;
}

std::string determinant_warning(const std::string& occupation) {
  return fmt::format(
      "beta electrons of the UHF determinant occupy an orbital that alpha ones leave empty, so that the "
      "first "
      "orbitals are not that determinant; space.reference = [\"{}\"] is taken, which is",
      occupation);
}

/// Nothing where there is nothing to say.
void add(std::vector<std::string>& warnings, std::string warning) {
  if (!warning.empty()) warnings.push_back(std::move(warning));
}

}  // namespace

std::vector<int> frozen_orbitals(const FrozenOrbitals& wanted, const IntegralSource& source,
                                 bool at_the_end) {
  std::vector<int> orbitals;
  const int num_orbitals = source.num_orbitals;
  const bool cores = std::holds_alternative<NobleGasCores>(wanted);
  const FrozenOrbitals choice = cores ? FrozenOrbitals(source.noble_gas_core) : wanted;
  if (const auto* count = std::get_if<int>(&choice)) {
    if (*count > num_orbitals) {
      throw InputError(fmt::format("space.{}: {} orbitals are to be frozen, but there are {}",
                                   at_the_end ? "frozen_virtual" : "frozen_core", *count, num_orbitals));
    }
    orbitals.resize(*count);
    std::iota(orbitals.begin(), orbitals.end(),
              at_the_end ? num_orbitals - static_cast<int>(orbitals.size()) : 0);
  } else {
    for (const int p : std::get<std::vector<int>>(choice)) orbitals.push_back(p - 1);
  }
  return orbitals;
}

namespace {

/// 2 Ms of all electrons by the chain states.ms2, states.multiplicity, the header.
int settle_ms2(const CiConfig& config, const SectorChoice& sector, const IntegralSource& source,
               int electrons, std::vector<std::string>& warnings) {
  const bool odd = electrons % 2 != 0;
  if (sector.multiplicity && (*sector.multiplicity % 2 == 0) != odd) {
    throw InputError(
        fmt::format("states.multiplicity: {} electrons cannot have multiplicity {}; it must be {}", electrons,
                    *sector.multiplicity, odd ? "even" : "odd"));
  }
  if (config.ms2) {
    if ((*config.ms2 % 2 != 0) != odd) {
      throw InputError(fmt::format("states.ms2: {} electrons cannot have ms2 = {}; it must be {}", electrons,
                                   *config.ms2, odd ? "odd" : "even"));
    }
    if (sector.multiplicity && std::abs(*config.ms2) > *sector.multiplicity - 1) {
      throw InputError(fmt::format("states.ms2: multiplicity {} has no component with ms2 = {}; at most {}",
                                   *sector.multiplicity, *config.ms2, *sector.multiplicity - 1));
    }
    return *config.ms2;
  }
  if (sector.multiplicity) return *sector.multiplicity - 1;
  if ((source.ms2 % 2 != 0) == odd) return source.ms2;
  // The header's spin belongs to another number of electrons (or it gave none): the lowest that fits.
  const int ms2 = odd ? 1 : 0;
  if (config.electrons && source.ms2_given) {
    const std::string used =
        config.basis == BasisChoice::csf
            ? fmt::format("multiplicity {} is used (set states.multiplicity to choose)", ms2 + 1)
            : fmt::format("ms2 = {} is used (set states.ms2 or states.multiplicity to choose)", ms2);
    warnings.push_back(
        fmt::format("{} electrons cannot have the header's MS2 = {}; {}", electrons, source.ms2, used));
  }
  return ms2;
}

/// Active electrons of each spin.
ActiveElectrons settle_electrons(const CiConfig& config, const SectorChoice& sector, int electrons, int ms2,
                                 int num_orbitals, int core, int active) {
  const bool csf = config.basis == BasisChoice::csf;
  const char* key = csf || (!config.ms2 && sector.multiplicity) ? "states.multiplicity" : "states.ms2";
  if (electrons < 1 || electrons > 2 * num_orbitals) {
    throw InputError(fmt::format("integrals.electrons: {} electrons do not fit {} orbitals; use 1 to {}",
                                 electrons, num_orbitals, 2 * num_orbitals));
  }
  if (std::abs(ms2) > electrons || (electrons + std::abs(ms2)) / 2 > num_orbitals) {
    const std::string spin = csf ? fmt::format("multiplicity {}", ms2 + 1)
                                 : fmt::format("ms2 = {} (multiplicity {})", ms2, std::abs(ms2) + 1);
    throw InputError(
        fmt::format("{}: {} electrons in {} orbitals cannot have {}", key, electrons, num_orbitals, spin));
  }
  const int alpha = (electrons + ms2) / 2 - core;
  const int beta = (electrons - ms2) / 2 - core;
  if (alpha < 0 || beta < 0) {
    throw InputError(fmt::format("space.frozen_core: {} frozen orbitals, but only {} are doubly occupied",
                                 core, (electrons - std::abs(ms2)) / 2));
  }
  if (alpha + beta == 0) {
    throw InputError(
        fmt::format("space.frozen_core: {} frozen orbitals leave no electron to correlate", core));
  }
  if (std::max(alpha, beta) > active) {
    const std::string which = csf ? fmt::format("{} electrons with multiplicity {}", alpha + beta, ms2 + 1)
                                  : fmt::format("{} electrons of one spin", std::max(alpha, beta));
    if (active <= 0) {
      throw InputError(
          fmt::format("space.frozen_virtual: with {} frozen core orbitals, none of the {} orbitals is left",
                      core, num_orbitals));
    }
    throw InputError(fmt::format("space.frozen_virtual: {} do not fit the {} orbitals left", which, active));
  }
  return {alpha, beta};
}

/// Electrons in active spinors, which all count as alpha ones.
ActiveElectrons settle_spinors(int electrons, int num_spinors, int core, int active) {
  if (electrons < 1 || electrons > num_spinors) {
    throw InputError(fmt::format("integrals.electrons: {} electrons do not fit {} spinors; use 1 to {}",
                                 electrons, num_spinors, num_spinors));
  }
  if (core >= electrons) {
    throw InputError(fmt::format(
        "space.frozen_core: {} frozen spinors leave none of {} electrons to correlate", core, electrons));
  }
  if (electrons - core > active) {
    throw InputError(fmt::format("space.frozen_virtual: {} electrons do not fit the {} spinors left",
                                 electrons - core, active));
  }
  return {electrons - core, 0};
}

/// RAS limits, in zero-based orbitals.
std::optional<OccupationBound<most_string_words>> bound(const std::optional<OccupationLimit>& limit,
                                                        std::string_view key, int num_orbitals) {
  if (!limit) return std::nullopt;
  OccupationBound<most_string_words> result;
  result.count = limit->count;
  for (const int p : limit->orbitals) {
    if (p < 1 || p > num_orbitals) {
      throw InputError(
          fmt::format("{}: orbital {} is outside 1 .. {}, the active orbitals", key, p, num_orbitals));
    }
    result.orbitals.set(p - 1);
  }
  return result;
}

/// Labels of all orbitals, or their numbers.
std::vector<std::string> all_names(const CiJob& job, int num_orbitals) {
  std::vector<std::string> names = job.orbital_labels;
  for (int p = static_cast<int>(names.size()); p < num_orbitals; ++p) names.push_back(std::to_string(p + 1));
  return names;
}

/// Where a file names an irrep by ISYM, and the roots are of another without being asked for; else empty. Many programs
/// write 1 whatever the state.
std::string isym_warning(const IntegralSource& source, const CiConfig& config, const CiJob& job) {
  const int irrep = job.selection.irrep;
  if (!config.irreps.empty() || irrep == any_irrep || source.isym == irrep + 1) return "";
  if (source.isym < 2 || source.isym > source.point_group.num_irreps()) return "";
  return fmt::format(
      "{}: ISYM = {} is not used: the roots are of irrep {}, the first reference's; states.irrep = {} "
      "gives the others",
      config.integrals_file.string(), source.isym, irrep + 1, source.isym);
}

/// Frozen sets that are followed and not those of the input, or that cut a degenerate set.
void warn_of_frozen(const CiConfig& given, const IntegralSource& source, const std::vector<int>& core,
                    const std::vector<int>& virtuals, const std::vector<std::string>& names,
                    std::vector<std::string>& warnings) {
  if (given.chosen_before) {
    const std::string& origin = given.chosen_before->origin;
    add(warnings, followed_warning("the frozen core", origin, core,
                                   frozen_orbitals(given.frozen_core, source, false), names));
    add(warnings, followed_warning("the set of frozen virtuals", origin, virtuals,
                                   frozen_orbitals(given.frozen_virtual, source, true), names));
  }
  add(warnings, cut_warning("space.frozen_core", source.shells, core, names));
  add(warnings, cut_warning("space.frozen_virtual", source.shells, virtuals, names));
}

/// What the input says with orbitals named anew, and which of those of the source are frozen, zero-based.
struct OrbitalChoice {
  CiConfig config;
  std::vector<int> core, virtuals;
};

OrbitalChoice choose_orbitals(const CiConfig& given, const IntegralSource& source, CiJob& common) {
  const std::vector<std::string> names = all_names(common, source.num_orbitals);
  OrbitalChoice choice;
  CiConfig& config = choice.config;
  config = given.chosen_before ? follow_orbitals(given, source.molecule->scf.orbitals, names, common.warnings)
                               : given;
  if (config.orbitals) config = freeze_outside_active_space(config, source, names, common.warnings);
  choice.core = frozen_orbitals(config.frozen_core, source, false);
  choice.virtuals = frozen_orbitals(config.frozen_virtual, source, true);
  if (!config.orbitals || !is_active_space(config))
    warn_of_frozen(given, source, choice.core, choice.virtuals, names, common.warnings);
  std::vector<int> frozen = choice.core;
  frozen.insert(frozen.end(), choice.virtuals.begin(), choice.virtuals.end());
  common.left_out = orbitals_left_out(config, source, frozen, names);
  choice.virtuals.insert(choice.virtuals.end(), common.left_out.begin(), common.left_out.end());
  common.num_frozen_core = static_cast<int>(choice.core.size());
  common.core_orbitals = choice.core;
  std::sort(common.core_orbitals.begin(), common.core_orbitals.end());
  common.num_frozen_virtual = static_cast<int>(choice.virtuals.size());
  return choice;
}

/// A sector's multiplicity, Ms and active electrons.
ActiveElectrons settle_spin(const CiConfig& config, const SectorChoice& sector, const IntegralSource& source,
                            int active, CiJob& job) {
  const int electrons = source.num_electrons, all_orbitals = source.num_orbitals;
  job.multiplicity = sector.multiplicity;
  job.ms2 = source.spinors ? electrons - job.num_frozen_core
                           : settle_ms2(config, sector, source, electrons, job.warnings);
  if (config.basis == BasisChoice::csf) {
    job.ms2 = std::abs(job.ms2);
    job.multiplicity = job.ms2 + 1;
  }
  const ActiveElectrons split =
      source.spinors
          ? settle_spinors(electrons, all_orbitals, job.num_frozen_core, active)
          : settle_electrons(config, sector, electrons, job.ms2, all_orbitals, job.num_frozen_core, active);
  job.num_electrons = split.alpha + split.beta;
  return split;
}

/// Refuses more active orbitals than a string holds.
void require_strings(const CiConfig& config, const IntegralSource& source, int active) {
  const int most = most_string_orbitals / source.places_per_orbital;
  if (active <= most) return;
  const std::string from = config.molecule ? "molecule.basis" : config.integrals_file.string();
  throw InputError(
      fmt::format("{}: {} active orbitals{} are more than the {} that this version can handle; freeze some "
                  "by space.frozen_core or space.frozen_virtual",
                  from, active, source.places_per_orbital > 1 ? " with complex integrals" : "", most));
}

/// The active orbitals of a selection, and the limits of its RAS.
void select_orbitals(const CiConfig& config, const IntegralSource& source, int active, CiJob& job) {
  job.selection.num_orbitals = active;
  job.selection.irreps = job.active->integrals.irreps;
  job.selection.max_holes = bound(config.max_holes, "space.max_holes.orbitals", active);
  job.selection.max_particles = bound(config.max_particles, "space.max_particles.orbitals", active);
  // The places of beta electrons that spinors don't have count as holes, in references, too.
  if (source.spinors && job.selection.max_holes)
    job.selection.max_holes->count += job.selection.max_holes->orbitals.count();
}

}  // namespace

void require_same_orbitals(const CiResult& earlier, const ActiveIntegrals& active, const std::string& name) {
  // At level 0 the last orbitals may have been left out.
  const bool has_fewer =
      !earlier.system.left_out_orbitals.empty() && earlier.system.n_orbitals < active.integrals.num_orbitals;
  if (earlier.system.n_orbitals != active.integrals.num_orbitals && !has_fewer) {
    throw InputError(fmt::format("{} has {} active orbitals, this job has {}", name,
                                 earlier.system.n_orbitals, active.integrals.num_orbitals));
  }
  const auto& here = active.active_orbitals;
  for (std::size_t p = 0; p < std::min(here.size(), earlier.system.active_orbitals.size()); ++p) {
    if (earlier.system.active_orbitals[p] == here[p] + 1) continue;
    throw InputError(
        fmt::format("{} froze other orbitals: its active orbital {} is number {} of the file, here it is {}",
                    name, p + 1, earlier.system.active_orbitals[p], here[p] + 1));
  }
}

std::int64_t memory_limit(const CiConfig& config) {
  return config.memory > 0 ? config.memory : usual_memory();
}

std::vector<SectorChoice> sectors_of(const CiConfig& config) {
  std::vector<std::optional<std::string>> irreps(config.irreps.begin(), config.irreps.end());
  std::vector<std::optional<int>> multiplicities(config.multiplicities.begin(), config.multiplicities.end());
  if (irreps.empty()) irreps.emplace_back();
  if (multiplicities.empty()) multiplicities.emplace_back();
  std::vector<SectorChoice> sectors;
  for (const auto& irrep : irreps) {
    for (const auto& multiplicity : multiplicities) sectors.push_back({irrep, multiplicity});
  }
  return sectors;
}

std::vector<CiJob> prepare_jobs(const CiConfig& given, const JobMonitor& monitor) {
  CiJob common;
  const IntegralSource source = open_integrals(given, monitor);
  common.point_group = source.point_group;
  common.orbital_labels = orbital_labels(source.orbital_irreps, source.point_group);
  common.molecule = source.molecule;
  common.lattice = source.lattice;
  common.start = source.start;
  common.warnings = source.warnings;

  auto [config, core, virtuals] = choose_orbitals(given, source, common);
  const int active = source.num_orbitals - common.num_frozen_core - common.num_frozen_virtual;
  const std::vector<SectorChoice> sectors = sectors_of(config);
  std::vector<CiJob> jobs;
  std::vector<ActiveElectrons> split;
  for (const SectorChoice& sector : sectors)
    split.push_back(settle_spin(config, sector, source, active, jobs.emplace_back(common)));
  require_strings(config, source, active);
  const OrbitalPartition partition =
      partition_orbitals(source.num_orbitals, core, virtuals, {"space.frozen_core", "space.frozen_virtual"});
  if (const auto occupation = determinant_as_reference(config, source, partition)) {
    config.reference = ListedReferences{{*occupation}};
    for (CiJob& job : jobs) job.warnings.push_back(determinant_warning(*occupation));
  }
  const auto integrals = std::make_shared<const ActiveIntegrals>(source.activate(core, virtuals));
  const std::uint64_t integrals_hash =
      integrals->complex ? hash(*integrals->complex) : hash(integrals->integrals);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    CiJob& job = jobs[k];
    job.active = integrals;
    job.integrals_hash = integrals_hash;
    select_orbitals(config, source, active, job);
    try {
      settle_functions(config, sectors[k], split[k], job);
      add(job.warnings, isym_warning(source, config, job));
    } catch (const EmptySpaceError& nothing) {
      if (jobs.size() == 1) throw;
      job.why_empty = nothing.what();  // the other sectors' roots are worth having
      if (config.basis == BasisChoice::csf) job.csf.emplace();
    }
  }
  warn_of_split_states(config.molecule ? &config.molecule->frame : nullptr, jobs);
  return jobs;
}

void require_one_sector(const CiConfig& config) {
  const std::size_t count = sectors_of(config).size();
  if (count == 1) return;
  throw InputError(
      fmt::format("states: {} pairs of irrep and multiplicity are asked for, but a single one can be treated "
                  "here; give one states.irrep and one states.multiplicity",
                  count));
}

CiJob prepare_job(const CiConfig& config, const JobMonitor& monitor) {
  require_one_sector(config);
  return std::move(prepare_jobs(config, monitor).front());
}

}  // namespace cisolve
