// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"

extern char** environ;

namespace cisolve::test {

/// A folder of its own for a test, removed afterwards.
class ScratchFolder {
public:
  ScratchFolder() {}  // written out, so that clang++ takes constant ones
  const std::filesystem::path& path() const { return folder_.path(); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  /// Names of the files within, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  TemporaryFolder folder_;
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

struct ProgramResult {
  int exit_code = -1;  ///< -1 if a signal killed it
  int signal = 0;      ///< that did
  std::string out, err;
};

/// The program, running with `folder` as its working directory; give signals, then wait.
class RunningProgram {
public:
  /// @param launcher  words before those of the program, the path of a launcher first
  RunningProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const std::vector<std::string>& launcher = {}) {
    std::vector<std::string> words = launcher;
    words.emplace_back(CISOLVE_PROGRAM);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = (streams_.path() / "out").string(), err = (streams_.path() / "err").string();
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    const int failure =
        posix_spawn(&pid_, words.front().c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error("cannot start " + words.front());
  }
  ~RunningProgram() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }
  pid_t pid() const { return pid_; }

  /// What it has printed so far.
  std::string output() const { return read_text(streams_.path() / "out"); }

  ProgramResult wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    ProgramResult result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    result.out = output();
    result.err = read_text(streams_.path() / "err");
    return result;
  }

private:
  ScratchFolder streams_;
  pid_t pid_ = 0;
};

inline ProgramResult run_program(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder) {
  return RunningProgram(arguments, folder).wait();
}

/// Refused as a user's mistake: exit status 1, one line on stderr that holds every one of `parts`.
inline void expect_refused(const ProgramResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("cisolve: error: ")) << result.err;
  for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

}  // namespace cisolve::test
