// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cisolve::detail {

/// Fewest insertions, deletions, replacements and swaps of neighbours between two texts.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word nearest to `text`, case ignored; empty if nothing is near (more than a third of it
/// would have to change).
std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words);

/// In double quotes, control characters escaped, shortened if long: for messages of one line.
std::string in_quotes(std::string_view text);

/// As a TOML basic string.
std::string toml_string(std::string_view text);

/// Line breaks and other control characters replaced by blanks.
std::string one_line(std::string_view text);

/// "a", "b" or "c" in quotes.
std::string quoted_choices(std::span<const std::string_view> words);

/// Filled paragraphs, each line starting with `indent`, at most `width` columns.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 80);

std::string lower_case(std::string_view text);

}  // namespace cisolve::detail
