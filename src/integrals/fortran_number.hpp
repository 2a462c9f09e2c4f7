// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cisolve {

/// A real number as Fortran writes it: a sign or none, the exponent after E, D, Q or its sign alone
/// (0.12-104). Infinity if it is too large for a double, zero if too small; nothing if the text is
/// anything else, NaN and Infinity included.
std::optional<double> parse_fortran_real(std::string_view text);

/// A decimal integer with a sign or none; nothing if the text is anything else or exceeds 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace cisolve
