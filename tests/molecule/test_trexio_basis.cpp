// SPDX-License-Identifier: MIT
// Basis functions of TREXIO files: evaluated by the formula of the format, against Libint2's integrals over ours.
#include "cisolve/molecule/trexio_basis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {
namespace test_trexio_basis {

using testing::HasSubstr;

/// Two atoms with one shell of each l up to f, and a contraction that is not normalised.
Geometry two_atoms() {
  Geometry geometry;
  geometry.atoms = {{8, "O", {0.1, -0.2, 0.3}}, {1, "H", {-0.4, 0.9, 1.1}}};
  return geometry;
}

GaussianBasis basis_on(const Geometry& geometry, bool cartesian) {
  GaussianBasis basis;
  const auto add = [&](int atom, int l, std::vector<double> exponents, std::vector<double> coefficients) {
    GaussianShell shell;
    shell.atom = atom;
    shell.angular_momentum = l;
    shell.spherical = !cartesian && l >= 2;
    shell.exponents = std::move(exponents);
    shell.coefficients = std::move(coefficients);
    shell.centre = geometry.atoms[static_cast<std::size_t>(atom)].position;
    shell.first_function = basis.num_functions;
    basis.num_functions += shell.num_functions();
    basis.shells.push_back(shell);
  };
  add(0, 0, {1.3, 0.6}, {0.7, 0.9});
  add(0, 1, {0.9}, {1.0});
  add(0, 3, {0.8}, {1.0});
  add(1, 2, {1.1, 0.5}, {0.4, 0.8});
  add(1, 1, {0.7, 0.4}, {0.3, -1.2});
  return basis;
}

/// Polynomials of the format about a centre: powers in alphabetical order, or solid harmonics 0, 1, -1, 2, ...
std::vector<double> polynomials(int l, bool cartesian, double x, double y, double z) {
  if (cartesian) {
    std::vector<double> all;
    for (int a = l; a >= 0; --a) {
      for (int b = l - a; b >= 0; --b)
        all.push_back(std::pow(x, a) * std::pow(y, b) * std::pow(z, l - a - b));
    }
    return all;
  }
  const double r2 = x * x + y * y + z * z, s3 = std::sqrt(3.0);
  if (l == 0) return {1.0};
  if (l == 1) return {z, x, y};
  if (l == 2)
    return {0.5 * (3.0 * z * z - r2), s3 * x * z, s3 * y * z, 0.5 * s3 * (x * x - y * y), s3 * x * y};
  const double s15 = std::sqrt(15.0), s6 = std::sqrt(6.0), s10 = std::sqrt(10.0);
  return {0.5 * z * (5.0 * z * z - 3.0 * r2),
          0.25 * s6 * x * (5.0 * z * z - r2),
          0.25 * s6 * y * (5.0 * z * z - r2),
          0.5 * s15 * z * (x * x - y * y),
          s15 * x * y * z,
          0.25 * s10 * x * (x * x - 3.0 * y * y),
          0.25 * s10 * y * (3.0 * x * x - y * y)};
}

/// All functions of a file at a point.
Eigen::VectorXd values(const TrexioBasis& file, const Geometry& geometry, double x, double y, double z) {
  Eigen::VectorXd all(static_cast<Eigen::Index>(file.ao_shell.size()));
  for (std::size_t ao = 0; ao < file.ao_shell.size();) {
    const auto s = static_cast<std::size_t>(file.ao_shell[ao]);
    const Position& c = geometry.atoms[static_cast<std::size_t>(file.nucleus_index[s])].position;
    const double dx = x - c[0], dy = y - c[1], dz = z - c[2];
    double radial = 0.0;
    for (std::size_t k = 0; k < file.exponent.size(); ++k) {
      if (static_cast<std::size_t>(file.shell_index[k]) == s)
        radial += file.coefficient[k] * file.prim_factor[k] *
                  std::exp(-file.exponent[k] * (dx * dx + dy * dy + dz * dz));
    }
    for (const double p :
         polynomials(static_cast<int>(file.shell_angular_momentum[s]), file.cartesian, dx, dy, dz)) {
      all[static_cast<Eigen::Index>(ao)] = file.ao_normalization[ao] * p * file.shell_factor[s] * radial;
      ++ao;
    }
  }
  return all;
}

/// Overlap by the trapezoidal rule, whose error for Gaussians falls as exp(-pi^2 / (2 a h^2)), a the largest exponent.
Eigen::MatrixXd overlap_of(const TrexioBasis& file, const Geometry& geometry) {
  constexpr double h = 0.28, edge = 7.0;
  const auto n = static_cast<Eigen::Index>(file.ao_shell.size());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  for (double x = -edge; x <= edge; x += h) {
    for (double y = -edge; y <= edge; y += h) {
      for (double z = -edge; z <= edge; z += h) {
        if (x * x + y * y + z * z > edge * edge) continue;
        const Eigen::VectorXd v = values(file, geometry, x, y, z);
        sum.selfadjointView<Eigen::Lower>().rankUpdate(v);
      }
    }
  }
  const Eigen::MatrixXd full = sum.selfadjointView<Eigen::Lower>();
  return h * h * h * full;
}

/// Overlap over our functions, in the order and with the factors of a file.
Eigen::MatrixXd ours_as(const std::vector<TrexioFunction>& functions, const GaussianBasis& basis,
                        const Geometry& geometry) {
  const Matrix overlap = detail::one_electron_matrices(basis, geometry).overlap;
  const auto n = static_cast<Eigen::Index>(functions.size());
  Eigen::MatrixXd found(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const TrexioFunction &a = functions[static_cast<std::size_t>(i)],
                           &b = functions[static_cast<std::size_t>(j)];
      found(i, j) = a.factor * b.factor * overlap(a.ours, b.ours);
    }
  }
  return found;
}

class TrexioBasisTest : public testing::TestWithParam<bool> {};

/// A grid of 4e-6: exp(-pi^2 / (2 * 1.3 * 0.28^2)) is 1e-21, what lies outside is less than 1e-7.
constexpr double by_quadrature = 1e-6;

TEST_P(TrexioBasisTest, FunctionsAreWhatTheFormatSays) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const bool cartesian = GetParam();
  const Geometry geometry = two_atoms();
  const GaussianBasis basis = basis_on(geometry, cartesian);
  const TrexioBasis file = trexio_basis(basis, cartesian);
  const Eigen::MatrixXd by_formula = overlap_of(file, geometry);
  EXPECT_LT((by_formula - ours_as(trexio_functions(basis, cartesian), basis, geometry)).cwiseAbs().maxCoeff(),
            by_quadrature);
  EXPECT_NEAR(by_formula(0, 0), 1.0, by_quadrature);
}

/// Another program's factors, and its shells in another order.
TEST_P(TrexioBasisTest, OtherFactorsAndOrdersAreRead) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const bool cartesian = GetParam();
  const Geometry geometry = two_atoms();
  const TrexioBasis plain = trexio_basis(basis_on(geometry, cartesian), cartesian);
  TrexioBasis file = plain;
  // Shell s becomes 4 - s; primitives and functions come by new number.
  std::ranges::reverse(file.nucleus_index);
  std::ranges::reverse(file.shell_angular_momentum);
  std::ranges::reverse(file.shell_factor);
  for (auto& shell : file.shell_index) shell = 4 - shell;
  std::vector<std::int64_t> functions;
  for (std::int64_t shell = 0; shell < 5; ++shell)
    functions.insert(functions.end(), static_cast<std::size_t>(std::ranges::count(plain.ao_shell, 4 - shell)),
                     shell);
  file.ao_shell = functions;
  for (std::size_t ao = 0; ao < functions.size(); ++ao)
    file.ao_normalization[ao] = 1.0 + 0.1 * static_cast<double>(ao);
  for (double& factor : file.shell_factor) factor *= -1.7;
  for (double& factor : file.prim_factor) factor *= 0.3;
  const BasisOfTrexio read = gaussian_basis(file, geometry, "x.trexio");
  EXPECT_TRUE(std::ranges::is_sorted(read.basis.shells, {}, &GaussianShell::atom));
  EXPECT_LT(
      (overlap_of(file, geometry) - ours_as(read.functions, read.basis, geometry)).cwiseAbs().maxCoeff(),
      10.0 * by_quadrature)
      << "functions of norms up to 3";
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrexioBasisTest, testing::Bool());

TEST(TrexioBasis, WhatIsNoBasisIsRefused) {
  const Geometry geometry = two_atoms();
  const TrexioBasis good = trexio_basis(basis_on(geometry, false), false);
  const auto refusal = [&](const auto& spoil) -> std::string {
    TrexioBasis file = good;
    spoil(file);
    try {
      gaussian_basis(file, geometry, "x.trexio");
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(refusal([](TrexioBasis&) {}), "read");
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.nucleus_index[0] = 2; }), HasSubstr("nuclei are 0 to 1"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.shell_index[0] = -1; }), HasSubstr("shells are 0 to 4"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.ao_shell[0] = 1LL << 40; }), HasSubstr("ao.shell has"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.shell_angular_momentum[0] = 6; }), HasSubstr("to h (5)"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.exponent[1] = 0.0; }), HasSubstr("primitive 1"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.coefficient[2] = 0.0; }),
              HasSubstr("shell 1 has no primitives"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.exponent.pop_back(); }), HasSubstr("lengths"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.ao_normalization[3] = std::nan(""); }), HasSubstr("function 3"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { std::swap(f.ao_shell[0], f.ao_shell[1]); }),
              HasSubstr("once and in succession"));
  EXPECT_THAT(refusal([](TrexioBasis& f) { f.cartesian = true; }), HasSubstr("Cartesian"));
  EXPECT_THAT(refusal([](TrexioBasis& f) {
                f.ao_shell.resize(4);
                f.ao_normalization.resize(4);
              }),
              HasSubstr("ao.shell has 4 functions"));
}

}  // namespace test_trexio_basis
}  // namespace cisolve
