// SPDX-License-Identifier: MIT
#include "tasks/orbitals/optimise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <utility>

#include "cisolve/analysis/natural_orbitals.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "cisolve/solver/trust_region.hpp"
#include "core/stopwatch.hpp"
#include "tasks/ci/replacement.hpp"
#include "tasks/orbitals/averaged_ci.hpp"
#include "tasks/orbitals/final_orbitals.hpp"
#include "tasks/orbitals/report.hpp"

namespace cisolve {
namespace {

double largest_element(const std::vector<double>& gradient) {
  double largest = 0.0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  return largest;
}

/// A set of orbitals with the CI over them and the derivatives of its energy.
struct OrbitalPoint {
  OrbitalPoint(const MolecularBasis& molecule, ClassifiedOrbitals orbitals)
      : integrals(molecule, std::move(orbitals)) {}

  OrbitalIntegrals integrals;
  std::shared_ptr<const ActiveIntegrals> active;
  AveragedStates states;
  std::unique_ptr<OrbitalDerivatives> derivatives;
  double gradient = 0.0;  ///< largest element
};

class OrbitalOptimisation {
public:
  OrbitalOptimisation(const RunContext& context, std::vector<CiJob>& jobs)
      : context_(context), config_(*context.config.orbitals), jobs_(jobs),
        solution_(*jobs.front().molecule), molecule_{context.config.molecule->frame,
                                                     context.config.molecule->basis, *solution_.repulsion},
        average_(context, jobs) {}

  /// @param earlier  may be null
  OptimisedOrbitals operator()(const EarlierOrbitals* earlier) {
    ClassifiedOrbitals start = start_orbitals();
    if (earlier != nullptr) begin_with(*earlier, start);
    std::vector<int> fixed;
    for (const int p : config_.fixed) fixed.push_back(p - 1);
    pairs_ = rotations_between_classes(start, fixed);
    record_.weights = config_.weights;
    record_.n_inactive = static_cast<int>(start.of(OrbitalClass::inactive).size());
    record_.n_active = static_cast<int>(start.of(OrbitalClass::active).size());
    print_optimisation_heading(context_.report, context_.result.system, record_);
    const Stopwatch all;
    const auto of_ci = [&] {
      const auto& timing = context_.result.timing;
      return timing.hamiltonian + timing.transfer + timing.solve;
    };
    const double before = of_ci();
    here_ = solved(std::move(start), {}, first_tolerance);
    differentiate(*here_);
    keep_iteration({}, config_.max_rotation, here_->states.products, false);
    record_.converged = iterate();
    OptimisedOrbitals result = finish(fixed);
    context_.result.timing.integrals += all.seconds() - (of_ci() - before);
    return result;
  }

private:
  static constexpr double first_tolerance = 1e-4;   // hartree, of residuals
  static constexpr double share_of_gradient = 0.1;  // that residuals may have
  static constexpr double least_radius = 1e-7;

  /// Of the CI after a step from a gradient: the step may leave no more than its square, and a residual errs the next
  /// gradient by about itself.
  double residual_tolerance(double gradient) const {
    const double foretold = std::max(gradient * gradient, share_of_gradient * config_.gradient_tolerance);
    return std::min({first_tolerance, share_of_gradient * gradient, foretold});
  }

  ClassifiedOrbitals start_orbitals() const {
    const ScfOrbitals& scf = solution_.scf.orbitals;
    ClassifiedOrbitals orbitals{scf.coefficients, scf.irreps, {}};
    orbitals.classes.assign(scf.irreps.size(), OrbitalClass::empty);
    for (const int p : jobs_.front().core_orbitals) orbitals.classes[p] = OrbitalClass::inactive;
    for (const int p : jobs_.front().active->active_orbitals) orbitals.classes[p] = OrbitalClass::active;
    return orbitals;
  }

  /// Puts earlier orbitals into the places that those of their class and irrep have here, in their order.
  void begin_with(const EarlierOrbitals& earlier, ClassifiedOrbitals& start) const {
    const ClassifiedOrbitals& before = earlier.orbitals;
    const std::size_t n = start.irreps.size();
    std::vector<int> source(n, -1);
    std::vector<bool> taken(before.irreps.size(), false);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < taken.size() && source[p] < 0; ++q) {
        if (taken[q] || before.irreps[q] != start.irreps[p] || before.classes[q] != start.classes[p])
          continue;
        taken[q] = true;
        source[p] = static_cast<int>(q);
      }
    }
    const MoleculeConfig& there = *earlier.molecule;
    if (taken.size() != n || std::ranges::count(source, -1) > 0 ||
        there.basis.num_functions != molecule_.basis.num_functions ||
        before.coefficients.rows() != molecule_.basis.num_functions) {
      context_.warn(fmt::format(
          "the orbitals of {} have other irreps: the optimisation begins with the SCF's", earlier.origin));
      return;
    }
    Matrix carried = carried_coefficients(molecule_.basis, molecule_.frame.geometry,
                                          {there.basis, there.frame.geometry, before.coefficients});
    for (std::size_t p = 0; p < n; ++p)
      std::copy_n(&carried(0, source[p]), carried.rows(), &start.coefficients(0, static_cast<int>(p)));
  }

  std::unique_ptr<OrbitalPoint> solved(ClassifiedOrbitals orbitals,
                                       const std::vector<std::vector<double>>& vectors,
                                       double tolerance) const {
    if (context_.control.stop_requested()) throw Interrupted("interrupted while orbitals were optimised");
    auto point = std::make_unique<OrbitalPoint>(molecule_, std::move(orbitals));
    point->active = std::make_shared<const ActiveIntegrals>(
        ActiveIntegrals{point->integrals.active(), jobs_.front().active->active_orbitals});
    point->states = average_.solve(point->active, vectors, tolerance);
    return point;
  }

  void differentiate(OrbitalPoint& point) const {
    point.derivatives =
        std::make_unique<OrbitalDerivatives>(molecule_, point.integrals, point.states.densities, pairs_);
    point.gradient = largest_element(point.derivatives->gradient());
  }

  /// Whether it converged.
  bool iterate() {
    TrustRegion region({.radius = config_.max_rotation, .most_radius = std::max(1.5, config_.max_rotation)});
    bool settled = here_->gradient < config_.gradient_tolerance;
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
        warn_of_flips(there->states.vectors, number);
        here_ = std::move(there);
        settled = here_->gradient < config_.gradient_tolerance && std::abs(change) < config_.energy_tolerance;
      }
      keep_iteration(step, radius, products, !taken);
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
    print_optimisation_iteration(context_.report, record_, record_.history_energy.size() - 1);
    context_.report.flush();
  }

  /// Roots of a sector that changed places: an average with unequal weights is of other states from there on.
  void warn_of_flips(const std::vector<std::vector<double>>& now, int iteration) const {
    constexpr double half = 0.5;
    const std::size_t count = context_.config.count;
    for (std::size_t sector = 0; sector < now.size(); ++sector) {
      const std::vector<double>& before = here_->states.vectors[sector];
      const std::size_t rows = before.size() / count;
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t l = 0; l < count; ++l) {
          double overlap = 0.0;
          for (std::size_t i = 0; i < rows; ++i) overlap += before[k * rows + i] * now[sector][l * rows + i];
          if (k == l || overlap * overlap < half) continue;
          context_.warn(fmt::format("orbitals: root {} of sector {} became root {} in iteration {}", k + 1,
                                    sector + 1, l + 1, iteration));
        }
      }
    }
  }

  OptimisedOrbitals finish(const std::vector<int>& fixed) {
    OptimisedOrbitals result;
    result.converged = record_.converged;
    record_.energy = here_->states.energy;
    record_.gradient = here_->gradient;
    record_.lowest_hessian_eigenvalue = here_->derivatives->lowest_hessian_eigenvalue();
    const FinalSet last = final_set(here_->integrals.orbitals(), here_->derivatives->fock(),
                                    here_->states.densities.one, config_.final, fixed);
    std::shared_ptr<const ActiveIntegrals> active = here_->active;
    if (last.active_turned) {
      const OrbitalIntegrals integrals(molecule_, last.orbitals);
      active = std::make_shared<const ActiveIntegrals>(
          ActiveIntegrals{integrals.active(), active->active_orbitals});
    } else {
      result.vectors = std::move(here_->states.vectors);
    }
    auto solution = std::make_shared<MoleculeSolution>(solution_);
    solution->repulsion.reset();
    solution->scf.orbitals.coefficients = last.orbitals.coefficients;
    solution->scf.orbitals.energies = last.energies;
    const std::vector<std::string> names = describe(last);
    for (CiJob& job : jobs_) {
      job = with_integrals(std::move(job), active);
      job.molecule = solution;
    }
    describe_integrals();
    print_optimised(context_.report, record_);
    for (std::string& warning : optimisation_warnings(record_, names, config_))
      context_.warn(std::move(warning));
    context_.result.orbitals = std::move(record_);
    return result;
  }

  /// @returns names of the natural orbitals: the active orbital that each has most of
  std::vector<std::string> describe(const FinalSet& last) {
    const Matrix& c = last.orbitals.coefficients;
    record_.num_functions = c.rows();
    record_.coefficients.assign(c.data(), c.data() + std::ptrdiff_t{c.rows()} * c.columns());
    record_.energies = last.energies;
    record_.occupations = last.occupations;
    for (const int irrep : last.orbitals.irreps) record_.irreps.push_back(irrep + 1);
    const NaturalOrbitals natural =
        natural_orbitals(here_->states.densities.one, jobs_.front().active->integrals.irreps);
    record_.natural_occupations = natural.occupations;
    const std::vector<std::string> active = active_orbital_names(jobs_.front());
    std::vector<std::string> names;
    for (int k = 0; k < natural.coefficients.rows(); ++k) {
      int most = 0;
      for (int u = 1; u < natural.coefficients.columns(); ++u) {
        if (std::abs(natural.coefficients(k, u)) > std::abs(natural.coefficients(k, most))) most = u;
      }
      names.push_back(active[static_cast<std::size_t>(most)]);
    }
    return names;
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
  const MoleculeSolution solution_;
  MolecularBasis molecule_;
  AveragedCi average_;
  std::vector<OrbitalPair> pairs_;
  std::unique_ptr<OrbitalPoint> here_;
  CiResult::Orbitals record_;
};

}  // namespace

OptimisedOrbitals optimise_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                    const EarlierOrbitals* earlier) {
  for (const CiJob& job : jobs) {
    if (!job.why_empty.empty()) throw EmptySpaceError(job.why_empty);
  }
  return OrbitalOptimisation(context, jobs)(earlier);
}

}  // namespace cisolve
