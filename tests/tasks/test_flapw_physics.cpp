// SPDX-License-Identifier: MIT
// What theory says of bands in linearised augmented plane waves: exact cases, orders of errors, symmetries.
#include <gtest/gtest.h>

#include <cmath>

#include "io/json.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_physics {

using test::FlapwJob;
using test::StoredPoint;

const std::string one_point = "[k_points]\nlist = [[0.1, 0.2, 0.3]]\n";
constexpr double fourth = 0.88853779234183961;  ///< |k + G|^2 / 2 of the fourth state there, hartree

std::vector<double> energies_of(const std::string& input, int k = 1) {
  FlapwJob job(input);
  test::run_to_end(job);
  return StoredPoint(job.file(), k).energies;
}

TEST(FlapwPhysics, AStateAtItsEnergyParameterIsExact) {
  EXPECT_NEAR(energies_of(test::empty_lattice(fourth, one_point)).at(3), fourth, 1e-12);
}

TEST(FlapwPhysics, TheLinearisationErrsByTheFourthPowerOfTheDistance) {
  std::vector<double> errors;
  for (const double off : {0.01, 0.02, 0.04, 0.08})
    errors.push_back(energies_of(test::empty_lattice(fourth + off, one_point)).at(3) - fourth);
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_GT(errors[k] / errors[k - 1], 16.0) << errors[k];
    EXPECT_LT(errors[k] / errors[k - 1], 16.8) << errors[k];
  }
}

TEST(FlapwPhysics, AConstantPotentialShiftsAllBands) {
  const std::string constant = "[potential]\nfourier = [ { g = [0, 0, 0], v = 0.45 } ]\n";
  FlapwJob without(test::empty_lattice(0.3, test::three_points)),
      with(test::empty_lattice(0.75, constant + test::three_points));
  test::run_to_end(without);
  test::run_to_end(with);
  for (int k = 1; k <= 3; ++k) {
    const std::vector<double> low = StoredPoint(without.file(), k).energies,
                              high = StoredPoint(with.file(), k).energies;
    ASSERT_EQ(low.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(high[i] - low[i], 0.45, 1e-11);
  }
}

/// What is exact comes from outside: kinetic energies, or three cosine problems in one dimension.
TEST(FlapwPhysics, BandsLieAboveTheExactOnes) {
  const nlohmann::json record = read_json("flapw/expected.json");
  const auto expect_above = [&](const std::string& name, const std::string& input, std::size_t states,
                                double most) {
    const nlohmann::json exact = record[name]["k"][0]["exact"];
    const std::vector<double> energies = energies_of(input);
    for (std::size_t i = 0; i < states; ++i) {
      EXPECT_GT(energies.at(i), exact[i].get<double>()) << name << " state " << i + 1;
      EXPECT_LT(energies[i] - exact[i].get<double>(), most) << name << " state " << i + 1;
    }
  };
  expect_above("cosine_crystal", test::cosine_crystal(), 8, 1e-4);
  expect_above("inversion", test::inversion_crystal(), 8, 1e-4);
  expect_above("empty_lattice", test::empty_lattice(0.3, one_point), 4, 1e-3);
}

TEST(FlapwPhysics, InversionMakesTheMatricesReal) {
  for (const char* algorithm : {"split", "merged", "hsdla"}) {
    FlapwJob job(test::inversion_crystal(),
                 {std::string("flapw.algorithm=") + algorithm, "output.matrices=true"});
    test::run_to_end(job);
    const StoredPoint stored(job.file(), 1);
    double h = 0.0, s = 0.0;
    for (const auto& element : stored.h) h = std::max(h, std::abs(element.imag()));
    for (const auto& element : stored.s) s = std::max(s, std::abs(element.imag()));
    EXPECT_LT(h, 1e-14) << algorithm;
    EXPECT_LT(s, 1e-14) << algorithm;
  }
}

/// Wells in the spheres, nothing between: plain plane waves up to 7.5 /bohr need no spheres for them.
TEST(FlapwPhysics, WellsHaveTheLowestStateOfPlainPlaneWaves) {
  const double plane_waves = read_json("flapw/expected.json")["wells_state"]["k"][0]["plane_waves"][0];
  EXPECT_NEAR(energies_of(test::flapw_of_file("wells_state.h5")).at(0), plane_waves, 5e-6);
}

TEST(FlapwPhysics, TheScalarRelativisticEquationLowersDeepStates) {
  FlapwJob job(test::flapw_of_file("al.h5"), {"flapw.roots=1"});
  const double nonrelativistic = test::run_to_end(job).points[0].states.energies[0];
  job.set({"flapw.radial=scalar-relativistic"});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_TRUE(result.relativistic);
  // The 3s band goes down by some millihartree: mass-velocity and Darwin terms, of order (Z/c)^2 of an energy.
  EXPECT_LT(result.points[0].states.energies[0], nonrelativistic - 1e-4);
  EXPECT_GT(result.points[0].states.energies[0], nonrelativistic - 2e-2);
}

TEST(FlapwPhysics, AngstromsAreBohrsOfAnotherLength) {
  const std::string bohr = test::empty_lattice(0.3, one_point);
  std::string angstrom = bohr;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = angstrom.find(from); at != std::string::npos;
         at = angstrom.find(from, at + to.size()))
      angstrom.replace(at, from.size(), to);
  };
  replace("3.8", fmt::format("{:.17g}", 3.8 * 0.529177210903));
  replace("radius = 2", fmt::format("radius = {:.17g}", 2.0 * 0.529177210903));
  replace("k_max", "unit = \"angstrom\"\nk_max");
  const std::vector<double> a = energies_of(bohr), b = energies_of(angstrom);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

TEST(FlapwPhysics, LegalOdditiesOfFilesChangeNothing) {
  const std::vector<double> good = energies_of(test::flapw_of_file("zero_norm.h5"));
  EXPECT_EQ(energies_of(test::flapw_of_file("zero_norm_pairs.h5")), good);
  EXPECT_EQ(energies_of(test::flapw_of_file("zero_norm_big_endian.h5")), good);
  const std::vector<double> spheres = energies_of(test::flapw_of_file("two_spheres_radial.h5"));
  const double expected[] = {-0.02851707114129338, 0.2173294399906424, 0.33262935634519286,
                             0.4660079562425673};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(spheres.at(i), expected[i], 1e-9);
}

}  // namespace test_flapw_physics
}  // namespace cisolve
