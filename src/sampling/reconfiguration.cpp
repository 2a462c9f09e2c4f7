// SPDX-License-Identifier: MIT
#include "cisolve/sampling/reconfiguration.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/sampling/jackknife.hpp"
#include "core/linear_solve.hpp"

namespace cisolve {
namespace {

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// One group's sums carried over from its own origin to another, as Eigen's vectors.
struct ShiftedSums {
  double count = 0.0;
  double energy = 0.0;
  Eigen::VectorXd derivatives, energy_derivatives;
  Eigen::MatrixXd products;
};

/// sum (x - a') (y - b') = sum (x - a) (y - b) + (a - a') sum (y - b) + (b - b') sum (x - a) + n (a - a') (b - b').
ShiftedSums shifted(const ReconfigurationMoments& group, const ReconfigurationMoments& origin) {
  const Eigen::VectorXd x = as_vector(group.derivatives);
  const Eigen::VectorXd by = as_vector(group.derivative_origins) - as_vector(origin.derivative_origins);
  const double energy_by = group.energy_origin - origin.energy_origin;
  const auto parameters = static_cast<Eigen::Index>(group.parameters());
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> own(
      group.products.data(), parameters, parameters);
  ShiftedSums sums;
  sums.count = static_cast<double>(group.count);
  sums.energy = group.energy + sums.count * energy_by;
  sums.derivatives = x + sums.count * by;
  sums.energy_derivatives =
      as_vector(group.energy_derivatives) + by * group.energy + energy_by * sums.derivatives;
  sums.products = own.selfadjointView<Eigen::Lower>();
  sums.products += by * x.transpose() + x * by.transpose() + sums.count * by * by.transpose();
  return sums;
}

/// The groups that have samples.
std::vector<const ReconfigurationMoments*> sampled(std::span<const ReconfigurationMoments> groups) {
  std::vector<const ReconfigurationMoments*> found;
  for (const ReconfigurationMoments& group : groups) {
    const auto parameters = static_cast<std::size_t>(groups.front().parameters());
    if (group.derivatives.size() != parameters || group.derivative_origins.size() != parameters ||
        group.energy_derivatives.size() != parameters || group.products.size() != parameters * parameters) {
      throw DimensionError("estimate_reconfiguration: groups differ in the number of parameters");
    }
    if (group.count > 0) found.push_back(&group);
  }
  if (found.empty()) throw DimensionError("estimate_reconfiguration: there are no samples");
  return found;
}

/// Energy above its origin and forces as functions of the means of E, O_a, O_a E: what the jackknife varies.
std::vector<double> energy_and_forces(std::span<const double> means) {
  const std::size_t parameters = (means.size() - 1) / 2;
  std::vector<double> values(1 + parameters);
  values[0] = means[0];
  for (std::size_t a = 0; a < parameters; ++a) {
    values[1 + a] = means[1 + parameters + a] - means[1 + a] * means[0];
  }
  return values;
}

void check_config(const ReconfigurationConfig& config) {
  if (!(config.step > 0.0 && config.shift > 0.0 && config.trust > 0.0 && config.max_change > 0.0 &&
        config.smallest_overlap > 0.0)) {
    throw DimensionError("reconfiguration: step, shift and limits must be positive");
  }
}

/// -step (S + shift diag S)^-1 f over the parameters `live`, 0 elsewhere.
Eigen::VectorXd unlimited_step(std::span<const double> forces, const Eigen::MatrixXd& overlap,
                               const std::vector<Eigen::Index>& live, const ReconfigurationConfig& config) {
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(overlap.rows());
  if (live.empty()) return delta;
  // By the scaled matrix: its condition is that of the problem, not that of the parameters' units.
  const Eigen::VectorXd scale = overlap.diagonal()(live).cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd scaled = scale.asDiagonal() * overlap(live, live) * scale.asDiagonal();
  scaled.diagonal().array() += config.shift;
  const Eigen::VectorXd right = scale.asDiagonal() * as_vector(forces)(live);
  delta(live) = -config.step * scale.cwiseProduct(solve_semidefinite(scaled, right).col(0));
  return delta;
}

}  // namespace

ReconfigurationMoments::ReconfigurationMoments(int parameters)
    : derivative_origins(static_cast<std::size_t>(parameters), 0.0), derivatives(derivative_origins),
      energy_derivatives(derivative_origins), products(derivatives.size() * derivatives.size(), 0.0) {}

void ReconfigurationMoments::add(double local_energy, std::span<const double> log_derivatives) {
  const std::size_t size = derivatives.size();
  if (log_derivatives.size() != size) {
    throw DimensionError("ReconfigurationMoments: one log-derivative per parameter is needed");
  }
  if (count == 0) {
    energy_origin = local_energy;
    derivative_origins.assign(log_derivatives.begin(), log_derivatives.end());
  }
  ++count;
  const double e = local_energy - energy_origin;
  energy += e;
  for (std::size_t a = 0; a < size; ++a) {
    const double o = log_derivatives[a] - derivative_origins[a];
    derivatives[a] += o;
    energy_derivatives[a] += o * e;
    for (std::size_t b = 0; b <= a; ++b) {
      products[a * size + b] += o * (log_derivatives[b] - derivative_origins[b]);
    }
  }
}

ReconfigurationEstimate estimate_reconfiguration(std::span<const ReconfigurationMoments> groups) {
  const std::vector<const ReconfigurationMoments*> found = sampled(groups);
  const int parameters = found.front()->parameters();
  GroupSums sums;
  sums.components = 1 + 2 * parameters;
  double count = 0.0;
  Eigen::VectorXd derivatives = Eigen::VectorXd::Zero(parameters);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(parameters, parameters);
  for (const ReconfigurationMoments* group : found) {
    const ShiftedSums own = shifted(*group, *found.front());
    std::vector<double> row = {own.energy};
    row.insert(row.end(), own.derivatives.begin(), own.derivatives.end());
    row.insert(row.end(), own.energy_derivatives.begin(), own.energy_derivatives.end());
    sums.add(own.count, row);
    count += own.count;
    derivatives += own.derivatives;
    products += own.products;
  }
  const JackknifeResult varied = jackknife(sums, energy_and_forces);
  ReconfigurationEstimate estimate;
  estimate.energy = found.front()->energy_origin + varied.values[0];
  estimate.energy_error = varied.errors[0];
  estimate.forces.assign(varied.values.begin() + 1, varied.values.end());
  estimate.force_errors.assign(varied.errors.begin() + 1, varied.errors.end());
  const Eigen::VectorXd means = derivatives / count;
  estimate.overlap = Matrix(parameters, parameters);
  Eigen::Map<Eigen::MatrixXd>(estimate.overlap.data(), parameters, parameters) =
      products / count - means * means.transpose();
  const bool finite =
      std::isfinite(estimate.energy) && as_vector(estimate.forces).allFinite() &&
      Eigen::Map<Eigen::MatrixXd>(estimate.overlap.data(), parameters, parameters).allFinite();
  if (!finite) throw Error("reconfiguration: local energies or log-derivatives are not finite");
  return estimate;
}

ReconfigurationStep reconfiguration_step(std::span<const double> forces, const Matrix& overlap,
                                         const ReconfigurationConfig& config) {
  check_config(config);
  const auto size = static_cast<Eigen::Index>(forces.size());
  if (overlap.rows() != size || overlap.columns() != size) {
    throw DimensionError("reconfiguration_step: one force and one row of S per parameter are needed");
  }
  const Eigen::Map<const Eigen::MatrixXd> given(overlap.data(), size, size);
  const Eigen::MatrixXd symmetric = 0.5 * (given + given.transpose());
  ReconfigurationStep result;
  std::vector<Eigen::Index> live;
  for (Eigen::Index a = 0; a < size; ++a) {
    const bool out = symmetric(a, a) < config.smallest_overlap;
    result.left_out.push_back(out ? 1 : 0);
    if (!out) live.push_back(a);
  }
  const Eigen::VectorXd delta = unlimited_step(forces, symmetric, live, config);
  if (!delta.allFinite()) throw Error("reconfiguration: the step of the parameters is not finite");
  result.norm = std::sqrt(std::max(0.0, delta.dot(symmetric * delta)));
  const double largest = size > 0 ? delta.cwiseAbs().maxCoeff() : 0.0;
  if (result.norm > config.trust) result.scale = config.trust / result.norm;
  if (largest * result.scale > config.max_change) result.scale = config.max_change / largest;
  const Eigen::VectorXd change = result.scale * delta;
  result.change.assign(change.begin(), change.end());
  return result;
}

Reconfiguration::Reconfiguration(std::vector<double> start, int sites, const ReconfigurationConfig& config,
                                 const ConvergenceConfig& convergence, std::vector<ParameterBound> bounds)
    : parameters_(std::move(start)), sites_(sites), config_(config), convergence_(convergence),
      bounds_(std::move(bounds)) {
  check_config(config);
  if (parameters_.empty()) throw DimensionError("Reconfiguration: there must be a parameter");
  if (!bounds_.empty() && bounds_.size() != parameters_.size()) {
    throw DimensionError("Reconfiguration: one bound per parameter is needed, or none");
  }
  if (sites < 1 || convergence.window < 1) {
    throw DimensionError("Reconfiguration: sites and the window must be positive");
  }
}

const ReconfigurationIteration& Reconfiguration::advance(std::span<const ReconfigurationMoments> groups) {
  return advance(estimate_reconfiguration(groups));
}

const ReconfigurationIteration& Reconfiguration::advance(ReconfigurationEstimate estimate) {
  if (estimate.forces.size() != parameters_.size() || estimate.force_errors.size() != parameters_.size()) {
    throw DimensionError("Reconfiguration: one force and its error per parameter are needed");
  }
  ReconfigurationStep step = reconfiguration_step(estimate.forces, estimate.overlap, config_);
  ReconfigurationIteration iteration;
  iteration.parameters = parameters_;
  iteration.estimate = std::move(estimate);
  iteration.step_norm = step.norm;
  iteration.step_scale = step.scale;
  iteration.left_out = std::move(step.left_out);
  iteration.at_bound.assign(parameters_.size(), 0);
  for (std::size_t a = 0; a < parameters_.size(); ++a) {
    parameters_[a] += step.change[a];
    if (bounds_.empty() || parameters_[a] > bounds_[a].bound) continue;
    parameters_[a] = bounds_[a].value;
    iteration.at_bound[a] = 1;
  }
  history_.push_back(std::move(iteration));
  return history_.back();
}

}  // namespace cisolve
