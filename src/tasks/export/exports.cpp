// SPDX-License-Identifier: MIT
#include "cisolve/tasks/export/exports.hpp"

namespace cisolve {

std::span<const Export> exports() {
  static constexpr Export all[] = {
      {"--write-matrix", "Write the Hamiltonian to this file, CSR (.h5) or MatrixMarket (.mtx), and stop",
       require_matrix_file_name,
       [](const Input& input, const std::filesystem::path& file, const RunControl& control,
          std::ostream& report) { write_matrix(read_ci_config(input), file, control, report); }},
      {"--write-fcidump", "Write the active integrals to this FCIDUMP file and stop",
       [](const std::filesystem::path&) {},
       [](const Input& input, const std::filesystem::path& file, const RunControl& control,
          std::ostream& report) { write_integrals(read_ci_config(input), file, control, report); }},
  };
  return all;
}

}  // namespace cisolve
