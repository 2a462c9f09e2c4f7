// SPDX-License-Identifier: MIT
#include "tasks/input/list_path.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cisolve::detail {

std::optional<ListPath> as_list_path(std::string_view path) {
  const auto open = path.find('[');
  const auto close = path.find("].");
  if (close == std::string_view::npos || open > close) return std::nullopt;
  const std::string_view digits = path.substr(open + 1, close - open - 1);
  if (digits.empty() || digits.front() < '1' || digits.front() > '9') return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return ListPath{.list = path.substr(0, open), .number = number, .field = path.substr(close + 2)};
}

std::string list_path(std::string_view list, std::optional<std::size_t> number, std::string_view field) {
  return fmt::format("{}[{}].{}", list, number ? std::to_string(*number) : std::string(), field);
}

std::vector<ListField> fields_of(std::string_view list) {
  const std::string of_all = list_path(list, {}, {});
  std::vector<ListField> fields;
  for (const InputKey& key : input_keys()) {
    if (key.path.starts_with(of_all)) fields.push_back({.name = key.path.substr(of_all.size()), .key = &key});
  }
  return fields;
}

}  // namespace cisolve::detail
