// SPDX-License-Identifier: MIT
#include "lapw/nonspherical.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/special_functions.hpp"

namespace cisolve::lapw {
namespace {

/// Radial integrals of l, l' by what stands on either side.
enum Side : int { u_u, u_udot, udot_u, udot_udot, num_sides };

struct PairOfL {
  int l, l2;  ///< l <= l2
};

/// 0 instead of what is nothing beside 1: products of two such numbers would be denormal, which makes matrix products
/// ten times slower at high l.
double without_trifles(double x) { return std::abs(x) < 1e-100 ? 0.0 : x; }

/// int x_l V_LM y_l' r^2 dr of all components and pairs.
class RadialIntegrals {
public:
  RadialIntegrals(const RadialMesh& mesh, std::span<const RadialSolution> solutions,
                  const SpherePotential& potential, int lmax)
      : place_(static_cast<std::size_t>(num_functions(2 * lmax)), -1) {
    for (int l = 0; l <= lmax; ++l) {
      for (int l2 = l; l2 <= lmax; ++l2) pairs_.push_back({l, l2});
    }
    const auto lm = potential.components();
    for (std::size_t i = 0; i < lm.size(); ++i) {
      if (lm[i][0] <= 2 * lmax)
        place_[static_cast<std::size_t>(function_index(lm[i][0], lm[i][1]))] = static_cast<int>(i);
    }
    values_.noalias() = components_on(mesh, potential) * products_on(mesh, solutions);
  }

  const std::vector<PairOfL>& pairs() const { return pairs_; }

  /// 0 where the potential has no such component.
  Complex operator()(std::size_t pair, Side side, int big_l, int m) const {
    const int component = place_[static_cast<std::size_t>(function_index(big_l, m))];
    if (component < 0) return 0.0;
    const auto column = static_cast<Eigen::Index>(pair) * num_sides + side;
    return {values_(2 * component, column), values_(2 * component + 1, column)};
  }

private:
  /// Two rows a component, its real and imaginary part; a column a point.
  static Eigen::MatrixXd components_on(const RadialMesh& mesh, const SpherePotential& potential) {
    const std::size_t count = potential.components().size();
    Eigen::MatrixXd v(static_cast<Eigen::Index>(2 * count), static_cast<Eigen::Index>(mesh.num_points()));
    constexpr int points_at_a_time = 64;
    parallel_for(v.cols(), points_at_a_time, [&](std::int64_t i) {
      std::vector<Complex> at_point(count);
      potential.evaluate(mesh.r[static_cast<std::size_t>(i)], at_point);
      for (std::size_t c = 0; c < count; ++c) {
        v(static_cast<Eigen::Index>(2 * c), i) = without_trifles(at_point[c].real());
        v(static_cast<Eigen::Index>(2 * c + 1), i) = without_trifles(at_point[c].imag());
      }
    });
    return v;
  }

  /// A row a point; columns [pair][side], of P P' + w Q Q', with the weights of the mesh.
  Eigen::MatrixXd products_on(const RadialMesh& mesh, std::span<const RadialSolution> solutions) const {
    Eigen::MatrixXd products(static_cast<Eigen::Index>(mesh.num_points()),
                             static_cast<Eigen::Index>(pairs_.size()) * num_sides);
    const auto array = [](const std::vector<double>& values) {
      return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
    };
    parallel_for(static_cast<std::int64_t>(pairs_.size()), 1, [&](std::int64_t pair) {
      const auto [l, l2] = pairs_[static_cast<std::size_t>(pair)];
      const RadialSolution& f = solutions[static_cast<std::size_t>(l)];
      const RadialSolution& g = solutions[static_cast<std::size_t>(l2)];
      const auto fill = [&](Side side, const std::vector<double>& large, const std::vector<double>& small,
                            const std::vector<double>& large2, const std::vector<double>& small2) {
        products.col(pair * num_sides + side) =
            (array(mesh.weights) * (array(large) * array(large2) + array(small) * array(small2)))
                .unaryExpr(&without_trifles);
      };
      fill(u_u, f.large, f.small, g.large, g.small);
      fill(u_udot, f.large, f.small, g.large_dot, g.small_dot);
      fill(udot_u, f.large_dot, f.small_dot, g.large, g.small);
      fill(udot_udot, f.large_dot, f.small_dot, g.large_dot, g.small_dot);
    });
    return products;
  }

  std::vector<PairOfL> pairs_;
  std::vector<int> place_;  // of (L, M) among the components; -1: not there
  Eigen::MatrixXd values_;  // two rows a component; columns [pair][side]
};

/// i^n
Complex power_of_i(int n) {
  constexpr std::array<Complex, 4> powers = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  return powers[static_cast<std::size_t>(n & 3)];
}

/// Sum over L of radial and angular integrals, between (l, m) and (l', m').
Complex matrix_element(const RadialIntegrals& radial, const GauntTable& gaunt, std::size_t pair, Side side,
                       int l, int m, int l2, int m2) {
  Complex sum = 0.0;
  for (int big_l = std::abs(l - l2); big_l <= l + l2; big_l += 2) {
    if (big_l == 0 || std::abs(m - m2) > big_l) continue;
    sum += radial(pair, side, big_l, m - m2) * gaunt(l, m, big_l, l2, m2);
  }
  return power_of_i(l2 - l) * sum;
}

/// The elements between (l, m) and (l', m'), and their mirror images.
void fill_pair(const RadialIntegrals& radial, const GauntTable& gaunt, std::size_t pair,
               NonsphericalPart& part) {
  const int l = radial.pairs()[pair].l, l2 = radial.pairs()[pair].l2;
  for (int m = -l; m <= l; ++m) {
    for (int m2 = l == l2 ? m : -l2; m2 <= l2; ++m2) {
      const int row = function_index(l, m), column = function_index(l2, m2);
      const auto hermitian = [&](ComplexMatrix& matrix, Side side) {
        const Complex value = matrix_element(radial, gaunt, pair, side, l, m, l2, m2);
        matrix(row, column) = row == column ? value.real() : value;
        matrix(column, row) = std::conj(matrix(row, column));
      };
      hermitian(part.aa, u_u);
      hermitian(part.bb, udot_udot);
      part.ab(row, column) = matrix_element(radial, gaunt, pair, u_udot, l, m, l2, m2);
      part.ab(column, row) = matrix_element(radial, gaunt, pair, udot_u, l2, m2, l, m);
    }
  }
}

}  // namespace

NonsphericalPart nonspherical_part(const RadialMesh& mesh, std::span<const RadialSolution> solutions,
                                   int lmax, const SpherePotential& potential) {
  if (lmax < 0) return {};
  const ComplexMatrix zero(num_functions(lmax), num_functions(lmax));
  NonsphericalPart part = {zero, zero, zero};
  if (potential.components().empty()) return part;
  const RadialIntegrals radial(mesh, solutions, potential, lmax);
  const GauntTable gaunt(lmax, 2 * lmax);
  parallel_for(static_cast<std::int64_t>(radial.pairs().size()), 1,
               [&](std::int64_t pair) { fill_pair(radial, gaunt, static_cast<std::size_t>(pair), part); });
  return part;
}

}  // namespace cisolve::lapw
