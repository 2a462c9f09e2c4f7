// SPDX-License-Identifier: MIT
// output.density and output.natural_orbitals: what result files hold of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/reference_density.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_density_output {

using Kind = CiResult::Density::Kind;
using testing::HasSubstr;

class DensityOutputTest : public testing::Test {
protected:
  CiConfig config(const std::string& rest, const std::string& basis = "determinant") const {
    CiConfig config = read_ci_config(
        parse_input("[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump\"\npoint_group = \"C2v\"\n"
                    "[space]\nexcitation_level = \"full\"\n[solver]\ntolerance = 1e-9\n" +
                        rest,
                    "job.inp", {parse_override("space.basis=" + basis)}));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / "job.h5";
    config.checkpoint_file = folder_ / "job.chk.h5";
    return config;
  }

  /// Through the result file and back.
  CiResult run(const std::string& rest, const std::string& basis = "determinant") const {
    return run_and_read(config(rest, basis));
  }

  test::TemporaryFolder folder_;
};

std::size_t place(const CiResult& result, std::size_t k, std::size_t l) {
  return k * result.roots.size() + l;
}

/// Largest difference of two matrices that may differ by a sign.
double difference(const double* a, const double* b, std::size_t size, double factor) {
  double plus = 0.0, minus = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    plus = std::max(plus, std::abs(a[i] - factor * b[i]));
    minus = std::max(minus, std::abs(a[i] + factor * b[i]));
  }
  return std::min(plus, minus);
}

/// Roots of all irreps and spins with Ms = 0, in one space.
TEST_F(DensityOutputTest, OfRootsIsThatOfAnotherProgram) {
  const CiResult result = run("[states]\ncount = 5\nirrep = \"all\"\nms2 = 0\n[output]\ndensity = \"two\"\n");
  const test::ReferenceDensity reference("h2o_sto3g_fci_ms0");
  ASSERT_TRUE(result.density);
  const std::size_t n = 7, square = n * n;
  ASSERT_EQ(result.density->n_orbitals, 7);
  const auto energies = reference.read("energy"), occupations = reference.read("natural_occupations");
  const auto alpha = reference.read("one_alpha"), beta = reference.read("one_beta");
  const auto aa = reference.read("two_aa"), ab = reference.read("two_ab"), bb = reference.read("two_bb");
  constexpr double tolerance = 1e-7;  // vectors have errors of about residual / gap
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_NEAR(result.root(k).energy, energies[k], 1e-9);
    for (std::size_t p = 0; p < n; ++p)
      EXPECT_NEAR(result.root(k).natural_occupations[p], occupations[k * n + p], tolerance);
    for (std::size_t l = 0; l < 5; ++l) {
      EXPECT_EQ(result.density->kind[place(result, k, l)], static_cast<int>(Kind::same_ms));
      const double* found = result.density->transition.data() + 2 * place(result, k, l) * square;
      EXPECT_LT(difference(found, alpha.data() + (k * 5 + l) * square, square, 1.0), tolerance);
      EXPECT_LT(difference(found + square, beta.data() + (k * 5 + l) * square, square, 1.0), tolerance);
    }
    EXPECT_LT(difference(result.density->one.data() + 2 * k * square, alpha.data() + (k * 5 + k) * square,
                         square, 1.0),
              tolerance);
    EXPECT_LT(result.density->energy_error[k], 1e-10);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const TwoParticleDensity& two = result.density->two[k];
    double worst = 0.0;
    std::size_t at = k * square * square;
    for (int p = 0; p < 7; ++p) {
      for (int q = 0; q < 7; ++q) {
        for (int r = 0; r < 7; ++r) {
          for (int s = 0; s < 7; ++s, ++at) {
            worst = std::max({worst, std::abs(two.alpha_alpha(p, q, r, s) - aa[at]),
                              std::abs(two.alpha_beta(p, q, r, s) - ab[at]),
                              std::abs(two.beta_beta(p, q, r, s) - bb[at])});
          }
        }
      }
    }
    EXPECT_LT(worst, tolerance);
  }
}

/// Triplets with Ms = 1 and Ms = 0 are the same states: F = (D^alpha - D^beta)(Ms = 0) / sqrt 2.
TEST_F(DensityOutputTest, SpinFlipsBetweenSectorsAreTheTransitionsAtOneMs) {
  const std::string states = "[states]\ncount = 1\nirrep = [\"A1\", \"B1\"]\nmultiplicity = [1, 3]\n";
  for (const std::string basis : {"determinant", "csf"}) {
    const std::string output = "[output]\ndensity = \"one\"\n";
    const CiResult flips = run(states + output, basis);
    const CiResult same = run(states + "ms2 = 0\n" + output);
    ASSERT_EQ(flips.roots.size(), 4u);
    const std::size_t square = 49;
    int compared = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t l = 0; l < 4; ++l) {
        const bool up = flips.root(k).s_squared > 1.0 && flips.root(l).s_squared < 1.0;
        const bool down = flips.root(l).s_squared > 1.0 && flips.root(k).s_squared < 1.0;
        const auto kind = static_cast<Kind>(flips.density->kind[place(flips, k, l)]);
        EXPECT_EQ(kind, up ? Kind::spin_flip : down ? Kind::transposed_flip : Kind::same_ms);
        EXPECT_EQ(same.density->kind[place(same, k, l)], static_cast<int>(Kind::same_ms));
        const double* found = flips.density->spin_flip.data() + place(flips, k, l) * square;
        std::vector<double> expected(square, 0.0);
        const double* at_zero = same.density->transition.data() + 2 * place(same, k, l) * square;
        for (std::size_t i = 0; up && i < square; ++i)
          expected[i] = (at_zero[i] - at_zero[square + i]) / std::sqrt(2.0);
        EXPECT_LT(difference(found, expected.data(), square, 1.0), 1e-6) << k << " and " << l;
        const double* transition = flips.density->transition.data() + 2 * place(flips, k, l) * square;
        if (up || down) {
          EXPECT_TRUE(std::all_of(transition, transition + 2 * square, [](double x) { return x == 0.0; }));
        }
        compared += up && std::abs(*std::max_element(expected.begin(), expected.end())) > 0.1 ? 1 : 0;
      }
    }
    EXPECT_GT(compared, 0);
  }
}

TEST_F(DensityOutputTest, TransitionsBetweenIrrepsAreThoseOfOneSpace) {
  const std::string output = "multiplicity = 1\n[output]\ndensity = \"one\"\n";
  const CiResult apart = run("[states]\ncount = 1\nirrep = [\"A1\", \"B1\"]\n" + output);
  const CiResult together = run("[states]\ncount = 2\nirrep = \"all\"\n" + output);
  ASSERT_EQ(apart.roots.size(), 2u);
  ASSERT_GE(together.roots.size(), 2u);
  ASSERT_NEAR(apart.root(1).energy, together.root(1).energy, 1e-9);
  const std::size_t square = 49;
  const double* found = apart.density->transition.data() + 2 * place(apart, 0, 1) * square;
  const double* expected = together.density->transition.data() + 2 * place(together, 0, 1) * square;
  EXPECT_LT(difference(found, expected, 2 * square, 1.0), 1e-6);
  EXPECT_GT(std::abs(*std::max_element(expected, expected + square)) +
                std::abs(*std::min_element(expected, expected + square)),
            0.1);
  const double* back = apart.density->transition.data() + 2 * place(apart, 1, 0) * square;
  for (std::size_t p = 0; p < 7; ++p) {
    for (std::size_t q = 0; q < 7; ++q) EXPECT_EQ(found[7 * p + q], back[7 * q + p]);
  }
}

/// N^T n N is the density, whatever the orbitals are over.
TEST_F(DensityOutputTest, NaturalOrbitalsMakeTheDensity) {
  const CiResult result =
      run("[states]\ncount = 2\nirrep = \"all\"\n[output]\ndensity = \"one\"\nnatural_orbitals = true\n");
  ASSERT_EQ(result.natural_orbitals.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    const CiResult::NaturalOrbitals& natural = result.natural_orbitals[k];
    EXPECT_EQ(natural.name, std::to_string(k + 1));
    for (std::size_t p = 0; p < 7; ++p) {
      EXPECT_NEAR(natural.occupations[p], result.root(k).natural_occupations[p], 1e-8);
      for (std::size_t q = 0; q < 7; ++q) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 7; ++i)
          sum += natural.coefficients[7 * i + p] * natural.occupations[i] * natural.coefficients[7 * i + q];
        const double* one = result.density->one.data() + 2 * k * 49;
        EXPECT_NEAR(sum, one[7 * p + q] + one[49 + 7 * p + q], 1e-8);
        if (natural.irreps[p] != result.system.orbital_irreps[q]) {
          EXPECT_EQ(natural.coefficients[7 * p + q], 0.0);
        }
      }
    }
  }
  const CiResult average =
      run("[states]\ncount = 2\nirrep = \"all\"\n[output]\nnatural_orbitals = \"average\"\n");
  ASSERT_EQ(average.natural_orbitals.size(), 1u);
  EXPECT_EQ(average.natural_orbitals[0].name, "average");
  EXPECT_FALSE(average.density);
  const auto& occupations = average.natural_orbitals[0].occupations;
  EXPECT_NEAR(std::accumulate(occupations.begin(), occupations.end(), 0.0), 10.0, 1e-8);
  const CiResult second = run("[states]\ncount = 2\nirrep = \"all\"\n[output]\nnatural_orbitals = 2\n");
  ASSERT_EQ(second.natural_orbitals.size(), 1u);
  EXPECT_EQ(second.natural_orbitals[0].name, "2");
  const CiResult none = run("[states]\ncount = 2\nirrep = \"all\"\n[output]\nnatural_orbitals = 9\n");
  EXPECT_TRUE(none.natural_orbitals.empty());
  EXPECT_THAT(none.warnings, testing::Contains(HasSubstr("there is no root 9")));
}

/// Of another size than the orbitals: refused by file and dataset.
TEST_F(DensityOutputTest, ShapesAreCheckedByName) {
  run("[output]\ndensity = \"two\"\nnatural_orbitals = true\n");
  const std::filesystem::path good = folder_ / "job.h5", spoilt = folder_ / "spoilt.h5";
  const auto refusal = [&](const std::string& group, const std::string& name, const Hdf5Shape& shape) {
    std::filesystem::copy_file(good, spoilt, std::filesystem::copy_options::overwrite_existing);
    Hdf5File file = Hdf5File::modify(spoilt);
    Hdf5Group into = file.root().open_group(group);
    into.remove(name);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    into.write<double>(name, std::vector<double>(count), shape, {.unit = "1"});
    file.close();
    try {
      read_result(spoilt, true);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  const auto names = [](const char* object) {
    return testing::AllOf(HasSubstr("spoilt.h5"), HasSubstr(object), HasSubstr("shape"));
  };
  EXPECT_THAT(refusal("density", "two_ab", {1, 7, 7, 7, 6}), names("/density/two_ab"));
  EXPECT_THAT(refusal("density", "one", {1, 2, 7, 6}), names("/density/one"));
  EXPECT_THAT(
      refusal("orbitals/natural/1", "coefficients", {49}),
      testing::AllOf(HasSubstr("spoilt.h5"), HasSubstr("/coefficients"), HasSubstr("row per active")));
}

TEST_F(DensityOutputTest, IsForeseen) {
  CiConfig small = config("[states]\ncount = 2\n[output]\ndensity = \"two\"\n");
  std::ostringstream report;
  check_ci(small, report);
  EXPECT_THAT(report.str(), HasSubstr("Density matrices of all roots"));
  small.memory = 20000;
  try {
    run_and_read(small);
    FAIL() << "not refused";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("output.density"));
  }
  EXPECT_FALSE(run("[output]\nproperties = false\n").density);
}

/// The matrices of 120 roots take 17 MB, the sums for them 260 MB: what one pair of roots takes, for all pairs, in parts.
TEST_F(DensityOutputTest, SumsAreForeseen) {
  CiConfig many = config("[states]\ncount = 120\nirrep = \"all\"\n[output]\ndensity = \"one\"\n");
  many.memory = 200'000'000;
  std::ostringstream report;
  try {
    check_ci(many, report);
    FAIL() << "not refused";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("output.density"), HasSubstr("sums for them")));
  }
  many.memory = 400'000'000;
  check_ci(many, report);
  EXPECT_THAT(report.str(), HasSubstr("Sums for density matrices"));
}

}  // namespace test_density_output
}  // namespace cisolve
