// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

// Names that users type, and the valid ones nearest to them.

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// True if the texts are equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Fewest insertions, deletions, replacements and swaps of neighbours between two texts.
/// @param enough  from there on it is not counted further: what is returned is this or more, and no more than the distance
std::size_t edit_distance(std::string_view a, std::string_view b,
                          std::size_t enough = std::numeric_limits<std::size_t>::max());

/// The one of `names` (not empty) with the least edit distance from `text`, case ignored; the first
/// of equals.
const std::string& nearest_name(std::string_view text, const std::vector<std::string>& names);

/// The word nearest to `text`, case ignored; empty if nothing is near (more than a third of it
/// would have to change).
std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words);

}  // namespace cisolve
