// SPDX-License-Identifier: MIT
#include <vector>

#include "cisolve/lapw/matrices.hpp"

namespace cisolve::lapw {
namespace {

/// x^H T y
Complex form(const Complex* x, const ComplexMatrix& t, const Complex* y) {
  Complex sum = 0.0;
  for (int j = 0; j < t.columns(); ++j) {
    for (int i = 0; i < t.rows(); ++i) sum += std::conj(x[i]) * t(i, j) * y[j];
  }
  return sum;
}

/// x^H T^H y
Complex adjoint_form(const Complex* x, const ComplexMatrix& t, const Complex* y) {
  return std::conj(form(y, t, x));
}

/// (V Theta)(D), by its sum.
Complex v_theta(const Crystal& crystal, const FourierPotential& potential, const Index3& d) {
  Complex sum = 0.0;
  for (std::size_t n = 0; n < potential.g.size(); ++n) {
    const Index3& from = potential.g[n];
    const Index3 rest = {d[0] - from[0], d[1] - from[1], d[2] - from[2]};
    if (!potential.has_step)
      sum += potential.v[n] * step_function(crystal, rest);
    else if (rest == Index3{})
      sum += potential.v[n];
  }
  return sum;
}

std::pair<Complex, Complex> outside_element(const MatrixProblem& problem, std::int64_t g, std::int64_t g2) {
  const PlaneWavePart& outside = problem.outside;
  if (outside.tables != nullptr) {
    if (!outside.between_spheres) return {};
    const MatchingTables& waves = *problem.matching;
    const Index3 &a = waves.g[g], &b = waves.g[g2];
    const Index3 d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const Complex theta = step_function(*problem.crystal, d);
    Complex h = 0.25 * (dot(waves.kappa[g], waves.kappa[g]) + dot(waves.kappa[g2], waves.kappa[g2])) * theta;
    if (outside.potential != nullptr) h += v_theta(*problem.crystal, *outside.potential, d);
    return {h, theta};
  }
  const std::int64_t at = g2 * problem.waves() + g;
  if (!outside.h.empty()) return {outside.h[at], outside.s[at]};
  if (!outside.h_diagonal.empty() && g == g2) return {outside.h_diagonal[g], outside.s_diagonal[g]};
  return {};
}

}  // namespace

std::pair<Complex, Complex> defining_element(const MatrixProblem& problem, std::int64_t g, std::int64_t g2) {
  auto [h, s] = outside_element(problem, g, g2);
  std::vector<Complex> a, b, a2, b2;
  for (int atom = 0; atom < std::ssize(problem.atom_types); ++atom) {
    const MuffinTin& tin = problem.tins[problem.atom_types[atom]];
    const int n = num_functions(tin.lmax);
    for (auto* column : {&a, &b, &a2, &b2}) column->resize(static_cast<std::size_t>(n));
    problem.coefficients->fill(atom, tin.lmax, g, g + 1, a.data(), b.data(), n);
    problem.coefficients->fill(atom, tin.lmax, g2, g2 + 1, a2.data(), b2.data(), n);
    h += form(a.data(), tin.t_aa, a2.data()) + form(a.data(), tin.t_ab, b2.data()) +
         adjoint_form(b.data(), tin.t_ab, a2.data()) + form(b.data(), tin.t_bb, b2.data());
    for (int l = 0; l <= tin.lmax; ++l) {
      for (int row = l * l; row < (l + 1) * (l + 1); ++row)
        s += std::conj(a[row]) * a2[row] + tin.udot_norm[l] * std::conj(b[row]) * b2[row];
    }
  }
  return {h, s};
}

}  // namespace cisolve::lapw
