// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// How a calculation that wrote its results ended.
enum class RunOutcome {
  converged,      ///< all roots; exit status 0
  not_converged,  ///< ran to the limit, some roots are not converged; exit status 2
  not_certified,  ///< a root failed its certificate; exit status 2
  interrupted     ///< by a signal, after writing a checkpoint; exit status 130 or 143
};

/// What the command line adds to a calculation.
struct RunOptions {
  bool restart = false;                                  ///< go on from a checkpoint
  bool extend = false;                                   ///< add to a result file; for a scan
  std::optional<std::filesystem::path> checkpoint = {};  ///< none: the one that the input names
};

/// What a machine has for which a run is planned elsewhere. Its host memory and threads are the input's.
struct OtherMachine {
  std::optional<std::int64_t> device_memory =
      {};  ///< bytes that are free on a device; none: those of this machine
};

/// A kind of calculation that an input can ask for. `src/tasks/run/tasks.cpp` lists them; nothing else outside
/// their own folders knows them by name.
struct Task {
  std::string_view name;

  /// The section whose keys ask for this task; empty: it is that of all other inputs.
  std::string_view asked_by;

  /// The sections that it brings, with their keys.
  std::vector<InputSection> (*sections)();

  /// Whether a key is part of its calculations, whichever task brings it. One that is not is refused beside it, and has no
  /// default there.
  bool (*reads)(const InputKey& key);

  /// Refuses an input whose sections do not make one calculation.
  /// @throws InputError
  void (*require_sections)(const Input& input);

  /// Reads the rest of the input, runs the calculation and writes its files; the report goes to `report`.
  /// @throws InputError     what the user asked for or gave is wrong; no result file is written
  /// @throws ResourceError  it does not fit the memory or the device; thrown before allocating
  /// @throws SystemError    I/O or the device failed
  /// @throws Interrupted    stopped before there was anything to keep
  RunOutcome (*run)(const Input& input, const RunOptions& options, const RunControl& control,
                    std::ostream& report);

  /// Prints the plan of what `run` would do; writes no file.
  /// @throws as run
  void (*check)(const Input& input, std::ostream& report, const OtherMachine& machine,
                const RunControl& control);

  /// Whether a result file is one of this task's.
  /// @throws InputError if the file is absent or is not a result file
  bool (*wrote)(const std::filesystem::path& file);

  /// Prints the report of such a file again.
  void (*show)(const std::filesystem::path& file, std::ostream& report, bool verbose);

  /// The page that `write_page` writes of such a file.
  std::string (*page)(const std::filesystem::path& file);

  /// Does the certificates of such a file again from what it holds, and prints them, what fails first.
  /// @param thorough  all that can be looked at, whatever that takes
  /// @return whether all hold
  /// @throws InputError if that is not possible: absent, damaged, without vectors or integrals
  bool (*verify)(const std::filesystem::path& file, std::ostream& report, bool thorough);

  /// Does this process's part of work that `run` shares with others by ServedRanks::begin. Null: it shares none so.
  void (*serve)(const SharedWork& work, const WorkPlace& place) = nullptr;
};

/// All tasks; the first of them whose section is given, if only by its header, is the one that an input asks for.
std::span<const Task> tasks();

/// The task that an input asks for.
const Task& task_of(const Input& input);

/// Does this process's part of a task's work, as ServeConfig::do_work.
/// @throws as the task's `run`
void serve_task(const SharedWork& work, const WorkPlace& place);

/// Prints the report of a result file again.
/// @param verbose  as -v: all orbitals
/// @throws InputError if the file is absent or is not a result file
void show_result(const std::filesystem::path& file, std::ostream& report, bool verbose = false);

/// Writes a result file as one page of HTML that needs nothing else, in one step. What was written goes to `report`.
/// @param file  the result
/// @param page  an older one is replaced; empty: of the result's name, ending in .html
/// @throws InputError   the result is absent or is not a result file; `page` does not end in .html, or is a result file
/// @throws SystemError  I/O failed; an older page is untouched
void write_page(const std::filesystem::path& file, std::filesystem::path page, std::ostream& report);

/// Does the certificates of a result file again, and prints them.
/// @param thorough  all that can be looked at, whatever that takes
/// @return whether all hold
/// @throws InputError if the file is absent, not a result file, or lacks what that takes
bool verify_result(const std::filesystem::path& file, std::ostream& report, bool thorough = false);

/// Removes the locks and temporary files of a run, where the process has to end without its destructors. Takes no memory,
/// and calls nothing that a signal handler may not.
void abandon_files() noexcept;

}  // namespace cisolve
