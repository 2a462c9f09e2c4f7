// SPDX-License-Identifier: MIT
#include "tasks/page/markup.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace cisolve::page {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the character that a text begins with; 0: they are no UTF-8, or none that XML allows.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7F) || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || first >= 0xF8 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(k) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000, is_control = code >= 0x7F && code < 0xA0;
  const bool is_no_character = (code & 0xFFFEU) == 0xFFFEU || code > 0x10FFFF;
  return code < least[length] || is_surrogate || is_control || is_no_character ? 0 : length;
}

std::string opened(std::string_view name, Attributes attributes) {
  std::string text = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) {
    if (!value.empty()) text += fmt::format(" {}=\"{}\"", key, escape(value));
  }
  return text;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char first = text.front();
    if (length == 0) {
      escaped += replacement;
    } else if (first == '&') {
      escaped += "&amp;";
    } else if (first == '<') {
      escaped += "&lt;";
    } else if (first == '>') {
      escaped += "&gt;";
    } else if (first == '"') {
      escaped += "&quot;";
    } else if (first == '\'') {
      escaped += "&#39;";
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

Markup::Markup(std::string_view text) : text_(escape(text)) {}

Markup element(std::string_view name, Attributes attributes, const Markup& content) {
  Markup made;
  made.text_ = fmt::format("{}>{}</{}>", opened(name, attributes), content.text_, name);
  return made;
}

Markup void_element(std::string_view name, Attributes attributes) {
  Markup made;
  made.text_ = opened(name, attributes) + "/>";
  return made;
}

Markup style_sheet(std::string_view rules) {
  Markup made;
  made.text_ = fmt::format("<style>{}</style>", rules);
  return made;
}

}  // namespace cisolve::page
