// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/core/error.hpp"

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

/// All of a file that the user named.
/// @throws InputError if it is absent or a folder, SystemError if it cannot be read
inline std::string read_text_file(const std::filesystem::path& file, std::string_view what) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(file.string() + ": there is no such file; " + std::string(what) + " is expected");
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(file.string() + ": this is a folder; " + std::string(what) + " is expected");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) throw SystemError(file.string() + ": cannot be read");
  return text;
}

}  // namespace cisolve::detail
