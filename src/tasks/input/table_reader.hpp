// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/entry_reader.hpp"
#include "tasks/input/list_path.hpp"

namespace cisolve::detail {

/// One of the tables of a list, by its fields.
class TableReader {
public:
  /// @param number  from 1
  /// @throws InputError if it lacks a field that is required
  TableReader(const EntryReader& reader, std::string_view list, std::size_t number)
      : reader_(reader), list_(list), number_(number) {
    for (const ListField& field : fields_of(list)) {
      if (field.key->required && !has(field.name))
        throw InputError(fmt::format("{}: {}[{}] has no {}, which must be {}", reader.where(list), list,
                                     number, field.name, allowed_values(*field.key)));
    }
  }

  /// "crystal.types[2].radius"
  std::string path(std::string_view field) const { return list_path(list_, number_, field); }
  bool has(std::string_view field) const { return reader_.has(path(field)); }
  const InputValue& value(std::string_view field) const { return reader_.value(path(field)); }

  template <class T>
  const T& get(std::string_view field) const {
    return reader_.get<T>(path(field));
  }
  int integer(std::string_view field) const { return reader_.integer(path(field)); }

  /// Does something with the value of a field; what it refuses begins with that field.
  template <class Work>
  auto locating(std::string_view field, Work&& work) const {
    return reader_.locating(path(field), std::forward<Work>(work));
  }
  [[noreturn]] void refuse(std::string_view field, std::string_view what) const {
    reader_.refuse(path(field), what);
  }

private:
  const EntryReader& reader_;
  std::string list_;
  std::size_t number_;
};

/// The tables of a list, which must not be empty.
inline std::vector<TableReader> tables_of(const EntryReader& reader, std::string_view list) {
  const std::size_t count = reader.get<InputTable>(list).size;
  if (count == 0) reader.refuse(list, "is empty; it needs at least one table");
  std::vector<TableReader> tables;
  for (std::size_t number = 1; number <= count; ++number) tables.emplace_back(reader, list, number);
  return tables;
}

}  // namespace cisolve::detail
