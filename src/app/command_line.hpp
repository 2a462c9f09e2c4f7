// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/input/input.hpp"

namespace cisolve::app {

enum class Action {
  run,
  check,
  write_export,
  write_template,
  explain,
  show,
  report,
  verify,
  lint,
  export_result,
  print_version,
  print_help
};

/// What the command line asks for.
struct CommandLine {
  Action action = Action::run;
  std::filesystem::path file =
      {};  ///< the input; the result file of `show`, `report`, `verify`, `export`; of `lint` the integrals
  std::vector<InputOverride> overrides;  ///< later ones win
  bool restart = false, extend = false;
  bool thorough = false;                            ///< of `verify`
  std::optional<std::filesystem::path> checkpoint;  ///< of --restart, where it is named
  const Export* written = nullptr;                  ///< of write_export
  std::filesystem::path export_file;                ///< likewise, and of `export`
  std::filesystem::path page;                       ///< of `report`; empty: beside the result
  ExportOptions export_options;                     ///< of `export`
  std::optional<std::int64_t> device_memory;        ///< of --check, bytes: a device that isn't there
  int verbosity = 0;                                ///< -1 quiet, 1 verbose
  std::string key;                                  ///< of `explain`; empty: all
  bool markdown = false;                            ///< `explain --markdown`: the tables of docs/input.md
  std::string help;                                 ///< of print_help
};

/// Reads command lines. One object reads as many as wanted; none leaves a trace in the next.
class CommandLineParser {
public:
  CommandLineParser();
  ~CommandLineParser();

  /// @throws InputError  one sentence about what is wrong with the command line
  CommandLine parse(int argc, char** argv);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cisolve::app
