// SPDX-License-Identifier: MIT
// FLAPW runs that were stopped or killed, and what --restart makes of their files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/core/error.hpp"
#include "tasks/flapw/file.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_restart {

using test::FlapwJob;
using test::StoredPoint;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string three_points =
    "[k_points]\npath = { points = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]], segments = 2 }\n";

/// What is said of the points that are calculated.
class Log {
public:
  RunControl control() {
    RunControl control;
    control.log = [this](LogLevel, std::string_view line) { lines_ += std::string(line) + '\n'; };
    return control;
  }
  const std::string& text() const { return lines_; }

private:
  std::string lines_;
};

/// Runs until an event of a k-point, and stops there.
RunOutcome run_until(FlapwJob& job, const std::string& stage, int point) {
  std::stop_source source;
  RunControl control;
  control.stop = source.get_token();
  control.observe = [&](const RunEvent& event) {
    if (event.stage == stage && event.iteration == point) source.request_stop();
  };
  return job.run({}, control);
}

std::string refusal(FlapwJob& job, const RunOptions& options = {.restart = true}) {
  try {
    job.run(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

void expect_same(const FlapwJob& a, const FlapwJob& b) {
  const FlapwResult first = a.result(), second = b.result();
  EXPECT_EQ(first.warnings, second.warnings);
  ASSERT_EQ(first.points.size(), second.points.size());
  for (int k = 1; k <= std::ssize(first.points); ++k) {
    EXPECT_EQ(first.points[k - 1].status, second.points[k - 1].status);
    test::expect_same(StoredPoint(a.file(), k), StoredPoint(b.file(), k));
  }
  const auto bands = [](const FlapwJob& job) {
    std::vector<double> energies =
        Hdf5File::open(job.file()).root().open_group("bands").read<double>("eigenvalue").values;
    std::erase_if(energies, [](double energy) { return std::isnan(energy); });  // padding
    return energies;
  };
  EXPECT_EQ(bands(a), bands(b));
}

class FlapwRestart : public testing::Test {
protected:
  const std::string input_ = test::cosine_crystal(three_points) + "[output]\nmatrices = true\n";
};

TEST_F(FlapwRestart, GivesTheFileOfOneRun) {
  FlapwJob whole(input_);
  test::run_to_end(whole);
  // While the second point is made: the first is kept. And at the end of the first itself.
  for (const auto& [stage, point] : {std::pair("hamiltonian", 2), std::pair("solve", 1)}) {
    FlapwJob job(input_);
    EXPECT_EQ(run_until(job, stage, point), RunOutcome::interrupted);
    EXPECT_THAT(job.report(), HasSubstr("Interrupted; go on with: cisolve --restart"));
    const FlapwResult part = job.result();
    EXPECT_EQ(part.points[0].status, "converged");
    EXPECT_EQ(part.points[1].status, "pending");
    EXPECT_EQ(part.points[2].status, "pending");
    std::ostringstream shown;
    print_flapw_report(shown, part);
    EXPECT_THAT(shown.str(), AllOf(HasSubstr("k-point 3 of 3: not done"), HasSubstr("NOT DONE: 2 of 3")));

    Log log;
    EXPECT_EQ(job.run({.restart = true}, log.control()), RunOutcome::converged);
    EXPECT_THAT(log.text(), AllOf(Not(HasSubstr("k-point 1 of 3")), HasSubstr("k-point 2 of 3"),
                                  HasSubstr("k-point 3 of 3")));
    EXPECT_THAT(job.report(), HasSubstr("k-point 1 of 3"));  // the report is of all
    expect_same(job, whole);
  }
}

TEST_F(FlapwRestart, BeforeTheFirstPointThereIsNothingToKeep) {
  FlapwJob job(input_);
  EXPECT_THROW(run_until(job, "hamiltonian", 1), Interrupted);
  EXPECT_EQ(job.folder().size(), 0U);
  EXPECT_THAT(refusal(job), AllOf(HasSubstr("job.h5"), HasSubstr("--restart"), HasSubstr("is not there")));
  EXPECT_EQ(job.folder().size(), 0U);
}

TEST_F(FlapwRestart, OfAFinishedRunCalculatesNothing) {
  FlapwJob job(input_);
  const FlapwResult before = test::run_to_end(job);
  Log log;
  EXPECT_EQ(job.run({.restart = true}, log.control()), RunOutcome::converged);
  EXPECT_THAT(log.text(), IsEmpty());
  EXPECT_EQ(job.result().points[2].states.energies, before.points[2].states.energies);
}

TEST_F(FlapwRestart, OfAnotherCalculationIsRefusedWithWhatDiffers) {
  FlapwJob job(input_);
  run_until(job, "solve", 1);
  const std::string before = test::read_text(job.file());
  const auto expect_refused = [&](const std::string& change, const std::vector<std::string>& words) {
    FlapwJob other(input_, {change});
    std::filesystem::copy_file(job.file(), other.file());
    const std::string message = refusal(other);
    EXPECT_THAT(message,
                AllOf(HasSubstr("--restart"), HasSubstr("job.h5"), HasSubstr("another calculation")));
    for (const std::string& word : words) EXPECT_THAT(message, HasSubstr(word));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(test::read_text(other.file()), before);
  };
  expect_refused("flapw.roots=5", {"flapw.roots = 8", "flapw.roots = 5"});
  expect_refused("crystal.k_max=3.1", {"crystal.k_max = 3.2", "crystal.k_max = 3.1"});
  expect_refused("flapw.algorithm=hsdla", {"flapw.algorithm = \"hsdla\""});
  expect_refused("k_points.path.segments=3", {"segments = 2", "segments = 3"});
}

TEST_F(FlapwRestart, HowItIsDoneMayChange) {
  FlapwJob job(input_);
  run_until(job, "solve", 1);
  job.set({"flapw.solver=davidson", "flapw.check=4", "flapw.coefficients=stored", "run.threads=2",
           "output.matrices=false"});
  EXPECT_EQ(job.run({.restart = true}), RunOutcome::converged);
  EXPECT_EQ(job.result().points[0].states.solver, "direct");
  EXPECT_EQ(job.result().points[1].states.solver, "davidson");
}

TEST_F(FlapwRestart, PointsThatHaveNotConvergedAreDoneAgain) {
  FlapwJob job(input_, {"flapw.solver=davidson", "flapw.max_iterations=1"});
  EXPECT_EQ(job.run(), RunOutcome::not_converged);
  job.set({"flapw.max_iterations=100"});
  EXPECT_EQ(job.run({.restart = true}), RunOutcome::converged);
  const FlapwResult result = job.result();
  for (const FlapwPoint& point : result.points) EXPECT_EQ(point.status, "converged");
  EXPECT_THAT(job.report(), Not(HasSubstr("NOT CONVERGED")));
}

TEST_F(FlapwRestart, WarningsOfPointsThatAreDoneAgainGo) {
  FlapwJob job(input_, {"flapw.solver=davidson", "flapw.max_iterations=1"});
  job.run();
  FlapwResult result = job.result();
  result.warnings = {"k-point 2: of the first attempt", "k-point 20: there is none", "of all"};
  write_flapw(job.file(), result, 0, false, nullptr, false);
  job.set({"flapw.max_iterations=100"});
  EXPECT_EQ(job.run({.restart = true}), RunOutcome::converged);
  EXPECT_THAT(job.result().warnings,
              AllOf(testing::Contains("of all"), testing::Contains("k-point 20: there is none"),
                    Not(testing::Contains("k-point 2: of the first attempt"))));
}

TEST_F(FlapwRestart, TimesAddUp) {
  FlapwJob job(input_);
  run_until(job, "solve", 1);
  FlapwResult part = job.result();
  part.seconds = 1000.0;
  write_flapw(job.file(), part, 0, false, nullptr, false);
  EXPECT_EQ(job.run({.restart = true}), RunOutcome::converged);
  EXPECT_GT(job.result().seconds, 1000.0);
  EXPECT_LT(job.result().seconds, 1900.0);
}

TEST_F(FlapwRestart, WarningsOfPointsStay) {
  FlapwJob job(input_, {"flapw.roots=1000"}), whole(input_, {"flapw.roots=1000"});
  run_until(job, "solve", 1);
  EXPECT_EQ(job.run({.restart = true}), RunOutcome::converged);
  test::run_to_end(whole);
  EXPECT_THAT(job.result().warnings, testing::Contains(HasSubstr("k-point 1: 1000 roots")));
  expect_same(job, whole);
}

TEST_F(FlapwRestart, GoesOnInTheResultFileAlone) {
  FlapwJob job(input_);
  run_until(job, "solve", 1);
  const std::filesystem::path other = job.folder() / "other.h5";
  std::filesystem::copy_file(job.file(), other);
  EXPECT_THAT(refusal(job, {.restart = true, .checkpoint = other}),
              AllOf(HasSubstr("job.h5"), HasSubstr("other.h5")));
  EXPECT_THAT(refusal(job, {.extend = true}), HasSubstr("--extend adds points to a scan"));
}

/// At whatever moment a process ends, its file is a valid one of the points that it had done.
TEST(FlapwRestartProcess, KilledRunsGoOn) {
  const test::ScratchFolder folder;
  folder.write("job.inp", test::cosine_crystal("[k_points]\ngrid = [5, 4, 2]\n") +
                              "[run]\ndevice = \"cpu\"\nthreads = 1\n");
  const std::filesystem::path file = folder.path() / "job.h5";
  const auto done = [&] {
    const FlapwResult result = read_flapw(file);
    return std::count_if(result.points.begin(), result.points.end(),
                         [](const FlapwPoint& point) { return point.status == "converged"; });
  };
  std::ptrdiff_t before = 0;
  for (int kill = 0; kill < 2; ++kill) {
    std::vector<std::string> words = {"job.inp", "-q"};
    if (kill > 0) words.emplace_back("--restart");
    test::RunningProgram program(words, folder.path());
    const auto moment = std::filesystem::exists(file) ? std::filesystem::last_write_time(file)
                                                      : std::filesystem::file_time_type::min();
    // As soon as a point more is there, at some moment of the next ones.
    for (int i = 0; i < 30000; ++i) {
      std::error_code absent;
      if (std::filesystem::last_write_time(file, absent) > moment && !absent) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 13 * kill));
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().signal, SIGKILL) << "it ended before it was killed";
    const std::ptrdiff_t now = done();
    EXPECT_GT(now, before);
    EXPECT_LT(now, 40);
    before = now;
  }
  const test::ProgramResult last = test::run_program({"job.inp", "--restart"}, folder.path());
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(done(), 40);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.inp"}));
  const FlapwResult killed = read_flapw(file);
  ASSERT_EQ(test::run_program({"job.inp", "-o", "whole.h5", "-q"}, folder.path()).exit_code, 0);
  const FlapwResult whole = read_flapw(folder.path() / "whole.h5");
  for (std::size_t k = 0; k < 40; ++k)
    EXPECT_EQ(killed.points[k].states.energies, whole.points[k].states.energies) << k + 1;
}

}  // namespace test_flapw_restart
}  // namespace cisolve
