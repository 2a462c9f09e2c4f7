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
#include "tasks/ci/certification.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/ci/found_roots.hpp"
#include "tasks/files/checkpoint_writer.hpp"
#include "tasks/report/text.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

std::string_view status_name(SolverStatus status) {
  switch (status) {
    case SolverStatus::converged:
      return "converged";
    case SolverStatus::not_converged:
      return "not converged";
    case SolverStatus::stagnated:
      return "stagnated";
    case SolverStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

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

/// Seeks the roots of a sector until there are enough of the spin asked for, or no more: searches again among more
/// roots, or within the spin, where others came first.
class RootSearch {
public:
  RootSearch(const RunContext& context, const SectorContext& start, const CiJob& job, const Basis& basis,
             RootFinder& finder, CiResult::Sector& sector)
      : context_(context), start_(start), job_(job), basis_(basis), finder_(finder), sector_(sector),
        roots_(context, job, basis, sector),
        wanted_(static_cast<int>(std::min<std::int64_t>(context.config.count, finder.num_states()))) {}

  /// Fills solver and states of the sector.
  /// @param buffer  bytes of host memory that checkpoints may take while the solver goes on
  SolverStatus operator()(std::int64_t buffer) {
    Stopwatch stopwatch;
    if (start_.model_rows > 0) finder_.limit_model_space(start_.model_rows);
    sector_.solver.start = describe_start();
    CheckpointHeader header = checkpoint_header(context_.config, start_);
    header.space_hash = sector_.space.hash;
    SearchObserver observer(context_, start_, std::move(header), basis_.size(), buffer);
    Search search = first_search();
    search.observer = std::ref(observer);
    print_iteration_heading(context_.report, sector_.solver.start);
    while (true) {
      Roots roots = finder_.solve(search);
      observer.finish();
      context_.result.timing.solve += stopwatch.seconds();
      sector_.solver.status = status_name(roots.status);
      sector_.solver.num_applications = roots.num_applications;
      sector_.solver.history = roots.history;
      if (roots.status == SolverStatus::interrupted) return roots.status;

      stopwatch = Stopwatch();
      LabelledRoots found = label_roots(std::move(roots), basis_, finder_);
      if (is_planted(PlantedError::missed_root) && !has_missed_) drop_lowest(found);
      const std::vector<std::size_t> kept = roots_.choose(found, wanted_);
      if (is_enough(found, kept, search.num_roots)) {
        const std::vector<double> missed = look_for_missed_root(found, kept, search.num_roots);
        if (!missed.empty() && !has_missed_) {
          search_from(std::move(found), missed, search);
          stopwatch = Stopwatch();
          continue;
        }
        const SolverStatus status = take(std::move(found), kept, search.num_roots);
        context_.result.timing.analysis += stopwatch.seconds();
        if (status == SolverStatus::converged) print_iterations_end(context_.report, sector_.solver.history);
        return status;
      }
      search_again(std::move(found), kept, search);
      stopwatch = Stopwatch();
    }
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
    search.num_roots = wanted_ + (is_planted(PlantedError::missed_root) ? 1 : 0);
    search.add_model_space = start_.add_model_space;
    const Checkpoint* checkpoint = start_.checkpoint;
    if (checkpoint == nullptr) {
      search.start = start_.guess;
      return search;
    }
    search.history = checkpoint->header.history;
    const auto tracked = std::ssize(search.history.back().energies);
    if (roots_.selects_by_spin() && !finder_.separates_spins())
      search.num_roots = static_cast<int>(std::clamp<std::int64_t>(tracked, wanted_, finder_.num_states()));
    // One of enough roots is taken as it is: it continues exactly where it was written. One of
    // fewer gives its Ritz vectors, which come first; its other directions know nothing of further roots.
    const std::span<const double> vectors = checkpoint->vectors;
    const std::size_t n = basis_.size();
    const auto columns = static_cast<std::ptrdiff_t>(vectors.size() / n);
    const std::ptrdiff_t known = std::min(columns, tracked);
    search.continues = known >= search.num_roots;
    search.start = vectors.first(static_cast<std::size_t>(search.continues ? columns : known) * n);
    return search;
  }

  bool is_enough(const LabelledRoots& found, const std::vector<std::size_t>& kept, int sought) const {
    return std::ssize(kept) >= wanted_ || context_.config.follow ||
           (sought >= finder_.num_states() && !finder_.may_project_on_spin()) ||
           found.roots.status != SolverStatus::converged;
  }

  SolverStatus take(LabelledRoots found, const std::vector<std::size_t>& kept, int sought) {
    const SolverStatus status = found.roots.status;
    const bool searched_all = has_searched_all(found, sought);
    const bool is_news = !job_.spin_complete;  // else their number was known before
    roots_.take(std::move(found), kept);
    if (roots_.selects_by_spin() && is_news && searched_all && !kept.empty() &&
        std::ssize(kept) < context_.config.count) {
      context_.warn(
          fmt::format("{} roots were asked for, but the space has {} of multiplicity {}: all are given",
                      context_.config.count, kept.size(), *job_.multiplicity));
    }
    roots_.correct(finder_);
    if (start_.with_densities && !kept.empty())
      sector_.densities =
          finder_.spin_densities(*sector_.vectors, needs_density_pairs(context_.config, job_));
    return status;
  }

  bool has_searched_all(const LabelledRoots& found, int sought) const {
    return found.roots.status == SolverStatus::converged && sought >= finder_.num_states();
  }

  /// Looks for a state below the highest root, of the spin asked for, by as many products as cost next to nothing.
  /// @return empty: there is none, or nobody looked
  std::vector<double> look_for_missed_root(const LabelledRoots& found, const std::vector<std::size_t>& kept,
                                           int sought) {
    sector_.probe = {};
    const Roots& roots = found.roots;
    if (roots.status != SolverStatus::converged || has_searched_all(found, sought) ||
        context_.config.follow || kept.empty())
      return {};
    const double of_product = product_nanoseconds(sector_.hamiltonian);
    const std::int64_t products = probe_products(roots.num_applications, of_product);
    const std::size_t highest = kept.back();
    std::vector<double> below;
    sector_.probe = finder_.probe(found.vectors, roots.energies.front(),
                                  roots.energies[highest] - missed_root_margin(roots.residual_norms[highest]),
                                  products, below);
    if (below.empty()) return below;
    const double energy[] = {sector_.probe.lowest};
    const StateLabel label = basis_.label(energy, below, ClusterConfig{}, nullptr).front();
    if (roots_.is_of_wanted_spin(label.s_squared)) return below;
    sector_.probe = {};  // states of other spins may well lie lower, and hide what is looked for
    return {};
  }

  /// The same search once more, from the roots and a state that they miss.
  void search_from(LabelledRoots found, const std::vector<double>& missed, Search& search) {
    context_.control.say(LogLevel::info, "a look for missed roots came upon one: going on from there");
    has_missed_ = true;
    search.history = std::move(found.roots.history);
    search.continues = false;
    search.add_model_space = false;
    previous_ = Array<double>(missed.size() + found.vectors.size());
    std::ranges::copy(found.vectors, std::ranges::copy(missed, previous_.begin()).out);
    search.start = previous_;
  }

  /// As if the search had missed it.
  void drop_lowest(LabelledRoots& found) const {
    std::vector<std::size_t> others(found.labels.size() - 1);
    std::iota(others.begin(), others.end(), std::size_t{1});
    found.vectors = columns_of(found.vectors, basis_.size(), others);
    found.labels.erase(found.labels.begin());
    found.roots.energies.erase(found.roots.energies.begin());
    found.roots.residual_norms.erase(found.roots.residual_norms.begin());
    found.roots.converged.erase(found.roots.converged.begin());
  }

  void search_again(LabelledRoots found, const std::vector<std::size_t>& kept, Search& search) {
    search.history = std::move(found.roots.history);
    search.continues = false;
    search.add_model_space = false;
    if (finder_.may_project_on_spin()) {
      // Roots of other spins came first: the same search within the spin, from what it found of that.
      context_.control.say(LogLevel::info,
                           "a root of another spin was found: going on within the spin asked for");
      previous_ = columns_of(found.vectors, basis_.size(), kept);
      finder_.project_on_spin();
    } else {
      // Too few roots of that spin: more, from where this search ended.
      search.num_roots = static_cast<int>(
          std::min<std::int64_t>(2 * std::int64_t{search.num_roots} + 2, finder_.num_states()));
      previous_ = std::move(found.vectors);
    }
    search.start = previous_;
  }

  const RunContext& context_;
  const SectorContext& start_;
  const CiJob& job_;
  const Basis& basis_;
  RootFinder& finder_;
  CiResult::Sector& sector_;
  FoundRoots roots_;
  int wanted_;
  bool has_missed_ = false;  ///< a search began with a state that the one before had missed
  Array<double> previous_;   ///< what a further search starts from
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
