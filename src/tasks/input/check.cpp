// SPDX-License-Identifier: MIT
#include "tasks/input/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

namespace {

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const InputSection& section : input_sections()) names.push_back(section.name);
  return names;
}

bool is_section(std::string_view path) {
  const auto names = section_names();
  return std::ranges::find(names, path) != names.end();
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? std::string() : fmt::format("; did you mean {}?", name);
}

/// Refuses a field of one of a list's tables.
[[noreturn]] void refuse_field(const TomlItem& item, const ListPath& path, const std::string& where) {
  std::vector<std::string_view> names;
  for (const ListField& field : fields_of(path.list)) names.push_back(field.name);
  const std::string_view near = nearest_word(path.field, names);
  throw InputError(fmt::format("{}: unknown key \"{}\"{} (fields of {}: {})", where, one_line(item.path),
                               did_you_mean(near.empty() ? std::string() : fmt::format("\"{}\"", near)),
                               path.list, fmt::join(names, ", ")));
}

[[noreturn]] void refuse_unknown(const TomlItem& item, const std::string& where) {
  if (const auto path = as_list_path(item.path); path && find_input_key(path->list) != nullptr)
    refuse_field(item, *path, where);
  const auto dot = item.path.find('.');
  if (dot == std::string::npos && item.kind == value_kind::table) {
    const auto names = section_names();
    const std::string_view near = nearest_word(item.path, names);
    throw InputError(fmt::format("{}: unknown section [{}]{} (sections: {})", where, one_line(item.path),
                                 near.empty() ? "" : fmt::format("; did you mean [{}]?", near),
                                 fmt::join(names, ", ")));
  }
  const std::string section = dot == std::string::npos ? "" : item.path.substr(0, dot);
  std::vector<std::string_view> names;
  for (const InputKey& key : input_keys()) {
    if (key.section() == section) names.push_back(key.name());
  }
  std::string known = fmt::format("keys of [{}]", section);
  if (section.empty()) known = "outside the sections";
  if (names.empty()) {
    known = "sections";
    names = section_names();
  }
  throw InputError(fmt::format("{}: unknown key \"{}\"{} ({}: {})", where, one_line(item.path),
                               did_you_mean(nearest_key(item.path)), known, fmt::join(names, ", ")));
}

[[noreturn]] void refuse_value(const InputKey& key, const TomlItem& item, const std::string& where,
                               std::string_view near = {}) {
  throw InputError(fmt::format("{}: {} must be {}; found {}{}", where, item.path, allowed_values(key),
                               item.found, near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

bool in_range(const InputKey& key, double number) {
  const bool above = key.above_minimum ? number > key.minimum : number >= key.minimum;
  return std::isfinite(number) && above && number <= key.maximum;
}

/// Integers become int in the configuration but where they are wide.
bool in_range(const InputKey& key, std::int64_t number) {
  const std::int64_t largest =
      key.is_wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
  return number <= largest && number >= -largest && in_range(key, static_cast<double>(number));
}

void check_text(const InputKey& key, const TomlItem& item, const std::string& where) {
  if (key.words.empty()) return;
  const std::string wanted = lower_case(std::get<std::string>(*item.value));
  for (const std::string_view word : key.words) {
    if (wanted == lower_case(word)) return;
  }
  for (const auto& [written, meant] : key.misnomers) {
    if (wanted == written) refuse_value(key, item, where, meant);
  }
  refuse_value(key, item, where, nearest_word(wanted, key.words));
}

void check_integers(const InputKey& key, TomlItem item, const std::string& where) {
  auto numbers = std::get<std::vector<std::int64_t>>(*item.value);
  for (const std::int64_t number : numbers) {
    // Orbitals count from 1.
    if (!in_range(key, number) || (!key.counts && number < 1)) {
      item.found = fmt::format("{} in the list", number);
      refuse_value(key, item, where);
    }
  }
  if (key.counts) return;
  std::ranges::sort(numbers);
  const auto twice = std::ranges::adjacent_find(numbers);
  if (twice != numbers.end()) {
    item.found = fmt::format("{} twice in the list", *twice);
    refuse_value(key, item, where);
  }
}

void check_texts(const InputKey& key, const InputTable& table, TomlItem item, const std::string& where) {
  if (table.texts.empty()) {
    item.found = "an empty table";
    refuse_value(key, item, where);
  }
  for (const auto& [name, text] : table.texts) {
    if (!text.empty()) continue;
    item.found = fmt::format("an empty string for {}", in_quotes(name));
    refuse_value(key, item, where);
  }
}

void check_value(const InputKey& key, const TomlItem& item, const std::string& where) {
  const bool is_real = (item.kind == value_kind::integer && (key.kinds & value_kind::real) != 0) ||
                       (item.kind == value_kind::integer_list && (key.kinds & value_kind::real_list) != 0);
  if (((item.kind & key.kinds) == 0 && !is_real) || !item.value) refuse_value(key, item, where);
  if (item.kind == value_kind::text) check_text(key, item, where);
  if (const auto* number = std::get_if<std::int64_t>(&*item.value)) {
    const bool good = is_real ? in_range(key, static_cast<double>(*number)) : in_range(key, *number);
    if (!good) refuse_value(key, item, where);
  }
  if (const auto* number = std::get_if<double>(&*item.value)) {
    if (!in_range(key, *number)) refuse_value(key, item, where);
  }
  if (const auto* table = std::get_if<InputTable>(&*item.value); table != nullptr && key.free_names) {
    for (const auto& [name, count] : table->counts) {
      if (in_range(key, count)) continue;
      TomlItem bad = item;
      bad.found = fmt::format("{} = {} in the table", one_line(name), count);
      refuse_value(key, bad, where);
    }
  }
  if (const auto* table = std::get_if<InputTable>(&*item.value); table != nullptr && key.free_texts)
    check_texts(key, *table, item, where);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&*item.value);
      numbers != nullptr && is_real) {
    if (!std::ranges::all_of(*numbers, [&](std::int64_t n) { return in_range(key, static_cast<double>(n)); }))
      refuse_value(key, item, where);
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&*item.value)) {
    if (!std::ranges::all_of(*numbers, [&](double number) { return in_range(key, number); }))
      refuse_value(key, item, where);
  }
  if (const auto* rows = std::get_if<std::vector<std::vector<double>>>(&*item.value)) {
    const auto is_good = [&](double number) { return in_range(key, number); };
    if (!std::ranges::all_of(*rows, [&](const auto& row) { return std::ranges::all_of(row, is_good); }))
      refuse_value(key, item, where);
  }
  if ((key.kinds & value_kind::integer_list) != 0 && (item.kind & value_kind::integer_list) != 0) {
    check_integers(key, item, where);
  }
}

}  // namespace

std::string nearest_key(std::string_view path) {
  const auto dot = path.find('.');
  const std::string_view section = dot == std::string_view::npos ? "" : path.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  std::string_view nearest;
  std::size_t least = name.size() / 3 + 2;
  constexpr std::size_t longest = 80;  // of a name worth comparing
  if (path.size() > longest) return {};
  const std::string lower_name = lower_case(name), lower_path = lower_case(path);
  for (const InputKey& key : input_keys()) {
    // A right name in another section is one mistake, whatever the two sections are called.
    const std::size_t elsewhere = key.section() == section ? 0 : 1;
    const std::size_t by_name = edit_distance(lower_name, key.name(), least) + elsewhere;
    const std::size_t distance = std::min(by_name, edit_distance(lower_path, key.path, least));
    if (distance < least) {
      least = distance;
      nearest = key.path;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("\"{}\"", nearest);
}

void check_item(const TomlItem& item, const std::string& where) {
  if (is_section(item.path)) {
    if (item.kind == value_kind::table) return;
    throw InputError(fmt::format("{}: \"{}\" must be a section [{}] with keys; found {}", where, item.path,
                                 item.path, item.found));
  }
  const InputKey* key = find_input_key(item.path);
  if (key == nullptr) refuse_unknown(item, where);
  check_value(*key, item, where);
}

}  // namespace cisolve::detail
