// SPDX-License-Identifier: MIT
#include "cisolve/core/number_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace cisolve {

std::string format_count(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first_digit = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  // Compared as printed, so that 1024.00 never is.
  while (value >= 1023.995 && unit + 1 < units.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, units[unit]);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"b", 1.0},         {"kb", 1e3},           {"mb", 1e6},
      {"gb", 1e9},        {"tb", 1e12},          {"kib", 1024.0},
      {"mib", 1048576.0}, {"gib", 1073741824.0}, {"tib", 1099511627776.0}};
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(end - text.data());
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::string unit(text);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, factor] : units) {
    const double bytes = number * factor;
    // 2^62: no machine has it, and the product stays within the integer.
    if (error == std::errc() && unit == name && bytes >= 1.0 && bytes < 4.6e18)
      return static_cast<std::int64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace cisolve
