// SPDX-License-Identifier: MIT
#include "cisolve/tasks/input/input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "core/text_file.hpp"
#include "tasks/input/check.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"
#include "tasks/input/toml.hpp"
#include "tasks/input/toml_guard.hpp"

namespace cisolve {

namespace {

/// Stores an item that has been checked. Sections hold nothing themselves.
void store(const detail::TomlItem& item, const std::string& where, Input& input) {
  const InputKey* key = find_input_key(item.path);
  if (key == nullptr) return;
  const bool has_fields = item.kind == value_kind::table && std::get<InputTable>(*item.value).size > 0;
  if (has_fields && !key->free_names && !key->free_texts) return;
  InputValue value = *item.value;
  if (std::holds_alternative<std::int64_t>(value) && (key->kinds & value_kind::integer) == 0) {
    value = static_cast<double>(std::get<std::int64_t>(value));
  }
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
      numbers != nullptr && (key->kinds & value_kind::real_list) != 0) {
    value = std::vector<double>(numbers->begin(), numbers->end());
  }
  const bool is_empty_list = item.kind == value_kind::any_list;
  if (is_empty_list && (key->kinds & value_kind::real_rows) != 0) value = std::vector<std::vector<double>>{};
  if (is_empty_list && (key->kinds & value_kind::table_list) != 0) value = InputTable{};
  if (auto* text = std::get_if<std::string>(&value)) {
    for (const std::string_view word : key->words) {  // in the spelling of the table
      if (lower_case(*text) == lower_case(word)) *text = word;
    }
  }
  input.entries[item.path] = {std::move(value), where};
}

/// What an override sets replaces the whole key: a CAS given by its fields, too, and the other way round.
void erase_replaced(std::string_view path, Input& input) {
  const auto dot = path.rfind('.');
  const bool is_field = find_input_key(path.substr(0, dot)) != nullptr;
  if (is_field) input.entries.erase(std::string(path.substr(0, dot)));
  const std::string fields = std::string(path) + ".", tables = std::string(path) + "[";
  std::erase_if(input.entries, [&](const auto& entry) {
    return entry.first == path || entry.first.starts_with(fields) || entry.first.starts_with(tables);
  });
}

std::vector<detail::TomlItem> override_items(const InputOverride& option) {
  const InputKey* key = find_input_key(option.key);
  const bool takes_text = key != nullptr && (key->kinds & value_kind::text) != 0;
  const auto as_text = [&] {
    return detail::parse_toml_value(detail::toml_string(option.value), option.key, option.where);
  };
  if (option.is_literal_text) return as_text();
  const auto first = option.value.find_first_not_of(" \t");
  if (first == std::string::npos) throw InputError(option.where + ": the value is missing");
  try {
    auto items = detail::parse_toml_value(option.value, option.key, option.where);
    // --set title=2023 means the text, where a key takes texts but no numbers.
    if (takes_text && (items.front().kind & key->kinds) == 0 &&
        (items.front().kind &
         (value_kind::integer | value_kind::real | value_kind::boolean | value_kind::other)) != 0) {
      return as_text();
    }
    return items;
  } catch (const InputError&) {
    // Whatever opens a quote or a bracket was meant as TOML; anything else is a bare word.
    if (std::string_view("\"'[{").find(option.value[first]) != std::string_view::npos) throw;
    return as_text();
  }
}

/// Refuses a field of a table that its list does not have.
void require_table(const InputOverride& option, const Input& input) {
  const InputKey* key = find_input_key(option.key);
  if (key == nullptr || !key->is_in_list()) return;
  const std::string list = option.key.substr(0, option.key.find('['));
  const auto given = input.entries.find(list);
  const std::size_t count = given == input.entries.end() ? 0 : std::get<InputTable>(given->second.value).size;
  const auto path = detail::as_list_path(option.key);
  if (path && path->number <= count) return;
  const std::string known = count == 0 ? "no tables" : fmt::format("tables 1 to {}", count);
  throw InputError(fmt::format("{}: {} has {}; {} is a field of {}", option.where, list, known,
                               detail::one_line(option.key), path ? "another" : "none of them"));
}

void apply_override(const InputOverride& option, Input& input) {
  require_table(option, input);
  const auto items = override_items(option);
  for (const auto& item : items) detail::check_item(item, option.where);
  if (find_input_key(option.key) == nullptr) {
    throw InputError(fmt::format("{}: [{}] is a section; set its keys one by one", option.where, option.key));
  }
  erase_replaced(option.key, input);
  for (const auto& item : items) store(item, option.where, input);
}

/// The section that asks for a calculation which reads the key.
std::string_view asking_section(const InputKey& key) {
  const auto task = std::ranges::find_if(tasks(), [&](const Task& one) { return one.reads(key); });
  return task == tasks().end() ? std::string_view() : task->asked_by;
}

/// Refuses a section or key of another task's calculations.
/// @param what  "[molecule]"
[[noreturn]] void refuse_foreign(const std::string& where, const std::string& what, const InputKey& key,
                                 const Task& task) {
  if (!task.asked_by.empty())
    throw InputError(
        fmt::format("{}: {} does not go with [{}]; take one of them out", where, what, task.asked_by));
  throw InputError(
      fmt::format("{}: {} is for [{}], and there is no such section", where, what, asking_section(key)));
}

/// Refuses sections and keys that are not the task's.
void require_own(const Input& input, const Task& task) {
  for (const auto& [name, line] : input.sections) {
    const auto is_in = [&name = name](const InputKey& key) { return key.section() == name; };
    const auto first = std::ranges::find_if(input_keys(), is_in);
    const bool is_own =
        std::ranges::any_of(input_keys(), [&](const InputKey& key) { return is_in(key) && task.reads(key); });
    if (!is_own)
      refuse_foreign(fmt::format("{}:{}", input.source_name, line), "[" + name + "]", *first, task);
  }
  for (const auto& [path, entry] : input.entries) {
    const InputKey& key = *find_input_key(path);
    if (!task.reads(key)) refuse_foreign(entry.where, path, key, task);
  }
}

}  // namespace

InputOverride parse_override(std::string_view assignment) {
  const auto trimmed = [](std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  };
  const auto equals = assignment.find('=');
  const std::string_view key = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || key.empty()) {
    throw InputError(fmt::format("--set {}: expected section.key=value, such as solver.tolerance=1e-8",
                                 detail::one_line(assignment)));
  }
  return {.key = std::string(key),
          .value = std::string(trimmed(assignment.substr(equals + 1))),
          .where = "--set " + detail::one_line(assignment)};
}

Input parse_input(std::string text, std::string source_name, const std::vector<InputOverride>& overrides) {
  Input input{.text = std::move(text), .source_name = std::move(source_name), .entries = {}, .sections = {}};
  const auto items = detail::parse_toml(input.text, input.source_name);
  for (const auto& item : items) {
    const std::string where = fmt::format("{}:{}", input.source_name, item.line);
    detail::check_item(item, where);
    if (item.kind == value_kind::table && item.path.find('.') == std::string::npos) {
      input.sections.emplace(item.path, item.line);
    }
    store(item, where, input);
  }
  for (const InputOverride& option : overrides) apply_override(option, input);
  const Task& task = task_of(input);
  require_own(input, task);
  task.require_sections(input);
  return input;
}

std::string with_place(std::string message, const Input& input) {
  const auto is_of_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("_.[]").find(c) != std::string_view::npos;
  };
  const std::string key(message.begin(), std::ranges::find_if_not(message, is_of_key));
  if (find_input_key(key) == nullptr) return message;
  // A table that was given by its fields has no entry of its own.
  const auto entry = input.entries.lower_bound(key);
  const bool is_given =
      entry != input.entries.end() && (entry->first == key || entry->first.starts_with(key + "."));
  return (is_given ? entry->second.where : input.source_name) + ": " + std::move(message);
}

Input read_input(const std::filesystem::path& file, const std::vector<InputOverride>& overrides) {
  std::string text = detail::read_text_file(file, "an input file", detail::most_toml);
  return parse_input(std::move(text), file.string(), overrides);
}

}  // namespace cisolve
