// SPDX-License-Identifier: MIT
// The program as several processes of mpirun, for tests of builds with CISOLVE_MPIEXEC.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/run_program.hpp"

#ifdef CISOLVE_MPIEXEC

namespace cisolve::test {

inline std::vector<std::string> mpirun(int processes) {
  return {CISOLVE_MPIEXEC, CISOLVE_MPIEXEC_NUMBER, std::to_string(processes)};
}

inline ProgramResult run_on(int processes, const std::vector<std::string>& arguments,
                            const ScratchFolder& folder) {
  return RunningProgram(arguments, folder.path(), mpirun(processes)).wait();
}

inline std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Lines of the log that say something of a kind, "error" or "warning". mpirun repeats one now and then.
inline std::set<std::string> said(const std::string& kind, const ProgramResult& run) {
  std::set<std::string> found;
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("cisolve: " + kind + ": ")) found.insert(line);
  }
  return found;
}

/// The status that mpirun hands on, unless it has crashed itself when all was done, as that of Open MPI 4.1.4 does in
/// PMIx_server_finalize once in some fifty runs that are aborted.
inline void expect_status(const ProgramResult& run, int status) {
  const bool mpirun_crashed = times(run.err, "PMIx_server_finalize") > 0;
  EXPECT_TRUE(run.exit_code == status || mpirun_crashed) << run.exit_code << run.err;
}

/// One of the processes speaks.
inline void expect_one_report(const ProgramResult& run) {
  EXPECT_EQ(times(run.out, "\ncisolve ") + (run.out.starts_with("cisolve ") ? 1 : 0), 1u) << run.out;
}

}  // namespace cisolve::test

#endif
