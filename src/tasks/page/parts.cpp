// SPDX-License-Identifier: MIT
#include "tasks/page/parts.hpp"

#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve::page {
namespace {

Markup box(std::string_view kind, const std::string& label, const Markup& content) {
  return element("div",
                 {{"class", std::string(kind)}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", label}},
                 content);
}

}  // namespace

Markup paragraph(const Markup& text) { return element("p", {}, text); }

Markup subsection(const std::string& title, const Markup& body) {
  return body.empty() ? Markup() : element("h3", {}, title) + body;
}

void Fields::add(std::string_view label, const Markup& value) {
  if (value.empty()) return;
  items_ += element("div", {}, element("dt", {}, label) + element("dd", {}, value));
}

Markup Fields::markup() const {
  return items_.empty() ? Markup() : element("dl", {{"class", "fields"}}, items_);
}

Table::Table(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(const std::vector<Markup>& cells) {
  if (cells.size() != columns_.size()) throw DimensionError("a row needs a cell per column");
  Markup row;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string kind = columns_[k].is_number ? "number" : "";
    row += k == 0 ? element("th", {{"scope", "row"}, {"class", kind}}, cells[k])
                  : element("td", {{"class", kind}}, cells[k]);
  }
  rows_ += element("tr", {}, row);
}

Markup Table::markup() const {
  if (empty()) return {};
  Markup heading;
  for (const Column& column : columns_)
    heading += element("th", {{"scope", "col"}, {"class", column.is_number ? "number" : ""}}, column.heading);
  return box("scroll", caption_,
             element("table", {},
                     element("caption", {}, caption_) + element("thead", {}, element("tr", {}, heading)) +
                         element("tbody", {}, rows_)));
}

Markup folded(const std::string& title, const Markup& body) {
  return body.empty() ? Markup() : element("details", {}, element("summary", {}, title) + body);
}

Markup preformatted(const std::string& title, const std::string& text) {
  // HTML drops a line end that stands first.
  return text.empty() ? Markup() : box("scroll", title, element("pre", {}, "\n" + text));
}

}  // namespace cisolve::page
