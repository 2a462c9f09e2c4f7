// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve::detail {

/// Words of a line, separated by blanks, tabs, commas or carriage returns.
inline std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view separators = " \t\r,";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(separators, at);
    words.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(separators, end);
  }
  return words;
}

/// Lines without their line ends; the last one needs none.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A finite number that takes the whole word; Fortran's exponent D is one, too.
inline std::optional<double> number_of(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c == 'D' || c == 'd') c = 'e';
  }
  const char* begin = text.c_str() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.c_str() + text.size();
  double number = 0.0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  const bool finite = number - number == 0.0;
  return error == std::errc() && stop == end && finite ? std::optional(number) : std::nullopt;
}

/// Of shells by angular momentum, from s.
inline constexpr std::string_view shell_letters = "SPDFGHI";

/// No .xyz file and no basis set is larger; bytes.
inline constexpr std::size_t most_text = std::size_t{64} << 20;

}  // namespace cisolve::detail
