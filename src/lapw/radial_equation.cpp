// SPDX-License-Identifier: MIT
#include "lapw/radial_equation.hpp"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "cisolve/core/parallel.hpp"

namespace cisolve::lapw {
namespace {

constexpr double speed_of_light = 137.035999084;  // atomic units, CODATA 2018
constexpr int unknowns = 2 * num_stages;
using StageVector = Eigen::Matrix<double, unknowns, 1>;
using StageMatrix = Eigen::Matrix<double, unknowns, unknowns>;

/// P and S = r Q: with S instead of Q the coefficients are of order 1 on the whole mesh,
///   P' = P + (m/r) S,   S' = (r q) P,   m/r = 2 + w (E - V),   r q = l (l + 1)/(m/r) + r (r V) - r^2 E,
/// and the energy derivatives have the sources w S and -r^2 P (1 + w l (l + 1)/m^2).
struct Amplitudes {
  double p = 0.0, s = 0.0;
};

class EquationOfL {
public:
  EquationOfL(const RadialProblem& problem, int l, double energy)
      : w_(problem.inverse_c2), centrifugal_(static_cast<double>(l) * (l + 1)), energy_(energy) {}

  double mass(double r, double rv) const { return 2.0 + w_ * (energy_ - rv / r); }
  Amplitudes derivative(double r, double rv, const Amplitudes& y) const {
    return {y.p + mass(r, rv) * y.s, well(r, rv) * y.p};
  }
  double well(double r, double rv) const { return centrifugal_ / mass(r, rv) + r * rv - r * r * energy_; }
  Amplitudes source(double r, double rv, const Amplitudes& y) const {
    const double m = r * mass(r, rv);
    return {w_ * y.s, -r * r * y.p * (1.0 + w_ * centrifugal_ / (m * m))};
  }

  /// The solution that is regular at the nucleus, of any size.
  Amplitudes start(int l, double r, double rv) const {
    if (w_ == 0.0) {
      const double a = rv * r / (l + 1);
      return {1.0 + a, 0.5 * (l + (l + 1) * a)};
    }
    return {1.0, (std::sqrt(centrifugal_ + 1.0 - w_ * rv * rv) - 1.0) / mass(r, rv)};
  }

private:
  double w_, centrifugal_, energy_;
};

/// The four stages of an interval, for P, S and for their energy derivatives: one matrix, two right-hand sides.
class CollocationStep {
public:
  CollocationStep(const RadialProblem& problem, const EquationOfL& equation)
      : problem_(problem), equation_(equation), step_(problem.mesh.step) {}

  /// Goes through interval n; the stages are left in stage() and stage_dot().
  void advance(int n, Amplitudes& y, Amplitudes& y_dot) {
    first_ = static_cast<std::size_t>(n) * num_stages;
    lu_.compute(matrix());
    for (std::size_t i = 0; i < num_stages; ++i) source_[i] = {};
    solve(y, stage_);
    for (std::size_t i = 0; i < num_stages; ++i) source_[i] = equation_.source(r(i), rv(i), stage_[i]);
    solve(y_dot, stage_dot_);
  }
  const Amplitudes& stage(std::size_t i) const { return stage_[i]; }
  const Amplitudes& stage_dot(std::size_t i) const { return stage_dot_[i]; }

private:
  using Stages = std::array<Amplitudes, num_stages>;

  double r(std::size_t i) const { return problem_.mesh.r[first_ + i]; }
  double rv(std::size_t i) const { return problem_.rv[first_ + i]; }

  StageMatrix matrix() const {
    StageMatrix matrix = StageMatrix::Identity();
    for (std::size_t j = 0; j < num_stages; ++j) {
      const double mass = equation_.mass(r(j), rv(j)), well = equation_.well(r(j), rv(j));
      for (std::size_t i = 0; i < num_stages; ++i) {
        const double factor = step_ * problem_.method.butcher[i][j];
        const auto row = static_cast<Eigen::Index>(2 * i), column = static_cast<Eigen::Index>(2 * j);
        matrix(row, column) -= factor;
        matrix(row, column + 1) -= factor * mass;
        matrix(row + 1, column) -= factor * well;
      }
    }
    return matrix;
  }

  void solve(Amplitudes& y, Stages& stage) const {
    StageVector right;
    for (std::size_t i = 0; i < num_stages; ++i) {
      Amplitudes sum = y;
      for (std::size_t j = 0; j < num_stages; ++j) {
        sum.p += step_ * problem_.method.butcher[i][j] * source_[j].p;
        sum.s += step_ * problem_.method.butcher[i][j] * source_[j].s;
      }
      right(static_cast<Eigen::Index>(2 * i)) = sum.p;
      right(static_cast<Eigen::Index>(2 * i + 1)) = sum.s;
    }
    const StageVector values = lu_.solve(right);
    for (std::size_t i = 0; i < num_stages; ++i) {
      stage[i] = {values(static_cast<Eigen::Index>(2 * i)), values(static_cast<Eigen::Index>(2 * i + 1))};
      const Amplitudes slope = equation_.derivative(r(i), rv(i), stage[i]);
      y.p += step_ * problem_.method.weight[i] * (slope.p + source_[i].p);
      y.s += step_ * problem_.method.weight[i] * (slope.s + source_[i].s);
    }
  }

  const RadialProblem& problem_;
  const EquationOfL& equation_;
  double step_;
  std::size_t first_ = 0;
  Eigen::PartialPivLU<StageMatrix> lu_;
  Stages source_, stage_, stage_dot_;
};

/// A function on the mesh: P and sqrt(w) Q.
struct TwoComponents {
  const std::vector<double>&large, &small;
};

/// int (P P' + w Q Q') dr
double radial_overlap(const RadialMesh& mesh, const TwoComponents& f, const TwoComponents& g) {
  double sum = 0.0;
  for (std::size_t i = 0; i < mesh.num_points(); ++i) {
    sum += mesh.weights[i] * (f.large[i] * g.large[i] + f.small[i] * g.small[i]);
  }
  return sum;
}

}  // namespace

RadialProblem::RadialProblem(const SpherePotential& potential, double radius, RadialEquation equation)
    : method(gauss_method()), mesh(radial_mesh(potential.first_radius(), radius, method)),
      inverse_c2(equation == RadialEquation::schroedinger ? 0.0 : 1.0 / (speed_of_light * speed_of_light)),
      rv_first(potential.r_spherical(mesh.first)), rv_last(potential.r_spherical(radius)) {
  rv.resize(mesh.num_points());
  constexpr int points_at_a_time = 64;
  parallel_for(static_cast<std::int64_t>(rv.size()), points_at_a_time, [&](std::int64_t i) {
    rv[static_cast<std::size_t>(i)] = potential.r_spherical(mesh.r[static_cast<std::size_t>(i)]);
  });
}

RadialSolution solve_radial_equation(const RadialProblem& problem, int l, double energy) {
  const RadialMesh& mesh = problem.mesh;
  const EquationOfL equation(problem, l, energy);
  const double root_w = std::sqrt(problem.inverse_c2);

  // P grows as r^(l+1): from there it ends at about 1, whose squares are finite.
  Amplitudes y = equation.start(l, mesh.first, problem.rv_first), y_dot;
  const double size = std::pow(mesh.first / mesh.radius, l + 1);
  y = {size * y.p, size * y.s};
  const double first_p = y.p;

  RadialSolution solution;
  CollocationStep step(problem, equation);
  for (int n = 0; n < mesh.intervals; ++n) {
    step.advance(n, y, y_dot);
    for (std::size_t i = 0; i < num_stages; ++i) {
      const double per_r = root_w / mesh.r[static_cast<std::size_t>(n) * num_stages + i];
      solution.large.push_back(step.stage(i).p);
      solution.small.push_back(per_r * step.stage(i).s);
      solution.large_dot.push_back(step.stage_dot(i).p);
      solution.small_dot.push_back(per_r * step.stage_dot(i).s);
    }
  }

  const TwoComponents f = {solution.large, solution.small}, f_dot = {solution.large_dot, solution.small_dot};
  const double below = first_p * first_p * mesh.first / (2 * l + 3);  // the first radius, of P ~ r^(l+1)
  const double factor = 1.0 / std::sqrt(radial_overlap(mesh, f, f) + below);
  for (auto* values : {&solution.large, &solution.small, &solution.large_dot, &solution.small_dot}) {
    for (double& value : *values) value *= factor;
  }
  y = {factor * y.p, factor * y.s};
  const double admixture = radial_overlap(mesh, f, f_dot);
  for (std::size_t i = 0; i < mesh.num_points(); ++i) {
    solution.large_dot[i] -= admixture * solution.large[i];
    solution.small_dot[i] -= admixture * solution.small[i];
  }
  y_dot = {factor * y_dot.p - admixture * y.p, factor * y_dot.s - admixture * y.s};
  solution.udot_norm = radial_overlap(mesh, f_dot, f_dot);

  const double radius = mesh.radius, mass = equation.mass(radius, problem.rv_last);
  solution.u = y.p / radius;
  solution.u_r = mass * y.s / (radius * radius);
  solution.udot = y_dot.p / radius;
  solution.udot_r = (mass * y_dot.s + problem.inverse_c2 * y.s) / (radius * radius);
  return solution;
}

}  // namespace cisolve::lapw
