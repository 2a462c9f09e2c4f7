// SPDX-License-Identifier: MIT
#include "tasks/input/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tasks/report/text.hpp"

namespace cisolve::detail {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  const bool is_long = text.size() > longest;
  std::size_t end = std::min(longest, text.size());
  while (is_long && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // whole UTF-8
  std::string shown = "\"";
  for (const char c : text.substr(0, end)) {
    if (is_control(c)) {
      shown += c == '\n' ? std::string("\\n") : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown + (is_long ? "...\"" : "\"");
}

std::string toml_string(std::string_view text) {
  std::string quoted_text = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted_text += '\\';
      quoted_text += c;
    } else if (c == '\n') {
      quoted_text += "\\n";
    } else if (is_control(c)) {
      quoted_text += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      quoted_text += c;
    }
  }
  return quoted_text + '"';
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string quoted_choices(std::span<const std::string_view> words) {
  std::string choices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) choices += i + 1 == words.size() ? " or " : ", ";
    choices += fmt::format("\"{}\"", words[i]);
  }
  return choices;
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    if (c == '<') {
      cell += "&lt;";
    } else if (c == '>') {
      cell += "&gt;";
    } else {
      cell += c;
    }
  }
  return cell;
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::string lines;
  for (const std::string& line : report::wrap(text, width - indent.size())) {
    lines += std::string(indent) + line + "\n";
  }
  return lines;
}

}  // namespace cisolve::detail
