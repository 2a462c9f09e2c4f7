// SPDX-License-Identifier: MIT
#include "cisolve/lapw/radial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/special_functions.hpp"
#include "io/json.hpp"
#include "lapw/cosine_crystal.hpp"

namespace cisolve::lapw {
namespace test_radial {

/// V = constant - charge/r.
class Coulomb final : public SpherePotential {
public:
  explicit Coulomb(double charge, double constant = 0.0, double first = 1e-7)
      : charge_(charge), constant_(constant), first_(first) {}
  double first_radius() const override { return first_; }
  std::span<const std::array<int, 2>> components() const override { return {}; }
  double r_spherical(double r) const override { return constant_ * r - charge_; }
  void evaluate(double, std::span<Complex>) const override {}

private:
  double charge_, constant_, first_;
};

AtomType type_of(double radius, std::vector<double> energy) {
  AtomType type;
  type.radius = radius;
  type.lmax = static_cast<int>(energy.size()) - 1;
  type.energy = std::move(energy);
  return type;
}

RadialFunctions solved(const SpherePotential& potential, double radius, const std::vector<double>& energy,
                       RadialEquation equation = RadialEquation::schroedinger) {
  AtomType type = type_of(radius, energy);
  solve_radial(type, potential, equation);
  return type.radial;
}

std::vector<double> equal_energies(int lmax, double energy) {
  return std::vector<double>(static_cast<std::size_t>(lmax) + 1, energy);
}

/// u, u_r, udot, udot_r, N_l
std::array<double, 5> values_of(const RadialFunctions& radial, std::size_t l) {
  return {radial.u[l], radial.u_r[l], radial.udot[l], radial.udot_r[l], radial.udot_norm[l]};
}

/// Bessel and Coulomb functions by mpmath, relativistic ones by collocation of order 10.
TEST(RadialFunctions, AreThoseOfTheReference) {
  for (const auto& record : read_json("flapw/radial.json")) {
    const auto name = record["potential"].get<std::string>();
    const double charge = name == "0" ? 0.0 : -std::stod(name);
    const auto l = record["l"].get<std::size_t>();
    const auto radius = record["radius"].get<double>();
    const auto equation = record["relativistic"].get<bool>() ? RadialEquation::scalar_relativistic
                                                             : RadialEquation::schroedinger;
    const auto values =
        values_of(solved(Coulomb(charge, 0.0, 1e-7 * radius), radius,
                         equal_energies(static_cast<int>(l), record["energy"].get<double>()), equation),
                  l);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = record["value"][i].get<double>();
      EXPECT_NEAR(values[i], expected, 1e-10 * std::abs(expected)) << record.dump();
    }
  }
}

/// V = 0: u is j_l(kr) by the root of int j_l^2 r^2 dr = R^3/2 (j_l^2 - j_l-1 j_l+1).
TEST(RadialFunctions, OfAnEmptySphereAreBesselFunctions) {
  const double radius = 2.2;
  for (const double energy : {0.1, 2.0, 50.0}) {
    const double k = std::sqrt(2 * energy), x = k * radius;
    const RadialFunctions radial = solved(Coulomb(0.0), radius, equal_energies(24, energy));
    std::vector<double> j(26);
    spherical_bessel(x, j);
    for (std::size_t l = 1; l <= 24; ++l) {
      const double norm = std::sqrt(std::pow(radius, 3) / 2 * (j[l] * j[l] - j[l - 1] * j[l + 1]));
      const double slope = k * (j[l - 1] - static_cast<double>(l + 1) / x * j[l]);
      const double size = std::hypot(k * j[l], slope) / norm;  // either may be near a zero
      EXPECT_NEAR(radial.u[l], j[l] / norm, 1e-10 * size / k) << l << " " << energy;
      EXPECT_NEAR(radial.u_r[l], slope / norm, 1e-10 * size) << l << " " << energy;
    }
  }
}

/// V = 0: udot and N_l, too, by mpmath 1.2.1, 40 digits.
TEST(RadialFunctions, OfHighLAndEnergyAreThoseOfMpmath) {
  struct Case {
    std::size_t l;
    double energy, radius;
    std::array<double, 5> values;
  };
  const std::vector<Case> cases = {{12,
                                    0.3,
                                    2.0,
                                    {1.8314636185314551, 10.907132390536018, -0.018921651878914804,
                                     -0.38569205248934427, 9.2770035393182558e-5}},
                                   {24,
                                    0.3,
                                    2.0,
                                    {2.5226316173831125, 30.212170577802904, -0.0074913199603325411,
                                     -0.28792513004650837, 8.174467473724734e-6}},
                                   {24,
                                    50.0,
                                    2.5,
                                    {1.1117059393880037, 2.5893976373237315, -0.025929029334506477,
                                     -0.34824008182414718, 0.00031954166931481006}},
                                   {3,
                                    50.0,
                                    2.5,
                                    {0.35838354671601351, -0.52759701682722365, -0.011410292586693343,
                                     -0.87610038615677711, 0.019999035691020137}}};
  for (const Case& c : cases) {
    const auto values =
        values_of(solved(Coulomb(0.0), c.radius, equal_energies(static_cast<int>(c.l), c.energy)), c.l);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], c.values[i], 1e-10 * std::abs(c.values[i]))
          << i << " l " << c.l << " energy " << c.energy;
    }
  }
}

/// 2 to rounding, which Gauss' methods keep as they keep all quadratic invariants.
TEST(RadialFunctions, HaveTheirWronskian) {
  AtomType type = type_of(2.3, equal_energies(24, -0.3));
  solve_radial(type, Coulomb(29.0), RadialEquation::schroedinger);
  for (const double wronskian : wronskians(type)) EXPECT_NEAR(wronskian, 2.0, 1e-11);
  solve_radial(type, Coulomb(29.0), RadialEquation::scalar_relativistic);
  // It is m/R (1 + w l (l + 1) int P^2/m^2 dr) - w P Q; w = 5e-5, V(R) = -13, l (l + 1)/m^2 up to 30.
  for (const double wronskian : wronskians(type)) {
    EXPECT_NEAR(wronskian, 2.0, 2e-3);
    EXPECT_GT(std::abs(wronskian - 2.0), 1e-6);
  }
}

/// udot = du/dE, as u of norm 1 has it; N_l = R^2/6 (uddot udot_r - udot uddot_r), from (H - E) uddot = 2 udot.
TEST(RadialFunctions, AreDerivativesByTheEnergy) {
  const double radius = 2.1, energy = 0.2, h = 1e-3;
  const auto at = [&](double e) { return solved(Coulomb(13.0), radius, equal_energies(6, e)); };
  const RadialFunctions here = at(energy), low = at(energy - h), high = at(energy + h),
                        lower = at(energy - 2 * h), higher = at(energy + 2 * h);
  for (std::size_t l = 0; l <= 6; ++l) {
    // Differences of order 4 err by h^4/30 of the fifth derivative, and by 1e-12/h.
    const auto derivative = [&](const auto& f) {
      return (8 * (f(high) - f(low)) - (f(higher) - f(lower))) / (12 * h);
    };
    EXPECT_NEAR(derivative([l](const auto& f) { return f.u[l]; }), here.udot[l], 1e-8) << l;
    EXPECT_NEAR(derivative([l](const auto& f) { return f.u_r[l]; }), here.udot_r[l], 1e-8) << l;
    const double uddot = derivative([l](const auto& f) { return f.udot[l]; });
    const double uddot_r = derivative([l](const auto& f) { return f.udot_r[l]; });
    EXPECT_NEAR(radius * radius / 6 * (uddot * here.udot_r[l] - here.udot[l] * uddot_r), here.udot_norm[l],
                1e-8)
        << l;
  }
}

/// A constant shifts the energy alone, without relativity.
TEST(RadialFunctions, ShiftWithThePotential) {
  const RadialFunctions here = solved(Coulomb(8.0), 1.5, equal_energies(4, 0.1));
  const RadialFunctions there = solved(Coulomb(8.0, 0.7), 1.5, equal_energies(4, 0.8));
  for (std::size_t l = 0; l <= 4; ++l) {
    const auto expected = values_of(here, l), values = values_of(there, l);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-11 * std::abs(expected[i]));
  }
}

/// V = 0, E = 0: u is r^l by the root of R^(2l+3)/(2l+3), a part of which lies below even this mesh.
TEST(RadialFunctions, CountWhatLiesBelowTheMesh) {
  const double radius = 2.0;
  const RadialFunctions radial = solved(Coulomb(0.0, 0.0, 0.5), radius, equal_energies(4, 0.0));
  for (std::size_t l = 0; l <= 4; ++l) {
    EXPECT_NEAR(radial.u[l], std::sqrt(static_cast<double>(2 * l + 3) / std::pow(radius, 3)), 1e-13) << l;
  }
}

TEST(RadialFunctions, DoNotDependOnWhereTheMeshBegins) {
  for (const auto equation : {RadialEquation::schroedinger, RadialEquation::scalar_relativistic}) {
    const RadialFunctions expected = solved(Coulomb(13.0), 2.2, equal_energies(24, 0.15), equation);
    for (const double first : {2e-6, 1e-9, 2.2e-12}) {
      const RadialFunctions radial =
          solved(Coulomb(13.0, 0.0, first), 2.2, equal_energies(24, 0.15), equation);
      for (std::size_t l = 0; l <= 24; ++l) {
        const auto values = values_of(radial, l), same = values_of(expected, l);
        for (std::size_t i = 0; i < values.size(); ++i)
          EXPECT_NEAR(values[i], same[i], 1e-10 * std::abs(same[i])) << first << " l " << l;
      }
    }
  }
}

TEST(RadialFunctions, OfAluminium) {
  const auto record = read_json("flapw/aluminium_sphere.json");
  const auto v00 = record["v00"].get<std::vector<double>>();
  const double first = record["r_first"].get<double>(), last = record["r_last"].get<double>();
  std::vector<double> r;
  for (std::size_t i = 0; i < v00.size(); ++i) {
    r.push_back(first * std::pow(last / first, static_cast<double>(i) / static_cast<double>(v00.size() - 1)));
  }
  const auto potential = tabulated_potential(r, {{0, 0}}, std::vector<Complex>(v00.begin(), v00.end()));
  const RadialFunctions radial = solved(*potential, last, record["energy"].get<std::vector<double>>());
  const std::array<const char*, 5> names = {"u", "u_r", "udot", "udot_r", "udot_norm"};
  for (std::size_t l = 0; l < radial.u.size(); ++l) {
    const auto values = values_of(radial, l);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = record[names[i]][l].get<double>();
      EXPECT_NEAR(values[i], expected, 1e-10 * std::abs(expected)) << names[i] << " l " << l;
    }
  }
}

TEST(RadialFunctions, RefuseWhatHasNoFiniteValue) {
  AtomType type = type_of(2.0, {0.1, 0.1});
  EXPECT_THROW(solve_radial(type, Coulomb(std::nan("")), RadialEquation::schroedinger), InputError);
  try {
    solve_radial(type, Coulomb(200.0), RadialEquation::scalar_relativistic);  // sqrt(1 - (200/137)^2)
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("l = 0 at the energy of 0.1 hartree"), std::string::npos)
        << error.what();
  }
  type.energy.pop_back();
  EXPECT_THROW(solve_radial(type, Coulomb(1.0), RadialEquation::schroedinger), DimensionError);
}

double norm(const ComplexMatrix& matrix) {
  double sum = 0.0;
  for (int column = 0; column < matrix.columns(); ++column) {
    for (int row = 0; row < matrix.rows(); ++row) sum += std::norm(matrix(row, column));
  }
  return std::sqrt(sum);
}

void expect_elements(const ComplexMatrix& matrix, const nlohmann::json& record) {
  const auto size = record["norm"].get<double>();
  EXPECT_NEAR(norm(matrix), size, 1e-11 * size);
  for (const auto& element : record["elements"]) {
    const Complex expected(element[2].get<double>(), element[3].get<double>());
    EXPECT_LT(std::abs(matrix(element[0].get<int>(), element[1].get<int>()) - expected), 1e-11 * size)
        << element.dump();
  }
}

/// By numpy, of the Fourier series in rotated frames.
TEST(NonsphericalPart, OfTheCosineCrystal) {
  Crystal crystal = test::cosine_crystal();
  const auto record = read_json("flapw/cosine_crystal_spheres.json");
  for (std::size_t t = 0; t < 2; ++t) {
    AtomType& type = crystal.types[t];
    solve_radial(type, *potential_at(crystal, static_cast<int>(t), test::cosine_potential()),
                 RadialEquation::schroedinger);
    const auto& expected = record["types"][t];
    expect_elements(type.nonspherical.aa, expected["aa"]);
    expect_elements(type.nonspherical.ab, expected["ab"]);
    expect_elements(type.nonspherical.bb, expected["bb"]);
    const std::array<const char*, 5> names = {"u", "u_r", "udot", "udot_r", "udot_norm"};
    for (std::size_t l = 0; l < type.radial.u.size(); ++l) {
      const auto values = values_of(type.radial, l);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = expected[names[i]][l].get<double>();
        EXPECT_NEAR(values[i], number, 1e-10 * std::abs(number)) << names[i] << " l " << l;
      }
    }
  }
}

/// V_20 = 1: the radial integrals are those of norm and orthogonality, in which the small component has its part.
TEST(NonsphericalPart, OfAConstantComponentIsAngular) {
  class ConstantComponent final : public SpherePotential {
  public:
    double first_radius() const override { return 1e-7; }
    std::span<const std::array<int, 2>> components() const override { return lm_; }
    double r_spherical(double) const override { return -79.0; }
    void evaluate(double, std::span<Complex> v) const override { v[0] = 1.0; }

  private:
    std::array<std::array<int, 2>, 1> lm_ = {{{2, 0}}};
  };
  const GauntTable gaunt(3, 6);
  for (const auto equation : {RadialEquation::schroedinger, RadialEquation::scalar_relativistic}) {
    AtomType type = type_of(2.6, equal_energies(3, -0.2));
    type.lmax_nonspherical = 3;
    solve_radial(type, ConstantComponent(), equation);
    for (int l = 1; l <= 3; ++l) {
      const double norm = type.radial.udot_norm[static_cast<std::size_t>(l)];
      for (int m = -l; m <= l; ++m) {
        const int i = function_index(l, m);
        const double angular = gaunt(l, m, 2, l, m);
        EXPECT_LT(std::abs(type.nonspherical.aa(i, i) - angular), 1e-13) << l << " " << m;
        EXPECT_LT(std::abs(type.nonspherical.ab(i, i)), 1e-13) << l << " " << m;
        EXPECT_LT(std::abs(type.nonspherical.bb(i, i) - norm * angular), 1e-13) << l << " " << m;
        EXPECT_EQ(type.nonspherical.aa(i, function_index(l == 2 ? 1 : 2, 0)), 0.0)
            << l << " " << m;  // other parity
      }
    }
    EXPECT_GT(std::abs(type.nonspherical.ab(function_index(1, 0), function_index(3, 0))), 1e-3);
  }
}

TEST(NonsphericalPart, IsHermitianAndShrinksWithItsLmax) {
  Crystal crystal = test::cosine_crystal(true);
  AtomType& type = crystal.types[1];
  const auto whole = potential_at(crystal, 1, test::cosine_potential());
  for (const auto equation : {RadialEquation::schroedinger, RadialEquation::scalar_relativistic}) {
    type.lmax_nonspherical = 6;
    solve_radial(type, *whole, equation);
    const NonsphericalPart large = type.nonspherical;
    ASSERT_EQ(large.aa.rows(), num_functions(6));
    for (int i = 0; i < large.aa.rows(); ++i) {
      for (int j = 0; j < large.aa.rows(); ++j) {
        EXPECT_EQ(large.aa(i, j), std::conj(large.aa(j, i)));
        EXPECT_EQ(large.bb(i, j), std::conj(large.bb(j, i)));
      }
    }
    type.lmax_nonspherical = 2;
    solve_radial(type, *whole, equation);
    const NonsphericalPart& small = type.nonspherical;
    ASSERT_EQ(small.aa.rows(), num_functions(2));
    for (int i = 0; i < small.aa.rows(); ++i) {
      for (int j = 0; j < small.aa.rows(); ++j) {
        EXPECT_LT(std::abs(small.aa(i, j) - large.aa(i, j)), 1e-15);
        EXPECT_LT(std::abs(small.ab(i, j) - large.ab(i, j)), 1e-15);
        EXPECT_LT(std::abs(small.bb(i, j) - large.bb(i, j)), 1e-15);
      }
    }
  }
  type.lmax_nonspherical = 0;
  solve_radial(type, *whole, RadialEquation::schroedinger);
  EXPECT_EQ(norm(type.nonspherical.aa), 0.0);
  EXPECT_EQ(type.nonspherical.aa.rows(), 1);
  type.lmax_nonspherical = -1;
  solve_radial(type, *whole, RadialEquation::schroedinger);
  EXPECT_EQ(type.nonspherical.aa.rows(), 0);
}

}  // namespace test_radial
}  // namespace cisolve::lapw
