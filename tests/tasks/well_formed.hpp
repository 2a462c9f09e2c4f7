// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve::test {

/// What is wrong with a document as XML, or empty: a reader of the strict part of the grammar that pages use, without
/// comments, sections of raw text and processing instructions, none of which they have.
inline std::string xml_mistake(std::string_view text) {
  std::vector<std::string> open;
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  constexpr std::string_view doctype = "<!DOCTYPE html>\n";
  if (!text.starts_with(doctype)) return "no doctype";
  text.remove_prefix(doctype.size());
  bool had_root = false;
  while (!text.empty()) {
    const char c = text.front();
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
      return "a control character";
    if (c == '&') {
      bool is_known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        is_known = is_known || text.starts_with(entity);
      if (!is_known) return "a bare ampersand";
    }
    if (c == '>') return "a bare >";
    if (c != '<') {
      if (open.empty() && c != '\n') return "text outside of the root";
      text.remove_prefix(1);
      continue;
    }
    const bool closes = text.starts_with("</");
    text.remove_prefix(closes ? 2 : 1);
    std::string name;
    while (!text.empty() && is_name(text.front())) {
      name += text.front();
      text.remove_prefix(1);
    }
    if (name.empty()) return "a bare <";
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes something else";
      open.pop_back();
      if (!text.starts_with(">")) return "</" + name + " goes on";
      text.remove_prefix(1);
      continue;
    }
    if (open.empty() && had_root) return "a second root";
    had_root = true;
    std::vector<std::string> attributes;
    while (text.starts_with(" ")) {
      text.remove_prefix(1);
      std::string key;
      while (!text.empty() && (is_name(text.front()) || text.front() == ':')) {
        key += text.front();
        text.remove_prefix(1);
      }
      for (const std::string& other : attributes) {
        if (other == key) return "attribute " + key + " twice";
      }
      attributes.push_back(key);
      if (key.empty() || !text.starts_with("=\""))
        return "attribute " + key + " of <" + name + "> without a value";
      text.remove_prefix(2);
      const std::size_t end = text.find('"');
      if (end == std::string_view::npos || text.substr(0, end).find('<') != std::string_view::npos)
        return "a value of " + key + " that does not end";
      text.remove_prefix(end + 1);
    }
    if (text.starts_with("/>")) {
      text.remove_prefix(2);
    } else if (text.starts_with(">")) {
      text.remove_prefix(1);
      open.push_back(name);
    } else {
      return "<" + name + " does not end";
    }
  }
  if (!had_root) return "no root";
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace cisolve::test
