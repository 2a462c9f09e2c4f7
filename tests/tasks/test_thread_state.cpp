// SPDX-License-Identifier: MIT
// A library leaves its caller's OpenMP threads as they were, whatever run.threads says.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_thread_state {

constexpr int threads_of_caller = 3;

class ThreadState : public testing::Test {
protected:
  /// An input of the task that a section asks for.
  Input input(std::string_view section, int threads, const std::string& rest = {}) const {
    std::string text = fmt::format("[integrals]\nfile = \"{}\"\n", file_);
    if (section == "scan")
      text = fmt::format("[integrals]\npoint_group = \"D2h\"\n[scan]\nfiles = [\"{0}\", \"{0}\"]\n", file_);
    if (section == "vmc")
      text =
          "[lattice]\nkind = \"chain\"\nsize = 6\nmodel = \"t-J\"\nJ = 0.4\nelectrons = 4\n[vmc]\nsweeps = "
          "20\n";
    if (section == "flapw") text = "[flapw]\nroots = 2\n[synthetic]\natoms = 2\nlmax = 1\nwaves = 9\n";
    text += fmt::format("{}[run]\nthreads = {}\n[output]\nfile = \"{}\"\n", rest, threads,
                        (folder_ / "a.h5").string());
    if (section != "flapw") text += fmt::format("checkpoint = \"{}\"\n", (folder_ / "a.chk.h5").string());
    return parse_input(text, "a.inp");
  }

  /// Does something with another number of threads, and sees that of the caller afterwards.
  template <class Action>
  void expect_same_threads(const std::string& what, Action&& action) {
    const ThreadScope scope(threads_of_caller);
    action();
    EXPECT_EQ(omp_get_max_threads(), threads_of_caller) << what;
  }

  const std::string file_ = CISOLVE_TEST_DATA "/h2_sto3g.fcidump";
  const test::TemporaryFolder folder_;
  std::ostringstream report_;
};

TEST_F(ThreadState, IsTheCallersAfterEachTask) {
  int seen = 0;
  for (const Task& task : tasks()) {
    const Input job = input(task.asked_by, 1);
    ASSERT_EQ(task_of(job).name, task.name) << "a new task needs an input here";
    expect_same_threads(fmt::format("check of {}", task.name), [&] { task.check(job, report_, {}, {}); });
    expect_same_threads(fmt::format("run of {}", task.name), [&] { task.run(job, {}, {}, report_); });
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

TEST_F(ThreadState, IsTheCallersAfterEachExport) {
  for (const Export& written : exports()) {
    const bool is_integrals = std::string_view(written.option).find("fcidump") != std::string_view::npos;
    const auto file = folder_.path() / (is_integrals ? "out.fcidump" : "out.mtx");
    expect_same_threads(written.option, [&] { written.write(input("", 1), file, {}, report_); });
    EXPECT_TRUE(std::filesystem::exists(file));
  }
}

TEST_F(ThreadState, IsTheCallersAfterAnError) {
  const Input job = input("", 1, "[space]\nfrozen_core = [9]\n");  // of two orbitals
  const Task& task = task_of(job);
  expect_same_threads("check", [&] { EXPECT_THROW(task.check(job, report_, {}, {}), InputError); });
  expect_same_threads("run", [&] { EXPECT_THROW(task.run(job, {}, {}, report_), InputError); });
}

TEST(ThreadScope, HoldsWhileItLives) {
  const int before = omp_get_max_threads();
  {
    const ThreadScope outer(before + 2);
    EXPECT_EQ(omp_get_max_threads(), before + 2);
    const ThreadScope same(0);
    EXPECT_EQ(omp_get_max_threads(), before + 2);
    const ThreadScope inner(1);
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace test_thread_state
}  // namespace cisolve
