// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

/// True if the texts are equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The one of `names` (not empty) with the fewest insertions, deletions and replacements from `text`,
/// case ignored; the first of equals.
const std::string& nearest_name(std::string_view text, const std::vector<std::string>& names);

}  // namespace cisolve
