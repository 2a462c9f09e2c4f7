// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// Sums over the samples of one group (a chain, or a bin of one) in one iteration: of 1, E, O_a, O_a E and O_a O_b,
/// E the local energy and O_a = d ln|psi| / d alpha_a. E and O are taken from the group's first sample on (its
/// origin), so that covariances keep their digits however far from zero the means are, and an O_a that never
/// changes has exactly none.
struct ReconfigurationMoments {
  /// Nothing sampled yet, of so many parameters.
  explicit ReconfigurationMoments(int parameters);

  /// Takes one sample.
  /// @throws DimensionError unless there is one log-derivative per parameter
  void add(double local_energy, std::span<const double> log_derivatives);
  int parameters() const { return static_cast<int>(derivatives.size()); }

  std::int64_t count = 0;                  ///< samples
  double energy_origin = 0.0;              ///< e, subtracted from E
  std::vector<double> derivative_origins;  ///< o_a, subtracted from O_a
  double energy = 0.0;                     ///< sum of E - e
  std::vector<double> derivatives;         ///< sums of O_a - o_a
  std::vector<double> energy_derivatives;  ///< sums of (O_a - o_a) (E - e)
  std::vector<double>
      products;  ///< sums of (O_a - o_a) (O_b - o_b), [parameters x parameters], a >= b filled
};

/// What the samples of one iteration say of energy and parameters.
struct ReconfigurationEstimate {
  double energy = 0.0;               ///< mean of E, of the whole system
  double energy_error = 0.0;         ///< standard error by jackknife; NaN with one group, as those below
  std::vector<double> forces;        ///< f_a = `<O_a E> - <O_a><E>`: half the gradient of the energy
  std::vector<double> force_errors;  ///< standard errors by jackknife over groups
  Matrix overlap;                    ///< S_ab = `<O_a O_b> - <O_a><O_b>`, symmetric
};

/// Energy, forces and overlap of all groups together, and their jackknife errors over groups.
/// @param groups  independent of each other; those without samples are passed over
/// @throws DimensionError if groups differ in parameters, or there is no sample
/// @throws Error          if a sum is not finite
/// @see S. Sorella, Phys. Rev. Lett. 80 (1998) 4558, doi:10.1103/PhysRevLett.80.4558
ReconfigurationEstimate estimate_reconfiguration(std::span<const ReconfigurationMoments> groups);

/// How parameters are changed.
struct ReconfigurationConfig {
  double step = 0.2;  ///< inverse energy, > 0: imaginary time of an iteration
  double shift =
      0.001;           ///< > 0: share of its diagonal that is added to S, against directions without meaning
  double trust = 0.1;  ///< > 0: largest sqrt(delta' S delta), a distance of normalised states
  double max_change = 0.2;  ///< > 0: largest change of a parameter
  double smallest_overlap =
      1e-14;  ///< parameters whose S_aa is below are left out: they don't change psi, and
              ///< f_a / S_aa would be noise
};

/// One step of the parameters.
struct ReconfigurationStep {
  std::vector<double> change;          ///< scale delta
  double norm = 0.0;                   ///< sqrt(delta' S delta), before it was scaled
  double scale = 1.0;                  ///< min(1, trust / norm, max_change / max|delta_a|)
  std::vector<std::uint8_t> left_out;  ///< 1: S_aa is too small, the parameter stays
};

/// The step of stochastic reconfiguration: delta = -step (S + shift diag S)^-1 f over parameters that are not left
/// out, by LDLT of the matrix scaled to a diagonal of 1 + shift; then scaled to the limits of `config`.
/// @param forces   f_a, half the gradient
/// @param overlap  S; of elements (a, b) and (b, a) the mean counts
/// @throws DimensionError if shapes disagree or a number of `config` is not positive
/// @throws Error          if the step is not finite
/// @see S. Sorella, Phys. Rev. Lett. 80 (1998) 4558, doi:10.1103/PhysRevLett.80.4558
ReconfigurationStep reconfiguration_step(std::span<const double> forces, const Matrix& overlap,
                                         const ReconfigurationConfig& config);

/// A parameter that is at or below `bound` after a step is set to `value`.
struct ParameterBound {
  double bound = -std::numeric_limits<double>::infinity();
  double value = 0.0;
};

/// When parameters count as converged.
struct ConvergenceConfig {
  int window = 10;                 ///< iterations of A, the last ones, and of B, those before them; >= 1
  double tolerance = 1e-4;         ///< energy unit per site, > 0: difference of the mean energies of A and B
  double deviations = 3.0;         ///< standard errors that forces and parameter differences may have, > 0
  double energy_deviations = 2.0;  ///< likewise of the energies' difference
  double smallest_difference = 1e-3;  ///< of parameters, which need not be known better
};

/// One iteration: what was measured at which parameters, and the step taken from there.
struct ReconfigurationIteration {
  std::vector<double> parameters;  ///< of the state that was sampled
  ReconfigurationEstimate estimate;
  double step_norm = 0.0;  ///< see ReconfigurationStep
  double step_scale = 1.0;
  std::vector<std::uint8_t> left_out;
  std::vector<std::uint8_t> at_bound;  ///< 1: after the step the parameter was set to its bound's value
};

/// What the test of convergence found; all that hold make a converged run.
struct Convergence {
  bool enough_iterations = false;  ///< 2 window
  bool forces = false;      ///< |mean_A f| <= deviations sqrt(sum_A sigma_f^2) / window, each parameter
  bool parameters = false;  ///< |mean_A alpha - mean_B alpha| <=
                            ///< max(deviations sqrt((var_A + var_B) / window), smallest_difference), each
  bool energy = false;      ///< |mean_A E - mean_B E| / sites <= max(tolerance, energy_deviations sigma)

  bool reached() const { return enough_iterations && forces && parameters && energy; }
};

/// Whether parameters fluctuate about their optimum: the last `window` iterations (A) against those before them (B).
///
/// var are the variances of a parameter within A and B (by n - 1; window 1: 0), sigma the error of the energies'
/// difference per site, sqrt(sum_A sigma_E^2 + sum_B sigma_E^2) / (window sites). The force of a parameter that was
/// left out counts as 0 without error. Forces without errors (NaN) never count as converged.
/// @param sites  of the system whose energy the estimates hold, >= 1
Convergence judge_convergence(std::span<const ReconfigurationIteration> history, int sites,
                              const ConvergenceConfig& config);

/// Parameters averaged over the last iterations.
struct OptimisedParameters {
  std::vector<double> values;
  /// How far they may be off: sqrt(sd^2 + (S^-1 sigma_f)^2) in units in which excitations have an energy of about 1. The first
  /// is the spread of the iterations, each of which follows the one before, so that a mean is known no better; the second how
  /// far a force that is zero within its error leaves them free. NaN with fewer than two iterations.
  std::vector<double> errors;
};

/// A Reconfiguration's progress as plain arrays, for a checkpoint and for output. n iterations of p parameters.
struct ReconfigurationState {
  std::vector<double> next_parameters;           ///< [p]
  std::vector<double> parameters;                ///< [n x p]
  std::vector<double> energy, energy_error;      ///< [n]
  std::vector<double> forces, force_errors;      ///< [n x p]
  std::vector<double> overlap;                   ///< [n x p x p]
  std::vector<double> step_norm, step_scale;     ///< [n]
  std::vector<std::uint8_t> left_out, at_bound;  ///< [n x p]
};

/// Optimises the parameters of a wavefunction by stochastic reconfiguration: is told what was sampled with the
/// present parameters, and gives the next ones.
class Reconfiguration {
public:
  /// @param start        the first parameters
  /// @param sites        of the system, >= 1: the energy's tolerance is per site
  /// @param bounds       one per parameter, or none
  /// @throws DimensionError if there is no parameter, bounds are of another number, or a number is out of range
  Reconfiguration(std::vector<double> start, int sites, const ReconfigurationConfig& config,
                  const ConvergenceConfig& convergence, std::vector<ParameterBound> bounds = {});

  /// Goes on from a checkpoint; everything but `state` as above.
  /// @throws DimensionError also if the arrays' lengths do not agree
  Reconfiguration(const ReconfigurationState& state, int sites, const ReconfigurationConfig& config,
                  const ConvergenceConfig& convergence, std::vector<ParameterBound> bounds = {});

  /// Takes the samples of one iteration and makes the step to the next parameters.
  /// @param groups  see estimate_reconfiguration, which also says what is thrown
  /// @return the iteration as it is in the history now; valid until the next one
  const ReconfigurationIteration& advance(std::span<const ReconfigurationMoments> groups);
  /// The same from an estimate that was made elsewhere.
  const ReconfigurationIteration& advance(ReconfigurationEstimate estimate);

  const std::vector<double>& parameters() const { return parameters_; }  ///< to sample with next
  const std::vector<ReconfigurationIteration>& history() const { return history_; }
  Convergence convergence() const { return judge_convergence(history_, sites_, convergence_); }
  /// The mean over the last `window` iterations, or over all if they are fewer; before the first: the start.
  OptimisedParameters result() const;
  ReconfigurationState state() const;

private:
  std::vector<double> parameters_;
  int sites_;
  ReconfigurationConfig config_;
  ConvergenceConfig convergence_;
  std::vector<ParameterBound> bounds_;
  std::vector<ReconfigurationIteration> history_;
};

}  // namespace cisolve
