// SPDX-License-Identifier: MIT
// The program as several processes of mpirun: it does what one process does, and ends as one.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "app/mpi_program.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/state_search.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/result_vectors.hpp"

#ifdef CISOLVE_MPIEXEC

namespace cisolve::test {
namespace test_mpi_run {

using namespace std::chrono_literals;

/// Two processes, of which the second, that RunningProgram adds, has so many KiB of address space.
std::vector<std::string> mpirun_with_narrow_second(const std::vector<std::string>& arguments,
                                                   std::int64_t kib) {
  std::vector<std::string> words = mpirun(1);
  words.emplace_back(CISOLVE_PROGRAM);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string limited = "ulimit -v " + std::to_string(kib) + "; exec \"$0\" \"$@\"";
  words.insert(words.end(), {":", CISOLVE_MPIEXEC_NUMBER, "1", "/bin/sh", "-c", limited});
  return words;
}

/// To 1e-12 of themselves: searches are the same but for the rounding of sums.
void expect_same_energies(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]));
}

std::string water(const std::string& more) {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA
         "/h2o_631g.fcidump.gz\"\npoint_group = \"C2v\"\n[run]\ndevice = \"cpu\"\nthreads = 1\n" +
         more;
}

const std::string two_irreps =
    water("[space]\nexcitation_level = 2\n[states]\ncount = 2\nirrep = [\"A1\", \"B1\"]\nmultiplicity = 3\n");

CiResult result_in(const ScratchFolder& folder) { return read_result(folder.path() / "job.h5", true); }

TEST(MpiRun, FindsWhatOneProcessFinds) {
  const ScratchFolder one;
  one.write("job.inp", two_irreps);
  ASSERT_EQ(run_program({"job.inp"}, one.path()).exit_code, 0);
  const CiResult expected = result_in(one);
  EXPECT_EQ(expected.sectors[0].hamiltonian.ranks, 1);
  std::vector<std::vector<double>> vectors;
  for (const int processes : {1, 2, 3, 4, 3}) {
    const ScratchFolder several;
    several.write("job.inp", two_irreps);
    const ProgramResult run = run_on(processes, {"job.inp"}, several);
    expect_status(run, 0);
    expect_one_report(run);
    const std::string line = "  ranks                   " + std::to_string(processes) + "\n";
    EXPECT_EQ(times(run.out, line), processes > 1 ? 2u : 0u) << run.out;
    EXPECT_EQ(several.files(), one.files());
    const CiResult found = result_in(several);
    expect_same_energies(found.column(&Root::energy), expected.column(&Root::energy));
    EXPECT_EQ(found.sectors[1].hamiltonian.ranks, processes);
    vectors.push_back(vectors_of(found.sectors[0]));
  }
  EXPECT_EQ(vectors[0], vectors_of(expected.sectors[0]));
  EXPECT_EQ(vectors[2], vectors[4]);  // to the last bit where there are as many
}

TEST(MpiRun, RunsAnExampleFromAGeometry) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const ScratchFolder folder;
  const std::vector<std::string> arguments{CISOLVE_INPUTS "/h2o.inp", "--set", "run.threads=1", "-o",
                                           "one.h5"};
  ASSERT_EQ(run_program(arguments, folder.path()).exit_code, 0);
  std::vector<std::string> others = arguments;
  others.back() = "several.h5";
  const ProgramResult run = run_on(2, others, folder);
  expect_status(run, 0);
  expect_one_report(run);
  expect_same_energies(read_result(folder.path() / "several.h5", false).column(&Root::energy),
                       read_result(folder.path() / "one.h5", false).column(&Root::energy));
}

TEST(MpiRun, DoesAScan) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const ScratchFolder one, several;
  for (const ScratchFolder* folder : {&one, &several}) {
    folder->write(
        "job.inp",
        "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"6-31g\"\n[run]\ndevice = \"cpu\"\n"
        "threads = 1\n[scan]\ncoordinate = \"bond 1 2\"\nvalues = [1.5, 1.6, 1.7]\n"
        "[space]\nexcitation_level = \"full\"\n[states]\nmultiplicity = 1\ncount = 2\n");
  }
  ASSERT_EQ(run_program({"job.inp"}, one.path()).exit_code, 0);
  const ProgramResult run = run_on(3, {"job.inp"}, several);
  expect_status(run, 0);
  expect_one_report(run);
  for (const int point : {1, 2, 3}) {
    expect_same_energies(read_scan_point(several.path() / "job.h5", point, false).column(&Root::energy),
                         read_scan_point(one.path() / "job.h5", point, false).column(&Root::energy));
  }
}

/// A job whose H is stored, in the sectors or the list that it has.
struct StoredJob {
  const char* name;
  std::string more;
  int processes;
};

class MpiRunStored : public testing::TestWithParam<StoredJob> {};

TEST_P(MpiRunStored, FindsWhatOneProcessFinds) {
  const ScratchFolder one, several;
  one.write("job.inp", water(GetParam().more));
  several.write("job.inp", water(GetParam().more));
  ASSERT_EQ(run_program({"job.inp"}, one.path()).exit_code, 0);
  const ProgramResult run = run_on(GetParam().processes, {"job.inp"}, several);
  expect_status(run, 0);
  expect_one_report(run);
  const CiResult expected = result_in(one), found = result_in(several);
  expect_same_energies(found.column(&Root::energy), expected.column(&Root::energy));
  for (std::size_t k = 0; k < found.sectors.size(); ++k) {
    EXPECT_EQ(found.sectors[k].hamiltonian.ranks, GetParam().processes);
    EXPECT_EQ(found.sectors[k].hamiltonian.nonzeros, expected.sectors[k].hamiltonian.nonzeros);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, MpiRunStored,
    testing::Values(
        StoredJob{"CsrOfTwoSectors",
                  "[space]\nexcitation_level = 2\n[states]\ncount = 2\nirrep = [\"A1\", \"B1\"]\n"
                  "multiplicity = 3\n[hamiltonian]\nstorage = \"csr\"\n",
                  3},
        StoredJob{"CodedList",
                  "[space]\nexcitation_level = 2\nreference = [\"22222\", \"222202\"]\n"
                  "[states]\nirrep = \"A1\"\n[hamiltonian]\nstorage = \"coded\"\n",
                  2},
        StoredJob{
            "Csfs",
            "[space]\nbasis = \"csf\"\nexcitation_level = 2\n[states]\nirrep = \"A1\"\nmultiplicity = 1\n",
            3},
        StoredJob{"Selected",
                  "[selection]\nepsilon = 1e-5\n[solver]\ntolerance = 1e-8\n"
                  "[states]\nirrep = \"A1\"\nmultiplicity = 1\n",
                  2}),
    [](const auto& job) { return job.param.name; });

TEST(MpiRun, HandsOnItsStatus) {
  const ScratchFolder folder;
  folder.write("job.inp", two_irreps);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "job.inp");
    ProgramResult ended = run_on(2, more, folder);
    expect_one_report(ended);
    return ended;
  };
  expect_status(run({"--set", "solver.max_iterations=2"}), 2);
  const ProgramResult wrong = run_on(2, {"job.inp", "--set", "solver.tolerance=-1"}, folder);
  expect_status(wrong, 1);
  EXPECT_EQ(said("error", wrong).size(), 1u) << wrong.err;
  const ProgramResult large = run_on(2, {"job.inp", "--memory", "1 MB"}, folder);
  expect_status(large, 3);
  EXPECT_EQ(said("error", large).size(), 1u) << large.err;
  const ProgramResult explained = run_on(2, {"explain", "run.memory"}, folder);
  expect_status(explained, 0);
  EXPECT_EQ(times(explained.out, "run.memory"),
            times(run_program({"explain", "run.memory"}, folder.path()).out, "run.memory"));
}

/// The vectors of a job of one sector, by ranks that are threads of this process.
std::vector<double> vectors_of_threads(const std::filesystem::path& input, int ranks) {
  const CiConfig config = read_ci_config(read_input(input));
  const CiJob job = prepare_job(config);
  const Problem problem(make_basis(definition_of(job), memory_limit(config)), config.threshold);
  const Resources resources{.memory = memory_limit(config), .devices = {}, .ranks = ranks};
  const auto finder = make_root_finder(problem, make_plan(problem, plan_options(config), resources));
  const FoundStates states =
      find_states(*problem.basis, *finder, {.count = config.count, .multiplicity = job.multiplicity});
  Array<double> buffer;
  const VectorSource& vectors = *states.found.roots.vectors;
  const auto all = vectors.view(0, vectors.columns(), buffer);
  return {all.begin(), all.end()};
}

/// Bits of threads and processes are compared within one program, in the tests of the room problem: inline functions of this one are
/// compiled in another way than those of the program that is run here.
TEST(MpiRun, FindsTheSameBitsAgainAndWhatAsManyThreadsFind) {
  const ScratchFolder folder;
  const auto input = folder.write("job.inp", water("[space]\nexcitation_level = 3\n[states]\ncount = 2\n"));
  for (const int ranks : {2, 3}) {
    std::vector<std::vector<double>> found;
    for (int k = 0; k < 2; ++k) {
      expect_status(run_on(ranks, {"job.inp"}, folder), 0);
      found.push_back(vectors_of(result_in(folder).sectors[0]));
    }
    EXPECT_EQ(found[0], found[1]) << ranks;
    const std::vector<double> of_threads = vectors_of_threads(input, ranks);
    ASSERT_EQ(found[0].size(), of_threads.size());
    for (std::size_t i = 0; i < of_threads.size(); ++i) ASSERT_NEAR(found[0][i], of_threads[i], 1e-7) << i;
  }
}

TEST(MpiRun, PlansForAllProcesses) {
  const ScratchFolder folder;
  folder.write("job.inp", water("[space]\nexcitation_level = \"full\"\n[states]\ncount = 2\n"));
  const std::vector<std::string> check = {"job.inp", "--check", "--set", "hamiltonian.storage=\"direct\""};
  const auto vectors_in = [](const std::string& plan) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(plan, found, std::regex("Solver vectors +([0-9.]+) MiB"))) << plan;
    return std::stod(found[1]);
  };
  const ProgramResult alone = run_program(check, folder.path()), plan = run_on(3, check, folder);
  expect_status(plan, 0);
  expect_one_report(plan);
  EXPECT_EQ(times(plan.out, "Processes                             3; of each:"), 1u) << plan.out;
  EXPECT_EQ(times(alone.out, "Processes"), 0u);
  // A third of the rows, and a string's more at most.
  EXPECT_NEAR(vectors_in(plan.out), vectors_in(alone.out) / 3.0, 0.1 * vectors_in(alone.out));
  const std::vector<std::string> stored = {
      "job.inp", "--check", "--set", "space.excitation_level=2", "--set", "hamiltonian.storage=\"csr\""};
  EXPECT_EQ(times(run_on(3, stored, folder).out, "3; of each:\n  Memory of the matrix"), 1u);
  // What one has no room for is not planned for, and that is said once.
  std::vector<std::string> small = check;
  small.insert(small.end(), {"--memory", "10 MB"});
  const ProgramResult refused = run_on(3, small, folder);
  expect_status(refused, 3);
  EXPECT_EQ(said("error", refused).size(), 1u) << refused.err;
  EXPECT_EQ(times(refused.err, "MPI_ABORT"), 0u) << refused.err;
}

TEST(MpiRun, RefusesIntegralsThatCannotBeRead) {
  const ScratchFolder folder;
  const std::string whole = read_text(CISOLVE_TEST_DATA "/h2o_631g.fcidump.gz");
  folder.write("cut.fcidump.gz", whole.substr(0, whole.size() / 2));
  std::filesystem::create_directory(folder.path() / "folder.fcidump");
  for (const std::string file : {"cut.fcidump.gz", "folder.fcidump", "absent.fcidump"}) {
    folder.write("job.inp", "[integrals]\nfile = \"" + file + "\"\n");
    const ProgramResult run = run_on(3, {"job.inp"}, folder);
    expect_status(run, 1);
    const std::set<std::string> errors = said("error", run);
    ASSERT_EQ(errors.size(), 1u) << run.err;
    EXPECT_GE(times(*errors.begin(), file), 1u) << *errors.begin();
    EXPECT_EQ(times(*errors.begin(), "rank"), 0u) << *errors.begin();
    EXPECT_EQ(times(run.err, "MPI_ABORT"), 0u) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "job.h5"));
  }
}

TEST(MpiRun, SharesTheCoresOfItsNode) {
  const ScratchFolder folder;
  folder.write("job.inp", two_irreps);
  std::vector<std::string> launcher = mpirun(2);
  launcher.insert(launcher.begin(), {"/usr/bin/env", "-u", "OMP_NUM_THREADS"});
  launcher.insert(launcher.end(), {"--bind-to", "none"});
  const unsigned each = std::max(std::thread::hardware_concurrency() / 2, 1u);
  const ProgramResult run =
      RunningProgram({"job.inp", "--set", "run.threads=0"}, folder.path(), launcher).wait();
  expect_status(run, 0);
  EXPECT_EQ(result_in(folder).sectors[0].hamiltonian.device,
            "cpu, " + std::to_string(each) + (each == 1 ? " thread" : " threads"));
}

/// A job of several seconds.
class MpiRunStopped : public testing::Test {
protected:
  void SetUp() override {
    folder_.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                             "/h2o_631g.fcidump.gz\"\npoint_group = \"C2v\"\n[space]\nexcitation_level = 5\n"
                             "[states]\ncount = 3\nirrep = \"A1\"\nms2 = 0\n[solver]\ntolerance = 1e-8\n"
                             "[run]\ndevice = \"cpu\"\nthreads = 1\n");
  }

  static const std::vector<double>& energies() {
    static const std::vector<double> of_one = [] {
      MpiRunStopped one;
      one.SetUp();
      EXPECT_EQ(run_program({"job.inp"}, one.folder_.path()).exit_code, 0);
      return read_result(one.folder_.path() / "job.h5", false).column(&Root::energy);
    }();
    return of_one;
  }

  void TestBody() override {}

  static void wait_for_iteration(const RunningProgram& program, int iteration) {
    const std::string number = std::to_string(iteration);
    wait_for_text(program, "\n" + std::string(6 - number.size(), ' ') + number + " ");
  }

  static void wait_for_text(const RunningProgram& program, const std::string& wanted) {
    for (int i = 0; i < 30000 && program.output().find(wanted) == std::string::npos; ++i)
      std::this_thread::sleep_for(2ms);
  }

  /// The process of a rank, a child of mpirun.
  static pid_t process_of(const RunningProgram& program, int rank) {
    const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    std::ifstream children("/proc/" + std::to_string(program.pid()) + "/task/" +
                           std::to_string(program.pid()) + "/children");
    for (pid_t child = 0; children >> child;) {
      const std::string variables = '\0' + read_text("/proc/" + std::to_string(child) + "/environ");
      if (variables.find('\0' + wanted + '\0') != std::string::npos) return child;
    }
    throw std::runtime_error("there is no process of rank " + std::to_string(rank));
  }

  /// @param processes  of mpirun; 0: without it
  void expect_good_restart(int processes) {
    const std::vector<std::string> restart = {"job.inp", "--restart"};
    const ProgramResult run =
        processes == 0 ? run_program(restart, folder_.path()) : run_on(processes, restart, folder_);
    expect_status(run, 0);
    const auto found = read_result(folder_.path() / "job.h5", false).column(&Root::energy);
    ASSERT_EQ(found.size(), energies().size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], energies()[k], 1e-10);
  }

  /// Of a process, as the system counts it, KiB.
  static std::int64_t address_space(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmSize:")) return std::stoll(line.substr(7));
    }
    throw std::runtime_error("there is no process " + std::to_string(process));
  }

  std::filesystem::path checkpoint() const { return folder_.path() / "job.chk.h5"; }

  const ScratchFolder folder_;
};

TEST_F(MpiRunStopped, ByASignalToAnyProcess) {
  for (const auto& [rank, signal, status] :
       {std::tuple(0, SIGTERM, 143), {1, SIGTERM, 143}, {2, SIGUSR2, 143}, {1, SIGINT, 130}}) {
    RunningProgram program({"job.inp"}, folder_.path(), mpirun(3));
    wait_for_iteration(program, 3);
    ::kill(process_of(program, rank), signal);
    const ProgramResult run = program.wait();
    expect_status(run, status);
    expect_one_report(run);
    EXPECT_GE(read_checkpoint(checkpoint()).header.history.back().iteration, 3);
  }
  expect_good_restart(2);
}

TEST_F(MpiRunStopped, ByMpirunWhichPassesASignalOn) {
  RunningProgram program({"job.inp"}, folder_.path(), mpirun(2));
  wait_for_iteration(program, 2);
  program.send(SIGUSR2);
  expect_status(program.wait(), 143);
  expect_good_restart(1);
}

TEST_F(MpiRunStopped, NotByASignalThatAsksForACheckpoint) {
  RunningProgram program({"job.inp"}, folder_.path(), mpirun(2));
  wait_for_iteration(program, 2);
  ::kill(process_of(program, 1), SIGUSR1);
  for (int i = 0; i < 5000 && !std::filesystem::exists(checkpoint()); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(std::filesystem::exists(checkpoint()));
  expect_status(program.wait(), 0);
  expect_good_restart(3);
}

TEST_F(MpiRunStopped, ByAnErrorOfTheFirstProcess) {
  std::filesystem::create_directory(folder_.path() / "away");
  RunningProgram program({"job.inp", "--set", "output.checkpoint=\"away/job.chk.h5\""}, folder_.path(),
                         mpirun(3));
  wait_for_iteration(program, 2);
  std::filesystem::remove_all(folder_.path() / "away");
  ::kill(process_of(program, 1), SIGTERM);
  const ProgramResult run = program.wait();
  expect_status(run, 4);
  EXPECT_EQ(said("error", run).size(), 1u) << run.err;
  EXPECT_EQ(times(run.err, "cisolve: error: rank "), 0u) << run.err;
}

TEST_F(MpiRunStopped, ByTheDeathOfAnyProcess) {
  std::mt19937 random(11);
  const auto any = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  for (int k = 0; k < 10; ++k) {
    RunningProgram program({"job.inp", "--set", "output.checkpoint_interval=0"}, folder_.path(), mpirun(3));
    if (k % 2 == 0) {
      wait_for_iteration(program, 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(any(300)));
    } else {
      wait_for_text(program, "\nSpace");
      std::this_thread::sleep_for(std::chrono::milliseconds(any(100)));
    }
    const auto killed = std::chrono::steady_clock::now();
    ::kill(process_of(program, any(2)), SIGKILL);
    const ProgramResult run = program.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - killed, 10s);
    EXPECT_NE(run.exit_code, 0);
    expect_one_report(run);
    if (std::filesystem::exists(checkpoint())) read_checkpoint(checkpoint());  // throws where it is not whole
  }
  const std::filesystem::path kept = folder_.path() / "kept.h5";
  std::filesystem::copy_file(checkpoint(), kept);
  expect_good_restart(2);
  std::filesystem::rename(kept, checkpoint());
  expect_good_restart(0);
  EXPECT_EQ(folder_.files(), (std::vector<std::string>{"job.h5", "job.inp"}));
}

/// What it needs is known only where its part is made.
TEST_F(MpiRunStopped, ByAnErrorOfAnotherProcess) {
  RunningProgram usual({"job.inp"}, folder_.path(), mpirun(2));
  wait_for_text(usual, "cisolve ");
  const std::int64_t idle = address_space(process_of(usual, 1));
  wait_for_iteration(usual, 2);
  const std::int64_t busy = address_space(process_of(usual, 1));
  usual.send(SIGUSR2);
  usual.wait();
  const std::int64_t narrow = idle + (busy - idle) / 2;
  const std::vector<std::string> given = {"job.inp", "--memory", "4 GB"};
  const ProgramResult run =
      RunningProgram(given, folder_.path(), mpirun_with_narrow_second(given, narrow)).wait();
  expect_status(run, 3);
  const std::set<std::string> errors = said("error", run);
  ASSERT_EQ(errors.size(), 1u) << run.err;
  EXPECT_TRUE(errors.begin()->starts_with("cisolve: error: rank 1: ")) << *errors.begin();
  expect_one_report(run);
  // Unless told otherwise the run is planned for the process that has least.
  const ProgramResult planned =
      RunningProgram({"job.inp"}, folder_.path(), mpirun_with_narrow_second({"job.inp"}, narrow)).wait();
  expect_status(planned, 3);
  const std::set<std::string> refusals = said("error", planned);
  ASSERT_EQ(refusals.size(), 1u) << planned.err;
  EXPECT_EQ(times(*refusals.begin(), "rank"), 0u) << *refusals.begin();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "job.h5"));
}

TEST_F(MpiRunStopped, ByAFullDisk) {
  RunningProgram program({"job.inp"}, folder_.path(), mpirun(3));
  wait_for_iteration(program, 2);
  const rlimit few_bytes{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(process_of(program, 0), RLIMIT_FSIZE, &few_bytes, nullptr), 0);
  ::kill(process_of(program, 2), SIGTERM);
  const ProgramResult run = program.wait();
  expect_status(run, 4);
  const std::set<std::string> errors = said("error", run);
  ASSERT_EQ(errors.size(), 1u) << run.err;
  EXPECT_EQ(times(*errors.begin(), "cannot write"), 1u) << *errors.begin();
  expect_one_report(run);
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"job.inp"});
}

}  // namespace test_mpi_run
}  // namespace cisolve::test

#endif
