// SPDX-License-Identifier: MIT
#include "tasks/ci/sector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <ostream>
#include <utility>

#include "build_info.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "core/planted_error.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/ci/found_roots.hpp"
#include "tasks/files/checkpoint_writer.hpp"
#include "tasks/report/text.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

CheckpointHeader checkpoint_header(const CiConfig& config, const SectorContext& start) {
  CheckpointHeader header;
  header.version = build_info::version;
  header.created = utc_timestamp();
  header.resolved_input = config.resolved_text;
  header.integrals_hash = start.integrals_hash;
  header.threshold = config.threshold;
  header.basis = config.basis == BasisChoice::csf ? "csf" : "determinant";
  header.sectors = start.names;
  header.sector = start.number;
  header.orbitals = start.orbitals;
  header.selection = start.selection;
  return header;
}

namespace {

/// Looks at a search after each iteration: prints it, stops it if that is asked for, and decides whether a checkpoint
/// is due: at the configured interval, when asked for, at the last iteration, and when stopped.
class SearchObserver {
public:
  /// @param header  of the checkpoints, without what belongs to a search
  /// @param rows    of the vectors
  /// @param buffer  bytes that a checkpoint may take while the solver goes on
  SearchObserver(const RunContext& context, const SectorContext& start, CheckpointHeader header,
                 std::int64_t rows, std::int64_t buffer)
      : context_(context), header_(std::move(header)), rows_(rows) {
    if (start.checkpoints != nullptr)
      writer_.emplace(
          CheckpointWriter::Settings{*start.checkpoints, start.finished, buffer, context.control});
  }

  SolverAction operator()(const SearchState& state) {
    print_iteration(context_.report, state.history);
    context_.report.flush();
    context_.control.tell({.stage = "solve",
                           .iteration = state.record.iteration,
                           .energies = state.record.energies,
                           .residual_norms = state.record.residual_norms});
    context_.control.hear_of(state.requests);
    const bool stop = context_.control.stop_requested();
    if (!writer_) return stop ? SolverAction::stop : SolverAction::proceed;
    const bool asked = context_.control.checkpoint_requested();
    const bool last = ++iterations_ == context_.config.max_iterations;  // a restart can go on from there
    // One that is due waits for the one before; a user's wish does not.
    const bool due = since_last_.seconds() >= context_.config.checkpoint_interval && !writer_->is_busy();
    if (stop || asked || due || last) {
      write(state);
      since_last_ = Stopwatch();
    }
    if (stop) end();
    return stop ? SolverAction::stop : SolverAction::proceed;
  }

  /// Waits for what is being written, and begins anew for another search.
  void finish() {
    if (writer_) writer_->finish();
    since_last_ = Stopwatch();
    iterations_ = 0;
  }

private:
  /// What was promised with "go on with --restart" must be there.
  void end() {
    writer_->finish();
    if (!writer_->failure().empty()) throw SystemError(writer_->failure());
  }

  void write(const SearchState& state) {
    const std::unique_ptr<VectorSource> vectors = state.restart_vectors();
    CheckpointHeader header = header_;
    header.dimension = rows_;
    header.num_vectors = vectors->columns();
    header.history = state.history;
    writer_->write(std::move(header), [&](int column, std::int64_t first_row, std::span<double> rows) {
      vectors->read(column, first_row, rows);
    });
  }

  const RunContext& context_;
  CheckpointHeader header_;
  std::int64_t rows_;
  std::optional<CheckpointWriter> writer_;  ///< none: nothing is kept
  Stopwatch since_last_;
  int iterations_ = 0;
};

/// Seeks the roots of a sector.
class RootSearch {
public:
  RootSearch(const RunContext& context, const SectorContext& start, const CiJob& job, const Basis& basis,
             RootFinder& finder, CiResult::Sector& sector)
      : context_(context), start_(start), job_(job), basis_(basis), finder_(finder),
        sector_(sector), wanted_{.count = static_cast<int>(
                                     std::min<std::int64_t>(context.config.count, finder.num_states())),
                                 .multiplicity = job.multiplicity,
                                 .follow = context.config.follow} {}

  /// Fills solver and states of the sector.
  /// @param buffer  bytes of host memory that checkpoints may take while the solver goes on
  SolverStatus operator()(std::int64_t buffer) {
    const Stopwatch starting;
    if (start_.model_rows > 0) finder_.limit_model_space(start_.model_rows);
    sector_.solver.start = describe_start();
    CheckpointHeader header = checkpoint_header(context_.config, start_);
    header.space_hash = sector_.space.hash;
    SearchObserver observer(context_, start_, std::move(header), basis_.size(), buffer);
    StateSearchOptions options;
    options.first = first_search();
    options.first.observer = std::ref(observer);
    options.searched = [&] { observer.finish(); };
    options.notify = [&](std::string_view line) { context_.control.say(LogLevel::info, line); };
    print_iteration_heading(context_.report, sector_.solver.start, context_.result.energy_unit());
    context_.result.timing.solve += starting.seconds();
    FoundStates states = find_states(basis_, finder_, wanted_, std::move(options));
    context_.result.timing.solve += states.solve_seconds;
    context_.result.timing.analysis += states.analysis_seconds;
    const SolverStatus status = states.found.roots.status;
    sector_.probe = states.probe;
    sector_.solver.status = status_name(status);
    sector_.solver.num_applications = states.found.roots.num_applications;
    sector_.solver.history = states.found.roots.history;
    if (status == SolverStatus::interrupted) return status;

    const Stopwatch taking;
    take(std::move(states));
    context_.result.timing.analysis += taking.seconds();
    if (status == SolverStatus::converged) print_iterations_end(context_.report, sector_.solver.history);
    return status;
  }

private:
  /// Where the start vectors come from, for the report.
  std::string describe_start() const {
    if (start_.checkpoint != nullptr) return "of the checkpoint";
    const std::string given = start_.guess_text + (start_.guess_text.empty() ? "" : "; ");
    const std::vector<std::int64_t>& rows = finder_.model_space().rows;
    if (rows.empty()) return given + "the lowest of the diagonal";
    const std::int64_t in_space = sector_.space.reference_dimension;
    const int components = basis_.components();
    const auto references =
        std::ranges::count_if(rows, [&](auto row) { return row < in_space * components; }) / components;
    return given + fmt::format("model space of {} {}s ({} of {} reference{})",
                               format_count(std::ssize(rows) / components), basis_.function_name(),
                               format_count(references), format_count(in_space), in_space == 1 ? "" : "s");
  }

  Search first_search() const {
    Search search;
    search.num_roots = wanted_.count + (is_planted(PlantedError::missed_root) ? 1 : 0);
    search.add_model_space = start_.add_model_space;
    const Checkpoint* checkpoint = start_.checkpoint;
    if (checkpoint == nullptr) {
      search.start = seen_vectors(start_.guess, basis_.size());
      return search;
    }
    search.history = checkpoint->header.history;
    const auto tracked = std::ssize(search.history.back().energies);
    if (wanted_.are_of_one_spin() && !finder_.separates_spins())
      search.num_roots =
          static_cast<int>(std::clamp<std::int64_t>(tracked, wanted_.count, finder_.num_states()));
    // One of enough roots is taken as it is: it continues exactly where it was written. One of
    // fewer gives its Ritz vectors, which come first; its other directions know nothing of further roots.
    const int columns = checkpoint->vectors->columns();
    const int known = static_cast<int>(std::min<std::ptrdiff_t>(columns, tracked));
    search.continues = known >= search.num_roots;
    std::vector<int> taken(static_cast<std::size_t>(search.continues ? columns : known));
    std::iota(taken.begin(), taken.end(), 0);
    search.start = std::make_shared<ChosenVectors>(checkpoint->vectors, std::move(taken));
    return search;
  }

  void take(FoundStates states) {
    const bool is_news = !job_.spin_complete;  // else their number was known before
    const std::vector<std::size_t>& kept = states.kept;
    FoundRoots roots(context_, job_, basis_, sector_);
    roots.take(finder_, std::move(states.found), kept);
    if (wanted_.are_of_one_spin() && is_news && states.searched_all && !kept.empty() &&
        std::ssize(kept) < context_.config.count) {
      context_.warn(
          fmt::format("{} roots were asked for, but the space has {} of multiplicity {}: all are given",
                      context_.config.count, kept.size(), *job_.multiplicity));
    }
    roots.correct(finder_);
    if (start_.with_densities && !kept.empty())
      sector_.densities =
          finder_.spin_densities(*sector_.vectors, needs_density_pairs(context_.config, job_));
    // What is found ends with the finder. Checkpoints of further sectors are written inside their searches, where other
    // processes cannot be asked for rows of this one.
    const bool is_only_one = start_.count == 1;
    sector_.vectors = is_only_one ? finder_.keep(sector_.vectors) : finder_.RootFinder::keep(sector_.vectors);
  }

  const RunContext& context_;
  const SectorContext& start_;
  const CiJob& job_;
  const Basis& basis_;
  RootFinder& finder_;
  CiResult::Sector& sector_;
  WantedStates wanted_;
};

}  // namespace

SolverStatus solve_sector(const RunContext& context, const SectorContext& start, const CiJob& job,
                          SectorProblem& planned, CiResult::Sector& sector) {
  const Problem& problem = planned.problem;
  // Where nothing is stored, what the plan leaves of the memory is known.
  const auto* direct = std::get_if<DirectPlan>(&planned.plan);
  const std::int64_t buffer = direct != nullptr ? direct->free_bytes : 0;
  const int subspace = direct != nullptr ? direct->subspace : 0;
  const int usual_subspace = direct != nullptr ? direct->usual_subspace : 0;
  std::unique_ptr<RootFinder> finder;
  context.control.tell({.stage = "hamiltonian"});
  {
    ProgressLine progress(context.control, "Building the Hamiltonian");
    finder = make_root_finder(problem, std::move(planned.plan),
                              {.progress = progress.callback(), .stop = context.control.stop});
  }
  sector.hamiltonian = finder->hamiltonian();
  sector.hamiltonian.build_seconds += planned.seconds;
  context.result.timing.hamiltonian += sector.hamiltonian.build_seconds;
  context.result.timing.transfer += sector.hamiltonian.transfer_seconds;
  print_hamiltonian(context.report, sector.hamiltonian);
  if (subspace < usual_subspace) {
    report::print_field(
        context.report, "solver's subspace",
        fmt::format("{} vectors, as many as the memory holds (usually {})", subspace, usual_subspace));
  }
  context.report.flush();
  return RootSearch(context, start, job, *problem.basis, *finder, sector)(buffer);
}

}  // namespace cisolve
