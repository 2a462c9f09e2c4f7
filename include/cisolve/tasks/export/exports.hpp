// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>

#include "cisolve/tasks/ci/config/ci_config.hpp"
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

/// Checks that write_matrix knows a format for the name of a file.
/// @throws InputError
void require_matrix_file_name(const std::filesystem::path& file);

/// Writes the Hamiltonian of a CI calculation for other programs, and does not solve it: CSR in HDF5 for
/// names that end in .h5, MatrixMarket (symmetric, lower triangle) for .mtx; docs/output.md describes both.
/// Elements are in hartree and include the core energy on the diagonal. The matrix is computed and written a
/// range of rows at a time and never held as a whole. The file replaces an older one in one step, when it is
/// complete. The report goes to `report`.
///
/// @throws InputError     what run_ci throws, or the name of the file has another ending
/// @throws ResourceError  the space does not fit the memory
/// @throws SystemError    I/O failed
/// @throws Interrupted    stopped; no file is written
void write_matrix(const CiConfig& config, const std::filesystem::path& file, const RunControl& control,
                  std::ostream& report);

/// Writes the active integrals of a calculation as an FCIDUMP file in Molpro's convention, frozen orbitals folded
/// in, and stops. ISYM is the irrep of the first reference.
/// @throws InputError, ResourceError, SystemError, Interrupted  as run_ci
void write_integrals(const CiConfig& config, const std::filesystem::path& file, const RunControl& control,
                     std::ostream& report);

}  // namespace cisolve
