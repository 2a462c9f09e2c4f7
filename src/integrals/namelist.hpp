// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "integrals/text_reader.hpp"

namespace cisolve {

struct NamelistValue {
  std::string text;
  bool is_string = false;  ///< was quoted
  std::int64_t line = 0;
};

/// key = value, value, ...
struct NamelistEntry {
  std::string key;  ///< upper case
  std::int64_t line = 0;
  std::vector<NamelistValue> values;
};

struct Namelist {
  std::int64_t first_line = 0;  ///< the one with &FCI
  std::vector<NamelistEntry> entries;
};

/// Reads `&FCI ... &END`, also with `$` or ended by `/`, in any case, on one line or many, values
/// separated by commas or blanks.
/// @throws InputError if the file begins with anything else, or the namelist has no end
Namelist read_fci_namelist(TextReader& reader);

}  // namespace cisolve
