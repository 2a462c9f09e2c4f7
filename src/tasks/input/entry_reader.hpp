// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cisolve/core/error.hpp"
#include "tasks/input/entries.hpp"

namespace cisolve::detail {

/// Entries whose kinds have been checked against the table, so that the get of a variant fits.
class EntryReader {
public:
  explicit EntryReader(const EntryMap& entries) : entries_(entries) {}

  bool has(std::string_view path) const { return entries_.contains(path); }
  /// Whether the input has the key, rather than its default.
  bool is_given(std::string_view path) const { return has(path) && !entry(path).is_default; }
  const InputValue& value(std::string_view path) const { return entry(path).value; }
  const std::string& where(std::string_view path) const { return entry(path).where; }

  template <class T>
  const T& get(std::string_view path) const {
    return std::get<T>(value(path));
  }
  int integer(std::string_view path) const { return static_cast<int>(get<std::int64_t>(path)); }
  std::optional<int> optional_integer(std::string_view path) const {
    return has(path) ? std::optional(integer(path)) : std::nullopt;
  }
  std::optional<std::vector<int>> optional_integers(std::string_view path) const {
    return has(path) ? std::optional(integers(path)) : std::nullopt;
  }
  std::vector<int> integers(std::string_view path) const {
    const auto& numbers = get<std::vector<std::int64_t>>(path);
    std::vector<int> converted;
    for (const std::int64_t number : numbers) converted.push_back(static_cast<int>(number));
    return converted;
  }

  /// One text or a list of them, or those of a table; empty if it is not given.
  std::vector<std::string> texts(std::string_view path) const {
    if (!has(path)) return {};
    if (const auto* table = std::get_if<InputTable>(&value(path))) {
      std::vector<std::string> found;
      for (const auto& [name, text] : table->texts) found.push_back(text);
      return found;
    }
    if (const auto* list = std::get_if<std::vector<std::string>>(&value(path))) return *list;
    const auto* text = std::get_if<std::string>(&value(path));
    return text != nullptr ? std::vector{*text} : std::vector<std::string>();
  }

  /// "h2o.inp:9: scan.coordinate", to begin a message.
  std::string begin(std::string_view path) const { return fmt::format("{}: {}", where(path), path); }

  /// Does something with the value of a key; what it refuses begins with that key.
  template <class Work>
  auto locating(std::string_view path, Work&& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", begin(path), error.what()));
    }
  }

  /// Refuses an inline table that lacks one of the fields it needs.
  /// @param what     that it would be: "CAS"
  /// @param example  "reference = { electrons = 4, orbitals = 4 }"
  void require_all(std::span<const std::string> fields, std::string_view what,
                   std::string_view example) const {
    for (const std::string& field : fields) {
      if (has(field)) continue;
      for (const std::string& given : fields) {
        if (has(given))
          refuse(given, fmt::format("alone is no {}; \"{}\" is missing, as in {}", what, field, example));
      }
    }
  }

  [[noreturn]] void refuse(std::string_view path, std::string_view what) const {
    throw InputError(fmt::format("{} {}", begin(path), what));
  }

private:
  const InputEntry& entry(std::string_view path) const {
    const auto found = entries_.find(path);
    if (found == entries_.end()) throw Error(fmt::format("{} was looked up, but is not given", path));
    return found->second;
  }

  const EntryMap& entries_;
};

/// Text of a key that must not be empty, such as a path.
inline const std::string& needed_text(const EntryReader& reader, std::string_view path) {
  const std::string& text = reader.get<std::string>(path);
  if (text.empty()) reader.refuse(path, "is empty; a path is expected");
  return text;
}

}  // namespace cisolve::detail
