// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cisolve/core/names.hpp"

namespace cisolve::detail {

/// In double quotes, control characters escaped, shortened if long: for messages of one line.
std::string in_quotes(std::string_view text);

/// As a TOML basic string.
std::string toml_string(std::string_view text);

/// Line breaks and other control characters replaced by blanks.
std::string one_line(std::string_view text);

/// "a", "b" or "c" in quotes.
std::string quoted_choices(std::span<const std::string_view> words);

/// Of a table in Markdown: bars and angle brackets escaped.
std::string markdown_cell(std::string_view text);

/// Filled paragraphs, each line starting with `indent`, at most `width` columns.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 80);

}  // namespace cisolve::detail
