// SPDX-License-Identifier: MIT
// Whole FLAPW runs against independent programs: FLEUR's matrices, Elk's bands, numpy's by the defining sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/json.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_reference {

using Complex = std::complex<double>;
using test::FlapwJob;
using test::StoredPoint;

nlohmann::json expected(const std::string& name) { return read_json("flapw/expected.json").at(name); }

/// The vector that every element of a matrix shows in the product with.
std::vector<Complex> probe(std::size_t n) {
  std::vector<Complex> x(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto place = static_cast<double>(j);
    x[j] = {std::cos(0.37 * place * place), std::sin(0.23 * place + 0.5)};
  }
  return x;
}

/// @param tolerance  of the Frobenius norm of the difference, as a fraction of that of the matrix
void expect_matrix(const std::vector<Complex>& matrix, std::size_t n, const nlohmann::json& point,
                   const std::string& name, double tolerance) {
  const double norm = point.at(name + "_norm");
  ASSERT_EQ(matrix.size(), n * n);
  EXPECT_NEAR(test::norm_of(matrix), norm, tolerance * norm) << name;
  std::vector<Complex> there;
  for (std::size_t i = 0; i < n; ++i)
    there.emplace_back(point[name + "_probe"][2 * i], point[name + "_probe"][2 * i + 1]);
  const std::vector<Complex> x = probe(n);
  // |(M - M') x| <= |M - M'|_F |x|
  EXPECT_LT(test::distance(test::product(matrix, x.data(), n), there), tolerance * norm * test::norm_of(x))
      << name;
}

/// @param tolerance  hartree
void expect_energies(const std::vector<double>& found, const nlohmann::json& energies, double tolerance) {
  ASSERT_FALSE(found.empty());
  for (std::size_t k = 0; k < std::min(found.size(), energies.size()); ++k)
    EXPECT_NEAR(found[k], energies[k].get<double>(), tolerance) << "root " << k + 1;
}

void expect_waves(const FlapwPoint& found, const std::filesystem::path& file, int k,
                  const nlohmann::json& point) {
  EXPECT_EQ(found.waves, point["waves"].get<std::int64_t>());
  if (!point.contains("g")) return;
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group group = hdf5.root().open_group("k").open_group(std::to_string(k));
  EXPECT_EQ(group.read<std::int32_t>("g").values, point["g"].get<std::vector<std::int32_t>>());
}

struct Case {
  std::string name, algorithm;
};

std::string label(const testing::TestParamInfo<Case>& info) {
  return info.param.name + "_" + info.param.algorithm;
}

std::vector<Case> cases_of(const std::vector<std::string>& names,
                           const std::vector<std::string>& algorithms) {
  std::vector<Case> cases;
  for (const std::string& name : names) {
    for (const std::string& algorithm : algorithms) cases.push_back({name, algorithm});
  }
  return cases;
}

/// A, B and T of small sizes, of which each has something of its own.
class FlapwReferenceCoefficients : public testing::TestWithParam<Case> {};

TEST_P(FlapwReferenceCoefficients, HaveTheMatricesAndStatesOfNumpy) {
  const nlohmann::json record = expected(GetParam().name);
  const std::string input = test::flapw_of_file(GetParam().name + ".h5");
  const std::vector<std::string> settings = {"flapw.algorithm=" + GetParam().algorithm,
                                             "output.matrices=true"};
  constexpr double rounding = 1e-12;

  FlapwJob tins(input, settings);
  tins.set({"flapw.interstitial=false", "flapw.roots=0"});
  const FlapwResult alone = test::run_to_end(tins);
  ASSERT_EQ(alone.points.size(), record["k"].size());
  EXPECT_EQ(alone.algorithm, GetParam().algorithm);
  // Where T_AA is semidefinite, rounding decides.
  if (GetParam().name != "semidefinite") {
    EXPECT_EQ(alone.points[0].hpd_atoms, record["hpd_atoms"].get<int>());
  }
  for (int k = 1; k <= std::ssize(alone.points); ++k) {
    const StoredPoint stored(tins.file(), k);
    EXPECT_EQ(alone.points[k - 1].waves, record["k"][k - 1]["waves"].get<std::int64_t>());
    expect_matrix(stored.h, stored.n, record["k"][k - 1], "h_mt", rounding);
    expect_matrix(stored.s, stored.n, record["k"][k - 1], "s_mt", rounding);
  }
  if (!record["k"][0].contains("h_norm")) return;  // the file has nothing between the spheres

  FlapwJob whole(input, settings);
  whole.set({"flapw.roots=all"});
  const FlapwResult result = test::run_to_end(whole);
  for (int k = 1; k <= std::ssize(result.points); ++k) {
    const StoredPoint stored(whole.file(), k);
    const nlohmann::json& point = record["k"][k - 1];
    const std::int64_t dropped = point["dropped"];
    expect_matrix(stored.h, stored.n, point, "h", rounding);
    expect_matrix(stored.s, stored.n, point, "s", rounding);
    EXPECT_EQ(result.points[k - 1].states.overlap.dropped, dropped);
    EXPECT_EQ(std::ssize(stored.energies), result.points[k - 1].waves - dropped);
    expect_energies(stored.energies, point["eigenvalues"], 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, FlapwReferenceCoefficients,
                         testing::ValuesIn(cases_of({"all_hpd", "lmax_differ", "mixed_two_types", "none_hpd",
                                                     "one_atom", "one_non_hpd", "one_wave", "s_only",
                                                     "semidefinite", "singular_overlap", "three_k",
                                                     "tile_borders", "zero_norm"},
                                                    {"merged", "hsdla"})),
                         label);

/// A crystal, where its numbers come from, and how near they are met.
struct Crystal {
  std::string input;
  double matrices = 1e-12;  ///< relative
  double energies = 1e-9;   ///< hartree
};

Crystal crystal_of(const std::string& name) {
  if (name == "empty_lattice") return {test::empty_lattice(0.3, test::three_points)};
  if (name == "empty_lattice_shifted")
    return {test::empty_lattice(
        0.75, "[potential]\nfourier = [ { g = [0, 0, 0], v = 0.45 } ]\n" + test::three_points)};
  if (name == "empty_lattice_state")
    return {test::empty_lattice(0.88853779234183961, "[k_points]\nlist = [[0.1, 0.2, 0.3]]\n")};
  if (name == "cosine_crystal") return {test::cosine_crystal()};
  if (name == "inversion") return {test::inversion_crystal()};
  // Tables: the interpolation of two programs differs by 1e-11 hartree.
  if (name == "al") return {test::flapw_of_file("al.h5"), 1e-12, 1e-8};
  return {test::flapw_of_file(name + ".h5")};
}

class FlapwReferenceCrystals : public testing::TestWithParam<Case> {};

TEST_P(FlapwReferenceCrystals, HaveTheMatricesAndStatesOfNumpy) {
  const nlohmann::json record = expected(GetParam().name);
  const Crystal crystal = crystal_of(GetParam().name);
  const bool by_davidson = GetParam().algorithm == "davidson";
  FlapwJob job(crystal.input, {"output.matrices=true"});
  // Residuals of 1e-8 leave errors of their square over the gap, here below 1e-12.
  job.set(by_davidson
              ? std::vector<std::string>{"flapw.solver=davidson", "flapw.roots=6"}
              : std::vector<std::string>{"flapw.algorithm=" + GetParam().algorithm, "flapw.roots=all"});
  const FlapwResult result = test::run_to_end(job);
  ASSERT_EQ(result.points.size(), record["k"].size());
  if (GetParam().algorithm == "auto") {
    EXPECT_EQ(result.algorithm, "split");
  }
  for (int k = 1; k <= std::ssize(result.points); ++k) {
    const StoredPoint stored(job.file(), k);
    const nlohmann::json& point = record["k"][k - 1];
    expect_waves(result.points[k - 1], job.file(), k, point);
    if (point.contains("h_norm")) {
      expect_matrix(stored.h, stored.n, point, "h", crystal.matrices);
      expect_matrix(stored.s, stored.n, point, "s", crystal.matrices);
    }
    EXPECT_EQ(stored.energies.size(), by_davidson ? 6 : stored.n);
    EXPECT_EQ(result.points[k - 1].states.solver, by_davidson ? "davidson" : "direct");
    EXPECT_EQ(result.points[k - 1].states.overlap.dropped, 0);
    expect_energies(stored.energies, point["eigenvalues"], crystal.energies);
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, FlapwReferenceCrystals,
                         testing::ValuesIn(cases_of({"empty_lattice", "empty_lattice_shifted",
                                                     "empty_lattice_state", "cosine_crystal", "inversion",
                                                     "wells", "wells_state", "al"},
                                                    {"auto", "merged", "hsdla", "davidson"})),
                         label);

/// Si and Na in an fcc cell, with the radial functions of FLEUR.
class FlapwReferenceFleur : public testing::TestWithParam<const char*> {};

TEST_P(FlapwReferenceFleur, HaveItsMatrices) {
  const nlohmann::json point = expected("two_atoms")["k"][0];
  FlapwJob job(test::flapw_of_file("two_atoms_radial.h5"),
               {"flapw.interstitial=false", "flapw.roots=all", "output.matrices=true",
                std::string("flapw.algorithm=") + GetParam()});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_EQ(result.points[0].hpd_atoms, 1);
  const StoredPoint stored(job.file(), 1);
  const std::size_t n = stored.n;
  ASSERT_EQ(n, 235U);
  expect_matrix(stored.h, n, point, "h", 1e-13);
  expect_matrix(stored.s, n, point, "s", 1e-13);
  // They are known to so many digits.
  EXPECT_NEAR(std::abs(stored.h[0] - -0.020310542870), 0.0, 2e-12);
  EXPECT_NEAR(std::abs(stored.s[0] - 0.260350208858), 0.0, 2e-12);
  EXPECT_NEAR(std::abs(stored.h[5 * n + 2] - Complex(-0.001390457437, 0.016380988278)), 0.0, 2e-12);
  // The condition number of S is 1e8.
  expect_energies(stored.energies, point["eigenvalues"], 1e-7);
  EXPECT_EQ(result.points[0].states.overlap.dropped, 0);
}

TEST_P(FlapwReferenceFleur, HaveEnergiesWithWhatLiesBetweenTheSpheres) {
  const nlohmann::json point = expected("two_atoms")["k"][0];
  FlapwJob job(test::flapw_of_file("two_atoms_radial.h5"),
               {"flapw.roots=all", std::string("flapw.algorithm=") + GetParam()});
  test::run_to_end(job);
  expect_energies(StoredPoint(job.file(), 1).energies, point["with_interstitial"], 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, FlapwReferenceFleur, testing::Values("auto", "merged", "hsdla"),
                         [](const auto& named) { return std::string(named.param); });

TEST(FlapwReference, BandsOfAluminiumAreThoseOfElk) {
  FlapwJob job(test::flapw_of_file("al.h5"), {"flapw.roots=8"});
  test::run_to_end(job);
  const nlohmann::json record = expected("al");
  for (int k = 1; k <= 3; ++k) {
    const StoredPoint stored(job.file(), k);
    expect_energies(stored.energies, record["k"][k - 1]["elk"], 1e-5);
    EXPECT_NEAR(stored.energies[0], record["k"][k - 1]["elk"][0].get<double>(), 1e-7);
  }
}

TEST(FlapwReference, SyntheticMatricesAreThoseOfNumpy) {
  const nlohmann::json reference = read_json("flapw/synthetic.json");
  ASSERT_EQ(reference["whole"].size(), 5U);
  for (const nlohmann::json& one : reference["whole"]) {
    SCOPED_TRACE(one.dump().substr(0, 100));
    FlapwJob job(
        fmt::format("[flapw]\nroots = \"all\"\n[synthetic]\natoms = {}\nlmax = {}\nwaves = {}\n"
                    "types = {}\nhpd_share = {}\nseed = {}\n[output]\nmatrices = true\n",
                    one["atoms"].get<int>(), one["lmax"].get<int>(), one["waves"].get<int>(),
                    one["types"].get<int>(), one["hpd_share"].get<double>(), one["seed"].get<int>()));
    const FlapwResult result = test::run_to_end(job);
    const StoredPoint stored(job.file(), 1);
    const double norm_h = one["norm_h"], norm_s = one["norm_s"];
    EXPECT_NEAR(test::norm_of(stored.h), norm_h, 1e-12 * norm_h);
    EXPECT_NEAR(test::norm_of(stored.s), norm_s, 1e-12 * norm_s);
    expect_energies(stored.energies, one["eigenvalues"], 1e-10);
    EXPECT_EQ(result.points[0].hpd_atoms, one["hpd_atoms"].get<int>());
  }
}

}  // namespace test_flapw_reference
}  // namespace cisolve
