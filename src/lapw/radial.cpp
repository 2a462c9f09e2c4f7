// SPDX-License-Identifier: MIT
#include "cisolve/lapw/radial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "lapw/nonspherical.hpp"
#include "lapw/radial_equation.hpp"

namespace cisolve::lapw {
namespace {

void require_finite_functions(const RadialSolution& solution, int l, double energy) {
  for (const double value : {solution.u, solution.u_r, solution.udot, solution.udot_r, solution.udot_norm}) {
    if (std::isfinite(value)) continue;
    throw InputError(
        fmt::format("the radial function of l = {} at the energy of {} hartree has no finite value: the "
                    "potential must be finite but for -Z/r, and not as deep as Z = 137",
                    l, energy));
  }
}

}  // namespace

void solve_radial(AtomType& type, const SpherePotential& potential, RadialEquation equation) {
  const auto count = static_cast<std::size_t>(type.lmax + 1);
  if (type.lmax < 0 || type.energy.size() != count || type.lmax_nonspherical > type.lmax) {
    throw DimensionError("solve_radial: one energy per l, and lmax_nonspherical up to lmax, please");
  }
  const RadialProblem problem(potential, type.radius, equation);
  std::vector<RadialSolution> solutions(count);
  parallel_for(static_cast<std::int64_t>(count), 1, [&](std::int64_t l) {
    const auto i = static_cast<std::size_t>(l);
    solutions[i] = solve_radial_equation(problem, static_cast<int>(l), type.energy[i]);
  });
  type.radial = {};
  for (std::size_t l = 0; l < count; ++l) {
    const RadialSolution& solution = solutions[l];
    require_finite_functions(solution, static_cast<int>(l), type.energy[l]);
    type.radial.u.push_back(solution.u);
    type.radial.u_r.push_back(solution.u_r);
    type.radial.udot.push_back(solution.udot);
    type.radial.udot_r.push_back(solution.udot_r);
    type.radial.udot_norm.push_back(solution.udot_norm);
  }
  type.nonspherical = nonspherical_part(problem.mesh, solutions, type.lmax_nonspherical, potential);
}

std::vector<double> wronskians(const AtomType& type) {
  const RadialFunctions& f = type.radial;
  std::vector<double> values;
  for (std::size_t l = 0; l < f.u.size(); ++l) {
    values.push_back(type.radius * type.radius * (f.udot[l] * f.u_r[l] - f.u[l] * f.udot_r[l]));
  }
  return values;
}

}  // namespace cisolve::lapw
