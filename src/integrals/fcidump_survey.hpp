// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"
#include "integrals/fcidump_steps.hpp"

namespace cisolve {

/// What the records of a file show before any is kept: enough to tell its layout.
struct FcidumpSurvey {
  FcidumpHeader header;
  ValueNotation notation = ValueNotation::real;
  std::int64_t num_two_electron = 0, num_one_electron = 0, num_orbital_energies = 0, num_others = 0;
  std::vector<std::int64_t> separators;  ///< lines of the first records of zeros, 0 0 0 0 0
  std::int64_t num_separators = 0;
  std::int64_t num_cores = 0;       ///< records 0 0 0 0 with a value
  bool one_electron_first = false;  ///< h comes before the first record of zeros
  std::int64_t largest_orbital = 0;
  // Whether an integral of some size has a pair of orbitals ...
  bool joins_parities = false;   ///< ... of which one is even and one odd,
  bool joins_norb = false;       ///< ... one up to NORB and one above,
  bool joins_half_norb = false;  ///< ... one up to NORB / 2 and one above

  bool is_complex() const { return notation != ValueNotation::real; }
  /// One list of records, though its header may say IUHF=1, as DIRAC's does.
  bool is_list() const { return num_separators == 0 || (num_separators == 1 && one_electron_first); }
};

/// Reads a file once without keeping its records. Lines that are none are for those who read it to refuse.
/// @throws InputError, SystemError as read_fcidump_header, TextReader
FcidumpSurvey survey_fcidump(const std::filesystem::path& file, const FcidumpOptions& options);

/// A layout, and the orbitals of either spin or spinors that it has.
struct SettledLayout {
  FcidumpLayout layout = FcidumpLayout::restricted;
  int num_orbitals = 0;
};

/// The layout of a file, by header, records and what the user says.
/// @throws InputError if it is none that is read, or not the one that the user says
SettledLayout settle_layout(const TextReader& reader, const FcidumpSurvey& survey, FcidumpSpins spins);

}  // namespace cisolve
