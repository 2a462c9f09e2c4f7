// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/page/markup.hpp"

namespace cisolve::page {

/// A part of a page with a heading of its own; one without a body is left out.
struct Section {
  std::string id;  ///< for links within the page
  std::string title;
  Markup body = {};
};

/// What stands above the sections.
struct Head {
  std::string program, title, created;  ///< created: UTC, ISO 8601
  std::vector<std::string> failures;    ///< of certificates and points: before any number
  std::vector<std::string> warnings;
  Markup summary = {};
  std::string unit = "hartree";  ///< of energies, unless another is given
};

/// The whole page: style, head, links to the sections, sections.
std::string assemble(const Head& head, const std::vector<Section>& sections);

/// The style sheet, for screens of any width, light and dark, and paper.
std::string_view style_rules();

/// A paragraph.
Markup paragraph(const Markup& text);

/// A subsection under a heading; nothing without a body.
Markup subsection(const std::string& title, const Markup& body);

/// Labels with their values; a value that is empty is left out.
class Fields {
public:
  void add(std::string_view label, const Markup& value);
  Markup markup() const;

private:
  Markup items_;
};

/// A table in a box that scrolls by itself. The first cell of a row is its heading.
class Table {
public:
  struct Column {
    std::string heading;
    bool is_number = true;
  };

  /// @param caption  what the table shows; also what readers of the screen hear of it
  Table(std::string caption, std::vector<Column> columns);

  void add(const std::vector<Markup>& cells);
  bool empty() const { return rows_.empty(); }

  /// Nothing where there are no rows.
  Markup markup() const;

private:
  std::string caption_;
  std::vector<Column> columns_;
  Markup rows_;
};

/// What is long and seldom read, to be opened by the reader.
Markup folded(const std::string& title, const Markup& body);

/// Text as it is, in a box that scrolls by itself.
Markup preformatted(const std::string& title, const std::string& text);

}  // namespace cisolve::page
