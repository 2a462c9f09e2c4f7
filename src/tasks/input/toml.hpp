// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/input/input.hpp"

namespace cisolve::detail {

/// A key or table of a TOML document.
struct TomlItem {
  std::string path;                 ///< joined by "."; tables of a list have numbers: "a.b[2].c"
  unsigned kind = 0;                ///< value_kind bits; an empty list is every kind of list
  std::optional<InputValue> value;  ///< none for mixed lists and for kinds that no key takes
  std::string found;                ///< for messages: "the integer 3", "the string \"x\""
  unsigned line = 0;
};

/// Every key and table of the text, in the order of the lines, a table before its keys, a list of tables before theirs.
/// @throws InputError  "where:line: ..." (without the line if `with_line` is false) if it is not TOML
std::vector<TomlItem> parse_toml(std::string_view text, std::string_view where, bool with_line = true);

/// One value, a table before its fields, as items of the key `path`.
/// @throws InputError if it is not a TOML value
std::vector<TomlItem> parse_toml_value(std::string_view value, std::string_view path, std::string_view where);

}  // namespace cisolve::detail
