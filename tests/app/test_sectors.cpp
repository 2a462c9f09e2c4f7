// SPDX-License-Identifier: MIT
// Several irreps and multiplicities in one run of the real program.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve::test {
namespace test_sectors {

std::string job(const std::string& states, const std::string& file = "ch2_631g_fc.fcidump.gz") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/" + file +
         "\"\npoint_group = \"C2v\"\n"
         "[space]\nexcitation_level = \"full\"\n[states]\n" +
         states +
         "[solver]\ntolerance = 1e-7\n[run]\ndevice = \"cpu\"\nthreads = 2\n[output]\ncheckpoint_interval = "
         "0\n";
}

CiResult result_of(const ScratchFolder& folder, const std::vector<std::string>& arguments,
                   const std::string& file = "job.h5") {
  const ProgramResult run = run_program(arguments, folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return read_result(folder.path() / file, true);
}

TEST(Sectors, HaveTheRootsOfARunOfTheirOwn) {
  const ScratchFolder folder;
  folder.write("job.inp",
               job("count = 2\nirrep = [\"A1\", \"A2\"]\nmultiplicity = [1, 3]\n", "h2o_sto3g.fcidump"));
  const CiResult all = result_of(folder, {"job.inp"});
  ASSERT_EQ(all.sectors.size(), 4U);
  ASSERT_EQ(all.roots.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(all.column(&Root::energy)));
  for (int k = 0; k < 4; ++k) {
    const CiResult::Sector& sector = all.sectors[k];
    EXPECT_EQ(sector.irrep, k < 2 ? 1 : 4);
    EXPECT_EQ(sector.multiplicity, k % 2 == 0 ? 1 : 3);
    EXPECT_EQ(sector.ms2, sector.multiplicity - 1);
    EXPECT_EQ(std::ssize(sector.space.alpha), sector.space.dimension);
    EXPECT_EQ(sector.vectors->columns(), 2);
    EXPECT_EQ(sector.vectors->rows(), sector.space.dimension);
    const CiResult own =
        result_of(folder,
                  {"job.inp", "--set", "states.irrep=" + std::to_string(sector.irrep), "--set",
                   "states.multiplicity=" + std::to_string(sector.multiplicity), "-o", "own.h5"},
                  "own.h5");
    EXPECT_EQ(own.sectors.size(), 1U);
    std::vector<double> energies;
    for (std::size_t root = 0; root < 8; ++root) {
      if (all.roots[root].sector == static_cast<std::size_t>(k)) energies.push_back(all.root(root).energy);
    }
    ASSERT_EQ(energies.size(), 2U);
    for (std::size_t root = 0; root < 2; ++root) EXPECT_NEAR(energies[root], own.root(root).energy, 1e-11);
  }
}

TEST(Sectors, ReportFromTheFileIsTheReportOfTheRun) {
  const ScratchFolder folder;
  folder.write("job.inp", job("irrep = [1, 4]\n", "h2o_sto3g.fcidump"));
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult show = run_program({"show", "job.h5"}, folder.path());
  EXPECT_EQ(show.out + "\nResults are in job.h5.\n", run.out);
  const ProgramResult check = run_program({"job.inp", "--check"}, folder.path());
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.out.find("Sector 2 of 2: irrep A2"), std::string::npos) << check.out;
}

TEST(Sectors, RestartGoesOnInTheSectorThatWasInterrupted) {
  const ScratchFolder folder;
  folder.write("job.inp", job("irrep = [\"A1\", \"B1\"]\ncount = 2\nms2 = 0\n"));
  const CiResult whole = result_of(folder, {"job.inp", "-o", "whole.h5"}, "whole.h5");
  std::filesystem::remove(folder.path() / "job.chk.h5");

  RunningProgram program({"job.inp"}, folder.path());
  const auto is_in_second_sector = [&] {
    const std::string output = program.output();
    const auto at = output.find("Sector 2 of 2");
    return at != std::string::npos && output.find("\n     3 ", at) != std::string::npos;
  };
  for (int i = 0; i < 60000 && !is_in_second_sector(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send(SIGTERM);
  const ProgramResult stopped = program.wait();
  ASSERT_EQ(stopped.exit_code, 143) << stopped.err;
  const Checkpoint checkpoint = read_checkpoint(folder.path() / "job.chk.h5");
  EXPECT_EQ(checkpoint.header.sector, 2);
  ASSERT_EQ(checkpoint.finished.size(), 1U);

  const ProgramResult run = run_program({"job.inp", "--restart"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("Taken from the checkpoint"), std::string::npos);
  const CiResult result = read_result(folder.path() / "job.h5", true);
  ASSERT_EQ(result.roots.size(), whole.roots.size());
  for (std::size_t k = 0; k < whole.roots.size(); ++k) {
    EXPECT_NEAR(result.root(k).energy, whole.root(k).energy, 1e-10);
    EXPECT_NEAR(result.root(k).s_squared, whole.root(k).s_squared, 1e-8);
    EXPECT_EQ(result.roots[k].sector, whole.roots[k].sector);
  }
  EXPECT_EQ(result.sectors[0].hamiltonian.nonzeros, whole.sectors[0].hamiltonian.nonzeros);
  EXPECT_EQ(result.sectors[0].vectors->columns(), whole.sectors[0].vectors->columns());
  // More roots than the finished sector has: it is solved again, from what it knows.
  const CiResult more = result_of(folder, {"job.inp", "--restart", "--set", "states.count=3"});
  EXPECT_EQ(more.roots.size(), 6U);
  EXPECT_NEAR(more.root(0).energy, whole.root(0).energy, 1e-10);
  expect_refused(run_program({"job.inp", "--restart", "--set", "hamiltonian.threshold=1e-9"}, folder.path()),
                 {"threshold"});
  expect_refused(run_program({"job.inp", "--restart", "--set", "states.irrep=[1, 3]"}, folder.path()),
                 {"irrep B2"});
}

TEST(Sectors, RestartMatchesThemByName) {
  const ScratchFolder folder;
  folder.write("job.inp", job("irrep = [\"A1\", \"B1\"]\nmultiplicity = 1\n", "h2o_sto3g.fcidump"));
  const CiResult whole = result_of(folder, {"job.inp"});
  const std::vector<std::string> swapped = {"job.inp", "--restart", "--set", "states.irrep=[\"B1\", \"A1\"]"};
  const ProgramResult run = run_program(swapped, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("Sector 2 of 2: irrep A1"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Taken from the result 'job.h5'"), std::string::npos);
  const CiResult result = read_result(folder.path() / "job.h5", true);
  ASSERT_EQ(result.sectors.size(), 2U);
  EXPECT_EQ(result.sectors[0].irrep, 2) << "the order of the input";
  ASSERT_EQ(result.roots.size(), whole.roots.size());
  for (std::size_t k = 0; k < whole.roots.size(); ++k) {
    EXPECT_NEAR(result.root(k).energy, whole.root(k).energy, 1e-10);
    EXPECT_EQ(result.root(k).irrep, whole.root(k).irrep);
    EXPECT_EQ(result.sectors[result.roots[k].sector].irrep, result.root(k).irrep);
  }
  expect_refused(run_program({"job.inp", "--restart", "--set", "states.irrep=B1"}, folder.path()),
                 {"other states"});
  expect_refused(run_program({"job.inp", "--restart", "--set", "space.basis=csf"}, folder.path()),
                 {"another basis", "\"determinant\"", "\"csf\""});
}

TEST(Sectors, CheckpointsOfOtherReferencesAreRefused) {
  const ScratchFolder folder;
  folder.write("job.inp", job("irrep = \"B1\"\nmultiplicity = 1\n", "h2o_sto3g.fcidump"));
  const std::vector<std::string> earlier = {"job.inp", "--set", "space.excitation_level=2", "--set",
                                            "space.reference=first-orbitals"};
  ASSERT_EQ(run_program(earlier, folder.path()).exit_code, 0);
  std::vector<std::string> restart = earlier;
  restart.emplace_back("--restart");
  EXPECT_EQ(run_program(restart, folder.path()).exit_code, 0);
  expect_refused(run_program({"job.inp", "--set", "space.excitation_level=2", "--restart"}, folder.path()),
                 {"another space"});
}

}  // namespace test_sectors
}  // namespace cisolve::test
