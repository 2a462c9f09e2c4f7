// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve::report {

inline constexpr std::size_t columns = 80;

/// Breaks text into lines of at most `width` characters (UTF-8), at spaces where there are some and
/// inside words that are longer. Control characters become spaces. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Prints `first`, then `text` wrapped, its later lines indented to the width of `first`.
void print_wrapped(std::ostream& out, std::string_view first, std::string_view text);

/// "  label     value", values of all fields aligned.
void print_field(std::ostream& out, std::string_view label, std::string_view value);

/// Fixed decimals; what rounds to zero has no minus sign.
std::string fixed(double value, int decimals);

/// Fixed decimals with a sign, which what rounds to zero has not.
std::string signed_fixed(double value, int decimals);

}  // namespace cisolve::report
