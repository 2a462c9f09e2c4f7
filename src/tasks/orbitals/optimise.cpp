// SPDX-License-Identifier: MIT
#include "tasks/orbitals/optimise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <ostream>
#include <utility>

#include "cisolve/analysis/density_bytes.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/solver/trust_region.hpp"
#include "core/stopwatch.hpp"
#include "tasks/ci/sector.hpp"
#include "tasks/orbitals/averaged_ci.hpp"
#include "tasks/orbitals/final_orbitals.hpp"
#include "tasks/orbitals/natural.hpp"
#include "tasks/orbitals/record.hpp"
#include "tasks/orbitals/report.hpp"
#include "tasks/orbitals/start.hpp"

namespace cisolve {
namespace {

double largest_element(const std::vector<double>& gradient) {
  double largest = 0.0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  return largest;
}

/// A set of orbitals with the CI over them and the derivatives of its energy.
struct OrbitalPoint {
  OrbitalPoint(const FunctionIntegrals& functions, ClassifiedOrbitals orbitals)
      : integrals(functions, std::move(orbitals)) {}

  OrbitalIntegrals integrals;
  std::shared_ptr<const ActiveIntegrals> active;
  AveragedStates states;
  std::unique_ptr<OrbitalDerivatives> derivatives;
  double gradient = 0.0;  ///< largest element
};

class OrbitalOptimisation {
public:
  OrbitalOptimisation(const RunContext& context, std::vector<CiJob>& jobs, const OptimisationStart& start)
      : context_(context), config_(*context.config.orbitals), jobs_(jobs), start_(start),
        origin_(jobs.front().start), functions_(origin_->functions), average_(context, jobs) {
    for (const int p : config_.fixed) fixed_.push_back(p - 1);
    record_.weights = config_.weights;
    record_.start_integrals_hash = jobs_.front().integrals_hash;
  }

  OptimisedOrbitals operator()() {
    const Stopwatch all;
    const double before = seconds_of_ci();
    OptimisedOrbitals found = start_.checkpoint != nullptr ? go_on() : begin();
    context_.result.timing.integrals += all.seconds() - (seconds_of_ci() - before);
    return found;
  }

private:
  static constexpr double first_tolerance = 1e-4;   // hartree, of residuals
  static constexpr double least_tolerance = 1e-10;  // that rounding lets a CI reach
  static constexpr double share_of_gradient = 0.1;  // that residuals may have
  static constexpr double least_radius = 1e-7;

  double seconds_of_ci() const {
    const auto& timing = context_.result.timing;
    return timing.hamiltonian + timing.transfer + timing.solve;
  }

  OptimisedOrbitals begin() {
    ClassifiedOrbitals orbitals = orbitals_of(jobs_);
    if (start_.earlier != nullptr) {
      const std::string why_not =
          take_earlier(*start_.earlier, *context_.config.molecule, jobs_.front(), orbitals);
      if (!why_not.empty()) context_.warn(why_not + ": the optimisation begins with the SCF's");
    }
    classify(orbitals);
    print_optimisation_heading(context_.report, context_.result.system, record_);
    here_ = solved(std::move(orbitals), {}, first_tolerance);
    differentiate(*here_);
    warn_of_start();
    keep_iteration({}, config_.max_rotation, here_->states.products, false);
    return optimise(config_.max_rotation);
  }

  /// From a checkpoint, or the result of a run that ended: takes orbitals that are those asked for as they are.
  OptimisedOrbitals go_on() {
    ResumedOptimisation resumed = resumed_optimisation(context_.config, jobs_, start_);
    CiResult::Orbitals& reached = resumed.reached;
    classify(resumed.orbitals);
    const auto iterations = std::ssize(reached.history_energy) - 1;
    const std::string source =
        fmt::format("{}, {} iteration{}", start_.checkpoint_source, iterations, iterations == 1 ? "" : "s");
    if (resumed.is_done) {
      record_ = std::move(reached);
      print_optimisation_heading(context_.report, context_.result.system, record_, source, true);
      FinalSet last{std::move(resumed.orbitals), record_.energies, record_.occupations, true};
      return hand_over(last, {});
    }
    double radius = config_.max_rotation;
    if (resumed.same_average && iterations > 0) {  // the same function: its history goes on
      const bool refused = reached.history_refused.back() != 0;
      radius = refused ? TrustRegionConfig{}.shrinking * reached.history_step.back()
                       : reached.history_radius.back();
      radius = std::clamp(radius, 0.1 * config_.max_rotation, std::max(1.5, config_.max_rotation));
      record_.history_energy = std::move(reached.history_energy);
      record_.history_gradient = std::move(reached.history_gradient);
      record_.history_step = std::move(reached.history_step);
      record_.history_radius = std::move(reached.history_radius);
      record_.history_refused = std::move(reached.history_refused);
      record_.history_ci_products = std::move(reached.history_ci_products);
      record_.history_hessian_products = std::move(reached.history_hessian_products);
    }
    print_optimisation_heading(context_.report, context_.result.system, record_, source);
    try {
      here_ = solved(std::move(resumed.orbitals), resumed.vectors, residual_tolerance(reached.gradient));
    } catch (const Interrupted&) {
      if (start_.checkpoints == nullptr) throw;
      return {.status = SolverStatus::interrupted};  // the checkpoint is as it was
    }
    differentiate(*here_);
    if (record_.history_energy.empty()) keep_iteration({}, radius, here_->states.products, false);
    return optimise(radius);
  }

  /// What the first CI shows of the average.
  void warn_of_start() const {
    for (const std::string& sector : here_->states.cut) {
      context_.warn(fmt::format(
          "orbitals.optimise: the last root of {} in the average is degenerate with one that has "
          "no part in it, and the orbitals will tell them apart: change states.count (now {}), or "
          "give both a weight",
          sector, context_.config.count));
    }
    if (pairs_.empty()) {
      context_.warn(
          "orbitals.optimise: no rotation of orbitals changes the energy: the CI is full in all that turn, "
          "or all are fixed");
    } else if (is_stationary() && start_.earlier == nullptr && !is_active_space(context_.config)) {
      context_.warn(
          "orbitals.optimise: the orbitals were stationary as they were, which of an SCF's orbitals a CI of "
          "single replacements is even where others have lower energies: begin with other ones "
          "(orbitals.file) to see");
    }
  }

  OptimisedOrbitals optimise(double radius) {
    try {
      record_.converged = iterate(radius);
    } catch (const Interrupted&) {
      if (start_.checkpoints == nullptr) throw;
      if (const std::string failure = save(); !failure.empty()) throw SystemError(failure);
      return {.status = SolverStatus::interrupted};
    }
    if (!record_.converged && start_.checkpoints != nullptr) save();
    return finish();
  }

  /// Of the CI after a step from a gradient: the step may leave no more than its square, and a residual errs the next
  /// gradient by about itself.
  double residual_tolerance(double gradient) const {
    const double foretold = std::max(gradient * gradient, share_of_gradient * config_.gradient_tolerance);
    return std::max(std::min({first_tolerance, share_of_gradient * gradient, foretold}), least_tolerance);
  }

  void classify(const ClassifiedOrbitals& orbitals) {
    pairs_ = rotations_between_classes(orbitals, fixed_);
    record_.n_inactive = static_cast<int>(orbitals.of(OrbitalClass::inactive).size());
    record_.n_active = static_cast<int>(orbitals.of(OrbitalClass::active).size());
  }

  std::unique_ptr<OrbitalPoint> solved(ClassifiedOrbitals orbitals, std::span<const SectorVectors> vectors,
                                       double tolerance) {
    if (context_.control.stop_requested()) throw Interrupted("interrupted while orbitals were optimised");
    auto point = std::make_unique<OrbitalPoint>(functions_, std::move(orbitals));
    point->active = std::make_shared<const ActiveIntegrals>(
        ActiveIntegrals{point->integrals.active(), jobs_.front().active->active_orbitals});
    point->states = average_.solve(point->active, vectors, tolerance);
    if (!point->states.unconverged.empty()) {
      ++unconverged_;
      which_ = fmt::format("{}", fmt::join(point->states.unconverged, "; "));
    }
    return point;
  }

  void differentiate(OrbitalPoint& point) const {
    point.derivatives =
        std::make_unique<OrbitalDerivatives>(functions_, point.integrals, point.states.densities, pairs_);
    point.gradient = largest_element(point.derivatives->gradient());
  }

  /// A gradient of a CI that is not converged says little.
  bool is_stationary() const {
    return here_->gradient < config_.gradient_tolerance && here_->states.unconverged.empty();
  }

  /// Whether it converged.
  bool iterate(double first_radius) {
    TrustRegion region({.radius = first_radius, .most_radius = std::max(1.5, config_.max_rotation)});
    bool settled = is_stationary();
    for (int number = 1; !settled && number <= config_.max_iterations; ++number) {
      const OrbitalDerivatives& derivatives = *here_->derivatives;
      const double radius = region.radius();
      const TrustRegionStep step =
          region.propose({derivatives.gradient(), derivatives.diagonal(),
                          [&](std::span<const double> x) { return derivatives.hessian_product(x); }});
      ClassifiedOrbitals turned = here_->integrals.orbitals();
      turned.coefficients = turned_orbitals(turned.coefficients, pairs_, step.x);
      std::unique_ptr<OrbitalPoint> there =
          solved(std::move(turned), here_->states.vectors, residual_tolerance(here_->gradient));
      const double change = there->states.energy - here_->states.energy;
      const std::int64_t products = there->states.products;
      const bool taken = region.accepts(step, change);
      if (taken) {
        differentiate(*there);
        region.learn(step, derivatives.gradient(), there->derivatives->gradient());
        warn_of_flips(there->states, number);
        here_ = std::move(there);
        settled = is_stationary() && std::abs(change) < config_.energy_tolerance;
      }
      keep_iteration(step, radius, products, !taken);
      save_if_due();
      if (region.radius() < least_radius) break;
    }
    return settled;
  }

  void keep_iteration(const TrustRegionStep& step, double radius, std::int64_t products, bool refused) {
    record_.history_energy.push_back(here_->states.energy);
    record_.history_gradient.push_back(here_->gradient);
    record_.history_step.push_back(step.norm);
    record_.history_radius.push_back(radius);
    record_.history_refused.push_back(refused ? 1 : 0);
    record_.history_ci_products.push_back(products);
    record_.history_hessian_products.push_back(step.products);
    context_.control.tell({.stage = "orbitals",
                           .iteration = static_cast<int>(std::ssize(record_.history_energy)) - 1,
                           .energies = {&here_->states.energy, 1},
                           .residual_norms = {&here_->gradient, 1}});
    print_optimisation_iteration(context_.report, record_, record_.history_energy.size() - 1);
    context_.report.flush();
  }

  /// Roots of a sector that changed places: an average with unequal weights is of other states from there on. Among
  /// degenerate ones there are no places. Of those that are followed, what is left of them is looked at.
  void warn_of_flips(const AveragedStates& now, int iteration) const {
    constexpr double half = 0.5, degenerate = 1e-6;  // of a norm squared; hartree
    const std::size_t count = context_.config.count;
    for (std::size_t sector = 0; sector < now.vectors.size(); ++sector) {
      const std::vector<double>& before = here_->states.vectors[sector].values;
      const std::vector<double>& after = now.vectors[sector].values;
      const std::vector<double>& energies = now.energies[sector];
      const std::size_t rows = before.size() / count;
      const auto share = [&](std::size_t k, std::size_t l) {
        double overlap = 0.0;
        for (std::size_t i = 0; i < rows; ++i) overlap += before[k * rows + i] * after[l * rows + i];
        return overlap * overlap;
      };
      for (std::size_t k = 0; k < count; ++k) {
        const bool counts = config_.weights[sector * count + k] > 0.0;
        if (config_.follow && counts && share(k, k) < half) {
          context_.warn(
              fmt::format("orbitals.follow: root {} of sector {} kept {:.0f} % of itself in iteration {}: "
                          "what is followed from there on may be another state",
                          k + 1, sector + 1, 100.0 * share(k, k), iteration));
        }
        for (std::size_t l = 0; l < count && !config_.follow; ++l) {
          if (k == l || std::abs(energies[k] - energies[l]) < degenerate || share(k, l) < half) continue;
          context_.warn(fmt::format("orbitals: root {} of sector {} became root {} in iteration {}", k + 1,
                                    sector + 1, l + 1, iteration));
        }
      }
    }
  }

  void save_if_due() {
    if (start_.checkpoints == nullptr) return;
    const bool asked = context_.control.checkpoint_requested();
    if (!asked && since_last_.seconds() < context_.config.checkpoint_interval) return;
    save();
    since_last_ = Stopwatch();
  }

  /// Keeps the orbitals reached, and the CI over them.
  /// @returns why the checkpoint is not in place; empty: it is
  std::string save() {
    SectorContext sectors;
    sectors.count = static_cast<int>(jobs_.size());
    sectors.names = join_sectors(start_.sectors);
    sectors.integrals_hash = hash(here_->active->integrals);
    CheckpointOrbitals reached{record_, nullptr};
    describe(final_set(here_->integrals.orbitals(), here_->derivatives->fock(), here_->states.densities.one,
                       FinalOrbitals::unchanged, fixed_),
             here_->states.densities.one, here_->active->integrals.irreps, reached.reached);
    reached.reached.energy = here_->states.energy;
    reached.reached.gradient = here_->gradient;
    auto vectors = std::make_shared<std::vector<SectorVectors>>(std::move(here_->states.vectors));
    reached.vectors = vectors;
    sectors.orbitals = std::make_shared<const CheckpointOrbitals>(std::move(reached));
    const auto written = start_.checkpoints->write(checkpoint_header(context_.config, sectors),
                                                   columns_of(std::span<const double>(), 0), {});
    std::string failure = start_.checkpoints->put_in_place(*written);
    here_->states.vectors = std::move(*vectors);
    start_.checkpoints->say(failure, context_.control);
    return failure;
  }

  /// Of the last CI's roots, which come by their energies.
  void order_weights() {
    const std::size_t count = context_.config.count;
    for (std::size_t sector = 0; sector < here_->states.energies.size(); ++sector) {
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, {}, [&](std::size_t k) { return here_->states.energies[sector][k]; });
      for (std::size_t k = 0; k < count; ++k) {
        const double weight = config_.weights[sector * count + order[k]];
        record_.weights[sector * count + k] = weight;
        if (weight == 0.0 || order[k] <= k) continue;
        context_.warn(fmt::format(
            "orbitals.follow: root {} of sector {} ended as number {} by energy: it went down past others, "
            "perhaps to another state than the one meant; orbitals of a state average are a safer start "
            "(orbitals.file)",
            order[k] + 1, sector + 1, k + 1));
      }
    }
  }

  OptimisedOrbitals finish() {
    if (config_.follow) order_weights();
    record_.energy = here_->states.energy;
    record_.gradient = here_->gradient;
    record_.lowest_hessian_eigenvalue = here_->derivatives->lowest_hessian_eigenvalue();
    const Matrix& one = here_->states.densities.one;
    const FinalSet last =
        final_set(here_->integrals.orbitals(), here_->derivatives->fock(), one, config_.final, fixed_);
    const std::vector<int>& irreps = here_->active->integrals.irreps;
    describe(last, one, irreps, record_);
    const std::vector<std::string> names = natural_orbital_names(one, irreps, jobs_.front());
    std::shared_ptr<const std::vector<SectorVectors>> vectors;
    if (!last.active_turned)
      vectors = std::make_shared<const std::vector<SectorVectors>>(std::move(here_->states.vectors));
    OptimisedOrbitals result = hand_over(last, names);
    result.vectors = std::move(vectors);
    return result;
  }

  /// Gives the jobs the last orbitals. The integrals are made from these alone, so that a restart makes the same.
  /// @param names  of the natural orbitals; empty: not known
  OptimisedOrbitals hand_over(const FinalSet& last, const std::vector<std::string>& names) {
    const std::vector<int>& numbers = jobs_.front().active->active_orbitals;
    const auto active = std::make_shared<const ActiveIntegrals>(
        ActiveIntegrals{OrbitalIntegrals(functions_, last.orbitals).active(), numbers});
    for (CiJob& job : jobs_) job = with_integrals(std::move(job), active);
    adopt_orbitals(last.orbitals.coefficients, last.energies, jobs_);
    describe_integrals();
    print_optimised(context_.report, context_.result, record_, context_.control.verbose);
    for (std::string& warning : optimisation_warnings(record_, names, context_.config))
      context_.warn(std::move(warning));
    if (unconverged_ > 0) {
      context_.warn(fmt::format(
          "the CI was not converged over the orbitals of {} iteration{}, last in {}: their steps are of poor "
          "gradients; raise solver.max_iterations (now {})",
          unconverged_, unconverged_ == 1 ? "" : "s", which_, context_.config.max_iterations));
    }
    OptimisedOrbitals result;
    result.status = record_.converged ? SolverStatus::converged : SolverStatus::not_converged;
    result.of_checkpoint = here_ == nullptr;
    result.kept = result.of_checkpoint
                      ? start_.checkpoint->header.orbitals
                      : std::make_shared<const CheckpointOrbitals>(CheckpointOrbitals{record_, nullptr});
    context_.result.orbitals = std::move(record_);
    return result;
  }

  void describe_integrals() const {
    CiResult::System& system = context_.result.system;
    const CiJob& first = jobs_.front();
    system.core_energy = first.active->integrals.core_energy;
    system.reference_energy = first.reference_energy;
    system.integrals_hash = first.integrals_hash;
    context_.result.integrals = {first.active, &first.active->integrals};
  }

  const RunContext& context_;
  const OrbitalsConfig& config_;
  std::vector<CiJob>& jobs_;
  const OptimisationStart& start_;
  const std::shared_ptr<const StartOrbitals> origin_;
  const FunctionIntegrals& functions_;
  AveragedCi average_;
  std::vector<int> fixed_;  ///< zero-based
  std::vector<OrbitalPair> pairs_;
  std::unique_ptr<OrbitalPoint> here_;
  CiResult::Orbitals record_;
  int unconverged_ = 0;   ///< orbitals whose CI was not converged
  std::string which_;     ///< sectors, of the last of them
  Stopwatch since_last_;  ///< checkpoint
};

}  // namespace

std::int64_t optimisation_bytes(const CiConfig& config, std::span<const CiJob> jobs) {
  if (!config.orbitals || config.orbitals->optimise != OrbitalsConfig::For::casscf || !jobs.front().start)
    return 0;
  const int n = jobs.front().num_orbitals();
  const std::int64_t sums = pair_density_bytes(n, AveragedCi::bytes_for_pair_sums);
  return orbital_optimisation_bytes(jobs.front().start->functions.num_functions(), n) + sums;
}

void require_room_for_optimisation(const CiConfig& config, std::span<const CiJob> jobs) {
  const std::int64_t bytes = optimisation_bytes(config, jobs), memory = memory_limit(config);
  constexpr std::int64_t unnoticed = std::int64_t{64} << 20;  // beside what any process takes
  if (bytes <= std::max(memory, unnoticed)) return;
  throw DoesNotFit(
      DoesNotFit::Limit::host_memory,
      fmt::format("orbitals.optimise: {} active orbitals of {} over {} functions take {}, but there are {}",
                  jobs.front().num_orbitals(), jobs.front().start->irreps.size(),
                  jobs.front().start->functions.num_functions(), format_bytes(bytes), format_bytes(memory)),
      "take fewer active orbitals");
}

OptimisedOrbitals optimise_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                    const OptimisationStart& start) {
  for (const CiJob& job : jobs) {
    if (!job.why_empty.empty()) throw EmptySpaceError(job.why_empty);
  }
  if (context.config.orbitals->optimise == OrbitalsConfig::For::natural)
    return replace_by_natural_orbitals(context, jobs, start);
  return OrbitalOptimisation(context, jobs, start)();
}

}  // namespace cisolve
