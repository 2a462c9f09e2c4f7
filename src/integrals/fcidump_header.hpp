// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "integrals/text_reader.hpp"

namespace cisolve {

/// More orbitals are not meant: their packed integrals would take hundreds of terabytes.
inline constexpr int max_fcidump_orbitals = 4096;

/// The namelist at the top of an FCIDUMP file, checked as far as it goes without the records.
struct FcidumpHeader {
  int norb = 0;
  int nelec = 0;
  int ms2 = 0;
  bool ms2_given = false;
  int isym = 1;
  std::vector<int> orbsym;  ///< as in the file; empty: absent
  std::int64_t norb_line = 0;
  std::int64_t orbsym_line = 0;
  std::vector<std::string> warnings;
};

/// Reads the namelist, up to and with the line of its terminator.
/// @throws InputError if it is no FCIDUMP header, of a dialect that is not read, or not consistent
FcidumpHeader read_fcidump_header(TextReader& reader);

}  // namespace cisolve
