// SPDX-License-Identifier: MIT
// Orbitals optimised for a RAS, a truncated space, a state that is followed; over the integrals of a file; and natural ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_orbital_spaces {

using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path data = CISOLVE_TEST_DATA;

class OrbitalSpaces : public testing::Test {
protected:
  CiConfig config(const std::string& text) const {
    CiConfig c = read_ci_config(parse_input(text, "job.inp"));
    c.device = DeviceChoice::cpu;
    c.output_file = folder_ / "job.h5";
    c.checkpoint_file = folder_ / "job.chk.h5";
    return c;
  }

  CiResult run(const std::string& text, bool restart = false) {
    const CiConfig c = config(text);
    report_.str("");
    RunOptions options;
    options.restart = restart;
    EXPECT_EQ(run_ci(c, options, {}, report_), RunOutcome::converged) << report_.str();
    return read_result(c.output_file, true);
  }

  std::string refusal(const std::string& text) const {
    try {
      std::ostringstream report;
      run_ci(config(text), {}, {}, report);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  /// The lowest energy of a space over orbitals of a file turned by x.
  double energy_over(const std::filesystem::path& file, const std::string& space,
                     const Matrix& coefficients) {
    const FcidumpFile read = read_fcidump(file);
    const Repulsion repulsion(read.integrals);
    const ScfOrbitals orbitals{
        coefficients, std::vector<double>(read.integrals.irreps.size()), read.integrals.irreps, {}};
    const Integrals turned =
        transform_integrals(FunctionIntegrals(read.integrals, repulsion), orbitals, {}, {}, {}).integrals;
    write_fcidump(folder_ / "turned.fcidump", turned, read.num_electrons, 0);
    return run("[integrals]\nfile = \"" + (folder_ / "turned.fcidump").string() + "\"\n" + space +
               "[solver]\ntolerance = 1e-8\n")
        .root(0)
        .energy;
  }

  static Matrix coefficients_of(const CiResult::Orbitals& orbitals) {
    Matrix c(orbitals.num_functions, static_cast<int>(orbitals.energies.size()));
    std::ranges::copy(orbitals.coefficients, c.data());
    return c;
  }

  /// Some rotation of all orbitals of equal irrep that `which` (p, q) picks.
  template <class Which>
  static std::pair<std::vector<OrbitalPair>, std::vector<double>> rotation(const CiResult::Orbitals& orbitals,
                                                                           const Which& which, double size) {
    std::vector<OrbitalPair> pairs;
    std::vector<double> x;
    for (int p = 0; p < std::ssize(orbitals.irreps); ++p) {
      for (int q = 0; q < p; ++q) {
        if (orbitals.irreps[p] != orbitals.irreps[q] || !which(p, q)) continue;
        pairs.push_back({p, q});
        x.push_back(size * std::sin(1.0 + 2.0 * static_cast<double>(x.size())));
      }
    }
    return {pairs, x};
  }

  /// That no rotation changes the energy to first order, and none lowers it: `space` is [space] and [states].
  void expect_minimum(const std::filesystem::path& file, const std::string& space, const CiResult& result) {
    const CiResult::Orbitals& orbitals = *result.orbitals;
    const Matrix c = coefficients_of(orbitals);
    const double e = energy_over(file, space, c);
    EXPECT_NEAR(e, result.root(0).energy, 1e-9);
    const auto everything = [](int, int) { return true; };
    constexpr double h = 1e-3;
    const auto at = [&](double size) {
      const auto [pairs, x] = rotation(orbitals, everything, size);
      return energy_over(file, space, turned_orbitals(c, pairs, x));
    };
    const double plus = at(h), minus = at(-h);
    // Five points: third derivatives of some hundred hartree fall out.
    EXPECT_LT(std::abs(8.0 * (plus - minus) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h), 1e-5);
    EXPECT_GT(plus + minus - 2.0 * e, 1e-8);
  }

  const test::TemporaryFolder folder_;
  std::ostringstream report_;
};

std::string water(const std::string& space, const std::string& orbitals) {
  return "[integrals]\nfile = \"" + (data / "h2o_631g.fcidump.gz").string() + "\"\npoint_group = \"C2v\"\n" +
         space + "[solver]\ntolerance = 1e-8\n[orbitals]\n" + orbitals;
}

/// 1b2 3a1 1b1 | 4a1 2b2 3b2
const std::string states = "[states]\nmultiplicity = 1\nirrep = 1\n";
const std::string cas = "[space]\nreference = { electrons = 6, orbitals = 6 }\nexcitation_level = 0\n";
std::string ras(int holes, int particles) {
  return cas +
         fmt::format(
             "max_holes = {{ orbitals = [3, 4], count = {} }}\nmax_particles = {{ orbitals = [7, 8], count "
             "= {} }}\n",
             holes, particles);
}

TEST_F(OrbitalSpaces, OfARasAreAMinimum) {
  const CiResult result =
      run(water(ras(2, 2) + states, "optimise = \"casscf\"\ngradient_tolerance = 1e-6\n"));
  EXPECT_EQ(result.system.max_holes_orbitals, (std::vector<std::int32_t>{3, 4}));
  EXPECT_EQ(result.system.max_particles_orbitals, (std::vector<std::int32_t>{7, 8}));
  const auto& energies = result.orbitals->history_energy;
  EXPECT_LT(energies.back(), energies.front() - 1e-3);
  for (std::size_t k = 1; k < energies.size(); ++k) EXPECT_LE(energies[k], energies[k - 1] + 1e-9);
  expect_minimum(data / "h2o_631g.fcidump.gz", ras(2, 2) + states, result);
}

TEST_F(OrbitalSpaces, OfARasMayTurnWithinItsSubspaces) {
  const CiResult result = run(water(ras(2, 2) + states, "optimise = \"casscf\"\nfinal = \"natural\"\n"));
  const auto part = [](int p) { return p < 2 ? 0 : p < 4 ? 1 : p < 6 ? 2 : p < 8 ? 3 : 4; };
  const auto [pairs, x] = rotation(
      *result.orbitals, [&](int p, int q) { return part(p) == part(q); }, 0.3);
  EXPECT_GT(pairs.size(), 3U);
  EXPECT_NEAR(energy_over(data / "h2o_631g.fcidump.gz", ras(2, 2) + states,
                          turned_orbitals(coefficients_of(*result.orbitals), pairs, x)),
              result.root(0).energy, 1e-9);
  const auto [others, y] = rotation(
      *result.orbitals, [&](int p, int q) { return part(p) == 2 && part(q) == 1; }, 0.3);
  ASSERT_FALSE(others.empty());
  EXPECT_GT(energy_over(data / "h2o_631g.fcidump.gz", ras(2, 2) + states,
                        turned_orbitals(coefficients_of(*result.orbitals), others, y)),
            result.root(0).energy + 1e-4);
}

TEST_F(OrbitalSpaces, LimitsThatLeaveNothingOutMakeACas) {
  const std::string optimise = "optimise = \"casscf\"\n";
  const double limited = run(water(ras(4, 4) + states, optimise)).root(0).energy;
  EXPECT_NEAR(run(water(cas + states, optimise)).root(0).energy, limited, 1e-9);
  EXPECT_GT(run(water(ras(2, 2) + states, optimise)).root(0).energy, limited + 1e-4);
}

TEST_F(OrbitalSpaces, OfATruncatedSpaceAreAMinimum) {
  const std::string space = "[space]\nexcitation_level = 2\nfrozen_core = 1\n" + states;
  const std::filesystem::path file = data / "h2o_sto3g.fcidump";
  const CiResult result = run("[integrals]\nfile = \"" + file.string() + "\"\n" + space +
                              "[solver]\ntolerance = 1e-8\n[orbitals]\noptimise = \"casscf\"\n");
  EXPECT_EQ(result.orbitals->n_inactive, 1);
  EXPECT_EQ(result.orbitals->n_active, 6);
  EXPECT_LT(result.root(0).energy, result.orbitals->history_energy.front() - 1e-6);
  expect_minimum(file, space, result);
}

TEST_F(OrbitalSpaces, OfAFileAreThoseOfTheMolecule) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const std::string rest =
      "[space]\nreference = { electrons = 2, orbitals = 5 }\nexcitation_level = 0\n[states]\nmultiplicity = "
      "1\n"
      "irrep = \"A1\"\n[orbitals]\noptimise = \"casscf\"\ngradient_tolerance = 1e-6\n";
  const std::string molecule = "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 3\"\nbasis = \"6-31g\"\n";
  const CiResult expected = run(molecule + rest);
  const CiJob job = prepare_job(config(molecule));
  const std::filesystem::path file = folder_ / "lih.fcidump";
  write_fcidump(file, job.active->integrals, 4, 0);
  const CiResult found = run("[integrals]\nfile = \"" + file.string() + "\"\npoint_group = \"C2v\"\n" + rest);
  EXPECT_NEAR(found.root(0).energy, expected.root(0).energy, 1e-9);
  EXPECT_EQ(found.orbitals->history_energy.size(), expected.orbitals->history_energy.size());
  EXPECT_EQ(found.orbitals->n_inactive, 1);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(found.orbitals->natural_occupations[k], expected.orbitals->natural_occupations[k], 1e-6);
  const CiResult again =
      run("[integrals]\nfile = \"" + file.string() + "\"\npoint_group = \"C2v\"\n" + rest, true);
  EXPECT_THAT(report_.str(), HasSubstr("taken from"));
  EXPECT_NEAR(again.root(0).energy, expected.root(0).energy, 1e-9);
}

/// Cycles of CISD and its natural orbitals are those of another program.
TEST_F(OrbitalSpaces, NaturalOrbitalsAreThoseOfAnotherProgram) {
  for (const auto& record : read_json("natural/natural.json")) {
    const std::string name = record["name"];
    SCOPED_TRACE(name);
    const auto& iterations = record["iterations"];
    const auto job = [&](int cycles) {
      return "[integrals]\nfile = \"" + (data / "natural" / (name + ".ino0.fcidump.gz")).string() +
             fmt::format(
                 "\"\n[space]\nexcitation_level = 2\n{}[solver]\ntolerance = 1e-9\n[orbitals]\noptimise = "
                 "\"natural\"\ncycles = {}\n",
                 states, cycles);
    };
    constexpr int cycles = 4;
    const CiResult result = run(job(cycles));
    const CiResult::Orbitals& orbitals = *result.orbitals;
    ASSERT_EQ(orbitals.history_energy.size(), static_cast<std::size_t>(cycles));
    // The program's own vectors are converged to 1e-5 or so in their elements.
    for (std::size_t k = 0; k < cycles; ++k)
      EXPECT_NEAR(orbitals.history_energy[k], iterations[k]["energy"].get<double>(), 1e-9) << k;
    EXPECT_NEAR(result.root(0).energy, iterations[cycles]["energy"].get<double>(), 1e-9);
    const auto& expected = iterations[cycles - 1]["natural_occupations"];
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(orbitals.natural_occupations[k], expected[k].get<double>(), 1e-6) << k;
    EXPECT_GT(result.root(0).energy, orbitals.history_energy.front());  // no minimisation
  }
}

/// Integrals over natural orbitals, but for the orbitals' signs.
TEST_F(OrbitalSpaces, IntegralsOverNaturalOrbitalsAreThoseOfAnotherProgram) {
  const CiResult result =
      run("[integrals]\nfile = \"" + (data / "natural" / "h2o_631g.ino0.fcidump.gz").string() +
          "\"\n[space]\nexcitation_level = 2\n" + states +
          "[solver]\ntolerance = 1e-9\n[orbitals]\noptimise = \"natural\"\n");
  const Integrals expected = read_fcidump(data / "natural" / "h2o_631g.ino1.fcidump.gz").integrals;
  const Integrals& found = *result.integrals;
  const int n = expected.num_orbitals;
  ASSERT_EQ(found.num_orbitals, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      EXPECT_NEAR(std::abs(found.h(p, q)), std::abs(expected.h(p, q)), 1e-5) << p << " " << q;
      EXPECT_NEAR(found.eri(p, p, q, q), expected.eri(p, p, q, q), 1e-5) << p << " " << q;
      EXPECT_NEAR(found.eri(p, q, p, q), expected.eri(p, q, p, q), 1e-5) << p << " " << q;
    }
  }
}

/// References and limits go on meaning orbitals of their kind, in whatever order a file has them.
TEST_F(OrbitalSpaces, NaturalOrbitalsKeepTheKindsOfPlaces) {
  const FcidumpFile read = read_fcidump(data / "h2o_631g.fcidump.gz");
  const Repulsion repulsion(read.integrals);
  const int n = read.integrals.num_orbitals;
  ScfOrbitals reversed{Matrix(n, n), std::vector<double>(static_cast<std::size_t>(n)), {}, {}};
  for (int p = 0; p < n; ++p) {
    reversed.coefficients(n - 1 - p, p) = 1.0;
    reversed.irreps.push_back(read.integrals.irreps[static_cast<std::size_t>(n - 1 - p)]);
  }
  write_fcidump(
      folder_ / "reversed.fcidump",
      transform_integrals(FunctionIntegrals(read.integrals, repulsion), reversed, {}, {}, {}).integrals,
      read.num_electrons, 0);
  const std::string rest =
      "excitation_level = 2\n" + states + "[solver]\ntolerance = 1e-8\n[orbitals]\noptimise = \"natural\"\n";
  const CiResult expected =
      run("[integrals]\nfile = \"" + (data / "h2o_631g.fcidump.gz").string() + "\"\n[space]\n" + rest);
  const CiResult found = run("[integrals]\nfile = \"" + (folder_ / "reversed.fcidump").string() +
                             "\"\n[space]\nreference = [\"0000000022222\"]\n" + rest);
  EXPECT_NEAR(found.root(0).energy, expected.root(0).energy, 1e-9);
}

TEST_F(OrbitalSpaces, NaturalOrbitalsOfLowOccupationAreLeftOut) {
  const auto job = [](const std::string& more) {
    return water("[space]\nexcitation_level = 2\n" + states, "optimise = \"natural\"\n" + more);
  };
  const CiResult all = run(job(""));
  const CiResult fewer = run(job("natural_threshold = 1e-3\n"));
  EXPECT_EQ(fewer.system.n_orbitals, 11);
  EXPECT_EQ(fewer.system.n_frozen_virtual, 2);
  EXPECT_EQ(fewer.orbitals->n_active, 11);
  EXPECT_EQ(fewer.orbitals->natural_occupations.size(), 11U);
  EXPECT_NEAR(fewer.orbitals->history_energy.front(), all.orbitals->history_energy.front(), 1e-9);
  // What is left out is the part of the correlation that these orbitals have: little.
  EXPECT_GT(fewer.root(0).energy, all.root(0).energy + 1e-5);
  EXPECT_LT(fewer.root(0).energy, all.root(0).energy + 2e-3);
  const CiResult again = run(job("natural_threshold = 1e-3\n"), true);
  EXPECT_THAT(report_.str(), HasSubstr("taken from"));
  EXPECT_NEAR(again.root(0).energy, fewer.root(0).energy, 1e-10);
  // Other cycles begin anew.
  EXPECT_NEAR(run(job("natural_threshold = 1e-3\ncycles = 2\n"), true).orbitals->history_energy.back(),
              fewer.root(0).energy, 1e-9);
}

TEST_F(OrbitalSpaces, OfARootThatIsFollowedKeepItsWeight) {
  const auto job = [](const std::string& more) {
    return water(
        "[space]\nreference = { electrons = 4, orbitals = 4 }\nexcitation_level = 0\n[states]\n"
        "multiplicity = 1\nirrep = 1\ncount = 2\n",
        "optimise = \"casscf\"\nweights = [0, 1]\nmax_rotation = 0.1\n" + more);
  };
  const CiResult result = run(job("follow = true\n"));
  const std::vector<double>& weights = result.orbitals->weights;
  double average = 0.0;
  for (std::size_t k = 0; k < 2; ++k) average += weights[k] * result.root(k).energy;
  EXPECT_NEAR(average, result.orbitals->energy, 1e-8);
  EXPECT_DOUBLE_EQ(weights[0] + weights[1], 1.0);
  EXPECT_EQ(weights[0] == 1.0, report_.str().find("ended as number 1") != std::string::npos);
  const CiResult again = run(job("follow = true\n"), true);
  EXPECT_THAT(report_.str(), HasSubstr("taken from"));
  EXPECT_EQ(again.orbitals->weights, weights);
  EXPECT_NEAR(again.orbitals->energy, result.orbitals->energy, 1e-8);
}

TEST_F(OrbitalSpaces, WeightsAreThoseOfAnAverageWithoutOptimisation) {
  const auto job = [](const std::string& weights) {
    return "[integrals]\nfile = \"" + (data / "h2o_sto3g.fcidump").string() +
           "\"\npoint_group = \"C2v\"\n[space]\nexcitation_level = \"full\"\n[states]\nirrep = "
           "1\nmultiplicity = "
           "1\ncount = 2\n[solver]\ntolerance = 1e-9\n[output]\nnatural_orbitals = \"average\"\n" +
           weights;
  };
  const CiResult of_second = run(job("[orbitals]\nweights = [0, 3]\n"));
  ASSERT_EQ(of_second.natural_orbitals.size(), 1U);
  for (std::size_t p = 0; p < 7; ++p) {
    EXPECT_NEAR(of_second.natural_orbitals[0].occupations[p], of_second.root(1).natural_occupations[p],
                1e-10);
  }
  export_result(folder_ / "job.h5", folder_ / "second.fcidump", {.average = true, .natural = true}, report_);
  export_result(folder_ / "job.h5", folder_ / "root.fcidump", {.root = 2, .natural = true}, report_);
  const Integrals average = read_fcidump(folder_ / "second.fcidump").integrals;
  const Integrals root = read_fcidump(folder_ / "root.fcidump").integrals;
  for (int p = 0; p < 7; ++p) EXPECT_NEAR(average.h(p, p), root.h(p, p), 1e-10);
  const CiResult equal = run(job(""));
  EXPECT_GT(std::abs(equal.natural_orbitals[0].occupations[4] - of_second.natural_orbitals[0].occupations[4]),
            1e-3);
  EXPECT_THAT(refusal(job("[orbitals]\nweights = [1]\n")), HasSubstr("need 2"));
}

using OrbitalSpacesGpu = OrbitalSpaces;

TEST_F(OrbitalSpacesGpu, WithTheCiOnADeviceAreThoseOfTheHost) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  const std::string optimise = "optimise = \"casscf\"\ngradient_tolerance = 1e-6\n";
  for (const std::string& space : {cas, ras(2, 2), std::string("[space]\nexcitation_level = 2\n")}) {
    CiConfig c = config(water(space + states + "[output]\ndensity = \"one\"\n", optimise));
    c.orbitals->max_iterations = 6;  // far enough
    const auto result_on = [&](DeviceChoice device) {
      c.device = device;
      std::filesystem::remove(c.output_file);
      run_ci(c, {}, {}, report_);
      return read_result(c.output_file, true);
    };
    const CiResult host = result_on(DeviceChoice::cpu), device = result_on(DeviceChoice::cuda);
    ASSERT_EQ(device.orbitals->history_energy.size(), host.orbitals->history_energy.size());
    for (std::size_t k = 0; k < host.orbitals->history_energy.size(); ++k)
      EXPECT_NEAR(device.orbitals->history_energy[k], host.orbitals->history_energy[k], 1e-8) << k;
    EXPECT_NEAR(device.root(0).energy, host.root(0).energy, 1e-8);
    ASSERT_EQ(device.density->one.size(), host.density->one.size());
    for (std::size_t k = 0; k < host.density->one.size(); ++k)
      EXPECT_NEAR(device.density->one[k], host.density->one[k], 1e-5);
  }
}

TEST_F(OrbitalSpaces, MemoryIsForeseen) {
  CiConfig c = config(water(cas + states, "optimise = \"casscf\"\n"));
  std::ostringstream report;
  check_ci(c, report);
  EXPECT_THAT(report.str(), HasSubstr("Optimising the orbitals"));
  c.memory = 50'000;
  try {
    check_ci(c, report);
    ADD_FAILURE() << "not refused";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("orbitals.optimise: the integrals over 13 orbitals, unpacked, take"));
  }
  // Sets of (n^2 a (a + 1) / 2) numbers grow so; halves of integrals stop at what they may take.
  EXPECT_GT(orbital_optimisation_bytes(200, 12), std::int64_t{9} * 200 * 200 * 78 * 8);
  EXPECT_LT(orbital_optimisation_bytes(200, 12),
            std::int64_t{9} * 200 * 200 * 78 * 8 + (std::int64_t{1} << 30) + 1'000'000);
}

TEST_F(OrbitalSpaces, SaysWhereNothingIsOptimised) {
  run(water("[space]\nexcitation_level = 1\n" + states, "optimise = \"casscf\"\n"));
  EXPECT_THAT(report_.str(), HasSubstr("were stationary as they were"));
  run("[integrals]\nfile = \"" + (data / "h2o_sto3g.fcidump").string() +
      "\"\n[space]\nexcitation_level = \"full\"\n[orbitals]\noptimise = \"casscf\"\n");
  EXPECT_THAT(report_.str(), HasSubstr("no rotation of orbitals"));
}

/// Of a scan over files, whose points are known by their integrals before the orbitals were optimised.
TEST_F(OrbitalSpaces, AScanOfFilesGoesOn) {
  const std::string file = (data / "h2o_631g.fcidump.gz").string();
  const std::string text =
      "[integrals]\n[scan]\nfiles = [\"" + file + "\", \"" + file + "\"]\n" + cas + states;
  const auto scan = [&](double tolerance, bool restart) {
    Input job = parse_input(
        text + fmt::format("[orbitals]\noptimise = \"casscf\"\ngradient_tolerance = {}\n", tolerance),
        "job.inp",
        {{.key = "output.file", .value = '"' + (folder_ / "scan.h5").string() + '"', .where = "a"},
         {.key = "output.checkpoint",
          .value = '"' + (folder_ / "scan.chk.h5").string() + '"',
          .where = "b"}});
    RunOptions options;
    options.restart = restart;
    EXPECT_EQ(task_of(job).run(job, options, {}, report_), RunOutcome::converged);
    return read_scan_point(folder_ / "scan.h5", 2, false);
  };
  const CiResult first = scan(1e-3, false);
  EXPECT_EQ(scan(1e-3, true).orbitals->gradient, first.orbitals->gradient);
  EXPECT_LT(scan(1e-6, true).orbitals->gradient, 1e-6);
}

TEST_F(OrbitalSpaces, RefusesWhatDoesNotGoTogether) {
  const std::string optimise = "optimise = \"casscf\"\n", natural = "optimise = \"natural\"\n";
  EXPECT_THAT(refusal(water(cas + "max_holes = { orbitals = [2], count = 1 }\n" + states, optimise)),
              HasSubstr("space.max_holes.orbitals: orbital 2 (2a1) is not in the CAS, which has 3 (1b2)"));
  EXPECT_THAT(refusal(water(cas + "max_holes = { orbitals = [20], count = 1 }\n" + states, optimise)),
              HasSubstr("orbital 20 is outside 1 .. 13"));
  EXPECT_THAT(refusal(water("[space]\nexcitation_level = 2\ninactive = [1]\n" + states, optimise)),
              HasSubstr("is for an active space"));
  EXPECT_THAT(refusal(water(states, optimise)), HasSubstr("needs an active space"));
  EXPECT_THAT(refusal(water(cas + states, optimise + "cycles = 2\n")), HasSubstr("orbitals.cycles is for"));
  EXPECT_THAT(refusal(water(cas + states, optimise + "natural_threshold = 1e-3\n")),
              HasSubstr("orbitals.natural_threshold is for"));
  EXPECT_THAT(refusal(water(states, natural + "follow = true\n")),
              HasSubstr("orbitals.follow is for optimise"));
  const std::string per_irrep =
      "[space]\nreference = { electrons = 4, orbitals = { A1 = 2, B1 = 1 } }\n"
      "excitation_level = 0\n";
  EXPECT_THAT(refusal(water(per_irrep + states, optimise)), HasSubstr("need space.inactive"));
  EXPECT_THAT(refusal(water(per_irrep + "inactive = [1, 0, 1]\n" + states, optimise)),
              HasSubstr("space.inactive: its sum is 2, but the 6 electrons outside the CAS fill 3"));
}

}  // namespace test_orbital_spaces
}  // namespace cisolve
