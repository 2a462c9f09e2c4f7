// SPDX-License-Identifier: MIT
// CI over unrestricted integrals: energies and <S^2> of tests/data/uhf/energies.json, by brute force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <fstream>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/rotation.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "core/orthonormal.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/ci/verification.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_unrestricted {

using testing::AllOf;
using testing::HasSubstr;

// The solver's tolerance of 1e-9 hartree makes energies right to 1e-15; the files have 16 digits, references 13.
constexpr double energy_tolerance = 1e-10;
// An error of 1e-9 in a residual is one of some 1e-9 in a vector, and of its square in <S^2> of full CI.
constexpr double spin_tolerance = 1e-7;

std::filesystem::path uhf_file(const std::string& name) {
  return std::filesystem::path(CISOLVE_TEST_DATA) / "uhf" / name;
}

CiConfig config_of(const std::filesystem::path& file, const std::filesystem::path& folder) {
  CiConfig c;
  c.integrals_file = file;
  c.irreps = {"all"};
  c.tolerance = 1e-9;
  c.device = DeviceChoice::cpu;
  c.output_file = folder / "uhf.h5";
  c.checkpoint_file = folder / "uhf.chk.h5";
  return c;
}

void expect_roots(const CiResult& result, const nlohmann::json& energies, const nlohmann::json& spins) {
  ASSERT_GE(result.roots.size(), energies.size());
  for (std::size_t k = 0; k < energies.size(); ++k) {
    EXPECT_NEAR(result.root(k).energy, energies[k].get<double>(), energy_tolerance) << "root " << k + 1;
    EXPECT_NEAR(result.root(k).s_squared, spins[k].get<double>(), spin_tolerance) << "root " << k + 1;
  }
}

struct Case {
  std::string name, layout, storage;
  DeviceChoice device = DeviceChoice::cpu;
};

std::vector<Case> all_cases(DeviceChoice device) {
  std::vector<Case> cases;
  const nlohmann::json energies = read_json("uhf/energies.json");
  for (const auto& one : energies["cases"]) {
    for (const std::string layout : {"blocks", "interleaved", "alpha_beta"}) {
      for (const std::string storage : {"csr", "hybrid", "coded", "direct"}) {
        // Layouts end where integrals begin: each is stored in one format.
        if (layout != "blocks" && storage != "direct") continue;
        cases.push_back({one["name"], layout, storage, device});
      }
    }
  }
  return cases;
}

void expect_case(const Case& given) {
  const test::TemporaryFolder folder;
  const nlohmann::json energies = read_json("uhf/energies.json");
  const auto& cases = energies["cases"];
  const auto& one = *std::ranges::find_if(cases, [&](const auto& c) { return c["name"] == given.name; });
  CiConfig config = config_of(uhf_file(given.name + "." + given.layout + ".fcidump.gz"), folder.path());
  config.storage = given.storage;
  config.device = given.device;
  config.count = 3;
  for (const bool full : {true, false}) {
    SCOPED_TRACE(full ? "full CI" : "CISD");
    const auto& expected = one[full ? "fci" : "cisd"];
    config.excitation_level = full ? full_excitation : 2;
    const CiResult result = run_and_read(config);
    EXPECT_EQ(result.sectors[0].space.dimension, expected["dimension"]);
    EXPECT_EQ(result.system.orbitals, "unrestricted");
    EXPECT_EQ(result.system.spin_overlap_source, "integrals");
    EXPECT_EQ(std::ssize(result.system.spin_overlap), result.system.n_orbitals * result.system.n_orbitals);
    expect_roots(result, expected["energies_bruteforce"], expected["s_squared_bruteforce"]);
  }
  if (one["fci_frozen_core"].is_null()) return;
  const auto& frozen = one["fci_frozen_core"];
  config.excitation_level = full_excitation;
  config.frozen_core = frozen["frozen_core"].get<int>();
  const CiResult result = run_and_read(config);
  EXPECT_NEAR(result.system.core_energy, frozen["core_energy"], energy_tolerance);
  EXPECT_EQ(result.sectors[0].space.dimension, frozen["dimension"]);
  expect_roots(result, frozen["energies"], frozen["s_squared"]);
}

const auto name_of = [](const auto& param) {
  return param.param.name + "_" + param.param.layout + "_" + param.param.storage;
};

class Unrestricted : public testing::TestWithParam<Case> {};
TEST_P(Unrestricted, EnergiesAndSpinsAreThoseOfBruteForce) { expect_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Records, Unrestricted, testing::ValuesIn(all_cases(DeviceChoice::cpu)), name_of);

class GpuUnrestricted : public testing::TestWithParam<Case> {};
TEST_P(GpuUnrestricted, EnergiesAndSpinsAreThoseOfBruteForce) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  expect_case(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Records, GpuUnrestricted, testing::ValuesIn(all_cases(DeviceChoice::cuda)), name_of);

class UnrestrictedJobs : public testing::Test {
protected:
  CiConfig config(const std::string& name) const { return config_of(uhf_file(name), folder_.path()); }

  std::string refusal(const CiConfig& config) const {
    try {
      run_and_read(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  test::TemporaryFolder folder_;
};

/// Two references make a list, whose <S^2> goes by determinants.
TEST_F(UnrestrictedJobs, ListsGiveWhatBlocksGive) {
  CiConfig blocks = config("no_sto3g.blocks.fcidump.gz");
  blocks.excitation_level = 2;
  blocks.count = 3;
  blocks.reference = CasReference{.electrons = 5, .num_orbitals = 4};
  CiConfig list = blocks;
  list.excitation_level = 1;
  list.reference = ListedReferences{{"2222222u", "222222u2", "22222u22"}};
  list.storage = "csr";
  const CiResult result = run_and_read(list);
  // The same determinants by two-particle densities.
  list.density = DensityOutput::two;
  const CiResult with_densities = run_and_read(list);
  ASSERT_TRUE(with_densities.density.has_value());
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    EXPECT_NEAR(with_densities.density->energy_error[k], 0.0, 1e-10);
    EXPECT_NEAR(result.root(k).s_squared, with_densities.root(k).s_squared, 1e-12);
    EXPECT_TRUE(with_densities.root(k).certificate->passed) << "<S^2> of the densities is part of it";
  }
  blocks.density = DensityOutput::two;
  const CiResult of_blocks = run_and_read(blocks);
  EXPECT_TRUE(of_blocks.failed_certificates().empty());
}

TEST_F(UnrestrictedJobs, ResultsAreVerifiedFromTheFile) {
  CiConfig c = config("oh_sto3g.interleaved.fcidump.gz");
  c.frozen_core = 1;
  c.density = DensityOutput::two;
  std::ostringstream report;
  run_ci(c, {}, {}, report);
  EXPECT_THAT(report.str(),
              AllOf(HasSubstr("of each spin (unrestricted)"), HasSubstr("both spins span one space")));
  const CiResult result = read_result(c.output_file, true);
  ASSERT_TRUE(result.integrals != nullptr);
  ASSERT_TRUE(result.integrals->is_unrestricted());
  EXPECT_EQ(hash(*result.integrals), result.system.integrals_hash);
  ASSERT_TRUE(result.integrals->beta->overlap.has_value());
  EXPECT_GT(result.integrals->beta->overlap->core(0, 0), 0.0);
  std::ostringstream verdict;
  EXPECT_TRUE(verify_ci(c.output_file, verdict, true)) << verdict.str();
  EXPECT_THAT(verdict.str(), HasSubstr("is not checked"));
}

/// Beta orbitals turned among themselves, and their determinants: full CI is the same.
TEST_F(UnrestrictedJobs, ARotationOfBetaOrbitalsChangesNothing) {
  for (const std::string name : {"h4_631g_bs", "no_sto3g"}) {
    SCOPED_TRACE(name);
    CiConfig c = config(name + ".blocks.fcidump.gz");
    c.excitation_level = full_excitation;
    c.count = 3;
    const CiResult expected = run_and_read(c);
    Integrals v = read_fcidump(c.integrals_file).integrals;
    const int n = v.num_orbitals;
    std::mt19937_64 engine(17);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd joined = Eigen::MatrixXd::Zero(n, n);
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) joined(p, q) = v.irreps[p] == v.irreps[q] ? normal(engine) : 0.0;
    }
    const Eigen::MatrixXd u = test::orthonormal(joined);
    Matrix rows(n, n);
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) rows(q, p) = u(p, q);
    }
    Integrals of_beta(n);
    of_beta.one = v.beta->one;
    of_beta.two = v.beta->two;
    of_beta.irreps = v.irreps;
    of_beta = rotated(of_beta, rows, v.irreps);
    v.beta->one = of_beta.one;
    v.beta->two = of_beta.two;
    const std::size_t pairs = v.one.size();
    for (std::size_t pq = 0; pq < pairs; ++pq) {
      Eigen::MatrixXd of_pair(n, n);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) of_pair(r, s) = v.beta->mixed[pq * pairs + pair_index(r, s)];
      }
      const Eigen::MatrixXd turned = u.transpose().lazyProduct(of_pair).lazyProduct(u);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) v.beta->mixed[pq * pairs + pair_index(r, s)] = turned(r, s);
      }
    }
    c.integrals_file = folder_.path() / (name + ".turned.fcidump");
    write_fcidump(c.integrals_file, v, expected.system.n_electrons, expected.system.ms2);
    c.max_iterations = 500;  // turned at random, determinants are no longer near to being eigenstates
    const CiResult found = run_and_read(c);
    EXPECT_EQ(found.sectors[0].solver.status, "converged");
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.root(k).energy, expected.root(k).energy, energy_tolerance);
      EXPECT_NEAR(found.root(k).s_squared, expected.root(k).s_squared, spin_tolerance);
    }
  }
}

TEST_F(UnrestrictedJobs, TheOverlapOfAFileIsCompared) {
  CiConfig c = config("oh_sto3g.blocks.fcidump.gz");
  const CiResult without = run_and_read(c);
  c.overlap_file = uhf_file("oh_sto3g.overlap.txt");
  const CiResult with = run_and_read(c);
  EXPECT_EQ(with.system.spin_overlap_source, "file");
  EXPECT_NEAR(with.root(0).s_squared, without.root(0).s_squared, 1e-12);
  c.overlap_file = uhf_file("no_sto3g.overlap.txt");
  EXPECT_THAT(refusal(c),
              AllOf(HasSubstr("integrals.overlap: "), HasSubstr("no_sto3g.overlap.txt:2: found 10 numbers")));
  c.integrals_file = uhf_file("no_sto3g.blocks.fcidump.gz");
  const auto transposed = folder_.path() / "transposed.txt";
  {
    std::ifstream from(uhf_file("no_sto3g.overlap.txt"));
    std::string comment;
    std::getline(from, comment);
    std::vector<double> values(100);
    for (double& value : values) from >> value;
    std::ofstream to(transposed);
    to.precision(17);
    for (int q = 0; q < 10; ++q) {
      for (int p = 0; p < 10; ++p) to << values[10 * p + q] << (p == 9 ? "\n" : " ");
    }
  }
  c.overlap_file = transposed;
  EXPECT_THAT(refusal(c), HasSubstr("is not the overlap of the orbitals of"));
  c.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump";
  EXPECT_THAT(refusal(c), HasSubstr("one set of orbitals for both spins"));
}

/// Integrals after orbitals were frozen elsewhere: the spins span two spaces.
TEST_F(UnrestrictedJobs, SpinIsSaidToBeUnknown) {
  CiConfig c = config("oh_sto3g.blocks.fcidump.gz");
  const FcidumpFile file = read_fcidump(c.integrals_file);
  c.integrals_file = folder_.path() / "frozen.fcidump";
  write_fcidump(c.integrals_file, freeze(file.integrals, {0}, {}).integrals, 7, 1);
  c.excitation_level = full_excitation;
  std::ostringstream report;
  run_ci(c, {}, {}, report);
  const CiResult result = read_result(c.output_file, true);
  EXPECT_TRUE(std::isnan(result.root(0).s_squared));
  EXPECT_TRUE(result.system.spin_overlap.empty());
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("<S^2> is not known")));
  EXPECT_THAT(report.str(), HasSubstr("not known"));
  const nlohmann::json energies = read_json("uhf/energies.json");
  for (const auto& one : energies["cases"]) {
    if (one["name"] != "oh_sto3g") continue;
    EXPECT_NEAR(result.root(0).energy, one["fci_frozen_core"]["energies"][0], 1e-9);
  }
}

/// Beta orbitals that a file leaves out are empty, as frozen ones are; S_- reaches them.
TEST_F(UnrestrictedJobs, OrbitalsOutsideTheFileAreEmpty) {
  CiConfig c = config("oh_sto3g.blocks.fcidump.gz");
  c.excitation_level = full_excitation;
  c.frozen_virtual = 1;
  const CiResult expected = run_and_read(c);
  const FcidumpFile file = read_fcidump(c.integrals_file);
  c.integrals_file = folder_.path() / "cut.fcidump";
  write_fcidump(c.integrals_file, freeze(file.integrals, {}, {5}).integrals, 9, 1);
  c.frozen_virtual = 0;
  const auto write_overlap = [&](double factor, const std::string& end) {
    const RecoveredOverlap whole = recover_overlap(file.integrals);
    c.overlap_file = folder_.path() / "overlap.txt";
    std::ofstream to(c.overlap_file);
    to.precision(17);
    for (int p = 0; p < 5; ++p) {
      for (int q = 0; q < 5; ++q) to << factor * whole.overlap(p, q) << ' ';
      to << (p == 4 ? end : "") << '\n';
    }
  };
  write_overlap(1.0, "");
  const CiResult found = run_and_read(c);
  EXPECT_NEAR(found.root(0).energy, expected.root(0).energy, energy_tolerance);
  EXPECT_NEAR(found.root(0).s_squared, expected.root(0).s_squared, spin_tolerance);
  EXPECT_GT(found.root(0).s_squared, 0.7532);
  EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("folded into the integrals")));
  for (const double factor : {3.0, 3e200}) {
    write_overlap(factor, "");
    EXPECT_THAT(refusal(c), HasSubstr("singular value"));
  }
  write_overlap(1.0, "-");
  EXPECT_THAT(refusal(c), AllOf(HasSubstr("overlap.txt:5: "), HasSubstr("found '-'")));
}

TEST_F(UnrestrictedJobs, WhatNeedsSharedOrbitalsIsRefused) {
  const CiConfig good = config("oh_sto3g.blocks.fcidump.gz");
  const auto refused = [&](const auto& change) {
    CiConfig c = good;
    change(c);
    return refusal(c);
  };
  EXPECT_THAT(refused([](CiConfig& c) { c.basis = BasisChoice::csf; }), HasSubstr("space.basis = \"csf\""));
  EXPECT_THAT(refused([](CiConfig& c) { c.multiplicities = {2}; }),
              AllOf(HasSubstr("states.multiplicity"), HasSubstr("do not commute")));
  CiConfig completed = good;
  completed.spin_complete = completed.spin_complete_given = true;  // as a resolved input says it
  EXPECT_THAT(run_and_read(completed).warnings,
              testing::Contains(HasSubstr("space.spin_complete has no effect")));
  EXPECT_THAT(refused([](CiConfig& c) { c.natural_orbitals.of = NaturalOrbitalOutput::Of::every_root; }),
              HasSubstr("output.natural_orbitals"));
  EXPECT_THAT(refused([](CiConfig& c) { c.orbitals.emplace(); }), HasSubstr("orbitals.optimise"));
  EXPECT_THAT(refused([](CiConfig& c) {
                c.also = {"x.txt", "x.trexio"};
              }),
              AllOf(HasSubstr("output.also"), HasSubstr("x.trexio")));
  run_and_read(good);
  const auto file = folder_.path() / "x.trexio";
  std::ostringstream report;
  std::string sentence;
  try {
    export_result(good.output_file, file, {.integrals = true}, report);
  } catch (const InputError& error) {
    sentence = error.what();
  }
  EXPECT_THAT(sentence, HasSubstr("are unrestricted, and TREXIO files"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

/// Orbitals in another order than that of their energies, as Psi4 writes them: the lowest determinant is found.
TEST_F(UnrestrictedJobs, ALowerReferenceIsNamed) {
  CiConfig c = config("oh_sto3g.blocks.fcidump.gz");
  const FcidumpFile file = read_fcidump(c.integrals_file);
  const Integrals& v = file.integrals;
  const int n = v.num_orbitals;
  Integrals reversed(n);
  reversed.core_energy = v.core_energy;
  reversed.beta = make_beta_integrals(n);
  const auto old = [n](int p) { return n - 1 - p; };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      reversed.h(p, q) = v.h(old(p), old(q));
      reversed.beta->one[pair_index(p, q)] = v.h(Spin::beta, old(p), old(q));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) {
          reversed.eri(p, q, r, s) = v.eri(old(p), old(q), old(r), old(s));
          reversed.beta->two[Integrals::eri_index(p, q, r, s)] =
              v.eri(Spin::beta, old(p), old(q), old(r), old(s));
          reversed.beta->mixed[pair_index(p, q) * v.one.size() + pair_index(r, s)] =
              v.mixed(Spin::alpha, old(p), old(q), old(r), old(s));
        }
      }
    }
  }
  c.integrals_file = folder_.path() / "reversed.fcidump";
  write_fcidump(c.integrals_file, reversed, 9, 1);
  const CiResult warned = run_and_read(c);
  EXPECT_THAT(warned.warnings, testing::Contains(HasSubstr("is not the lowest")));
  c.reference = LowestReference{};
  const CiResult lowest = run_and_read(c);
  const nlohmann::json energies = read_json("uhf/energies.json");
  for (const auto& one : energies["cases"]) {
    if (one["name"] != "oh_sto3g") continue;
    EXPECT_NEAR(lowest.system.reference_energy, one["e_uhf"], 1e-8);
  }
}

}  // namespace test_unrestricted
}  // namespace cisolve
