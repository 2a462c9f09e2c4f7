// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "app/run_program.hpp"
#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::test {
namespace test_command_line {

std::string h2_input() {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n[run]\ndevice = \"cpu\"\n";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CommandLine, VersionNamesBuildLibrariesAndDevices) {
  const ScratchFolder folder;
  const ProgramResult result = run_program({"--version"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part :
       {"cisolve 0.", "build", "CUDA", "libraries", "Eigen", "HDF5", "devices", "MPI", "cpu"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << " is missing in\n" << result.out;
  }
  EXPECT_EQ(result.err, "");
}

TEST(CommandLine, HelpNamesEveryOption) {
  const ScratchFolder folder;
  const ProgramResult result = run_program({"--help"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part :
       {"-o", "--check", "--restart", "--extend", "--device", "--threads", "--memory", "--set", "-v", "-q",
        "template", "explain", "show", "report", "verify", "export", "--version", "--write-matrix"}) {
    EXPECT_TRUE(contains(result.out, part)) << part;
  }
}

TEST(CommandLine, TemplateIsThatOfTheLibrary) {
  const ScratchFolder folder;
  const ProgramResult result = run_program({"template"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, input_template());
}

TEST(CommandLine, ExplainKnowsEveryKey) {
  for (const InputKey& key : input_keys()) {
    const std::string text = explain_input(key.path);
    EXPECT_TRUE(text.starts_with(key.path)) << text;
    for (const char* part : {"type", "unit", "default", "allowed"})
      EXPECT_TRUE(contains(text, part)) << key.path;
  }
  const ScratchFolder folder;
  const ProgramResult result = run_program({"explain", "solver.tolerance"}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, explain_input("solver.tolerance"));
}

TEST(CommandLine, ExplainNamesTheNearestKey) {
  const ScratchFolder folder;
  expect_refused(run_program({"explain", "solver.tolerence"}, folder.path()), {"\"solver.tolerance\""});
}

TEST(CommandLine, MistakesAreRefused) {
  const ScratchFolder folder;
  folder.write("job.inp", h2_input());
  const std::vector<std::vector<std::string>> mistakes = {{},
                                                          {"--frobnicate"},
                                                          {"job.inp", "--frobnicate"},
                                                          {"job.inp", "second.inp"},
                                                          {"job.inp", "-o"},
                                                          {"job.inp", "--set"},
                                                          {"job.inp", "-v", "-q"},
                                                          {"show"},
                                                          {"template", "job.inp"},
                                                          {"job.inp", "template"},
                                                          {"job.inp", "--check", "--restart"},
                                                          {"job.inp", "--check", "--extend"}};
  for (const auto& arguments : mistakes) expect_refused(run_program(arguments, folder.path()), {});
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
}

TEST(CommandLine, OptionsAreCheckedAsKeys) {
  const ScratchFolder folder;
  folder.write("job.inp", h2_input());
  const auto refused = [&](const std::vector<std::string>& options, const std::vector<std::string>& parts) {
    std::vector<std::string> arguments = {"job.inp"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(run_program(arguments, folder.path()), parts);
  };
  refused({"--threads", "many"}, {"--threads many", "run.threads", "integer"});
  refused({"--threads", "-1"}, {"run.threads", "-1"});
  refused({"--device", "cdua"}, {"--device cdua", "did you mean \"cuda\"?"});
  refused({"--memory", "16"}, {"--memory 16", "GiB"});
  refused({"--set", "states.count=0"}, {"--set states.count=0", "found 0"});
  refused({"--set", "states.cuont=1"}, {"did you mean \"states.count\"?"});
  refused({"--set", "states.count"}, {"--set states.count", "="});
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
}

TEST(CommandLine, ResultGoesWhereTheOptionSays) {
  const ScratchFolder folder;
  folder.write("job.inp", h2_input());
  const ProgramResult result = run_program({"job.inp", "-o", "out.h5", "--threads", "1"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "job.h5"));
}

TEST(CommandLine, ResultIsNamedAfterTheInputInTheWorkingDirectory) {
  const ScratchFolder inputs, folder;
  const auto input = inputs.write("job.inp", h2_input());
  const ProgramResult result = run_program({input.string()}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "job.h5"));
  EXPECT_EQ(inputs.files(), std::vector<std::string>{"job.inp"});
}

TEST(CommandLine, SetOverridesTheFile) {
  const ScratchFolder folder;
  folder.write("job.inp", "title = \"of the file\"\n" + h2_input());
  const ProgramResult result = run_program(
      {"job.inp", "--set", "title=of the option", "--set", "space.excitation_level=full"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "of the option")) << result.out;
  EXPECT_FALSE(contains(result.out, "of the file")) << result.out;
}

}  // namespace test_command_line
}  // namespace cisolve::test
