// SPDX-License-Identifier: MIT
// When stochastic reconfiguration has converged, what its result is, and its state as arrays.
#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/sampling/reconfiguration.hpp"

namespace cisolve {
namespace {

using Iterations = std::span<const ReconfigurationIteration>;

/// Mean and variance (by n - 1; of one value 0) of some numbers.
struct WindowMean {
  double mean = 0.0;
  double variance = 0.0;
};

template <class Function>
WindowMean over_window(Iterations window, const Function& function) {
  const auto count = static_cast<double>(window.size());
  WindowMean result;
  for (const auto& iteration : window) result.mean += function(iteration) / count;
  if (window.size() < 2) return result;
  for (const auto& iteration : window) {
    const double difference = function(iteration) - result.mean;
    result.variance += difference * difference / (count - 1.0);
  }
  return result;
}

template <class Function>
double sum_of_squares(Iterations window, const Function& function) {
  double sum = 0.0;
  for (const auto& iteration : window) sum += function(iteration) * function(iteration);
  return sum;
}

bool force_vanishes(Iterations last, std::size_t a, const ConvergenceConfig& config) {
  const auto unless_left_out = [a](const ReconfigurationIteration& i, const std::vector<double>& values) {
    return i.left_out[a] != 0 ? 0.0 : values[a];
  };
  const WindowMean force = over_window(
      last, [&](const ReconfigurationIteration& i) { return unless_left_out(i, i.estimate.forces); });
  const double squares = sum_of_squares(
      last, [&](const ReconfigurationIteration& i) { return unless_left_out(i, i.estimate.force_errors); });
  return std::abs(force.mean) <= config.deviations * std::sqrt(squares) / config.window;
}

bool parameter_rests(Iterations last, Iterations before, std::size_t a, const ConvergenceConfig& config) {
  const auto parameter = [a](const ReconfigurationIteration& i) { return i.parameters[a]; };
  const WindowMean now = over_window(last, parameter), then = over_window(before, parameter);
  const double error = std::sqrt((now.variance + then.variance) / config.window);
  return std::abs(now.mean - then.mean) <= std::max(config.deviations * error, config.smallest_difference);
}

bool energy_rests(Iterations last, Iterations before, int sites, const ConvergenceConfig& config) {
  const auto energy = [](const ReconfigurationIteration& i) { return i.estimate.energy; };
  const auto error = [](const ReconfigurationIteration& i) { return i.estimate.energy_error; };
  const double difference = over_window(last, energy).mean - over_window(before, energy).mean;
  const double sigma =
      std::sqrt(sum_of_squares(last, error) + sum_of_squares(before, error)) / config.window / sites;
  return std::abs(difference) / sites <= std::max(config.tolerance, config.energy_deviations * sigma);
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Row k of an [n x size] array.
template <class T>
std::vector<T> row(const std::vector<T>& all, std::size_t k, std::size_t size) {
  const std::span<const T> part = std::span<const T>(all).subspan(k * size, size);
  return {part.begin(), part.end()};
}

void check_lengths(const ReconfigurationState& state) {
  const std::size_t p = state.next_parameters.size(), n = state.energy.size();
  const bool agree = state.parameters.size() == n * p && state.energy_error.size() == n &&
                     state.forces.size() == n * p && state.force_errors.size() == n * p &&
                     state.overlap.size() == n * p * p && state.step_norm.size() == n &&
                     state.step_scale.size() == n && state.left_out.size() == n * p &&
                     state.at_bound.size() == n * p;
  if (!agree) throw DimensionError("Reconfiguration: the state's arrays do not agree");
}

}  // namespace

Convergence judge_convergence(std::span<const ReconfigurationIteration> history, int sites,
                              const ConvergenceConfig& config) {
  Convergence found;
  const auto window = static_cast<std::size_t>(config.window);
  if (history.size() < 2 * window) return found;
  const Iterations last = history.last(window);
  const Iterations before = history.last(2 * window).first(window);
  found.enough_iterations = found.forces = found.parameters = true;
  for (std::size_t a = 0; a < history.back().parameters.size(); ++a) {
    found.forces = found.forces && force_vanishes(last, a, config);
    found.parameters = found.parameters && parameter_rests(last, before, a, config);
  }
  found.energy = energy_rests(last, before, sites, config);
  return found;
}

namespace {

/// |S^-1 sigma_f| of the mean force of some iterations, for each parameter.
std::vector<double> freedom_of(std::span<const ReconfigurationIteration> iterations,
                               ReconfigurationConfig config) {
  const std::size_t count = iterations.size(), p = iterations.front().parameters.size();
  Matrix overlap(static_cast<int>(p), static_cast<int>(p));
  std::vector<double> variance(p, 0.0), squares(p, 0.0);
  for (const ReconfigurationIteration& one : iterations) {
    for (std::size_t k = 0; k < p * p; ++k)
      overlap.data()[k] += one.estimate.overlap.data()[k] / static_cast<double>(count);
    for (std::size_t a = 0; a < p; ++a) {
      const double error = one.estimate.force_errors[a];
      if (std::isfinite(error)) variance[a] += error * error;
    }
  }
  config.step = 1.0;
  config.trust = config.max_change = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < p; ++b) {
    std::vector<double> force(p, 0.0);
    force[b] = std::sqrt(variance[b]) / static_cast<double>(count);
    const ReconfigurationStep step = reconfiguration_step(force, overlap, config);
    for (std::size_t a = 0; a < p; ++a) squares[a] += step.change[a] * step.change[a];
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

}  // namespace

OptimisedParameters Reconfiguration::result() const {
  OptimisedParameters result;
  const std::size_t count = std::min(history_.size(), static_cast<std::size_t>(convergence_.window));
  const Iterations last = Iterations(history_).last(count);
  for (std::size_t a = 0; a < parameters_.size(); ++a) {
    const WindowMean mean =
        over_window(last, [a](const ReconfigurationIteration& i) { return i.parameters[a]; });
    result.values.push_back(count == 0 ? parameters_[a] : mean.mean);
    result.errors.push_back(count < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(mean.variance));
  }
  if (count < 2) return result;
  const std::vector<double> freedom = freedom_of(std::span(history_).last(count), config_);
  for (std::size_t a = 0; a < parameters_.size(); ++a)
    result.errors[a] = std::hypot(result.errors[a], freedom[a]);
  return result;
}

ReconfigurationState Reconfiguration::state() const {
  ReconfigurationState state;
  state.next_parameters = parameters_;
  for (const ReconfigurationIteration& i : history_) {
    append(state.parameters, i.parameters);
    state.energy.push_back(i.estimate.energy);
    state.energy_error.push_back(i.estimate.energy_error);
    append(state.forces, i.estimate.forces);
    append(state.force_errors, i.estimate.force_errors);
    const Matrix& overlap = i.estimate.overlap;
    state.overlap.insert(state.overlap.end(), overlap.data(),
                         overlap.data() + parameters_.size() * parameters_.size());
    state.step_norm.push_back(i.step_norm);
    state.step_scale.push_back(i.step_scale);
    append(state.left_out, i.left_out);
    append(state.at_bound, i.at_bound);
  }
  return state;
}

Reconfiguration::Reconfiguration(const ReconfigurationState& state, int sites,
                                 const ReconfigurationConfig& config, const ConvergenceConfig& convergence,
                                 std::vector<ParameterBound> bounds)
    : Reconfiguration(state.next_parameters, sites, config, convergence, std::move(bounds)) {
  check_lengths(state);
  const std::size_t p = state.next_parameters.size();
  for (std::size_t k = 0; k < state.energy.size(); ++k) {
    ReconfigurationIteration i;
    i.parameters = row(state.parameters, k, p);
    i.estimate.energy = state.energy[k];
    i.estimate.energy_error = state.energy_error[k];
    i.estimate.forces = row(state.forces, k, p);
    i.estimate.force_errors = row(state.force_errors, k, p);
    i.estimate.overlap = Matrix(static_cast<int>(p), static_cast<int>(p));
    std::ranges::copy(row(state.overlap, k, p * p), i.estimate.overlap.data());
    i.step_norm = state.step_norm[k];
    i.step_scale = state.step_scale[k];
    i.left_out = row(state.left_out, k, p);
    i.at_bound = row(state.at_bound, k, p);
    history_.push_back(std::move(i));
  }
}

}  // namespace cisolve
