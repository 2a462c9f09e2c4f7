// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::detail {

/// Path of a field in a list of tables: "crystal.types[2].radius".
struct ListPath {
  std::string_view list;   ///< "crystal.types"
  std::size_t number = 0;  ///< of the table, from 1
  std::string_view field;  ///< "radius"
};

/// None if it is no such path.
std::optional<ListPath> as_list_path(std::string_view path);

/// "crystal.types[2].radius"; without a number "crystal.types[].radius", the key of all tables.
std::string list_path(std::string_view list, std::optional<std::size_t> number, std::string_view field);

/// A field of the tables of a list: "radius" and its key "crystal.types[].radius".
struct ListField {
  std::string_view name;
  const InputKey* key = nullptr;
};

/// All fields of a list's tables, in the order of the documentation; none if it is no such list.
std::vector<ListField> fields_of(std::string_view list);

}  // namespace cisolve::detail
