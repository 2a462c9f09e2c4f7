// SPDX-License-Identifier: MIT
#include "cisolve/tasks/input/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tasks/input/list_path.hpp"
#include "tasks/input/text.hpp"

namespace cisolve {

std::string_view InputKey::section() const {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view InputKey::name() const {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool InputKey::is_in_list() const { return path.find("[]") != std::string_view::npos; }

std::span<const InputKey> input_keys() {
  static const std::vector<InputKey> keys = [] {
    std::vector<InputKey> all = {{"title",
                                  value_kind::text,
                                  "A title for the report and the result file.",
                                  {.default_value = "\"\""}}};
    for (const InputSection& section : input_sections()) {
      all.insert(all.end(), section.keys.begin(), section.keys.end());
    }
    return all;
  }();
  return keys;
}

const InputKey* find_input_key(std::string_view path) {
  const auto keys = input_keys();
  const auto in_list = detail::as_list_path(path);
  const std::string of_all =
      in_list ? detail::list_path(in_list->list, {}, in_list->field) : std::string(path);
  const auto found = std::ranges::find(keys, of_all, &InputKey::path);
  return found == keys.end() ? nullptr : &*found;
}

std::string allowed_values(const InputKey& key) {
  if (!key.allowed.empty()) return std::string(key.allowed);
  std::string range;
  if (std::isfinite(key.minimum) && std::isfinite(key.maximum)) {
    range = key.above_minimum ? fmt::format(" above {}, at most {}", key.minimum, key.maximum)
                              : fmt::format(" from {} to {}", key.minimum, key.maximum);
  } else if (std::isfinite(key.minimum) && key.minimum > -1e9) {
    range = fmt::format(" {} {}", key.above_minimum ? ">" : ">=", key.minimum);
  }
  std::vector<std::string> choices;
  if ((key.kinds & value_kind::boolean) != 0) choices.emplace_back("true or false");
  if ((key.kinds & value_kind::text) != 0) {
    choices.push_back(key.words.empty() ? "a string" : detail::quoted_choices(key.words));
  }
  if ((key.kinds & value_kind::integer) != 0) choices.push_back("an integer" + range);
  if ((key.kinds & value_kind::real) != 0) choices.push_back("a number" + range);
  if ((key.kinds & value_kind::integer_list) != 0) choices.push_back("a list of integers" + range);
  if ((key.kinds & value_kind::real_list) != 0) choices.push_back("a list of numbers" + range);
  if ((key.kinds & value_kind::real_rows) != 0) choices.push_back("a list of lists of numbers" + range);
  if ((key.kinds & value_kind::text_list) != 0) choices.emplace_back("a list of strings");
  if ((key.kinds & value_kind::table) != 0) choices.emplace_back("a table");
  if ((key.kinds & value_kind::table_list) != 0) choices.emplace_back("a list of tables");
  return fmt::format("{}", fmt::join(choices, " or "));
}

}  // namespace cisolve
