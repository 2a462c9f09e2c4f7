// SPDX-License-Identifier: MIT
// Whole runs of the real program.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "app/run_program.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "tasks/ci/function_lists.hpp"

namespace cisolve::test {
namespace test_run {

std::string water(const std::string& rest) {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_631g.fcidump.gz\"\npoint_group = \"C2v\"\n" + rest;
}

TEST(Run, ExampleGivesFourRootsOfWater) {
  const ScratchFolder folder;
  const ProgramResult run =
      run_program({CISOLVE_INPUTS "/h2o_fcidump.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"h2o_fcidump.h5"}));
  const CiResult result = read_result(folder.path() / "h2o_fcidump.h5", true);
  ASSERT_EQ(result.roots.size(), 4U);
  EXPECT_NEAR(result.root(0).energy, -76.20013975, 1e-7);
  EXPECT_EQ(result.sectors[0].vectors->columns(), 4);
  EXPECT_EQ(result.sectors[0].vectors->rows(), 1947);
  EXPECT_EQ(result.sectors[0].space.alpha.size(), 1947U);
  const ProgramResult show = run_program({"show", "h2o_fcidump.h5"}, folder.path());
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_NE(show.out.find("-76.2001397"), std::string::npos);
}

/// Two electrons on a chain of 70 sites, whose potential is lowest where the second word of a string begins: energies with
/// any repulsion U on one site, exactly for U = 0.
class LongChain {
public:
  explicit LongChain(double repulsion) : repulsion_(repulsion) {}

  std::string fcidump() const {
    std::string text = "&FCI NORB=70,NELEC=2,MS2=0,\n ORBSYM=";
    for (int i = 0; i < sites; ++i) text += "1,";
    text += "\n ISYM=1,\n&END\n";
    const auto add = [&](double value, int p, int q, int r, int s) {
      for (const auto& word : {std::to_string(value), std::to_string(p), std::to_string(q), std::to_string(r),
                               std::to_string(s)}) {
        text += " " + word;
      }
      text += "\n";
    };
    for (int i = 1; i <= sites; ++i) {
      if (repulsion_ != 0.0) add(repulsion_, i, i, i, i);
      add(potential(i), i, i, 0, 0);
      if (i > 1) add(hopping, i, i - 1, 0, 0);
    }
    add(0.0, 0, 0, 0, 0);
    return text;
  }

  /// Without repulsion both electrons are in the lowest orbital.
  static double energy_without_repulsion() {
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(sites, sites);
    for (int i = 0; i < sites; ++i) {
      h(i, i) = potential(i + 1);
      if (i > 0) h(i, i - 1) = h(i - 1, i) = hopping;
    }
    return 2.0 * symmetric_eigenpairs(h).values(0);
  }

private:
  static constexpr int sites = 70, lowest_site = 65;
  static constexpr double hopping = -0.25;

  static double potential(int site) { return 0.5 * std::abs(site - lowest_site) - 1.0; }

  double repulsion_;
};

TEST(Run, MoreThan64OrbitalsInEveryBasisAndStorage) {
  std::vector<double> energies;
  for (const double repulsion : {0.0, 0.5}) {
    const ScratchFolder folder;
    folder.write("chain.fcidump", LongChain(repulsion).fcidump());
    folder.write("job.inp",
                 "[integrals]\nfile = \"chain.fcidump\"\n[space]\nreference = \"lowest\"\n"
                 "excitation_level = \"full\"\n[solver]\ntolerance = 1e-7\n");
    for (const std::string way : {"hamiltonian.storage=direct", "hamiltonian.storage=csr",
                                  "hamiltonian.storage=coded", "space.basis=csf"}) {
      SCOPED_TRACE(way);
      const ProgramResult run = run_program({"job.inp", "--device", "cpu", "--set", way}, folder.path());
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const CiResult result = read_result(folder.path() / "job.h5", true);
      EXPECT_EQ(result.sectors[0].space.words, way == "space.basis=csf" ? 1 : 2);
      energies.push_back(result.root(0).energy);
      // A residual of 1e-7 leaves an error of its square over the gap.
      const double expected = repulsion == 0.0 ? LongChain::energy_without_repulsion() : energies[4];
      EXPECT_NEAR(energies.back(), expected, 1e-11);
    }
  }
  EXPECT_GT(energies[4], energies[0] + 0.01);
}

TEST(Run, CheckPlansAndWritesNothing) {
  const ScratchFolder folder;
  folder.write("job.inp", water(""));
  const ProgramResult run = run_program({"job.inp", "--check", "--device", "cpu"}, folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("70,373"), std::string::npos) << run.out;  // nonzeros of CISD in A1
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.inp"}));
}

TEST(Run, TooLittleMemoryIsSaidBeforeAllocating) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[space]\nexcitation_level = 4\n"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"100 MiB", "csr"},
      {"36 MiB", "direct"},
      {"1 MiB", "auto"}};  // the matrix; the vectors; the space itself
  for (const auto& [memory, storage] : cases) {
    const ProgramResult run = run_program(
        {"job.inp", "--device", "cpu", "--memory", memory, "--set", "hamiltonian.storage=" + storage},
        folder.path());
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.err.find("excitation_level = "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("MiB"), std::string::npos) << run.err;
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.inp"}));
  }
}

TEST(Run, DirectIsRefusedWithTheReasonWhereItIsNotPossible) {
  const ScratchFolder folder;
  folder.write("several.inp", water("[space]\nreference = [\"22220200\", \"22222\"]\n"));
  folder.write("one.inp", water(""));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& reason) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--set", "hamiltonian.storage=direct"});
    const ProgramResult run = run_program(all, folder.path());
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.err.find("hamiltonian.storage: \"direct\" " + reason), std::string::npos) << run.err;
  };
  refused({"several.inp"}, "needs all determinants up to a level around one reference");
  refused({"one.inp", "--set", "space.basis=csf"}, "works on determinants");
  refused({"one.inp", "--set", "hamiltonian.threshold=1e-9"}, "leaves no element out");
}

TEST(Run, DeterminantsAsBlocksAreTheSameDeterminants) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[space]\nexcitation_level = 3\n"));
  const auto run = [&](const std::string& determinants, const std::string& guess) {
    const ProgramResult result =
        run_program({"job.inp", "--device", "cpu", "-o", determinants + ".h5", "--set",
                     "output.determinants=" + determinants, "--set", "solver.guess=" + guess},
                    folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_result(folder.path() / (determinants + ".h5"), true);
  };
  CiResult blocks = run("blocks", "model-space");
  EXPECT_TRUE(blocks.sectors[0].space.alpha.empty());
  // Taken as a guess, its vector is soon found again: every determinant is in its row.
  const CiResult list = run("list", "blocks.h5");
  EXPECT_LT(list.sectors[0].solver.history.size(), blocks.sectors[0].solver.history.size());
  list_from_blocks(blocks, "blocks.h5");
  EXPECT_EQ(blocks.sectors[0].space.alpha, list.sectors[0].space.alpha);
  EXPECT_EQ(blocks.sectors[0].space.beta, list.sectors[0].space.beta);
  EXPECT_EQ(list.sectors[0].space.alpha.size(), static_cast<std::size_t>(list.sectors[0].space.dimension));
  blocks.sectors[0].space.alpha = blocks.sectors[0].space.beta = {};
  blocks.sectors[0].space.blocks.run_list.back() = 1000000;
  EXPECT_THROW(list_from_blocks(blocks, "blocks.h5"), InputError);
}

TEST(Run, IterationLimitWritesWhatThereIs) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[solver]\nmax_iterations = 2\n"));
  const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  const CiResult result = read_result(folder.path() / "job.h5", false);
  EXPECT_EQ(result.root(0).converged, 0);
  EXPECT_EQ(result.sectors[0].solver.status, "not converged");
}

TEST(Run, MoreRootsThanDeterminantsGivesAllWithAWarning) {
  const ScratchFolder folder;
  folder.write("job.inp",
               "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n[states]\ncount = 9\n");
  const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_result(folder.path() / "job.h5", false).roots.size(), 2U);
  EXPECT_NE(run.out.find("9 roots were asked for"), std::string::npos);
}

TEST(Run, EmptySpaceNamesTheIrrep) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[states]\nirrep = \"A2\"\n[space]\nreference = \"first-orbitals\"\n"
                                "excitation_level = 0\n"));
  expect_refused(run_program({"job.inp", "--device", "cpu"}, folder.path()), {"A2"});
}

TEST(Run, BlockedOrbitalsAreWarnedAboutAndLowestFindsTheReference) {
  // Psi4 blocks the orbitals by irrep: the first five are not the Hartree-Fock determinant.
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/dialects/psi4.fcidump\"\npoint_group = \"C2v\"\n"
                          "[output]\nfile = \"out.h5\"\n");
  const ProgramResult aufbau = run_program({"job.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(aufbau.exit_code, 0) << aufbau.err;
  EXPECT_NE(aufbau.out.find("reference = \"lowest\""), std::string::npos);
  EXPECT_NE(aufbau.out.find("222022"), std::string::npos);
  ASSERT_EQ(
      run_program({"job.inp", "--device", "cpu", "--set", "space.reference=lowest"}, folder.path()).exit_code,
      0);
  const CiResult psi4 = read_result(folder.path() / "out.h5", false);
  folder.write("molpro.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                             "/dialects/molpro.fcidump\"\npoint_group = \"C2v\"\n");
  ASSERT_EQ(run_program({"molpro.inp", "--device", "cpu"}, folder.path()).exit_code, 0);
  const CiResult molpro = read_result(folder.path() / "molpro.h5", false);
  EXPECT_NEAR(psi4.root(0).energy, molpro.root(0).energy, 1e-9);
}

TEST(Run, EveryExampleFits) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_INPUTS)) {
    if (entry.path().extension() != ".inp") continue;
    ++examples;
    if (read_text(entry.path()).find("\n[molecule]") != std::string::npos && !gaussian_integrals_available())
      continue;
    const ScratchFolder folder;
    const ProgramResult run =
        run_program({entry.path().string(), "--check", "--device", "cpu"}, folder.path());
    EXPECT_EQ(run.exit_code, 0) << entry.path() << run.err;
  }
  EXPECT_GE(examples, 4);
}

TEST(Run, RootsOfAnotherSpinAreNotGiven) {
  // The second root of all spins is a triplet.
  const ScratchFolder folder;
  folder.write("job.inp", water("[states]\ncount = 2\nmultiplicity = 1\n"));
  for (const std::string storage : {"csr", "direct"}) {
    const ProgramResult run =
        run_program({"job.inp", "--device", "cpu", "--set", "hamiltonian.storage=" + storage}, folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const CiResult result = read_result(folder.path() / "job.h5", false);
    EXPECT_EQ(result.sectors[0].hamiltonian.storage, storage);
    ASSERT_EQ(result.roots.size(), 2U);
    for (const double s_squared : result.column(&Root::s_squared)) EXPECT_NEAR(s_squared, 0.0, 1e-8);
  }
}

TEST(Run, GuessFromASmallerSpaceSavesIterations) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[space]\nexcitation_level = 3\n"));
  ASSERT_EQ(run_program({"job.inp", "--device", "cpu"}, folder.path()).exit_code, 0);
  const CiResult fresh = read_result(folder.path() / "job.h5", false);
  ASSERT_EQ(run_program({"job.inp", "--device", "cpu", "--set", "solver.guess=job.h5", "-o", "again.h5"},
                        folder.path())
                .exit_code,
            0);
  const CiResult again = read_result(folder.path() / "again.h5", false);
  EXPECT_NEAR(again.root(0).energy, fresh.root(0).energy, 1e-10);
  EXPECT_LT(again.sectors[0].solver.history.size(), fresh.sectors[0].solver.history.size());
}

TEST(Run, CasIsTheSameWithItsIrrepNamedOrNot) {
  // spec: CAS(4,4) in A1 has 10 references and 4,466 determinants at level 2.
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/h2o_631g_mr.fcidump.gz\"\npoint_group = \"C2v\"\n"
                          "[space]\nreference = { electrons = 4, orbitals = 4, irreps = \"sector\" }\n"
                          "spin_complete = false\n");
  for (const auto& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--set", "states.irrep=A1"}}) {
    std::vector<std::string> arguments = {"job.inp", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult run = run_program(arguments, folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const CiResult result = read_result(folder.path() / "job.h5", false);
    EXPECT_EQ(result.sectors[0].space.dimension, 4466);
    EXPECT_EQ(result.sectors[0].space.reference_dimension, 10);
    EXPECT_NEAR(result.root(0).energy, -76.114735, 1e-6);
    EXPECT_FALSE(result.sectors[0].space.spin_complete);
  }
  const ProgramResult casci =
      run_program({"job.inp", "--device", "cpu", "--set", "space.excitation_level=0"}, folder.path());
  ASSERT_EQ(casci.exit_code, 0) << casci.err;
  EXPECT_TRUE(read_result(folder.path() / "job.h5", false).sectors[0].space.spin_complete);
}

TEST(Run, ResultPathThatCannotBeWrittenIsSaidBeforeTheWork) {
  const ScratchFolder folder;
  folder.write("job.inp", water(""));
  const ProgramResult run =
      run_program({"job.inp", "--device", "cpu", "-o", "/nonexistent/out.h5"}, folder.path());
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out.find("System"), std::string::npos) << run.out;
  const ProgramResult check =
      run_program({"job.inp", "--check", "--device", "cpu", "-o", "/nonexistent/out.h5"}, folder.path());
  EXPECT_EQ(check.exit_code, 4);
}

TEST(Run, FilesThatAreMissingAreSaidBeforeTheWork) {
  const ScratchFolder folder;
  folder.write("job.inp", water(""));
  for (const char* setting : {"solver.guess=none.h5", "space.reference={file=\"none.h5\"}"}) {
    const ProgramResult run = run_program({"job.inp", "--set", setting}, folder.path());
    expect_refused(run, {"names a file that does not exist: none.h5"});
    EXPECT_EQ(run.out.find("System"), std::string::npos) << run.out;
  }
}

TEST(Run, AbsurdCountGivesAllRoots) {
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/h2_sto3g.fcidump\"\n[states]\ncount = 2000000000\n");
  EXPECT_EQ(run_program({"job.inp", "--device", "cpu"}, folder.path()).exit_code, 0);
}

TEST(Run, ListedReferencesSpanTheSpaceTheyShould) {
  // tests/data/energies.json, h2o_631g_mr: two closed-shell references, 1,321 determinants in A1.
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/h2o_631g_mr.fcidump.gz\"\n[space]\n"
                          "reference = [\"22222\", \"222202\"]\n[states]\ncount = 2\nirrep = 1\n");
  const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CiResult result = read_result(folder.path() / "job.h5", false);
  EXPECT_EQ(result.sectors[0].space.dimension, 1321);
  EXPECT_EQ(result.sectors[0].space.reference_dimension, 2);
}

}  // namespace test_run
}  // namespace cisolve::test
