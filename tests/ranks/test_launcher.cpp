// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "cisolve/ranks/mpi_session.hpp"

namespace cisolve::test {
namespace test_launcher {

using Environment = std::map<std::string, std::string>;

std::optional<Launcher> launcher_in(const Environment& environment) {
  return find_launcher([&](const char* variable) {
    const auto found = environment.find(variable);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

void expect_launcher(const Environment& environment, const std::string& variable, int processes) {
  const std::optional<Launcher> launcher = launcher_in(environment);
  ASSERT_TRUE(launcher) << variable;
  EXPECT_EQ(launcher->variable, variable);
  EXPECT_EQ(launcher->processes, processes);
}

TEST(Launcher, IsKnownByItsVariables) {
  expect_launcher({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}, "OMPI_COMM_WORLD_SIZE", 4);
  expect_launcher({{"PMI_SIZE", "3"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_PROCID", "0"}}, "PMI_SIZE", 3);
  expect_launcher({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}}, "PMIX_RANK", 8);
  expect_launcher({{"PMIX_RANK", "0"}}, "PMIX_RANK", 0);
  expect_launcher({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}}, "SLURM_STEP_NUM_TASKS", 2);
}

TEST(Launcher, OfOneProcessSaysSo) {
  expect_launcher({{"OMPI_COMM_WORLD_SIZE", "1"}}, "OMPI_COMM_WORLD_SIZE", 1);
  expect_launcher({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}, "PMIX_RANK", 1);
}

// A batch script, and a shell in an allocation.
TEST(Launcher, IsNotWhatSlurmSetsInEveryJob) {
  EXPECT_FALSE(launcher_in({}));
  EXPECT_FALSE(launcher_in({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}));
  EXPECT_FALSE(launcher_in({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}));
  EXPECT_FALSE(launcher_in({{"SLURM_STEP_NUM_TASKS", "8"}}));
}

TEST(Launcher, IsNotAVariableWithoutANumber) {
  for (const char* text : {"", "two", "4x", "-3", "0"})
    EXPECT_FALSE(launcher_in({{"OMPI_COMM_WORLD_SIZE", text}, {"PMI_SIZE", text}})) << text;
}

TEST(MpiSession, WithoutALauncherIsOneProcess) {
  for (const std::optional<Launcher>& launcher :
       {std::optional<Launcher>(), std::optional(Launcher{"OMPI_COMM_WORLD_SIZE", 1})}) {
    const MpiSession session(launcher);
    EXPECT_EQ(session.world().size(), 1);
    EXPECT_EQ(session.world().rank(), 0);
    EXPECT_EQ(session.node_rank(), 0);
    EXPECT_EQ(session.node_processes(), 1);
  }
}

}  // namespace test_launcher
}  // namespace cisolve::test
