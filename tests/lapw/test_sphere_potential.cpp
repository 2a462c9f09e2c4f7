// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/potential.hpp"
#include "cisolve/lapw/special_functions.hpp"
#include "io/json.hpp"
#include "lapw/cosine_crystal.hpp"

namespace cisolve::lapw {
namespace test_sphere_potential {

constexpr double pi = std::numbers::pi;

std::vector<Complex> values_at(const SpherePotential& potential, double r) {
  std::vector<Complex> v(potential.components().size());
  potential.evaluate(r, v);
  return v;
}

/// V_LM(r), zero where there is no such component.
Complex component(const SpherePotential& potential, double r, int l, int m) {
  if (l == 0) return std::sqrt(4 * pi) * potential.r_spherical(r) / r;
  const std::vector<Complex> v = values_at(potential, r);
  const auto lm = potential.components();
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (lm[i] == std::array<int, 2>{l, m}) return v[i];
  }
  return 0.0;
}

/// sum_LM V_LM Y_LM at a place in the frame of the type.
Complex summed(const SpherePotential& potential, const Vector3& place) {
  const double r = length(place);
  const std::vector<Complex> v = values_at(potential, r);
  std::vector<Complex> y(static_cast<std::size_t>(num_functions(60)));
  spherical_harmonics(place, 60, y);
  Complex sum = potential.r_spherical(r) / r;
  const auto lm = potential.components();
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += v[i] * y[static_cast<std::size_t>(function_index(lm[i][0], lm[i][1]))];
  return sum;
}

/// sum of V_D exp(i D.r)
Complex plane_wave_sum(const Crystal& crystal, const FourierPotential& potential, const Vector3& place) {
  Complex sum = 0.0;
  for (std::size_t i = 0; i < potential.g.size(); ++i) {
    sum += potential.v[i] *
           std::polar(1.0, dot(wave_vector(crystal.lattice.reciprocal(), {}, potential.g[i]), place));
  }
  return sum;
}

/// Complex coefficients of several lengths, D = 0 among them.
FourierPotential some_potential() {
  FourierPotential potential = {{{0, 0, 0}}, {0.3}, false};
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> number(-0.1, 0.1);
  for (const Index3& d : {Index3{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}, {0, 1, 2}, {2, 0, -1}}) {
    const Complex v(number(generator), number(generator));
    potential.g.insert(potential.g.end(), {d, {-d[0], -d[1], -d[2]}});
    potential.v.insert(potential.v.end(), {v, std::conj(v)});
  }
  return potential;
}

/// Frames with a rotation and with a rotation and reflection; L <= 24: j_25(3.3) is below 1e-22.
TEST(FourierSpherePotential, SumsToThePlaneWaves) {
  for (const bool reflected : {false, true}) {
    Crystal crystal = test::cosine_crystal(reflected);
    ASSERT_NEAR(determinant(crystal.atoms[1].rotation), reflected ? -1.0 : 1.0, 1e-12);
    for (AtomType& type : crystal.types) {
      type.lmax = 12;
      type.lmax_nonspherical = 12;
    }
    const FourierPotential fourier = some_potential();
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> number(-0.8, 0.8);
    for (int atom = 0; atom < 2; ++atom) {
      const auto potential = potential_at(crystal, atom, fourier);
      const AtomSite& site = crystal.atoms[static_cast<std::size_t>(atom)];
      for (int repeat = 0; repeat < 20; ++repeat) {
        const Vector3 from_nucleus = {number(generator), number(generator), number(generator)};
        Vector3 place = combine_rows(crystal.lattice.a, site.position);
        for (std::size_t i = 0; i < 3; ++i) place[i] += from_nucleus[i];
        const Complex expected = plane_wave_sum(crystal, fourier, place);
        EXPECT_LT(std::abs(summed(*potential, rotate(site.rotation, from_nucleus)) - expected), 1e-13);
      }
    }
  }
}

/// By numpy, as it made the tables of the cosine crystal.
TEST(FourierSpherePotential, IsThatOfTheReference) {
  const Crystal crystal = test::cosine_crystal();
  const auto record = read_json("flapw/cosine_crystal_spheres.json");
  for (std::size_t t = 0; t < 2; ++t) {
    const auto potential = potential_at(crystal, static_cast<int>(t), test::cosine_potential());
    EXPECT_EQ(potential->first_radius(), 1e-7 * crystal.types[t].radius);
    for (const auto& line : record["types"][t]["potential"]) {
      const Complex expected(line[3].get<double>(), line[4].get<double>());
      const Complex value =
          component(*potential, line[2].get<double>(), line[0].get<int>(), line[1].get<int>());
      EXPECT_LT(std::abs(value - expected), 1e-14) << line.dump();
    }
  }
}

TEST(FourierSpherePotential, KeepsWhatSymmetryLeaves) {
  Crystal crystal = test::cosine_crystal();
  crystal.atoms[0].position = {0.5, 0.5, 0.5};
  crystal.atoms[0].rotation = identity3;
  const auto cubic =
      potential_at(crystal, 0, test::cosine_potential());  // L 4, 6, 8, 10, 12 (twice) of a cube's
  std::vector<std::array<int, 2>> expected;
  for (const int l : {4, 6, 8, 10, 12}) {
    for (int m = -l + l % 4; m <= l; m += 4) expected.push_back({l, m});
  }
  EXPECT_THAT(cubic->components(), testing::ElementsAreArray(expected));

  crystal.types[0].lmax_nonspherical = -1;
  EXPECT_TRUE(potential_at(crystal, 0, test::cosine_potential())->components().empty());
  crystal.types[0].lmax_nonspherical = 6;
  const auto constant = potential_at(crystal, 0, {{{0, 0, 0}}, {0.45}, false});
  EXPECT_TRUE(constant->components().empty());
  EXPECT_NEAR(constant->r_spherical(1.3), 0.45 * 1.3, 1e-15);
  EXPECT_THROW(potential_at(crystal, 0, {{{0, 0, 0}}, {0.45}, true}), DimensionError);
}

/// A pair about an inversion centre: the same in the frame -Q of the partner, another in Q.
TEST(SameSurroundings, AreAskedOfAType) {
  Crystal crystal = test::cosine_crystal();
  const Matrix3 rotation = crystal.atoms[0].rotation;
  Matrix3 inverted = rotation;
  for (Vector3& row : inverted) {
    for (double& element : row) element = -element;
  }
  crystal.atoms = {{1, {0.5, 0.5, 0.5}, rotation},
                   {0, {0.17, 0.21, 0.13}, rotation},
                   {0, {-0.17, -0.21, -0.13}, inverted}};
  EXPECT_NO_THROW(require_same_surroundings(crystal, test::cosine_potential()));
  crystal.atoms[2].position[0] += 1e-9;  // moves V by 1e-10
  EXPECT_NO_THROW(require_same_surroundings(crystal, test::cosine_potential()));
  crystal.atoms[2].position[0] += 1e-6;
  EXPECT_THROW(require_same_surroundings(crystal, test::cosine_potential()), InputError);
  crystal.atoms[2] = {0, {-0.17, -0.21, -0.13}, rotation};
  try {
    require_same_surroundings(crystal, test::cosine_potential());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("atoms 2 and 3 are of type \"X\", but the potential"));
  }
  for (AtomType& type : crystal.types) type.lmax_nonspherical = -1;  // the spherical parts agree
  EXPECT_NO_THROW(require_same_surroundings(crystal, test::cosine_potential()));
}

struct Table {
  std::vector<double> r;
  std::vector<std::array<int, 2>> lm;
  std::vector<Complex> v;

  std::unique_ptr<SpherePotential> potential() const { return tabulated_potential(r, lm, v); }
};

/// -3/r + cos r, and exp(-r) (1 + i) r^2 Y_2,1 with its partner, to the radius 2.
double spherical(double r) { return -3.0 / r + std::cos(r); }
Complex nonspherical(double r) { return Complex(1.0, 1.0) * std::exp(-r) * r * r; }

Table some_table(double first = 2e-6, std::size_t points = 401) {
  Table table;
  for (std::size_t i = 0; i < points; ++i) {
    table.r.push_back(2.0 *
                      std::pow(first / 2.0, 1.0 - static_cast<double>(i) / static_cast<double>(points - 1)));
  }
  table.lm = {{2, -1}, {0, 0}, {1, 0}, {2, 1}};
  for (const double r : table.r) table.v.push_back(-std::conj(nonspherical(r)));
  for (const double r : table.r) table.v.push_back(std::sqrt(4 * pi) * spherical(r));
  table.v.resize(3 * points);
  for (const double r : table.r) table.v.push_back(nonspherical(r));
  return table;
}

TEST(TabulatedPotential, IsInterpolated) {
  const auto potential = some_table().potential();
  EXPECT_THAT(potential->components(),
              testing::ElementsAre(std::array<int, 2>{2, -1}, std::array<int, 2>{2, 1}));
  EXPECT_EQ(potential->first_radius(), 2e-7);
  // The order is below; that nothing else is wrong.
  for (const double r : {3e-6, 1e-4, 0.02, 0.3, 0.77, 1.5, 1.99, 1.9999999, 2.0}) {
    EXPECT_NEAR(potential->r_spherical(r), r * spherical(r), 1e-9) << r;
    const std::vector<Complex> v = values_at(*potential, r);
    EXPECT_LT(std::abs(v[0] + std::conj(nonspherical(r))), 1e-9) << r;
    EXPECT_LT(std::abs(v[1] - nonspherical(r)), 1e-9) << r;
  }
}

/// Polynomials of degree 7: half the step, 2^8 times less error, where the points about r are as many on both sides.
TEST(TabulatedPotential, IsOfOrderEight) {
  const auto largest_error = [](std::size_t points) {
    const auto potential = some_table(2e-6, points).potential();
    double error = 0.0;
    for (int i = 0; i <= 2000; ++i) {
      const double r = 1.0 + 0.7 * i / 2000.0;
      error = std::max(error, std::abs(potential->r_spherical(r) - r * spherical(r)));
    }
    return error;
  };
  const double ratio = largest_error(201) / largest_error(401);
  EXPECT_GT(ratio, 200.0);
  EXPECT_LT(ratio, 300.0);
}

TEST(TabulatedPotential, HoldsRVBelowTheFirstPoint) {
  const auto potential = some_table(1e-3).potential();
  const double first = potential->r_spherical(1e-3);
  EXPECT_NEAR(first, -3.0 + 1e-3, 1e-8);
  EXPECT_EQ(potential->r_spherical(1e-7), first);
  EXPECT_NEAR(std::abs(values_at(*potential, 1e-5)[1]), 100 * std::abs(values_at(*potential, 1e-3)[1]), 1e-9);
  EXPECT_EQ(some_table(1e-9).potential()->first_radius(), 1e-9);
  EXPECT_EQ(some_table(1e-20).potential()->first_radius(), 2e-12);
}

/// That of the Fourier series, by its own table of 401 points.
TEST(TabulatedPotential, IsTheSeriesThatItWasMadeOf) {
  const Crystal crystal = test::cosine_crystal();
  const auto series = potential_at(crystal, 0, test::cosine_potential());
  Table table = some_table(1.4e-6);
  for (double& r : table.r) r *= 0.7;
  table.lm = {{0, 0}};
  table.v.clear();
  for (const double r : table.r) table.v.push_back(component(*series, r, 0, 0));
  table.lm.insert(table.lm.end(), series->components().begin(), series->components().end());
  table.v.resize(table.lm.size() * table.r.size());
  for (std::size_t i = 0; i < table.r.size(); ++i) {
    const std::vector<Complex> v = values_at(*series, table.r[i]);
    for (std::size_t c = 0; c < v.size(); ++c) table.v[(c + 1) * table.r.size() + i] = v[c];
  }
  const auto potential = table.potential();
  for (const double r : {0.1, 0.9, 1.37}) {
    EXPECT_NEAR(potential->r_spherical(r), series->r_spherical(r), 1e-10);  // of order 8, see above
    const std::vector<Complex> v = values_at(*potential, r), expected = values_at(*series, r);
    ASSERT_EQ(v.size(), expected.size());
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_LT(std::abs(v[i] - expected[i]), 1e-10);
  }
}

/// The sentence of a table that one change has spoiled.
template <class Change>
std::string refusal(Change change) {
  Table table = some_table();
  change(table);
  try {
    table.potential();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(TabulatedPotential, RefusesWhatItCannotBe) {
  using testing::StartsWith;
  EXPECT_THAT(refusal([](Table& t) { t.v.pop_back(); }), StartsWith("v: a value per (l, m) and radius"));
  EXPECT_THAT(refusal([](Table& t) { t = some_table(1e-6, 50); }), StartsWith("r: 50 points"));
  EXPECT_THAT(refusal([](Table& t) { t.r[7] *= 1 + 2e-9; }),
              StartsWith("r: the mesh is not logarithmic: point 7"));
  EXPECT_THAT(refusal([](Table& t) { t.r[7] = -t.r[7]; }),
              StartsWith("r: the mesh is not logarithmic: point 7"));
  EXPECT_THAT(refusal([](Table& t) { t.r[0] = 0.0; }), StartsWith("r: a logarithmic mesh"));
  EXPECT_THAT(refusal([](Table& t) { std::reverse(t.r.begin(), t.r.end()); }),
              StartsWith("r: a logarithmic mesh"));
  EXPECT_THAT(refusal([](Table& t) { t.lm[0] = {1, -2}; }), StartsWith("lm: row 0 is (1, -2)"));
  EXPECT_THAT(refusal([](Table& t) { t.lm[1] = {1, 1}; }), StartsWith("lm: (0, 0)"));
  EXPECT_THAT(refusal([](Table& t) { t.lm[1] = {2, 1}; }), StartsWith("lm: (2, 1) is there twice"));
  EXPECT_THAT(refusal([](Table& t) { t.v[401] += Complex(0, 1e-3); }),
              StartsWith("v: the potential is not real: (0, 0)"));
  EXPECT_THAT(refusal([](Table& t) { t.v[1203 + 400] *= 1.001; }),
              StartsWith("v: the potential is not real: (2, -1) at point 400"));
  EXPECT_THAT(refusal([](Table& t) {
                t.lm[3] = {3, 1};
              }),
              StartsWith("v: the potential is not real: (2, -1)"));
  EXPECT_THAT(refusal([](Table& t) { t.v[3] = std::nan(""); }),
              StartsWith("v: the value of (2, -1) at point 3"));
  EXPECT_EQ(refusal([](Table& t) { t.r[7] *= 1 + 5e-10; }), "none");
}

}  // namespace test_sphere_potential
}  // namespace cisolve::lapw
