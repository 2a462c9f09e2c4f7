// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cisolve {

/// A number with commas between thousands: 12345678 -> "12,345,678".
std::string format_count(std::int64_t count);

/// A number of bytes in the largest unit that fits, B, KiB, MiB, GiB or TiB: 16106127360 -> "15.00 GiB".
std::string format_bytes(std::int64_t bytes);

/// The bytes that a text such as "16 GiB", "512GiB" or "1e9 B" says; units are those, or kB, MB, GB, TB, in any case. None if
/// it says none, fewer than one, or more than 2^62.
std::optional<std::int64_t> parse_bytes(std::string_view text);

}  // namespace cisolve
