// SPDX-License-Identifier: MIT
#include "cisolve/integrals/orbital_labels.hpp"

#include <map>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"

namespace cisolve {
namespace {

/// Two primes become the one character that labels have.
std::string with_double_prime(std::string text) {
  if (text.ends_with("''")) text.replace(text.size() - 2, 2, "\"");
  return text;
}

}  // namespace

std::vector<std::string> orbital_labels(std::span<const int> irreps, const PointGroup& group) {
  std::vector<std::string> labels;
  if (!group.is_known()) return labels;
  std::map<int, int> counts;
  for (const int irrep : irreps) {
    const std::string name = with_double_prime(lower_case(group.irrep_name(irrep + 1)));
    labels.push_back(std::to_string(++counts[irrep]) + name);
  }
  return labels;
}

std::optional<std::size_t> find_orbital(std::string_view label, std::span<const std::string> labels) {
  const std::string typed = with_double_prime(std::string(label));
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (equal_ignoring_case(typed, labels[k])) return k;
  }
  return std::nullopt;
}

std::string orbitals_by_irrep(std::span<const std::string> labels, std::span<const int> irreps) {
  if (labels.size() != irreps.size()) throw DimensionError("orbitals_by_irrep: one label per orbital");
  std::map<int, std::pair<std::string, std::string>> ranges;  // first and last label of each irrep
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto [at, is_first] = ranges.try_emplace(irreps[k], labels[k], labels[k]);
    if (!is_first) at->second.second = labels[k];
  }
  std::string text;
  for (const auto& [irrep, range] : ranges) {
    if (!text.empty()) text += ", ";
    text += range.first;
    if (range.second != range.first) text += " to " + range.second;
  }
  return text;
}

}  // namespace cisolve
