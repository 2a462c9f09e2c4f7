// SPDX-License-Identifier: MIT
#include "cisolve/tasks/export/exports.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve {
namespace {

/// @param instead  what would do, for a crystal
CiConfig read_ci(const Input& input, std::string_view option, std::string_view instead) {
  if (task_of(input).asked_by == "flapw")
    throw InputError(
        fmt::format("{}: {} is for CI calculations, and [flapw] asks for the bands of a crystal{}",
                    input.source_name, option, instead));
  return read_ci_config(input);
}

}  // namespace

std::span<const Export> exports() {
  static constexpr Export all[] = {
      {"--write-matrix", "Write the Hamiltonian to this file, CSR (.h5) or MatrixMarket (.mtx), and stop",
       require_matrix_file_name,
       [](const Input& input, const std::filesystem::path& file, const RunControl& control,
          std::ostream& report) {
         write_matrix(read_ci(input, "--write-matrix", ": output.matrices = true writes its H and S"), file,
                      control, report);
       }},
      {"--write-fcidump", "Write the active integrals to this FCIDUMP file and stop",
       [](const std::filesystem::path&) {},
       [](const Input& input, const std::filesystem::path& file, const RunControl& control,
          std::ostream& report) {
         write_integrals(read_ci(input, "--write-fcidump", ""), file, control, report);
       }},
  };
  return all;
}

}  // namespace cisolve
