// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tasks/files/column_io.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::test {

/// How a member is stored, as documents say it.
template <class T>
constexpr std::string_view stored_type() {
  using Stored = InDataset<T>;
  if constexpr (std::is_same_v<Stored, std::uint8_t>) return "uint8";
  if constexpr (std::is_same_v<Stored, int>) return "int32";
  if constexpr (std::is_same_v<Stored, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<Stored, std::uint64_t>) return "uint64";
  if constexpr (std::is_same_v<Stored, std::string>) return "string";
  return "float64";
}

/// The rows of docs/output.md that come from a table of columns.
/// @param rows  extents that all datasets begin with, "nroots"; empty: they are attributes
/// @param group  that the names begin with, "leading/"
template <class Record>
std::string markdown_rows(std::span<const Column<Record>> columns, std::string_view rows = {},
                          std::string_view group = {}) {
  std::string text;
  for_each_column(columns, [&]<class T>(const auto& column, const std::string& name, T Record::*) {
    std::string type(stored_type<T>());
    if (rows.empty()) {
      type = "attribute, " + type;
    } else {
      type += fmt::format(" [{}{}{}]", rows, column.shape.empty() ? "" : ", ", column.shape);
    }
    if (!column.unit.empty() && column.unit != "1") type += fmt::format(", {}", column.unit);
    std::string meaning(column.description);
    if (!column.details.empty()) meaning += fmt::format(" ({})", column.details);
    text += fmt::format("| `{}{}` | {} | {} |\n", group, name, type, detail::markdown_cell(meaning));
  });
  return text;
}

}  // namespace cisolve::test
