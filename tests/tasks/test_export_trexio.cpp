// SPDX-License-Identifier: MIT
// `cisolve export RESULT.h5 OUT.trexio`: elements against definitions and another program, not energies alone, which do not
// see an order of indices that integrals and densities share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"
#include "tasks/trexio_data.hpp"

namespace cisolve {
namespace test_export_trexio {

using test::TrexioData;
using testing::ElementsAre;
using testing::HasSubstr;

class ExportTrexio : public testing::Test {
protected:
  CiResult run(const std::string& input) const {
    CiConfig config = read_ci_config(parse_input(input, "job.inp"));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / "job.h5";
    config.checkpoint_file = folder_ / "job.chk.h5";
    return run_and_read(config);
  }

  std::string write(const std::string& out, const ExportOptions& options) const {
    std::ostringstream report;
    export_result(folder_ / "job.h5", folder_ / out, options, report);
    return report.str();
  }

  test::TemporaryFolder folder_;
};

const std::string tight = "[solver]\ntolerance = 1e-10\n";

std::string h2o_file(const std::string& rest) {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump\"\n" + rest + tight;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  EXPECT_LE(largest, tolerance);
}

/// The second root of water, of which another program has written a file that libtrexio reads.
TEST_F(ExportTrexio, IsWhatAnotherProgramWrites) {
  run(h2o_file("[states]\ncount = 2\nirrep = \"all\"\nms2 = 0\n[space]\nexcitation_level = \"full\"\n"));
  EXPECT_THAT(write("two.trexio", {.root = 2, .integrals = true}), HasSubstr("of root 2; integrals"));
  const TrexioData found(folder_ / "two.trexio");
  const TrexioData expected(CISOLVE_TEST_DATA "/trexio/h2o_sto3g_fci.1.h5");
  for (const auto& [group, name] : {std::pair("mo", "num"), {"electron", "num"}, {"electron", "up_num"}})
    EXPECT_EQ(found.number(group, name), expected.number(group, name)) << group << name;
  EXPECT_NEAR(found.scalar<double>("state", "energy"), expected.scalar<double>("state", "energy"), 1e-9);
  EXPECT_EQ(found.scalar<double>("nucleus", "repulsion"), expected.scalar<double>("nucleus", "repulsion"));
  expect_near(found.reals("mo_1e_int", "core_hamiltonian"), expected.reals("mo_1e_int", "core_hamiltonian"),
              1e-14);
  expect_near(found.dense("mo_2e_int", "eri"), expected.dense("mo_2e_int", "eri"), 1e-14);
  constexpr double of_vectors = 1e-7;  // residual norms over gaps, in either program
  for (const char* name : {"1e", "1e_up", "1e_dn"})
    expect_near(found.reals("rdm", name), expected.reals("rdm", name), of_vectors);
  expect_near(found.dense("rdm", "2e"), expected.dense("rdm", "2e"), of_vectors);

  const auto determinants = [](const TrexioData& file) {
    std::map<std::pair<std::int64_t, std::int64_t>, double> of;
    const auto list = file.array<std::int64_t>("determinant", "list").values;
    const auto c = file.reals("determinant", "coefficient");
    for (std::size_t k = 0; k < c.size(); ++k) of[{list[2 * k], list[2 * k + 1]}] = c[k];
    return of;
  };
  auto ours = determinants(found);
  const auto theirs = determinants(expected);
  const auto largest = std::ranges::max_element(theirs, {}, [](const auto& d) { return std::abs(d.second); });
  const double sign = ours[largest->first] * largest->second > 0.0 ? 1.0 : -1.0;
  for (const auto& [occupied, c] : theirs) EXPECT_NEAR(sign * ours[occupied], c, of_vectors);
  EXPECT_TRUE(std::ranges::is_sorted(found.reals("determinant", "coefficient"), std::greater(),
                                     [](double c) { return std::abs(c); }));
}

TEST_F(ExportTrexio, AFileForEachRootAndTransitionsInTheFirst) {
  const CiResult result =
      run(h2o_file("[states]\ncount = 3\n[space]\nexcitation_level = 2\n[output]\ndensity = \"one\"\n"));
  const std::string report = write("all.trexio", {.threshold = 0.05});
  EXPECT_THAT(report, HasSubstr("all.3.trexio"));
  for (const int k : {0, 1, 2}) {
    const TrexioData file(folder_ / (k == 0 ? "all.trexio" : "all." + std::to_string(k + 1) + ".trexio"));
    EXPECT_EQ(file.number("state", "id"), k);
    EXPECT_EQ(file.scalar<double>("state", "energy"), result.root(static_cast<std::size_t>(k)).energy);
    EXPECT_THAT(file.strings("state", "file_name"),
                ElementsAre("all.trexio", "all.2.trexio", "all.3.trexio"));
    for (const double c : file.reals("determinant", "coefficient")) EXPECT_GE(std::abs(c), 0.05);
    EXPECT_EQ(file.has("rdm", "1e_transition"), k == 0);
    EXPECT_FALSE(file.has("mo_1e_int", "core_hamiltonian"));
  }
  const TrexioData first(folder_ / "all.trexio");
  const auto transitions = first.array<double>("rdm", "1e_transition");
  EXPECT_THAT(transitions.shape, ElementsAre(3, 3, 7, 7));
  const std::vector<double>& held = result.density->transition;  // [3, 3, 2, 7, 7], <k| a+_p a_q |l>
  for (std::size_t pair = 0; pair < 9; ++pair) {
    for (std::size_t p = 0; p < 7; ++p) {
      for (std::size_t q = 0; q < 7; ++q)
        EXPECT_NEAR(transitions.values[(pair * 7 + q) * 7 + p],
                    held[(2 * pair * 7 + p) * 7 + q] + held[((2 * pair + 1) * 7 + p) * 7 + q], 1e-14);
    }
  }
}

/// Density matrices made of a file's determinants, with nothing but creators and annihilators.
class OfDeterminants {
public:
  explicit OfDeterminants(const TrexioData& file) {
    const auto list = file.array<std::int64_t>("determinant", "list").values;
    const auto c = file.reals("determinant", "coefficient");
    for (std::size_t k = 0; k < c.size(); ++k)
      vector_[static_cast<std::uint64_t>(list[2 * k]) | static_cast<std::uint64_t>(list[2 * k + 1]) << 32] =
          c[k];
  }

  /// Sum of <a+_k a+_l a_j a_i> over the spin of i and k, and that of j and l.
  double pair(int i, int j, int k, int l) const {
    double sum = 0.0;
    for (const int s : {0, 32}) {
      for (const int t : {0, 32}) sum += expectation({i + s, j + t}, {k + s, l + t});
    }
    return sum;
  }
  /// <a+_j a_i>
  double one(int i, int j, int spin) const { return expectation({i + spin}, {j + spin}); }

private:
  static bool remove(std::uint64_t& occupied, int p, double& sign) {
    if ((occupied >> p & 1U) == 0) return false;
    if (std::popcount(occupied & ((std::uint64_t{1} << p) - 1)) % 2 != 0) sign = -sign;
    occupied ^= std::uint64_t{1} << p;
    return true;
  }

  /// <c| (a_right ...)+ a_right ... |c>: what both sides leave is compared.
  double expectation(const std::vector<int>& right, const std::vector<int>& left) const {
    double sum = 0.0;
    const auto reduced = [](std::uint64_t occupied,
                            const std::vector<int>& gone) -> std::optional<std::pair<std::uint64_t, double>> {
      double sign = 1.0;
      for (const int p : gone) {
        if (!remove(occupied, p, sign)) return std::nullopt;
      }
      return std::pair(occupied, sign);
    };
    std::map<std::uint64_t, double> kets;
    for (const auto& [occupied, c] : vector_) {
      if (const auto left_over = reduced(occupied, right)) kets[left_over->first] += left_over->second * c;
    }
    for (const auto& [occupied, c] : vector_) {
      const auto left_over = reduced(occupied, left);
      if (!left_over) continue;
      const auto ket = kets.find(left_over->first);
      if (ket != kets.end()) sum += left_over->second * c * ket->second;
    }
    return sum;
  }

  std::map<std::uint64_t, double> vector_;
};

class ExportTrexioMolecule : public ExportTrexio {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

/// The formula of the format: nuclei, one-electron part, half of <kl|ij> Gamma_ijkl.
double energy_of(const TrexioData& file) {
  const auto n = static_cast<std::size_t>(file.number("mo", "num"));
  double energy = file.scalar<double>("nucleus", "repulsion");
  const auto h = file.reals("mo_1e_int", "core_hamiltonian"), d = file.reals("rdm", "1e");
  for (std::size_t k = 0; k < n * n; ++k) energy += h[k] * d[k];
  const auto v = file.dense("mo_2e_int", "eri"), g = file.dense("rdm", "2e");
  for (std::size_t ij = 0; ij < n * n; ++ij) {
    for (std::size_t kl = 0; kl < n * n; ++kl) energy += 0.5 * g[ij * n * n + kl] * v[kl * n * n + ij];
  }
  return energy;
}

/// A frozen orbital above active ones: the sign of a determinant is that of putting its creators in order.
TEST_F(ExportTrexioMolecule, DensitiesOverAllOrbitalsAreThoseOfTheDeterminants) {
  const CiResult result = run(
      "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"sto-3g\"\ncharge = -1\nmultiplicity = 2\n"
      "[space]\nexcitation_level = 2\nfrozen_core = [2]\nfrozen_virtual = 1\n" +
      tight);
  write("job.trexio", {.integrals = true});
  const TrexioData file(folder_ / "job.trexio");
  EXPECT_EQ(file.number("mo", "num"), 6);
  EXPECT_THAT(file.strings("mo", "class"),
              ElementsAre("Active", "Core", "Active", "Active", "Active", "Virtual"));
  EXPECT_EQ(file.number("electron", "up_num"), 3);
  EXPECT_EQ(file.number("electron", "dn_num"), 2);
  const OfDeterminants expected(file);
  const auto up = file.reals("rdm", "1e_up"), down = file.reals("rdm", "1e_dn"),
             two = file.dense("rdm", "2e");
  constexpr double rounding = 1e-12;
  std::size_t at = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_NEAR(up[static_cast<std::size_t>(6 * i + j)], expected.one(i, j, 0), rounding) << i << j;
      EXPECT_NEAR(down[static_cast<std::size_t>(6 * i + j)], expected.one(i, j, 32), rounding) << i << j;
      for (int k = 0; k < 6; ++k) {
        for (int l = 0; l < 6; ++l)
          ASSERT_NEAR(two[at++], expected.pair(i, j, k, l), rounding) << i << j << k << l;
      }
    }
  }
  EXPECT_NEAR(energy_of(file), result.root(0).energy, 1e-10);
}

/// Natural orbitals of an average: every root's densities turn along, and the energies stay.
TEST_F(ExportTrexioMolecule, NaturalOrbitalsTurnDensitiesAndIntegrals) {
  const CiResult result = run(
      "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"6-31g\"\n"
      "[space]\nexcitation_level = 2\nfrozen_core = 1\n[states]\ncount = 2\n[output]\ndensity = \"two\"\n" +
      tight);
  write("natural.trexio", {.average = true, .integrals = true, .natural = true});
  std::vector<double> sum(11, 0.0);
  for (const std::size_t k : {0U, 1U}) {
    const TrexioData file(folder_ / (k == 0 ? "natural.trexio" : "natural.2.trexio"));
    EXPECT_FALSE(file.has("determinant", "list"));
    EXPECT_NEAR(energy_of(file), result.root(k).energy, 1e-10);
    const auto d = file.reals("rdm", "1e");
    for (std::size_t p = 0; p < 11; ++p) sum[p] += 0.5 * d[12 * p];
  }
  expect_near(TrexioData(folder_ / "natural.trexio").reals("mo", "occupation"), sum, 1e-10);

  write("one.trexio", {.natural = true});
  const TrexioData one(folder_ / "one.trexio");
  const auto d = one.reals("rdm", "1e"), occupations = one.reals("mo", "occupation");
  for (std::size_t p = 0; p < 121; ++p)
    EXPECT_NEAR(d[p], p % 12 == 0 ? occupations[p / 12] : 0.0, 1e-10) << p;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "one.2.trexio"));
}

TEST_F(ExportTrexio, WithoutVectorsThereAreOrbitalsOnly) {
  run("[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n[output]\nvectors = false\n");
  EXPECT_THAT(write("h2.trexio", {}), testing::Not(HasSubstr("determinants")));
  const TrexioData file(folder_ / "h2.trexio");
  EXPECT_EQ(file.number("mo", "num"), 2);
  EXPECT_FALSE(file.has("rdm", "1e"));
}

TEST_F(ExportTrexio, WhatDoesNotFitIsRefused) {
  run("[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n");
  const auto refusal = [&](const std::string& out, const ExportOptions& options) -> std::string {
    try {
      write(out, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_THAT(refusal("x.trexio", {.average = true}), HasSubstr("with --natural only"));
  EXPECT_THAT(refusal("x.txt", {.integrals = true}), HasSubstr("--integrals: .txt files"));
  EXPECT_THAT(refusal("x.fcidump", {.integrals = true}), HasSubstr("hold them anyway"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.trexio"));
}

}  // namespace test_export_trexio
}  // namespace cisolve
