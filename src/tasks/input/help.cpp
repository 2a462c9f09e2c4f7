// SPDX-License-Identifier: MIT
// What the table of keys tells the user: template, explanations, tables.
#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "tasks/input/check.hpp"
#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"

namespace cisolve {

namespace {

std::string kind_names(unsigned kinds) {
  constexpr std::pair<unsigned, std::string_view> names[] = {
      {value_kind::boolean, "boolean"},
      {value_kind::text, "string"},
      {value_kind::integer, "integer"},
      {value_kind::real, "number"},
      {value_kind::integer_list, "list of integers"},
      {value_kind::real_list, "list of numbers"},
      {value_kind::real_rows, "list of lists of numbers"},
      {value_kind::text_list, "list of strings"},
      {value_kind::table, "table"},
      {value_kind::table_list, "list of tables"}};
  std::vector<std::string_view> found;
  for (const auto& [kind, name] : names) {
    if ((kinds & kind) != 0) found.push_back(name);
  }
  return fmt::format("{}", fmt::join(found, " or "));
}

bool is_field(const InputKey& key) { return key.name().find('.') != std::string_view::npos; }

std::string default_text(const InputKey& key) {
  if (key.required) return "none: the key is required";
  if (!key.default_value.empty()) return std::string(key.default_value);
  return std::string(key.default_meaning);
}

/// What a value may be, its unit, and what stands there without it.
std::string facts_of(const InputKey& key) {
  std::string facts = allowed_values(key);
  if (!key.unit.empty()) facts += fmt::format("; {}", key.unit);
  if (key.required) {
    facts += "; required";
  } else if (key.default_value.empty()) {
    facts += "; default: " + default_text(key);
  }
  return facts;
}

/// The fields of the tables of a list, a paragraph each; empty if the key takes none.
std::string describe_fields(const InputKey& list) {
  std::string text;
  for (const auto& [name, key] : detail::fields_of(list.path)) {
    const std::string standard =
        key->default_value.empty() ? "" : fmt::format("; default: {}", key->default_value);
    text +=
        detail::wrapped(fmt::format("{}: {}{}. {}", name, facts_of(*key), standard, key->meaning), "#     ");
  }
  return text;
}

/// @param is_comment  as the header of its section
std::string template_entry(const InputKey& key, bool is_comment) {
  std::string entry = detail::wrapped(key.meaning, "# ");
  entry += detail::wrapped(facts_of(key), "#   ") + describe_fields(key);
  const bool has_default = !key.default_value.empty();
  // What is required stands there too, so that the template is an input once the name is put in.
  const bool active = (has_default || key.required || key.in_template) && !is_comment;
  return entry + fmt::format("{}{} = {}\n\n", active ? "" : "# ", key.name(),
                             has_default ? key.default_value : key.example);
}

/// Texts that a cell of a table takes.
constexpr std::size_t short_text = 120;

std::string markdown_row(const InputKey& key) {
  const bool is_value = !key.default_value.empty();
  const std::string standard = is_value       ? fmt::format("`{}`", key.default_value)
                               : key.required ? "required"
                                              : detail::markdown_cell(key.default_meaning);
  std::string meaning(key.meaning);
  if (!key.details.empty() && key.details.size() <= short_text) meaning += fmt::format(" {}", key.details);
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name(), standard,
                     detail::markdown_cell(allowed_values(key)), key.unit, detail::markdown_cell(meaning));
}

/// The table of a section, and below it what takes more than a line.
std::string markdown_section(std::string_view section) {
  std::string table = "| key | default | allowed | unit | meaning |\n|---|---|---|---|---|\n", details;
  for (const InputKey& key : input_keys()) {
    if (key.section() != section) continue;
    table += markdown_row(key);
    if (key.details.size() > short_text) {
      details += "\n" + detail::wrapped(
                            fmt::format("`{}`: {}", key.name(), detail::markdown_cell(key.details)), "", 110);
    }
  }
  return table + details;
}

std::string explain_section(const InputSection& section) {
  std::string text = fmt::format("[{}]\n{}\n", section.name, detail::wrapped(section.meaning, "  "));
  for (const InputKey& key : input_keys()) {
    if (key.section() == section.name) text += fmt::format("  {:<32}{}\n", key.path, key.meaning);
  }
  return text;
}

std::string explain_key(const InputKey& key) {
  std::string text = fmt::format("{}\n{}\n", key.path, detail::wrapped(key.meaning, "  "));
  text += fmt::format("  type     {}\n", kind_names(key.kinds));
  text += fmt::format("  unit     {}\n", key.unit.empty() ? "none" : key.unit);
  text += fmt::format("  default  {}\n", default_text(key));
  const std::string allowed = detail::wrapped(allowed_values(key), "           ");
  text += "  allowed  " + allowed.substr(std::string_view("  allowed  ").size());
  if (!key.details.empty()) text += "\n" + detail::wrapped(key.details, "  ");
  return text;
}

}  // namespace

namespace {

/// Sections that not every calculation has are comments of the template, and so is one that another takes the place
/// of: that one stands there.
bool is_comment_in_template(const InputSection& section) {
  if (!section.replaced_by.empty()) return true;
  const auto sections = input_sections();
  return section.optional && std::ranges::none_of(sections, [&](const InputSection& other) {
           return !other.replaced_by.empty() && other.replaced_by.front() == section.name;
         });
}

}  // namespace

std::string input_template() {
  std::string text =
      "# Input of cisolve (TOML): every key with its default. Lines that start with\n"
      "# a single # before a key show what may be given where there is no fixed value.\n\n";
  for (const InputKey& key : input_keys()) {
    if (key.section().empty()) text += template_entry(key, false);
  }
  for (const InputSection& section : input_sections()) {
    const bool is_comment = is_comment_in_template(section);
    text += fmt::format("{}[{}]\n{}\n", is_comment ? "# " : "", section.name,
                        detail::wrapped(section.meaning, "# "));
    for (const InputKey& key : input_keys()) {
      const bool is_other =
          !task_of({}).reads(key);  // of another calculation than without a section that asks for one
      if (key.section() == section.name && !is_field(key))
        text += template_entry(key, is_comment || is_other);
    }
  }
  return text;
}

std::string explain_input(std::string_view path) {
  if (path.size() > 2 && path.front() == '[' && path.back() == ']') path = path.substr(1, path.size() - 2);
  if (const InputKey* key = find_input_key(path)) return explain_key(*key);
  for (const InputSection& section : input_sections()) {
    if (section.name == path) return explain_section(section);
  }
  std::vector<const InputKey*> same_name;
  for (const InputKey& key : input_keys()) {
    if (key.name() == path) same_name.push_back(&key);
  }
  if (!same_name.empty()) {
    std::string text;
    for (const InputKey* key : same_name) text += (text.empty() ? "" : "\n") + explain_key(*key);
    return text;
  }
  const std::string near = detail::nearest_key(path);
  throw InputError(fmt::format("{}: there is no such key{} (cisolve explain lists them all)",
                               detail::in_quotes(path),
                               near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

std::string list_input_keys() {
  std::string text;
  for (const InputKey& key : input_keys()) text += fmt::format("{:<28} {}\n", key.path, key.meaning);
  return text;
}

std::string input_keys_markdown() {
  std::string text = "### Outside the sections\n\n" + markdown_section("");
  for (const InputSection& section : input_sections()) {
    text +=
        fmt::format("\n### [{}]\n\n{}\n\n{}", section.name, section.meaning, markdown_section(section.name));
  }
  return text;
}

}  // namespace cisolve
