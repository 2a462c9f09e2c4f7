// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"

namespace cisolve {

/// What an FCIDUMP file is by its header and the looks of its records, none of which is kept.
struct FcidumpOutline {
  std::string writers;                       ///< programs that write such files: "Molpro, PySCF, ..."
  int norb = 0, num_electrons = 0, ms2 = 0;  ///< of the header
  bool ms2_given = false;
  int isym = 1;
  bool is_complex = false;
  std::string notation;  ///< of values: "real", "two columns", "parentheses"
  std::int64_t num_two_electron = 0, num_one_electron = 0, num_orbital_energies = 0, num_separators = 0;
  bool has_labels = false;     ///< ORBSYM is there
  bool labels_from_0 = false;  ///< and counts from 0, as PySCF's own labels do
};

/// Reads a file once for its outline.
/// @throws InputError   if its header is refused
/// @throws SystemError  if it cannot be read
FcidumpOutline outline_fcidump(const std::filesystem::path& file);

}  // namespace cisolve
