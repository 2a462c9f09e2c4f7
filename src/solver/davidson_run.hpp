// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "core/stopwatch.hpp"
#include "solver/diagonals.hpp"
#include "solver/preconditioner.hpp"
#include "solver/stagnation.hpp"
#include "solver/start_vectors.hpp"
#include "solver/subspace.hpp"

namespace cisolve {

/// @throws DimensionError as davidson
void check_davidson_input(std::int64_t size, int start_columns, const DavidsonConfig& config);

/// Numbers of vectors, all at most the size of the matrix.
struct SubspaceShape {
  /// @param metric  whether the problem has one
  SubspaceShape(std::int64_t size, int start_block, const DavidsonConfig& config, bool metric);

  int wanted = 0;         ///< roots asked for
  int watched = 0;        ///< roots above them that are followed, too
  int most_wanted = 0;    ///< with those that complete a cluster
  int capacity = 0;       ///< basis vectors
  int start_columns = 0;  ///< of the start block that are used
  int kept = 0;           ///< by a thick restart
  bool whole = false;     ///< the basis is the whole space from the start
  bool metric = false;    ///< S times the basis is kept too, and two diagonals

  /// Vectors worked on at a time when so many roots are wanted: these, those watched, and a guard.
  int block(int roots) const { return std::min(roots + std::max(watched, 1), capacity); }
  /// Vectors allocated in all: basis and products, two blocks, result.
  int columns(int roots) const {
    return 2 * capacity + 2 * block(roots) + roots + (metric ? capacity + 2 : 0);
  }
};

/// One call of davidson().
template <VectorBackend Backend>
class DavidsonRun {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  using Model = BasicModelSpace<typename Backend::Scalar>;

  DavidsonRun(const Backend& backend, const Operator<Backend>& h, const Model& model,
              const DavidsonConfig& config, int start_columns, std::vector<IterationRecord> history,
              const SubspaceFilter<Backend>* filter)
      : backend_(backend), model_(model), config_(config), rows_(h.local_rows()),
        dimension_(filter != nullptr ? filter->dimension() : h.size()),
        vectors_are_long_(h.size() > config.long_vectors),
        shape_(dimension_, start_columns, config, h.metric() != nullptr), diagonals_(backend, h),
        space_(backend, h,
               {backend, config, h.metric(), diagonals_.largest_metric(), filter, rows_, shape_.capacity}),
        block_(shape_.block(shape_.wanted)), work_(backend.allocate(rows_, 2 * block_)),
        preconditioner_(backend, h, diagonals_, model, config.denominator_floor),
        start_(backend, h, config, filter, diagonals_, shape_.block(shape_.most_wanted), work_.view()),
        stagnation_(config.stagnation_window), history_(std::move(history)), wanted_(shape_.wanted) {
    if (!history_.empty()) {
      first_iteration_ = history_.back().iteration;
      applications_ = history_.back().num_applications;
      earlier_seconds_ = history_.back().seconds;
    }
    if (config.resumes && continues(start_columns)) {
      phase_ = history_.back().phase;
      explored_ = phase_ == SearchPhase::missed_roots;
      num_earlier_ = history_.size() - 1;
    } else {
      num_earlier_ = history_.size();
    }
  }

  EigenResult<Backend> solve(StartBlock<Backend> start, const SolverObserver<Backend>& observer) {
    start.columns = shape_.start_columns;
    if (shape_.whole) {
      start_.whole_space(space_.basis());
    } else {
      start_.prepare(start, model_, continues(start.columns) || config_.follow_start, space_.basis());
    }
    if (config_.follow_start) follow(start);
    for (int iteration = 1;; ++iteration) {
      applications_ += space_.extend();
      const SearchPhase phase = phase_;
      assess();
      record(first_iteration_ + iteration, tracked() > wanted_ ? phase_ : phase);
      const bool stop = observer && observe(observer) == SolverAction::stop;
      if (done_) return result(SolverStatus::converged);
      if (stop) return result(SolverStatus::interrupted);
      if (stagnation_.check(judged(history_.back()), config_.tolerance)) {
        return result(ended(SolverStatus::stagnated));
      }
      if (iteration == config_.max_iterations) return result(ended(SolverStatus::not_converged));
      if (expand() == 0) return result(ended(SolverStatus::stagnated));
    }
  }

private:
  using Coefficients = typename Subspace<Backend>::Coefficients;

  // The start block is where an earlier call for at least as many roots stopped.
  bool continues(int start_columns) const {
    return !history_.empty() && start_columns >= shape_.wanted &&
           std::ssize(history_.back().energies) >= shape_.wanted;
  }
  int tracked() const { return static_cast<int>(residual_norms_.size()); }
  double energy(int root) const { return space_.ritz_values()[root]; }
  bool converged(int root) const { return residual_norms_[root] <= config_.tolerance; }
  bool wanted_converged() const {
    for (int root = 0; root < wanted_; ++root) {
      if (root >= tracked() || !converged(root)) return false;
    }
    return true;
  }
  // Those above the wanted ones are known well enough.
  bool watched_are_settled() const {
    for (int root = wanted_; root < std::min(tracked(), wanted_ + shape_.watched); ++root) {
      if (residual_norms_[root] > config_.watched_tolerance) return false;
    }
    return true;
  }
  // Whether a root needs no further direction.
  bool is_settled(int root) const {
    const bool is_guard = root == wanted_ && phase_ == SearchPhase::next_root;
    if (root < wanted_ || is_guard || shape_.watched == 0) return converged(root);
    return residual_norms_[root] <= config_.watched_tolerance;
  }
  // A record in which watched roots that are known well enough don't hide the progress of the others.
  IterationRecord judged(IterationRecord record) const {
    for (int root = wanted_; root < tracked(); ++root) {
      if (shape_.watched > 0 && is_settled(root)) record.residual_norms[root] = 0.0;
    }
    return record;
  }
  // The wanted roots may be there although a guard root is still in doubt.
  SolverStatus ended(SolverStatus otherwise) const {
    return wanted_converged() ? SolverStatus::converged : otherwise;
  }
  View residual_block() { return work_.view().slice(0, block_); }
  View second_block() { return work_.view().slice(block_, block_); }

  // Blocks for that many wanted roots.
  void reserve_blocks(int roots) {
    if (shape_.block(roots) <= block_) return;
    block_ = shape_.block(roots);
    work_ = typename Backend::Block();  // Free first: both need not fit.
    work_ = backend_.allocate(rows_, 2 * block_);
    start_.use(work_.view());
    residuals_valid_ = false;
  }

  // From now on the Ritz vectors nearest the first start vectors are the wanted ones.
  void follow(const StartBlock<Backend>& start) {
    const int followed = std::min(shape_.wanted, start.columns);
    const ConstView duals = space_.basis().duals();
    Coefficients overlap(duals.columns, followed);
    const View column = work_.view().slice(0, 1);
    for (int k = 0; k < followed; ++k) {
      start.write(k, column);
      const Coefficients part = backend_.gram(duals, column);
      for (int i = 0; i < part.rows(); ++i) overlap(i, k) = part(i, 0);
    }
    space_.follow(std::move(overlap));
  }

  // Residuals of the wanted roots; once these are converged, what lies above them.
  void assess() {
    track(std::min(wanted_ + shape_.watched, space_.size()));
    done_ = false;
    need_probe_ = false;
    while (wanted_converged() && watched_are_settled()) {
      if (config_.follow_start) {
        done_ = true;
        return;
      }
      if (!explored_ && find_unexplored_rows()) return;
      if (wanted_ == shape_.most_wanted) {
        done_ = true;
        return;
      }
      need_probe_ = space_.size() == wanted_;  // Nothing is known about the next root.
      if (need_probe_) return;
      if (tracked() <= wanted_) track(wanted_ + 1);
      const double gap = energy(wanted_) - energy(wanted_ - 1);
      if (converged(wanted_) && gap <= config_.cluster_width) {
        reserve_blocks(++wanted_);
        if (shape_.watched > 0) track(std::min(wanted_ + shape_.watched, space_.size()));
      } else if (converged(wanted_) || gap - possible_lowering(wanted_) > config_.cluster_width) {
        residual_norms_.resize(static_cast<std::size_t>(wanted_));
        done_ = true;
        return;
      } else {
        phase_ = SearchPhase::next_root;
        return;  // In doubt: the guard root is expanded like a wanted one.
      }
    }
  }

  // Once per run, when it seems to be over: does a low row point to a root that was missed?
  bool find_unexplored_rows() {
    explored_ = true;
    if (space_.size() == dimension_ || config_.exploration_margin == 0.0) return false;
    const View root = second_block().slice(0, 1);
    space_.ritz_duals(wanted_ - 1, 1, root);
    const double top = energy(wanted_ - 1);
    unexplored_ = start_.unexplored_rows(space_.basis().duals(), wanted_, top,
                                         config_.exploration_margin * start_.correlation(root, top));
    if (!unexplored_.empty()) phase_ = SearchPhase::missed_roots;
    return !unexplored_.empty();
  }

  void track(int count) {
    space_.residuals(0, count, work_.view().slice(0, count));
    residual_norms_ = backend_.norms(work_.view().slice(0, count));
    residual_columns_ = count;
    residuals_valid_ = true;
  }

  // How far this Ritz value may still fall: the second-order correction with margin, and without a metric no more
  // than the residual norm (an eigenvalue lies that close: D. H. Weinstein, Proc. Natl. Acad. Sci. 20 (1934) 529).
  double possible_lowering(int root) {
    const View residual = work_.view().slice(root, 1);
    const View correction = second_block().slice(0, 1);
    const double energies[] = {energy(root)};
    backend_.copy(residual, correction);
    preconditioner_.apply(energies, correction);
    const double second_order = std::abs(backend_.gram(residual, correction)(0, 0));
    const double lowering = config_.guard_margin * second_order;
    return shape_.metric ? lowering : std::min(residual_norms_[root], lowering);
  }

  void record(int iteration, SearchPhase phase) {
    const auto energies = space_.ritz_values().begin();
    if (phase == SearchPhase::roots && another_came_up()) phase = phase_ = SearchPhase::new_root;
    history_.push_back({.iteration = iteration,
                        .phase = phase,
                        .subspace_size = space_.size(),
                        .num_applications = applications_,
                        .seconds = earlier_seconds_ + watch_.seconds(),
                        .energies = {energies, energies + tracked()},
                        .residual_norms = residual_norms_});
  }

  // A root that was not seen before has taken a place among the wanted ones: residuals otherwise waver by less.
  bool another_came_up() const {
    constexpr double jump = 10.0;
    if (history_.size() <= num_earlier_) return false;
    if (history_.back().residual_norms.size() != residual_norms_.size()) return false;
    const double largest = std::ranges::max(residual_norms_);
    return largest > jump * std::ranges::max(history_.back().residual_norms) && largest > config_.tolerance;
  }

  SolverAction observe(const SolverObserver<Backend>& observer) {
    const auto restart_vectors = [this]() -> RestartVectors<Backend> {
      const int most = vectors_are_long_ ? std::min(shape_.kept, 2 * tracked()) : shape_.kept;
      const Coefficients kept = space_.restart_coefficients(tracked(), most, config_.orthogonality_floor);
      residuals_valid_ = false;
      return {kept.columns(), [this, kept](int column) -> ConstView {
                const View vector = work_.view().slice(0, 1);
                space_.combine(dense::columns(kept, column, 1), vector);
                return vector;
              }};
    };
    return observer({history_.back(), history_, restart_vectors});
  }

  // Writes new directions behind the basis; 0 if there is none.
  int expand() {
    if (space_.size() == dimension_) return 0;
    if (!unexplored_.empty()) {
      const std::vector<std::int64_t> rows = std::exchange(unexplored_, {});
      make_room(static_cast<int>(rows.size()));
      const int added = start_.append_rows(space_.basis(), rows);
      if (added > 0) return added;
      assess();  // They hold nothing new: on to what lies above the wanted roots.
      if (done_) return 0;
    }
    if (need_probe_) {
      make_room(1);
      return start_.append(space_.basis(), start_.noise());
    }
    std::vector<int> roots;
    for (int root = 0; root < tracked(); ++root) {
      if (!is_settled(root)) roots.push_back(root);
    }
    if (roots.empty()) return 0;
    make_room(static_cast<int>(roots.size()));
    roots.resize(std::min(static_cast<int>(roots.size()), space_.capacity() - space_.size()));
    if (roots.empty()) return 0;
    corrections(roots);
    const int count = static_cast<int>(roots.size());
    int added = append_from_work(count);
    if (added == 0) {  // The preconditioner led back into the basis; the residual itself never does.
      gather_residuals(roots);
      added = append_from_work(count);
    }
    if (added == 0) added = start_.append(space_.basis(), start_.noise());
    return added;
  }

  int append_from_work(int count) {
    residuals_valid_ = false;
    return space_.basis().append(residual_block().slice(0, count), second_block().slice(0, count));
  }

  // Thick restart if the basis is full.
  void make_room(int count) {
    if (space_.size() + count <= space_.capacity()) return;
    if (space_.capacity() == dimension_ && space_.size() < space_.capacity()) return;  // The rest fits.
    const int kept = std::max(std::min(shape_.kept, space_.capacity() - count), tracked());
    space_.contract(space_.restart_coefficients(tracked(), kept, config_.orthogonality_floor), work_.view());
    residuals_valid_ = false;
  }

  // As track() left them, at the front of the work block: of as many columns, on which the last bits can depend.
  void restore_residuals() {
    if (residuals_valid_) return;
    space_.residuals(0, residual_columns_, work_.view().slice(0, residual_columns_));
    residuals_valid_ = true;
  }

  // Residuals of `roots` to the front of the work block.
  void gather_residuals(const std::vector<int>& roots) {
    restore_residuals();
    for (int k = 0; k < static_cast<int>(roots.size()); ++k) {
      const int root = roots[k];
      if (root == k) continue;
      backend_.copy(work_.view().slice(root, 1), work_.view().slice(k, 1));
      residuals_valid_ = false;
    }
  }

  // Olsen's correction t = K r - (<z|K r> / <z|K z>) K z of each root, where z = S x, to the front of the work block.
  // It is orthogonal to x in the metric; without its second term, an exact K would return x itself.
  void corrections(const std::vector<int>& roots) {
    gather_residuals(roots);
    const int count = static_cast<int>(roots.size());
    const View r = residual_block().slice(0, count);
    const View kz = second_block().slice(0, count);
    const View z = space_.basis().free_columns(count);
    std::vector<double> energies;
    for (int k = 0; k < count; ++k) {
      const int root = roots[k];
      energies.push_back(energy(root));
      space_.ritz_duals(root, 1, z.slice(k, 1));
    }
    backend_.copy(z, kz);
    preconditioner_.apply(energies, kz);
    preconditioner_.apply(energies, r);
    residuals_valid_ = false;
    const Coefficients z_kr = backend_.gram(z, r);
    const Coefficients z_kz = backend_.gram(z, kz);
    Coefficients factors(count, count);
    for (int k = 0; k < count; ++k) {
      const auto factor = -z_kr(k, k) / z_kz(k, k);
      if (std::isfinite(std::abs(factor))) factors(k, k) = factor;
    }
    backend_.combine(kz, factors, 1.0, r);
  }

  EigenResult<Backend> result(SolverStatus status) {
    const int count = std::min(wanted_, space_.size());
    const auto energies = space_.ritz_values().begin();
    EigenResult<Backend> result;
    result.status = status;
    result.energies.assign(energies, energies + count);
    result.residual_norms.assign(residual_norms_.begin(), residual_norms_.begin() + count);
    for (int root = 0; root < count; ++root) result.converged.push_back(converged(root));
    result.vectors = backend_.allocate(rows_, count);
    space_.ritz_vectors(0, count, result.vectors.view());
    if (result.status != SolverStatus::interrupted) refine_energies(result);
    result.num_applications = applications_;
    result.history = std::move(history_);
    return result;
  }

  // Rayleigh quotients: in a basis orthonormal to d, Ritz values of 100 hartree are off by 100 d; a bad metric is worse.
  void refine_energies(EigenResult<Backend>& result) {
    const int count = result.vectors.view().columns;
    if (count == 0 || shape_.metric) return;
    restore_residuals();
    const Coefficients along = backend_.gram(result.vectors.view(), work_.view().slice(0, count));
    for (int k = 0; k < count; ++k) {
      result.energies[k] += std::real(along(k, k));
      if (k > 0 && !config_.follow_start)
        result.energies[k] = std::max(result.energies[k], result.energies[k - 1]);
    }
  }

  const Backend& backend_;
  const Model& model_;
  const DavidsonConfig& config_;
  std::int64_t rows_;       // Of this part.
  std::int64_t dimension_;  // Of the space, or of the filter's subspace.
  bool vectors_are_long_;
  SubspaceShape shape_;
  Diagonals<Backend> diagonals_;
  Subspace<Backend> space_;
  int block_;                     // Vectors worked on at a time.
  typename Backend::Block work_;  // Residuals in the first block, a second block behind.
  Preconditioner<Backend> preconditioner_;
  StartVectors<Backend> start_;
  Stagnation stagnation_;
  std::vector<IterationRecord> history_;
  int wanted_;
  int first_iteration_ = 0;
  std::int64_t applications_ = 0;
  double earlier_seconds_ = 0.0;
  std::size_t num_earlier_ = 0;  ///< records of another search
  Stopwatch watch_;
  std::vector<double> residual_norms_;  // Of the tracked roots: the wanted and perhaps a guard.
  int residual_columns_ = 0;  // Roots that track() had, one more than are tracked where it looked above them.
  bool residuals_valid_ = false;  // The work block holds the residuals of the tracked roots.
  bool done_ = false;
  bool need_probe_ = false;
  bool explored_ = false;
  SearchPhase phase_ = SearchPhase::roots;  // Of the next iteration.
  std::vector<std::int64_t> unexplored_;
};

}  // namespace cisolve
