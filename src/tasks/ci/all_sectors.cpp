// SPDX-License-Identifier: MIT
#include "tasks/ci/all_sectors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ostream>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/certification.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/ci/density_certificates.hpp"
#include "tasks/ci/found_roots.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/ci/guess.hpp"
#include "tasks/ci/job/split_states.hpp"
#include "tasks/ci/lattice_states.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector.hpp"
#include "tasks/ci/terms.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/orbitals/optimise.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/selected/second_order.hpp"
#include "tasks/selected/selected_sector.hpp"

namespace cisolve {
namespace {

/// Names of all sectors, which a checkpoint must share.
std::vector<std::string> sector_names(const CiRunStart& start, const std::vector<CiJob>& jobs) {
  const std::string prefix = start.name.empty() ? "" : start.name + ": ";
  std::vector<std::string> names;
  for (const CiJob& job : jobs) names.push_back(prefix + sector_name(job));
  return names;
}

/// All sectors of a run, one after another: in the order of the input, or of the checkpoint that it goes on
/// from.
class AllSectors {
public:
  /// @param orbitals  that all sectors are over, for checkpoints; null: not optimised
  AllSectors(const RunContext& context, CiRunStart start, const std::vector<CiJob>& jobs,
             std::shared_ptr<const CheckpointOrbitals> orbitals, CheckpointGenerations& checkpoints)
      : context_(context), config_(context.config), start_(std::move(start)), checkpoint_(start_.checkpoint),
        checkpoints_(checkpoints), orbitals_(std::move(orbitals)), jobs_(jobs), order_(jobs.size()) {
    const std::vector<std::string> names = sector_names(start_, jobs);
    std::iota(order_.begin(), order_.end(), 0);
    names_ = join_sectors(names);
    if (checkpoint_) {
      validate_job(checkpoint_->header, checkpoint_header(config_, sector_context(0)),
                   start_.checkpoint_source);
      order_ = match_sectors(checkpoint_->header, names, start_.checkpoint_source);
      names_ = checkpoint_->header.sectors;
    }
  }

  /// The worst that a sector ended with.
  SolverStatus operator()() {
    check_guess();
    SolverStatus worst = SolverStatus::converged;
    for (int number = 1; number <= std::ssize(jobs_); ++number) {
      const SolverStatus status = run(number);
      if (status == SolverStatus::interrupted) return status;
      if (status != SolverStatus::converged) worst = status;
      if (number < std::ssize(jobs_)) save(number + 1);
    }
    return worst;
  }

  /// After the last: the sectors in the order of the input.
  std::vector<CiResult::Sector> take_finished() {
    std::vector<CiResult::Sector> sectors(finished_.size());
    for (std::size_t k = 0; k < sectors.size(); ++k) sectors[order_[k]] = std::move(finished_[k]);
    return sectors;
  }

  /// Likewise their functions, null where there are none, or nobody needs them any more.
  std::vector<std::unique_ptr<Basis>> take_bases() {
    std::vector<std::unique_ptr<Basis>> bases(bases_.size());
    for (std::size_t k = 0; k < bases.size(); ++k) bases[order_[k]] = std::move(bases_[k]);
    return bases;
  }

private:
  bool several() const { return jobs_.size() > 1; }

  SectorContext sector_context(int number) const {
    SectorContext context;
    context.number = number;
    context.count = static_cast<int>(jobs_.size());
    context.names = names_;
    context.integrals_hash = context_.result.system.integrals_hash;
    context.finished = finished_;
    context.orbitals = orbitals_;
    context.with_densities = needs_densities(config_, jobs_.front());
    return context;
  }

  /// By its position in the order of work, from 1.
  const CiJob& job_at(int number) const { return jobs_[order_[number - 1]]; }

  /// A guess that is refused shall not be so after the work on a matrix, or on earlier sectors.
  void check_guess() const {
    if (!config_.guess || start_.vectors) return;
    std::vector<const CiJob*> jobs;
    for (int number = 1; number <= std::ssize(jobs_); ++number) {
      if (!was_finished(number) && !is_current(number)) jobs.push_back(&job_at(number));
    }
    require_guess(config_, jobs);
  }

  bool was_finished(int number) const { return checkpoint_ && number < checkpoint_->header.sector; }

  /// What an interrupted run had of this sector when it had been finished; null otherwise.
  CiResult::Sector* earlier(int number) {
    return was_finished(number) ? &checkpoint_->finished[number - 1] : nullptr;
  }

  /// The sector that was being solved when the checkpoint was written, and had begun.
  bool is_current(int number) const {
    return checkpoint_ && number == checkpoint_->header.sector && checkpoint_->header.num_vectors > 0;
  }

  /// Refuses a checkpoint whose vectors of this sector are over another space.
  void require_same_space(int number, const CiResult::Space& space) {
    const auto require = [&](std::uint64_t hash, std::int64_t dimension) {
      validate_space(hash, dimension, space.hash, space.dimension, start_.checkpoint_source);
    };
    const std::int64_t components = job_at(number).active->complex ? 2 : 1;  // of a coefficient
    if (is_current(number))
      require(checkpoint_->header.space_hash, checkpoint_->header.dimension / components);
    if (const auto* sector = earlier(number)) require(sector->space.hash, sector->space.dimension);
  }

  SolverStatus run(int number) {
    const CiJob& job = job_at(number);
    if (several()) {
      print_sector_heading(context_.report, static_cast<int>(order_[number - 1]) + 1,
                           static_cast<int>(jobs_.size()), sector_name(job));
    }
    CiResult::Sector sector;
    try {
      return run(number, job, sector);
    } catch (const EmptySpaceError& nothing) {
      if (!several()) throw;
      // The other sectors' roots are worth having.
      print_no_states(context_.report, sector.space);
      context_.warn(nothing.what());
      sector.solver.status = status_text_converged;
      finished_.push_back(std::move(sector));
      bases_.emplace_back();
      return SolverStatus::converged;
    }
  }

  SolverStatus run(int number, const CiJob& job, CiResult::Sector& sector) {
    if (config_.selection) return run_selected(number, job, sector);
    std::unique_ptr<Basis> basis = make_sector_basis(context_, job, sector);
    require_same_space(number, sector.space);
    SectorProblem planned = plan_sector(context_, job, std::move(basis), resources_of(config_));
    const Basis& functions = *planned.problem.basis;
    CiResult::Sector* known = earlier(number);
    if (known != nullptr && is_good(*known)) {
      context_.report << fmt::format("\nTaken from the {}.\n", start_.checkpoint_source);
      known->space = std::move(sector.space);
      finish(std::move(planned.problem.basis), job, *known);
      return SolverStatus::converged;
    }
    SectorContext start = sector_context(number);
    start.checkpoints = &checkpoints_;
    if (is_current(number)) {
      start.checkpoint = &*checkpoint_;
    } else {
      choose_start(known, sector, job, functions, start);
    }
    const SolverStatus status = solve_sector(context_, start, job, planned, sector);
    if (status == SolverStatus::interrupted) return status;
    finish(std::move(planned.problem.basis), job, sector);
    return status;
  }

  /// Grows a list of determinants, solves over it, and sums what others bring.
  SolverStatus run_selected(int number, const CiJob& job, CiResult::Sector& sector) {
    describe_sector(context_, job, sector);
    Array<double> buffer;
    const auto save = [&](std::shared_ptr<const CheckpointSelection> reached, std::span<const double> vectors,
                          std::span<const double> energies) {
      save_growth(number, std::move(reached), vectors, energies);
    };
    StartList list;  // must outlive the growth
    GrowthStart beginning = growth_start(number, buffer);
    if (!beginning.reached && start_.lists) {
      list = start_.lists(context_.result, sector, job);
      if (!list.list) context_.report << "\nThe list: " << list.description << ".\n";
      beginning = {.reached = list.list, .vectors = list.vectors, .source = list.description};
    }
    GrownSector grown = grow_sector(context_, job, beginning, save, sector);
    if (grown.status == SolverStatus::interrupted) return grown.status;
    SectorContext start = sector_context(number);
    start.checkpoints = &checkpoints_;
    start.selection = grown.reached;
    start.guess = std::move(grown.start);
    start.guess_text = "of the last pass";
    SolverStatus status = SolverStatus::interrupted;
    const auto keep = [&] {
      const bool is_solved = sector.vectors != nullptr;  // else the roots of the last pass are what there is
      const std::vector<double> energies = is_solved ? energies_of(sector) : last_energies(grown);
      save(grown.reached,
           is_solved ? sector.vectors->view(0, sector.vectors->columns(), buffer)
                     : std::span<const double>(start.guess),
           energies);
    };
    try {
      status = solve_sector(context_, start, job, *grown.planned, sector);
      if (status == SolverStatus::interrupted) return status;
      add_second_order(context_, *grown.list, sector);
    } catch (const Interrupted&) {
      keep();
      return SolverStatus::interrupted;
    } catch (const ResourceError&) {
      keep();
      throw;
    }
    finish(std::move(grown.planned->problem.basis), job, sector);
    return status;
  }

  static std::vector<double> energies_of(const CiResult::Sector& sector) {
    std::vector<double> energies;
    for (const Root& root : sector.roots) energies.push_back(root.energy);
    return energies;
  }

  static std::vector<double> last_energies(const GrownSector& grown) {
    const std::span<const double> energies = grown.list->energies();
    return {energies.begin(), energies.end()};
  }

  /// What a list goes on from: that of the checkpoint, or of the result of a run that ended well.
  GrowthStart growth_start(int number, Array<double>& buffer) {
    GrowthStart start;
    if (is_current(number)) {
      start.reached = checkpoint_->header.selection;
      if (!start.reached)
        throw InputError(fmt::format("{} is not of a job with [selection]; a run of this one begins anew",
                                     start_.checkpoint_source));
      if (std::ssize(start.reached->list.alpha) / start.reached->words != checkpoint_->header.dimension)
        throw InputError(
            fmt::format("{} is damaged: its vectors are not those of its list", start_.checkpoint_source));
      const auto tracked = std::min(static_cast<int>(checkpoint_->header.history.back().energies.size()),
                                    checkpoint_->header.num_vectors);
      start.vectors = checkpoint_->vectors->view(0, tracked, buffer);
    } else if (CiResult::Sector* known = earlier(number); known != nullptr && !known->space.alpha.empty()) {
      auto reached = std::make_shared<CheckpointSelection>();
      reached->list.alpha = known->space.alpha;
      reached->list.beta = known->space.beta;
      reached->words = known->space.words;
      if (known->selection) reached->reached = *known->selection;
      start.reached = std::move(reached);
      if (known->vectors) start.vectors = known->vectors->view(0, known->vectors->columns(), buffer);
    }
    if (start.reached) start.source = start_.checkpoint_source;
    return start;
  }

  /// Keeps a list that has not grown to its end.
  void save_growth(int number, std::shared_ptr<const CheckpointSelection> reached,
                   std::span<const double> vectors, std::span<const double> energies) {
    CheckpointHeader header = checkpoint_header(config_, sector_context(number));
    header.dimension = std::ssize(reached->list.alpha) / reached->words;
    header.num_vectors = static_cast<int>(energies.size());
    header.selection = std::move(reached);
    IterationRecord record;
    record.energies.assign(energies.begin(), energies.end());
    record.residual_norms.assign(energies.size(), 0.0);
    if (!energies.empty()) header.history.push_back(std::move(record));
    const auto written = checkpoints_.write(header, columns_of(vectors, header.dimension), finished_);
    const std::string failure = checkpoints_.put_in_place(*written);
    checkpoints_.say(failure, context_.control);
    // What is promised with "go on with --restart" must be there.
    if (!failure.empty() && context_.control.stop_requested()) throw SystemError(failure);
  }

  /// Guess of a sector that does not go on from vectors of its own.
  /// @param known  its roots in the checkpoint; null: none
  void choose_start(const CiResult::Sector* known, const CiResult::Sector& sector, const CiJob& job,
                    const Basis& basis, SectorContext& context) {
    std::string source;
    if (known != nullptr) {
      source = "the " + start_.checkpoint_source;
      Array<double> buffer;
      const int columns = known->vectors ? known->vectors->columns() : 0;
      if (columns > 0)
        std::ranges::copy(known->vectors->view(0, columns, buffer), std::back_inserter(context.guess));
    } else if (start_.vectors) {
      source = "the point before";
      StartVectors given = start_.vectors(context_.result, sector, basis, job);
      context.guess = std::move(given.vectors);
      context.guess_text = std::move(given.description);
      context.add_model_space = !config_.follow;
    } else if (config_.guess) {
      source = config_.guess->string();
      context.guess = guess(job, basis);
    }
    const std::int64_t found = std::ssize(context.guess) / basis.size();
    if (found > 0 && context.guess_text.empty()) context.guess_text = fmt::format("{} of {}", found, source);
    require_followed(config_, job, basis, found, source);
  }

  /// A restart may ask for more than the interrupted run did.
  bool is_good(const CiResult::Sector& sector) const {
    const auto most = std::min<std::int64_t>(config_.count, sector.space.dimension);
    return std::ssize(sector.roots) >= most && std::ranges::all_of(sector.roots, [&](const Root& root) {
             const bool failed = root.certificate && !root.certificate->passed;
             return root.residual_norm <= config_.tolerance && !failed;
           });
  }

  std::vector<double> guess(const CiJob& job, const Basis& basis) {
    std::vector<double> vectors = read_guess(config_, job, basis);
    if (vectors.empty()) {
      context_.warn(fmt::format(
          "solver.guess: no root of {} has a part in the space of {}; it starts from the model space",
          config_.guess->string(), sector_name(job)));
    }
    return vectors;
  }

  /// What needs no matrix: the lists of the functions, terms and certificates. Densities come when all sectors are
  /// there, from the functions that are kept until then.
  void finish(std::unique_ptr<Basis> functions, const CiJob& job, CiResult::Sector& sector) {
    const Basis& basis = *functions;
    list_functions(basis, config_.determinants, sector.space);
    const Stopwatch analysing;
    add_terms(config_, job, basis, sector);
    certify(basis, job, sector);
    if (start_.solved) start_.solved(context_.result, sector, basis, job);
    context_.result.timing.analysis += analysing.seconds();
    finished_.push_back(std::move(sector));
    bases_.push_back(needs_densities(config_, job) || config_.lattice ? std::move(functions) : nullptr);
  }

  /// By what files will hold, but that blocks of strings, where the space is made of them, are found faster.
  /// Not of complex coefficients.
  void certify(const Basis& basis, const CiJob& job, CiResult::Sector& sector) const {
    if (job.active->complex) return;
    const bool list_blocks = basis.as_product() != nullptr && sector.space.blocks.run_alpha.empty();
    const FunctionList blocks = list_blocks ? basis.list(true) : FunctionList{};
    certify_sector(job.active->integrals, CertifiedInput::of(config_), list_blocks ? blocks : sector.space,
                   certificate_config(sector, share_in_run), sector);
  }

  /// Keeps what is finished before the next sector begins. Only a failure is news.
  void save(int next) {
    const auto written =
        checkpoints_.write(checkpoint_header(config_, sector_context(next)), columns_of({}, 0), finished_);
    const std::string failure = checkpoints_.put_in_place(*written);
    if (!failure.empty()) checkpoints_.say(failure, context_.control);
  }

  static constexpr const char* status_text_converged = "converged";

  const RunContext& context_;
  const CiConfig& config_;
  CiRunStart start_;
  std::optional<Checkpoint>& checkpoint_;
  CheckpointGenerations& checkpoints_;
  std::shared_ptr<const CheckpointOrbitals> orbitals_;
  const std::vector<CiJob>& jobs_;
  std::vector<std::size_t> order_;  ///< of work: numbers of jobs, from 0
  std::string names_;               ///< in that order
  std::vector<CiResult::Sector> finished_;
  std::vector<std::unique_ptr<Basis>> bases_;  ///< of those
};

void warn_of_unconverged(CiResult& result) {
  const auto& sectors = result.sectors;
  for (std::size_t k = 0; k < sectors.size(); ++k) {
    const CiResult::Solver& solver = sectors[k].solver;
    if (solver.status == "converged") continue;
    result.warnings.push_back(fmt::format(
        "the solver ended {} after {} iterations{}; roots marked so are not converged{}", solver.status,
        solver.history.size(), sectors.size() > 1 ? fmt::format(" in sector {}", k + 1) : "",
        sectors.size() == 1 && solver.status == "not converged"
            ? "; --restart with a larger solver.max_iterations goes on"
            : ""));
  }
}

/// Roots that singles and doubles describe by replacements of the references, beside others that these are the main
/// part of: differences of their energies mean little.
void warn_of_unlike_roots(CiResult& result) {
  constexpr double half = 0.5;
  std::vector<std::size_t> poor;
  bool any_good = false;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const CiResult::Sector& sector = result.sectors[result.roots[k].sector];
    const bool was_said = sector.space.reference_dimension == 0 && !result.system.cas_orbitals.empty();
    if (sector.space.excitation_level != 2 || was_said || sector.selection) continue;
    if (result.root(k).reference_weight >= half) any_good = true;
    if (result.root(k).reference_weight < half) poor.push_back(k + 1);
  }
  if (poor.empty() || !any_good) return;
  const bool one = poor.size() == 1;
  result.warnings.push_back(
      fmt::format("root{} {} {} less than half of {} weight in the references: as replacements of other "
                  "states {} too high, often "
                  "by electronvolts; states.irrep as a list gives each irrep references of its own, and a "
                  "CAS can hold those of several states of one irrep",
                  one ? "" : "s", fmt::join(poor, ", "), one ? "has" : "have", one ? "its" : "their",
                  one ? "it comes out" : "they come out"));
}

/// The vectors of an orbital optimisation, for the CI after it.
/// @param optimised, jobs  must outlive the source
StartVectorSource vectors_of(const OptimisedOrbitals& optimised, const std::vector<CiJob>& jobs) {
  return [&](const CiResult&, const CiResult::Sector&, const Basis&, const CiJob& job) {
    StartVectors start;
    if (!optimised.vectors) return start;
    start.vectors = (*optimised.vectors)[static_cast<std::size_t>(&job - jobs.data())].values;
    start.description = "of the orbital optimisation";
    return start;
  };
}

/// Optimises orbitals, where that is asked for, and lets the CI start from what that found.
OptimisedOrbitals optimise(const RunContext& context, std::vector<CiJob>& jobs, CiRunStart& start,
                           CheckpointGenerations& checkpoints) {
  if (!context.config.orbitals) return {};
  OptimisationStart from{.earlier = start.orbitals.get(),
                         .checkpoint = start.checkpoint ? &*start.checkpoint : nullptr,
                         .checkpoint_source = start.checkpoint_source,
                         .sectors = sector_names(start, jobs),
                         .checkpoints = &checkpoints};
  OptimisedOrbitals optimised = optimise_orbitals(context, jobs, from);
  if (!optimised.of_checkpoint) start.checkpoint.reset();  // its vectors are over other orbitals
  return optimised;
}

}  // namespace

CiResult begin_result(const CiConfig& config) {
  CiResult result;
  result.version = build_info::version;
  result.created = utc_timestamp();
  result.title = config.title;
  result.input_text = config.input_text;
  result.resolved_text = config.resolved_text;
  result.weights = config.average_weights;
  return result;
}

SolverStatus solve_ci(const RunContext& context, CiRunStart start) {
  const Stopwatch total;
  std::vector<CiJob> jobs = prepare_sectors(context);
  require_room_for_densities(context.config, jobs);
  require_room_for_optimisation(context.config, jobs);
  CheckpointGenerations checkpoints(context.config.checkpoint_file);
  if (start.newest_was_read) checkpoints.trust_newest();
  if (!context.config.orbitals && start.checkpoint && start.checkpoint->header.orbitals) {
    throw InputError(
        fmt::format("{} has optimised orbitals, which this job does not ask for: its "
                    "orbitals.optimise is \"none\"",
                    start.checkpoint_source));
  }
  const OptimisedOrbitals optimised = optimise(context, jobs, start, checkpoints);
  if (optimised.status == SolverStatus::interrupted) return optimised.status;
  if (context.config.orbitals) start.vectors = vectors_of(optimised, jobs);
  AllSectors all(context, std::move(start), jobs, optimised.kept, checkpoints);
  SolverStatus status = all();
  if (status == SolverStatus::interrupted) return status;
  CiResult& result = context.result;
  result.sectors = all.take_finished();
  result.order_roots();
  const Stopwatch analysing;
  const std::vector<std::unique_ptr<Basis>> bases = all.take_bases();
  add_densities(context, jobs, bases);
  add_lattice_states(context, jobs, bases);
  certify_densities(jobs.front().active->integrals, context.config.threshold, result);
  result.timing.analysis += analysing.seconds();
  warn_of_unconverged(result);
  if (status == SolverStatus::converged) status = optimised.status;
  warn_of_unlike_roots(result);
  for (std::string& failure : result.failed_certificates()) context.warn(std::move(failure));
  TermComponents components = compare_components(context.config, jobs.front(), result);
  if (!components.warnings.empty() || components.all_together)  // what was expected beforehand is known now
    std::erase_if(result.warnings,
                  [](const std::string& said) { return said.starts_with(split_states_begin); });
  for (std::string& warning : components.warnings) context.warn(std::move(warning));
  if (result.roots.empty()) {
    if (result.warnings.empty()) throw InputError("states: there is no root to be found");
    throw InputError(jobs.size() == 1 ? result.warnings.back()
                                      : fmt::format("none of the {} sectors has a root; the last: {}",
                                                    jobs.size(), result.warnings.back()));
  }
  result.timing.total = total.seconds();
  return status;
}

}  // namespace cisolve
