// SPDX-License-Identifier: MIT
#include "tasks/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cisolve/tasks/report/report.hpp"

namespace cisolve {
namespace report {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t num_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

/// Bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_character(text[at]) && count-- == 0) break;
  }
  return at;
}

bool is_space(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code <= 0x20U || code == 0x7FU;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  while (true) {
    const auto first = std::find_if_not(text.begin(), text.end(), is_space);
    text.remove_prefix(first - text.begin());
    if (text.empty()) return lines;
    const auto end = std::find_if(text.begin(), text.end(), is_space);
    std::string_view word = text.substr(0, end - text.begin());
    text.remove_prefix(word.size());
    const std::size_t length = num_characters(word);
    if (used > 0 && used + 1 + length > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    for (std::size_t bytes = bytes_of(word, width); bytes < word.size(); bytes = bytes_of(word, width)) {
      lines.back() += word.substr(0, bytes);
      word.remove_prefix(bytes);
      lines.emplace_back();
    }
    lines.back() += word;
    used += num_characters(word);
  }
}

void print_wrapped(std::ostream& out, std::string_view first, std::string_view text) {
  const std::size_t indent = num_characters(first);
  std::string_view prefix = first;
  const std::string blank(indent, ' ');
  constexpr std::size_t beyond = 20;  // beside what is as long as a line
  for (const std::string& line : wrap(text, indent < columns ? columns - indent : beyond)) {
    out << prefix << line << '\n';
    prefix = blank;
  }
}

void print_field(std::ostream& out, std::string_view label, std::string_view value) {
  print_wrapped(out, fmt::format("  {:<24}", label), value);
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string signed_fixed(double value, int decimals) {
  std::string text = fixed(value, decimals);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return value > 0.0 && !is_zero ? "+" + text : text;
}

}  // namespace report

}  // namespace cisolve
