// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>

#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// Something that is written for other programs instead of a calculation.
struct Export {
  const char* option;  ///< of the command line, takes the file
  const char* help;

  /// Refuses a name before the input is read.
  /// @throws InputError
  void (*require_name)(const std::filesystem::path& file);

  /// Writes the file for what an input asks for.
  /// @throws as Task::run
  void (*write)(const Input& input, const std::filesystem::path& file, const RunControl& control,
                std::ostream& report);
};

/// All of them, in the order of the help.
std::span<const Export> exports();

}  // namespace cisolve
