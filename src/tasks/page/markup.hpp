// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace cisolve::page {

/// A piece of a page that is well-formed by its type: text becomes markup by being escaped, and elements are made by the
/// functions below. So what a file says can never become an element. XML and HTML read it alike.
class Markup {
public:
  Markup() = default;

  // Implicit: text is text wherever markup is expected.
  Markup(std::string_view text);
  Markup(const std::string& text) : Markup(std::string_view(text)) {}
  Markup(const char* text) : Markup(std::string_view(text)) {}

  Markup& operator+=(const Markup& other) {
    text_ += other.text_;
    return *this;
  }
  friend Markup operator+(Markup a, const Markup& b) { return a += b; }

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

private:
  friend Markup element(std::string_view name,
                        std::initializer_list<std::pair<std::string_view, std::string>> attributes,
                        const Markup& content);
  friend Markup void_element(std::string_view name,
                             std::initializer_list<std::pair<std::string_view, std::string>> attributes);
  friend Markup style_sheet(std::string_view rules);

  std::string text_;
};

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

/// Text with the five characters of markup escaped. What XML does not allow, control characters and bytes that are no UTF-8,
/// becomes U+FFFD.
std::string escape(std::string_view text);

/// `<name attribute="value">content</name>`; attributes with empty values are left out.
Markup element(std::string_view name, Attributes attributes, const Markup& content);

/// `<name attribute="value"/>`, of HTML's void elements and of SVG.
Markup void_element(std::string_view name, Attributes attributes);

/// A style element. HTML does not unescape what is in it.
/// @param rules  of this program, without `<` and `&`
Markup style_sheet(std::string_view rules);

}  // namespace cisolve::page
