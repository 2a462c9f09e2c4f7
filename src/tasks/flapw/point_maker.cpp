// SPDX-License-Identifier: MIT
#include "tasks/flapw/point_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/lapw/eigenstates.hpp"
#include "core/stopwatch.hpp"
#include "tasks/flapw/check_elements.hpp"
#include "tasks/flapw/plan.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

/// Where the linearisation is worst: u(E) is about u + (E - E_l) udot, whose second part has the norm |E - E_l| sqrt N_l.
struct FarEnergy {
  double share = 0.0;  ///< |E - E_l|^2 N_l
  double distance = 0.0, energy = 0.0;
  int root = 0, l = 0;
  std::string type;
};
FarEnergy farthest_energy(const lapw::Crystal& crystal, const std::vector<double>& energies) {
  constexpr int most_l = 2;  // beyond, spheres hold little of low states
  FarEnergy far;
  for (const lapw::AtomType& type : crystal.types) {
    for (int l = 0; l <= std::min(most_l, type.lmax); ++l) {
      for (std::size_t root = 0; root < energies.size(); ++root) {
        const double distance = std::abs(energies[root] - type.energy[l]);
        const double share = distance * distance * type.radial.udot_norm[l];
        if (share > far.share)
          far = {share, distance, type.energy[l], static_cast<int>(root) + 1, l, type.name};
      }
    }
  }
  return far;
}

/// What of the states of a k-point a user should know.
class StateWarnings {
public:
  /// @param k  from 0
  StateWarnings(int k, const FlapwSystem& system, MadePoint& made) : k_(k), system_(system), made_(made) {}

  /// @param wanted  roots, of `waves`
  void operator()(std::int64_t wanted, std::int64_t waves) {
    of_overlap(waves);
    const lapw::Eigenstates& states = made_.found.states;
    if (states.count() < std::min(wanted, waves))
      warn(fmt::format(
          "there are {} states, fewer than were asked for, without the directions that were dropped",
          states.count()));
    if (states.stagnated && !states.all_converged())
      warn(
          fmt::format("Davidson ended after {} iterations, since residuals no longer fell: rounding, with "
                      "eigenvalues of the overlap from {:.1e} to {:.1e}",
                      states.iterations, states.overlap.lowest, states.overlap.highest));
    of_energies();
    constexpr double rounding = 1e-12;
    const double largest = states.scaled_residuals.empty() ? 0.0 : std::ranges::max(states.scaled_residuals);
    if (states.solver == "direct" && largest > rounding)
      warn(fmt::format("scaled residuals of up to {:.1e} are more than rounding leaves", largest));
  }

private:
  void warn(const std::string& text) {
    made_.warnings.push_back(fmt::format("k-point {}: {}", k_ + 1, text));
  }

  void of_overlap(std::int64_t waves) {
    const lapw::OverlapSpectrum& overlap = made_.found.states.overlap;
    if (overlap.dropped > 0)
      warn(
          fmt::format("the overlap is nearly singular: {} of {} directions were dropped, with eigenvalues "
                      "from {:.1e} up; "
                      "the smallest that was kept is {:.1e}, the largest {:.1e}",
                      overlap.dropped, waves, overlap.lowest, overlap.smallest_kept, overlap.highest));
    constexpr double negative = -1e-10;
    if (overlap.lowest < negative * overlap.highest)
      warn(fmt::format(
          "the overlap has a negative eigenvalue, {:.1e}: spheres overlap, or A, B, T are not of one "
          "calculation",
          overlap.lowest));
  }

  /// Of states that cannot be, or are far from where the radial functions are right.
  void of_energies() {
    const std::vector<double>& energies = made_.found.states.energies;
    const lapw::Crystal* crystal = system_.crystal();
    if (energies.empty() || crystal == nullptr || !system_.has_interstitial(k_)) return;
    constexpr double rounding = 1e-3;  // hartree
    const std::optional<double> bound = system_.lowest_potential();
    if (bound && energies.front() < *bound - rounding)
      warn(fmt::format(
          "root 1 lies at {:.4f} hartree, below the lowest value that the potential can have, {:.4f}: such "
          "states are spurious; a larger lmax or a smaller k_max is needed",
          energies.front(), *bound));
    const FarEnergy far = farthest_energy(*crystal, energies);
    constexpr double much = 0.25;
    if (far.share > much)
      warn(fmt::format(
          "root {} lies {:.2f} hartree from E_l = {:.4f} of l = {} of type {}: too far for u and its energy "
          "derivative (|E - E_l|^2 N_l = {:.2f}); energies are in hartree",
          far.root, far.distance, far.energy, far.l, far.type, far.share));
  }

  int k_;
  const FlapwSystem& system_;
  MadePoint& made_;
};

}  // namespace

PointMaker::PointMaker(const FlapwConfig& config, const FlapwSystem& system, const RunControl& control,
                       std::unique_ptr<lapw::Engine> engine)
    : config_(config), system_(system), control_(control), engine_(std::move(engine)),
      rate_(engine_->gemm_rate(system.num_waves(system.largest_point()))) {}

MadePoint PointMaker::make(int k) {
  const Stopwatch watch;
  MadePoint made{.found = system_.outset(k)};
  FlapwPoint& found = made.found;
  control_.tell({.stage = "hamiltonian", .iteration = k + 1});
  if (!engine_->warning().empty()) made.warnings.push_back(engine_->warning());
  const std::unique_ptr<FlapwSystem::Point> point = system_.point(k);
  if (found.g.empty()) found.g = point->given.g;
  found.hpd_atoms = system_.num_definite_atoms();
  found.gemm_rate = rate_;
  found.algorithm = lapw::name_of(system_.algorithm());
  const lapw::GenerationOptions options = generation_options(config_, system_);
  found.blocks = engine_->num_blocks(point->problem, options);
  generate(made, k, point->problem, options);
  made.interrupted = control_.stop_requested();
  if (made.interrupted) return made;
  const ElementCheck check = check_elements(*engine_, point->problem, config_.check);
  found.checked = check.count;
  found.check_error_h = check.error_h;
  found.check_error_s = check.error_s;
  if (!check.is_good())
    made.warnings.push_back(
        fmt::format("k-point {}: elements of H and S differ from their definition by {:.1e} and {:.1e}: this "
                    "is an error of the program or of the machine",
                    k + 1, check.error_h, check.error_s));
  made.interrupted = !solve(made, k);
  if (made.interrupted) return made;
  if (!check.is_good()) found.status = FlapwPoint::wrong;
  if (config_.write_matrices) made.matrices = engine_->to_host();
  found.seconds = watch.seconds();
  return made;
}

void PointMaker::generate(MadePoint& made, int k, const lapw::MatrixProblem& problem,
                          const lapw::GenerationOptions& options) {
  ProgressLine line(control_, fmt::format("k-point {} of {}: H and S", k + 1, system_.num_points()));
  std::vector<std::vector<lapw::LineRecord>> times;
  for (int repeat = 0; repeat < config_.repeat; ++repeat)
    times.push_back(engine_->generate(problem, options, line.callback()));
  made.found.lines = median_lines(times);
}

/// False: interrupted.
bool PointMaker::solve(MadePoint& made, int k) {
  FlapwPoint& found = made.found;
  const std::int64_t waves = engine_->size();
  const std::int64_t wanted = config_.roots ? *config_.roots : waves;
  if (wanted > waves)
    made.warnings.push_back(
        fmt::format("k-point {}: {} roots were asked for, but there are {} plane waves: all roots are given",
                    k + 1, wanted, waves));
  if (wanted == 0) {
    found.status = "matrices";
    return true;
  }
  const lapw::EigenOptions options{.roots = std::min(wanted, waves),
                                   .overlap_threshold = config_.overlap_threshold,
                                   .tolerance = config_.tolerance,
                                   .max_iterations = config_.max_iterations,
                                   .stop = [this] { return control_.stop_requested(); }};
  found.states = uses_davidson(config_, waves) ? lapw::solve_by_davidson(*engine_, options)
                                               : lapw::solve_directly(*engine_, options);
  found.lines.insert(found.lines.end(), found.states.lines.begin(), found.states.lines.end());
  if (found.states.interrupted) return false;
  found.status = found.states.all_converged() ? "converged" : "not converged";
  StateWarnings warn(k, system_, made);
  warn(wanted, waves);
  return true;
}

}  // namespace cisolve
