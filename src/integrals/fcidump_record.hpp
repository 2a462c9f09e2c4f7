// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cisolve {

/// A line `value i j k l`.
struct FcidumpRecord {
  double value = 0.0;  ///< hartree
  std::array<std::int64_t, 4> index{};
};

/// Reads a record; fields are separated by blanks or a comma. Nothing if the line is anything else, or
/// the value is not finite.
std::optional<FcidumpRecord> parse_fcidump_record(std::string_view line);

/// True if the line has blanks only.
bool is_blank(std::string_view line);

/// What was found and expected where parse_fcidump_record gave nothing.
/// @param line_was_ended  false if the file ended within the line
std::string describe_bad_record(std::string_view line, bool line_was_ended);

/// True for five fields, a real number (with a point) and four integers.
bool looks_like_record(std::string_view line);

/// True for five fields, four integers and a real number.
bool looks_like_macis_record(std::string_view line);

}  // namespace cisolve
