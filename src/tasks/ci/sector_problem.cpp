// SPDX-License-Identifier: MIT
#include "tasks/ci/sector_problem.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/run/machine.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

/// Does something of the problem room, which speaks of quantities, and names the input keys where it refuses.
/// @throws what `work` throws
template <class Work>
auto naming_keys(Work&& work) {
  try {
    return work();
  } catch (const EmptySpaceError& error) {
    throw EmptySpaceError(fmt::format(
        "states.irrep: {}; ask for another irrep or a higher space.excitation_level", error.what()));
  } catch (const DoesNotFit& error) {
    switch (error.limit()) {
      case DoesNotFit::Limit::host_memory:
        throw DoesNotFit(error.limit(), "run.memory: " + error.shortage(), error.remedy());
      case DoesNotFit::Limit::device:
        throw DoesNotFit(error.limit(), "run.device: " + error.shortage(),
                         "use \"auto\" or \"cpu\", or " + error.remedy());
      case DoesNotFit::Limit::stored_rows:
        throw DoesNotFit(error.limit(), "hamiltonian.storage: " + error.shortage(), error.remedy());
    }
    throw;
  }
}

/// What the solver may be given so that a small space is not a special case further down.
void warn_if_small(const RunContext& context, const CiJob& job, const Basis& basis) {
  const int count = context.config.count;
  const std::int64_t size = basis.size() / basis.components();
  if (count <= size) return;
  const std::string functions = fmt::format("{} {}{}", size, basis.function_name(), size == 1 ? "" : "s");
  if (job.multiplicity && !job.spin_complete) {
    context.warn(
        fmt::format("{} roots of multiplicity {} were asked for, but the space has {}, which have roots "
                    "of several spins: at most {} can be given",
                    count, *job.multiplicity, functions, size));
    return;
  }
  context.warn(
      fmt::format("{} roots were asked for, but the space has {}: all roots are given", count, functions));
}

/// @throws EmptySpaceError if the space is known to have no state of the wanted spin; warns of too few
void require_states_of_spin(const RunContext& context, const CiJob& job, const Problem& problem) {
  if (!problem.spin) return warn_if_small(context, job, *problem.basis);
  const std::int64_t states = problem.spin->dimension;
  if (states == 0) {
    throw EmptySpaceError(
        fmt::format("states.multiplicity: the space of {} determinants with ms2 = {} holds no state of "
                    "multiplicity {}; ask for another or a higher space.excitation_level",
                    format_count(problem.basis->size()), job.ms2, *job.multiplicity));
  }
  if (context.config.count <= states) return;
  context.warn(
      fmt::format("{} roots were asked for, but the space has {} state{} of multiplicity {}: all are given",
                  context.config.count, states, states == 1 ? "" : "s", *job.multiplicity));
}

/// @throws InputError  "direct" is asked for where it is not possible
void require_direct(const CiConfig& config, const Problem& problem) {
  if (config.storage != direct_storage) return;
  const auto refuse = [](std::string_view why) {
    throw InputError(
        fmt::format("hamiltonian.storage: \"direct\" {}; \"auto\" takes the format that suits", why));
  };
  switch (direct_obstacle(problem)) {
    case DirectObstacle::none:
      return;
    case DirectObstacle::csfs:
      return refuse("works on determinants, but space.basis is \"csf\"");
    case DirectObstacle::complex:
      return refuse("works on real integrals, and these are complex");
    case DirectObstacle::list:
      return refuse(
          "needs all determinants up to a level around one reference, RAS limits kept, or others that are "
          "made of large blocks of alpha and beta strings; this space is a list");
    case DirectObstacle::threshold:
      return refuse("leaves no element out, but hamiltonian.threshold is not 0");
  }
}

void warn_if_uncoded(const RunContext& context, const StoredPlan& plan) {
  const CodedSample& sample = plan.format_options.coded;
  if (plan.format->name != "coded" || sample.uncoded_share <= 0.0) return;
  context.warn(
      fmt::format("coded: the elements have more than {} different values ({} in a sample of the rows); "
                  "about {:.2g}% of the nonzeros keep 12 bytes each instead of 4",
                  format_count(largest_code), format_count(sample.num_values), 100.0 * sample.uncoded_share));
}

/// Threads that wait for others' cores take many times as long.
void warn_of_threads(const RunContext& context, const NodePlace& node) {
  const int threads = omp_get_max_threads(), cores = omp_get_num_procs();
  const bool is_bound = cores < sysconf(_SC_NPROCESSORS_ONLN);  // to cores that others may not use
  const int share = std::max(is_bound ? cores : cores / node.processes, 1);
  if (threads <= share) return;
  context.warn(fmt::format(
      "run.threads: {} process{} of {} threads each {} {} core{} of this node; {} thread{} would be faster",
      node.processes, node.processes == 1 ? "" : "es", threads, node.processes == 1 ? "has" : "share", cores,
      cores == 1 ? "" : "s", share, share == 1 ? "" : "s"));
}

}  // namespace

Resources shared_out(const RunContext& context, const Resources& own) {
  const ServedRanks* served = context.control.served;
  if (served == nullptr) return own;
  warn_of_threads(context, served->node());
  return served->resources(own, context.config.memory > 0);
}

BasisDefinition definition_of(const CiJob& job) {
  BasisDefinition definition;
  definition.integrals = {job.active, &job.active->integrals};
  definition.functions = job.selection;
  if (job.csf) definition.functions = *job.csf;
  definition.multiplicity = job.multiplicity;
  definition.point_group = job.point_group;
  definition.complex = job.active->complex;
  return definition;
}

std::unique_ptr<Basis> make_job_basis(const CiConfig& config, const CiJob& job) {
  if (!job.why_empty.empty()) throw EmptySpaceError(job.why_empty);
  return naming_keys([&] { return make_basis(definition_of(job), memory_limit(config), config.count); });
}

constexpr double lattice_perturbation = 0.1;  // norm
constexpr double watched_tolerance = 1e-4;    // of which a further state of the level begins with a part

PlanOptions plan_options(const CiConfig& config) {
  PlanOptions options;
  options.storage = config.storage;
  options.ell_width = config.ell_width;
  options.ell_by_reference = config.ell_by_reference;
  options.row_order = config.row_order;
  options.solver.num_roots = config.count;
  options.solver.tolerance = config.tolerance;
  options.solver.max_iterations = config.max_iterations;
  options.solver.max_subspace = config.max_subspace;
  options.solver.follow_start = config.follow;
  // Momenta and rotations are no irreps here: a state of which no start vector has a part comes in by noise alone.
  // For the same reason further states of a degenerate level come up among roots above those wanted.
  if (config.lattice) {
    constexpr int watched = 2;
    options.solver.start_perturbation = lattice_perturbation;
    options.solver.watched_roots = watched;
    options.solver.watched_tolerance = watched_tolerance;
  }
  options.with_densities = needs_densities(config);
  return options;
}

Resources resources_of(const CiConfig& config, const OtherMachine& machine) {
  return resources_of(MachineKeys{config.device, config.gpus, config.memory}, machine);
}

std::string expected_device(const CiConfig& config, const OtherMachine& machine) {
  if (config.device == DeviceChoice::cpu) return cpu_name();
  if (machine.device_memory) return device_not_here(*machine.device_memory).name;
  const std::vector<Device> devices = devices_here();
  return devices.empty() ? cpu_name() : devices.front().name;
}

std::jthread start_device(const CiConfig& config) {
  return config.device == DeviceChoice::cpu ? std::jthread() : start_devices(std::max(config.gpus, 1));
}

void describe_sector(const RunContext& context, const CiJob& job, CiResult::Sector& sector) {
  for (const std::string& warning : job.warnings) context.warn(warning);
  sector.irrep = sector.space.irrep = job.selection.irrep + 1;
  sector.multiplicity = job.multiplicity.value_or(0);
  sector.ms2 = job.ms2;
  sector.space.basis = job.csf ? "csf" : "determinant";
}

namespace {

/// The error of E2 goes with the residual itself, that of the energy with its square.
double tolerance_for_second_order(const CiConfig& config) {
  constexpr double tighter = 1e-2;
  const bool has_some = config.selection->perturbation != SelectionConfig::Perturbation::none;
  return has_some ? tighter * config.tolerance : config.tolerance;
}

}  // namespace

std::unique_ptr<SelectedCi> make_sector_list(const RunContext& context, const CiJob& job,
                                             const SelectedStart& start, const Resources& resources) {
  const CiConfig& config = context.config;
  if (!job.why_empty.empty()) throw EmptySpaceError(job.why_empty);
  if (job.active->complex)
    throw InputError("selection: works on real integrals, and these are complex; take [selection] out");
  const std::vector<double>& epsilon = config.selection->epsilon;
  PlanOptions options = plan_options(config);
  // Heat bath sums over externals when its list is complete, and others in each pass.
  if (config.selection->criterion != SelectionCriterion::heat_bath)
    options.solver.tolerance = tolerance_for_second_order(config);
  return naming_keys([&] {
    return make_selected_ci(definition_of(job), config.threshold, options, resources,
                            epsilon.empty() ? 0.0 : epsilon.back(), start);
  });
}

std::pair<SectorProblem, std::vector<double>> plan_sector_list(const RunContext& context, const CiJob& job,
                                                               SelectedCi& list) {
  const Stopwatch planning;
  ProgressLine progress(context.control, "Building the Hamiltonian");
  SelectedProblem finished = naming_keys([&] {
    return list.finish(tolerance_for_second_order(context.config),
                       {.progress = progress.callback(), .stop = context.control.stop});
  });
  const std::string& why = placement_of(finished.plan).why_not_device;
  if (!why.empty()) context.warn(fmt::format("run.device: {}; the CPU does the calculation", why));
  require_states_of_spin(context, job, finished.problem);
  return {SectorProblem{std::move(finished.problem), std::move(finished.plan), planning.seconds()},
          std::move(finished.start)};
}

std::unique_ptr<Basis> make_sector_basis(const RunContext& context, const CiJob& job,
                                         CiResult::Sector& sector) {
  describe_sector(context, job, sector);
  context.control.tell({.stage = "space"});
  const Stopwatch spanning;
  auto basis = make_job_basis(context.config, job);
  context.result.timing.space += spanning.seconds();
  sector.space = {basis->summary(), {}, job.reference_origin};
  print_space(context.report, sector.space, context.result.system);
  context.report.flush();
  return basis;
}

SectorProblem plan_sector(const RunContext& context, const CiJob& job, std::unique_ptr<Basis> basis,
                          const Resources& resources, bool sampled) {
  const CiConfig& config = context.config;
  const Stopwatch tabulating;
  Problem problem(std::move(basis), config.threshold);
  require_direct(config, problem);
  require_states_of_spin(context, job, problem);
  const double seconds = tabulating.seconds();

  PlanOptions options = plan_options(config);
  options.sampled = sampled;
  options.solver.num_roots *= problem.basis->components();
  ProgressLine progress(context.control, "Counting nonzeros");
  Plan plan = naming_keys([&] {
    return make_plan(problem, options, shared_out(context, resources),
                     {.progress = progress.callback(), .stop = context.control.stop});
  });
  if (const auto* stored = std::get_if<StoredPlan>(&plan)) warn_if_uncoded(context, *stored);
  const Placement& placement = placement_of(plan);
  if (!placement.why_not_device.empty())
    context.warn(fmt::format("run.device: {}; the CPU does the calculation", placement.why_not_device));
  const double all_seconds = seconds + placement.seconds;
  return {std::move(problem), std::move(plan), all_seconds};
}

}  // namespace cisolve
