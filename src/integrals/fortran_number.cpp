// SPDX-License-Identifier: MIT
#include "integrals/fortran_number.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace cisolve {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Mantissa and exponent of a number that from_chars reads to `rest` only: "D-01", "-104".
std::optional<double> with_fortran_exponent(std::string_view mantissa, std::string_view rest) {
  if (mantissa.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  if (std::string_view("dDqQ").find(rest.front()) != std::string_view::npos) {
    rest.remove_prefix(1);
  } else if (rest.front() != '+' && rest.front() != '-') {
    return std::nullopt;
  }
  const std::size_t sign = !rest.empty() && (rest.front() == '+' || rest.front() == '-') ? 1 : 0;
  if (rest.size() == sign || rest.find_first_not_of("0123456789", sign) != std::string_view::npos) {
    return std::nullopt;
  }
  return parse_fortran_real(std::string(mantissa).append("e").append(rest));
}

}  // namespace

std::optional<double> parse_fortran_real(std::string_view text) {
  double sign = 1.0;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    if (text.front() == '-') sign = -1.0;
    text.remove_prefix(1);
  }
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;

  double magnitude = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, magnitude);
  if (status == std::errc::invalid_argument) return std::nullopt;
  if (end != last) {
    const std::size_t length = end - text.data();
    const std::optional<double> value = with_fortran_exponent(text.substr(0, length), text.substr(length));
    return value ? std::optional(sign * *value) : std::nullopt;
  }
  if (status == std::errc::result_out_of_range) {
    magnitude = text.find('-') != std::string_view::npos ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return sign * magnitude;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace cisolve
