// SPDX-License-Identifier: MIT
#include "tasks/input/toml.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"
#include "tasks/input/toml_guard.hpp"

namespace cisolve::detail {

namespace {

template <class T>
std::vector<T> values_of(const toml::array& list) {
  std::vector<T> values;
  for (const toml::node& node : list) values.push_back(node.value_or(T()));
  return values;
}

bool is_number(const toml::node& node) { return node.is_number(); }
bool is_table(const toml::node& node) { return node.is_table(); }
bool is_table_or_list(const toml::node& node) { return node.is_table() || node.is_array(); }
bool is_list_of_numbers(const toml::node& node) {
  const toml::array* list = node.as_array();
  return list != nullptr && std::ranges::all_of(*list, is_number);
}

void read_list(const toml::array& list, TomlItem& item) {
  const auto set = [&](unsigned kind, std::string found, InputValue value) {
    item.kind = kind;
    item.found = std::move(found);
    item.value = std::move(value);
  };
  if (list.empty()) {
    set(value_kind::any_list, "an empty list", std::vector<std::int64_t>{});
  } else if (list.is_homogeneous<std::int64_t>()) {
    set(value_kind::integer_list, "a list of integers", values_of<std::int64_t>(list));
  } else if (list.is_homogeneous<std::string>()) {
    set(value_kind::text_list, "a list of strings", values_of<std::string>(list));
  } else if (std::ranges::all_of(list, is_number)) {
    set(value_kind::real_list, "a list of numbers that are not integers", values_of<double>(list));
  } else if (std::ranges::all_of(list, is_list_of_numbers)) {
    std::vector<std::vector<double>> rows;
    for (const toml::node& node : list) rows.push_back(values_of<double>(*node.as_array()));
    set(value_kind::real_rows, "a list of lists of numbers", std::move(rows));
  } else if (std::ranges::all_of(
                 list, [](const toml::node& node) { return node.is_integer() || node.is_string(); })) {
    std::vector<std::string> texts;
    for (const toml::node& node : list) {
      texts.push_back(node.is_string() ? node.value_or<std::string>({})
                                       : fmt::format("{}", node.value_or<std::int64_t>(0)));
    }
    set(value_kind::mixed_list, "a list of integers and strings", std::move(texts));
  } else if (std::ranges::all_of(list, is_table)) {
    set(value_kind::table_list, "a list of tables", InputTable{list.size()});
  } else {
    item.kind = value_kind::mixed_list;
    item.found =
        std::ranges::any_of(list, is_table) ? "a list of tables and other things" : "a list of other things";
  }
}

/// Whether lists may stand among the tables of a key's list, or in place of them.
bool takes_lists(const InputKey* key) { return key != nullptr && !key->list_field.empty(); }

/// A list of tables and lists, where the key takes lists for tables with one field.
void read_tables(const std::string& path, const toml::array& list, TomlItem& item) {
  if (list.empty() || !takes_lists(find_input_key(path)) || !std::ranges::all_of(list, is_table_or_list))
    return;
  item.kind = value_kind::table_list;
  item.found = "a list of tables";
  item.value = InputTable{list.size()};
}

TomlItem read_node(std::string path, const toml::node& node) {
  TomlItem item;
  item.path = std::move(path);
  item.line = node.source().begin.line;
  if (const auto* truth = node.as_boolean()) {
    item.kind = value_kind::boolean;
    item.value = truth->get();
    item.found = truth->get() ? "true" : "false";
  } else if (const auto* integer = node.as_integer()) {
    item.kind = value_kind::integer;
    item.value = integer->get();
    item.found = fmt::format("{}", integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    item.kind = value_kind::real;
    item.value = real->get();
    const bool looks_integer = std::isfinite(real->get()) && real->get() == std::trunc(real->get());
    item.found = fmt::format("{}{}", real->get(), looks_integer ? " with a decimal point" : "");
  } else if (const auto* text = node.as_string()) {
    item.kind = value_kind::text;
    item.value = text->get();
    item.found = "the string " + in_quotes(text->get());
  } else if (const auto* list = node.as_array()) {
    read_list(*list, item);
    read_tables(item.path, *list, item);
  } else if (const auto* table = node.as_table()) {
    item.kind = value_kind::table;
    item.value = InputTable{table->size()};
    item.found = "a table";
  } else {
    item.kind = value_kind::other;
    item.found = "a date or time";
  }
  return item;
}

/// A table whose names are the user's: they are no keys.
void read_counts(const toml::table& table, TomlItem& item) {
  InputTable counts{.size = table.size()};
  for (const auto& [name, node] : table) {
    const auto* count = node.as_integer();
    if (count == nullptr) {
      item.value.reset();
      item.found = fmt::format("a table in which {} is no integer", in_quotes(name.str()));
      return;
    }
    counts.counts.emplace_back(name.str(), count->get());
    if (item.line == 0) item.line = node.source().begin.line;
  }
  item.value = std::move(counts);
}

/// The same with texts in place of numbers.
void read_texts(const toml::table& table, TomlItem& item) {
  InputTable texts{.size = table.size()};
  for (const auto& [name, node] : table) {
    const auto* text = node.as_string();
    if (text == nullptr) {
      item.value.reset();
      item.found = fmt::format("a table in which {} is no string", in_quotes(name.str()));
      return;
    }
    texts.texts.emplace_back(name.str(), text->get());
    if (item.line == 0) item.line = node.source().begin.line;
  }
  item.value = std::move(texts);
}

/// A name as part of a path; one with a dot or a bracket, which TOML has in quotes, is no two names.
std::string part_of_path(std::string_view name) {
  return name.find_first_of(".[") == std::string_view::npos ? std::string(name) : in_quotes(name);
}

/// A node, and below it what keys of their own it has. Not deep: guarded_toml sees to that.
void flatten(const std::string& path, const toml::node& node, std::vector<TomlItem>& items) {
  const std::size_t at = items.size();
  items.push_back(read_node(path, node));
  if (items[at].kind == value_kind::table_list) {
    std::size_t number = 0;
    for (const toml::node& one : *node.as_array()) {
      ++number;
      if (one.is_array()) {
        flatten(list_path(path, number, find_input_key(path)->list_field), one, items);
        continue;
      }
      for (const auto& [name, inner] : *one.as_table())
        flatten(list_path(path, number, part_of_path(name.str())), inner, items);
    }
  }
  if (const toml::table* table = node.as_table()) {
    const InputKey* key = find_input_key(path);
    if (key != nullptr && key->free_names) return read_counts(*table, items[at]);
    if (key != nullptr && key->free_texts) return read_texts(*table, items[at]);
    for (const auto& [name, inner] : *table) flatten(path + "." + part_of_path(name.str()), inner, items);
  }
  // A table made by dotted keys has no line of its own; its first key has.
  if (items[at].line == 0 && at + 1 < items.size()) items[at].line = items[at + 1].line;
}

/// The first word of a line's value that must stand in quotes; empty if there is none.
std::string_view unquoted_word(std::string_view line) {
  std::string_view rest = line.substr(std::min(line.find('='), line.size()));
  if (!rest.empty()) rest.remove_prefix(1);
  constexpr std::string_view blanks = " \t\r,[]";
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty() || std::string_view("\"'{#").find(rest.front()) != std::string_view::npos) return {};
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r,]#"));
    double number = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = error == std::errc() && end == word.data() + word.size();
    const bool has_letter =
        std::ranges::any_of(word, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    if (has_letter && !is_number && word != "true" && word != "false") return word;
    rest.remove_prefix(word.size());
  }
}

std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t k = 1; k < number; ++k)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// @param path  of the only key that is expected; empty: there may be any
std::vector<TomlItem> parse_items(std::string_view text, std::string_view where, bool with_line,
                                  std::string_view path) {
  std::vector<TomlItem> items;
  const auto place = [&](std::uint32_t line) {
    return with_line ? fmt::format("{}:{}", where, line) : std::string(where);
  };
  const auto refuse_unquoted = [&](std::uint32_t line) {
    const std::string_view word = unquoted_word(line_of(text, line));
    if (word.empty()) return;
    throw InputError(fmt::format("{}: texts stand in quotes: \"{}\" instead of {}", place(line),
                                 one_line(word), one_line(word)));
  };
  try {
    const toml::table document = toml::parse(guarded_toml(text));
    if (!path.empty() && document.size() != 1)
      throw InputError(fmt::format("{}: one value is expected", where));
    for (const auto& [name, node] : document)
      flatten(path.empty() ? part_of_path(name.str()) : std::string(path), node, items);
  } catch (const TomlFault& fault) {
    if (fault.is_outside_quotes) refuse_unquoted(fault.line);
    const std::string column = with_line ? fmt::format("column {}: ", fault.column) : std::string();
    throw InputError(
        fmt::format("{}: {}this is not valid TOML: {}", place(fault.line), column, fault.what()));
  } catch (const toml::parse_error& error) {
    refuse_unquoted(error.source().begin.line);
    throw InputError(fmt::format("{}: this is not valid TOML: {}", place(error.source().begin.line),
                                 one_line(error.description())));
  }
  std::ranges::stable_sort(items, {}, &TomlItem::line);
  return items;
}

}  // namespace

std::vector<TomlItem> parse_toml(std::string_view text, std::string_view where, bool with_line) {
  return parse_items(text, where, with_line, {});
}

std::vector<TomlItem> parse_toml_value(std::string_view value, std::string_view path,
                                       std::string_view where) {
  return parse_items(fmt::format("value = {}", value), where, false, path);
}

}  // namespace cisolve::detail
