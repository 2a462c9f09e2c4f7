// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

// Files that are well-formed and sealed, and hold what no run writes: bytes changed blindly do not come past the seal.

namespace cisolve::fuzz {

/// Changes some bytes of a text or a number; may make it longer or shorter.
using ChangeBytes = std::function<std::string(std::string bytes)>;

/// Whether a file ends as sealed files do.
bool ends_in_seal(std::string_view file);

/// Changes one dataset, attribute or link of a sealed HDF5 file, and seals it anew: numbers to others, such as NaN,
/// negative or huge ones; texts; shapes and types; some are taken away, or stand in the place of another.
/// @param seed    of what is drawn
/// @param change  for texts, and for some numbers
/// @return none if the file has no seal, or not the right one, or the HDF5 library refuses the change
std::optional<std::string> change_values(std::string_view file, unsigned seed, const ChangeBytes& change);

}  // namespace cisolve::fuzz
