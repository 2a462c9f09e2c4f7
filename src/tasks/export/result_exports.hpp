// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/export/export_result.hpp"

// What export_result chooses from by the ending of a name. Each writes its file in one step, and returns what is in it
// for the report. Exceptions are those of export_result.

namespace cisolve {

/// A result that was read with its vectors and functions, and its file for messages.
struct ExportedResult {
  const CiResult& result;
  const std::filesystem::path& file;
};

std::string export_molden(const ExportedResult& from, const std::filesystem::path& file,
                          const ExportOptions& options);
std::string export_determinants(const ExportedResult& from, const std::filesystem::path& file,
                                const ExportOptions& options);
std::string export_trexio(const ExportedResult& from, const std::filesystem::path& file,
                          const ExportOptions& options);
std::string export_fcidump(const ExportedResult& from, const std::filesystem::path& file,
                           const ExportOptions& options);

}  // namespace cisolve
