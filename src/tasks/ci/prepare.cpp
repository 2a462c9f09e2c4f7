// SPDX-License-Identifier: MIT
#include "tasks/ci/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/replacement.hpp"
#include "tasks/run/machine.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

void require_files(const CiConfig& config) {
  const auto require = [](std::string_view key, const std::filesystem::path& file) {
    if (std::error_code ignored; std::filesystem::exists(file, ignored)) return;
    throw InputError(fmt::format("{} names a file that does not exist: {}", key, file.string()));
  };
  require_consistent({config.device, config.gpus, config.memory});
  if (config.guess) require("solver.guess", *config.guess);
  if (const auto* reference = std::get_if<FileReference>(&config.reference))
    require("space.reference.file", reference->file);
  static_cast<void>(AtomicFile(config.output_file));
  static_cast<void>(AtomicFile(config.checkpoint_file));
}

RunLocks lock_files(const CiConfig& config, const RunControl& control) {
  RunLocks locks{FileLock(config.output_file), FileLock(config.checkpoint_file)};
  require_files(config);
  for (const FileLock* lock : {&locks.result, &locks.checkpoint}) {
    if (lock->why_not_locked().empty()) continue;
    control.say(
        LogLevel::warning,
        fmt::format("the files of this run cannot be locked ({}): a second run with the same files would "
                    "not be refused",
                    lock->why_not_locked()));
    break;
  }
  return locks;
}

std::string sector_name(const CiJob& job) {
  const int irrep = job.selection.irrep;
  std::string name =
      irrep == any_irrep ? std::string("all irreps") : "irrep " + job.point_group.irrep_name(irrep + 1);
  if (job.multiplicity) name += fmt::format(", multiplicity {}", *job.multiplicity);
  return name;
}

std::string states_name(const CiJob& job) {
  const int irrep = job.selection.irrep;
  std::string name = irrep == any_irrep ? "" : " of irrep " + job.point_group.irrep_name(irrep + 1);
  if (job.multiplicity)
    name += fmt::format(" {} multiplicity {}", name.empty() ? "of" : "and", *job.multiplicity);
  return name;
}

namespace {

/// Warnings that not all sectors have name theirs.
void name_sectors_in_warnings(std::vector<CiJob>& jobs) {
  std::map<std::string, std::size_t> sectors_with;
  for (const CiJob& job : jobs) {
    for (const std::string& warning : job.warnings) ++sectors_with[warning];
  }
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    for (std::string& warning : jobs[k].warnings) {
      if (sectors_with[warning] == jobs.size()) continue;
      warning = fmt::format("sector {} ({}): {}", k + 1, sector_name(jobs[k]), warning);
    }
  }
}

void describe_overlap(const Integrals& v, CiResult::System& system) {
  system.orbitals = "unrestricted";
  const auto& overlap = v.beta->overlap;
  if (!overlap) return;
  system.spin_overlap_source = overlap->source;
  for (int p = 0; p < v.num_orbitals; ++p) {
    for (int q = 0; q < v.num_orbitals; ++q) system.spin_overlap.push_back(overlap->active(p, q));
  }
}

}  // namespace

void describe_system(const CiConfig& config, const CiJob& job, CiResult::System& system) {
  system = {};
  const Integrals& v = job.active->integrals;
  system.integrals_file = config.integrals_file.string();
  if (job.molecule) system.scf_energy = job.molecule->scf.energy;
  system.n_orbitals = v.num_orbitals;
  system.n_electrons = job.num_electrons;
  system.ms2 = job.ms2;
  system.n_frozen_core = job.num_frozen_core;
  system.n_frozen_virtual = job.num_frozen_virtual;
  system.core_energy = v.core_energy;
  system.reference_energy = job.reference_energy;
  system.point_group = job.point_group.name();
  system.integrals_hash = job.integrals_hash;
  if (v.is_unrestricted()) describe_overlap(v, system);
  if (job.active->complex && job.active->complex->are_spinors) system.orbitals = "spinors";
  for (const int irrep : v.irreps) system.orbital_irreps.push_back(irrep + 1);
  for (const int p : job.active->active_orbitals) system.active_orbitals.push_back(p + 1);
  if (!job.orbital_labels.empty()) system.orbital_labels = active_orbital_names(job);
  for (const int p : job.core_orbitals) system.core_orbitals.push_back(p + 1);
  for (const int p : job.left_out) system.left_out_orbitals.push_back(p + 1);
  const auto number = [&](int p) { return job.active->active_orbitals[p] + 1; };
  const auto& selection = job.selection;
  for (const int p : job.cas_orbitals) system.cas_orbitals.push_back(number(p));
  if (selection.max_holes)
    selection.max_holes->orbitals.for_each([&](int p) { system.max_holes_orbitals.push_back(number(p)); });
  if (selection.max_particles)
    selection.max_particles->orbitals.for_each(
        [&](int p) { system.max_particles_orbitals.push_back(number(p)); });
}

std::vector<CiJob> prepare_sectors(const RunContext& context) {
  const CiConfig& config = context.config;
  CiResult& result = context.result;
  context.control.tell({.stage = "integrals"});
  const Stopwatch reading;
  std::vector<CiJob> jobs = prepare_jobs(config, {context.control, &context.report});
  name_sectors_in_warnings(jobs);
  result.timing.integrals = reading.seconds();
  // What is said of all sectors alike, but for the electrons' spins and the reference: of the first that is not empty.
  const auto found = std::ranges::find_if(jobs, [](const CiJob& job) { return job.why_empty.empty(); });
  const CiJob& first = found == jobs.end() ? jobs.front() : *found;
  describe_system(config, first, result.system);
  if (first.molecule) result.molecule = first.molecule->description;
  if (config.lattice) {
    const bool are_bands = first.lattice && config.lattice->orbitals == LatticeOrbitalChoice::band;
    result.lattice = describe_lattice(*config.lattice, first.ms2,
                                      are_bands ? first.lattice->orbitals.energies : std::vector<double>());
  }
  if (!first.active->complex) result.integrals = {first.active, &first.active->integrals};
  if (result.lattice) print_lattice(context.report, *result.lattice);
  print_system(context.report, result, config.orbitals.has_value());
  return jobs;
}

}  // namespace cisolve
