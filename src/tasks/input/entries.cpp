// SPDX-License-Identifier: MIT
#include "tasks/input/entries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"
#include "tasks/input/toml.hpp"

namespace cisolve::detail {

namespace {

std::string toml_value(bool truth) { return truth ? "true" : "false"; }
std::string toml_value(std::int64_t number) { return std::to_string(number); }
std::string toml_value(const std::string& text) { return toml_string(text); }
std::string toml_value(const InputTable& table) {
  std::vector<std::string> fields;
  for (const auto& [name, count] : table.counts)
    fields.push_back(fmt::format("{} = {}", toml_string(name), count));
  for (const auto& [name, text] : table.texts)
    fields.push_back(fmt::format("{} = {}", toml_string(name), toml_string(text)));
  return fields.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(fields, ", "));
}

/// Shortest text that reads back as the same number, as TOML wants it: with a point or an exponent.
std::string toml_value(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

template <class T>
std::string toml_value(const std::vector<T>& list) {
  std::vector<std::string> texts;
  for (const T& element : list) texts.push_back(toml_value(element));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string toml_value(const InputValue& value) {
  return std::visit([](const auto& held) { return toml_value(held); }, value);
}

/// A list of tables, one a line, each with its fields in the order of the documentation.
std::string table_list(std::string_view list, const EntryMap& entries) {
  const std::size_t count = std::get<InputTable>(entries.find(list)->second.value).size;
  const std::vector<ListField> fields = fields_of(list);
  std::string lines;
  for (std::size_t number = 1; number <= count; ++number) {
    std::vector<std::string> given;
    for (const ListField& field : fields) {
      const auto entry = entries.find(list_path(list, number, field.name));
      if (entry != entries.end())
        given.push_back(fmt::format("{} = {}", field.name, toml_value(entry->second.value)));
    }
    lines += given.empty() ? "  {},\n" : fmt::format("  {{ {} }},\n", fmt::join(given, ", "));
  }
  return "[\n" + lines + "]";
}

/// The fields of an inline table that was given by its fields; empty if it was not.
std::string inline_table(std::string_view path, const EntryMap& entries) {
  std::string fields;
  const std::string prefix = std::string(path) + ".";
  for (auto at = entries.lower_bound(prefix); at != entries.end() && at->first.starts_with(prefix); ++at) {
    fields += fmt::format("{}{} = {}", fields.empty() ? "" : ", ", at->first.substr(prefix.size()),
                          toml_value(at->second.value));
  }
  return fields.empty() ? std::string() : "{ " + fields + " }";
}

}  // namespace

bool has_section(const EntryMap& entries, std::string_view section) {
  return std::ranges::any_of(entries, [&](const auto& entry) {
    return entry.first.starts_with(section) && entry.first.substr(section.size()).starts_with('.');
  });
}

namespace {

/// Whether a calculation does not have the section.
/// @param has  whether a section is given
template <class Has>
bool is_unused(std::string_view name, const Has& has) {
  const auto sections = input_sections();
  const auto section = std::ranges::find(sections, name, &InputSection::name);
  if (section == sections.end()) return false;  // keys outside the sections
  if (section->optional) return !has(name);
  return std::ranges::any_of(section->replaced_by, has);
}

/// The default of every key that has one, as a value.
const std::map<std::string_view, InputValue>& default_values() {
  static const std::map<std::string_view, InputValue> values = [] {
    std::map<std::string_view, InputValue> all;
    for (const InputKey& key : input_keys()) {
      if (!key.default_value.empty())
        all.emplace(key.path, *parse_toml_value(key.default_value, key.path, key.path).front().value);
    }
    return all;
  }();
  return values;
}

}  // namespace

EntryMap with_defaults(const Input& input) {
  EntryMap entries = input.entries;
  const Task& task = task_of(input);
  const auto is_given = [&](std::string_view section) {
    return input.sections.contains(section) || has_section(input.entries, section);
  };
  for (const InputKey& key : input_keys()) {
    if (key.default_value.empty() || key.is_in_list() || !task.reads(key)) continue;
    if (is_unused(key.section(), is_given) || entries.contains(key.path)) continue;
    const bool has_fields = !inline_table(key.path, entries).empty();
    if (has_fields) continue;
    entries[std::string(key.path)] = {default_values().at(key.path), input.source_name, true};
  }
  return entries;
}

std::string resolved_toml(const EntryMap& entries, const Task& task) {
  const auto is_given = [&](std::string_view section) { return has_section(entries, section); };
  std::string text;
  std::string_view section;
  for (const InputKey& key : input_keys()) {
    if (!task.reads(key) || is_unused(key.section(), is_given)) continue;
    if (key.name().find('.') != std::string_view::npos) continue;  // within its table
    if (key.section() != section) {
      section = key.section();
      text += fmt::format("\n[{}]\n", section);
    }
    const std::string fields = inline_table(key.path, entries);
    if (const auto entry = entries.find(key.path); entry != entries.end()) {
      const bool is_list = (key.kinds & value_kind::table_list) != 0;
      text += fmt::format("{} = {}\n", key.name(),
                          is_list ? table_list(key.path, entries) : toml_value(entry->second.value));
    } else if (!fields.empty()) {
      text += fmt::format("{} = {}\n", key.name(), fields);
    } else {
      text += fmt::format("# {}: {}\n", key.name(), key.default_meaning);
    }
  }
  return text;
}

}  // namespace cisolve::detail
