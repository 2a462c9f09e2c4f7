// SPDX-License-Identifier: MIT
#include "cisolve/core/names.hpp"

#include <algorithm>

namespace cisolve {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), lower);
  return lowered;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, {}, lower, lower);
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t enough) {
  const std::size_t lengths = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (lengths >= enough) return lengths;
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
      least = std::min(least, at(i, j));
    }
    // A row is made from the two before it.
    if (std::min(least, least_before) >= enough) return enough;
    least_before = least;
  }
  return at(a.size(), b.size());
}

const std::string& nearest_name(std::string_view text, const std::vector<std::string>& names) {
  const std::string wanted = lower_case(text);
  return *std::ranges::min_element(
      names, {}, [&](const std::string& name) { return edit_distance(wanted, lower_case(name)); });
}

std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words) {
  constexpr std::size_t longest = 80;  // of a name worth comparing; the table is quadratic
  if (text.size() > longest) return {};
  const std::string wanted = lower_case(text);
  std::string_view nearest;
  std::size_t least = text.size() / 3 + 2;
  for (const std::string_view word : words) {
    const std::size_t distance = edit_distance(wanted, lower_case(word), least);
    if (distance < least && distance < std::max(word.size(), text.size())) {
      least = distance;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace cisolve
