// SPDX-License-Identifier: MIT
#include "tasks/report/configurations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace cisolve::report {
namespace {

/// Whether two determinants are the same but for exchanged spins, with the same weight.
bool are_spin_partners(const LeadingConfiguration& a, const LeadingConfiguration& b) {
  constexpr double same = 1e-4;  // vectors of a solver are as symmetric as they are converged
  const auto is_exchanged = [](char x, char y) { return x == (y == 'u' ? 'd' : y == 'd' ? 'u' : y); };
  return a.occupation != b.occupation && std::abs(a.weight - b.weight) < same &&
         std::ranges::equal(a.occupation, b.occupation, is_exchanged);
}

/// "5b1 -> 2a2" of "5b1(a) -> 2a2(a)"; empty where more than one electron is replaced.
std::string single_without_spin(std::string_view replacement) {
  constexpr std::string_view arrow = " -> ";
  constexpr std::size_t spin = 3;  // characters of "(a)"
  const std::size_t at = replacement.find(arrow);
  if (at == std::string_view::npos) return {};
  const std::string_view hole = replacement.substr(0, at), particle = replacement.substr(at + arrow.size());
  if (hole.find(' ') != std::string_view::npos || particle.find(' ') != std::string_view::npos ||
      !hole.ends_with(')'))
    return {};
  return fmt::format("{}{}{}", hole.substr(0, hole.size() - spin), arrow,
                     particle.substr(0, particle.size() - spin));
}

}  // namespace

ConfigurationStyle style_of(const CiResult& result) {
  constexpr std::size_t most = 24;  // orbitals: half of what a line has room for
  ConfigurationStyle style;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    for (const LeadingConfiguration& found : result.root(k).leading) {
      const std::size_t last = found.occupation.find_last_not_of('0');
      if (last != std::string::npos) style.occupied = std::max(style.occupied, last + 1);
    }
  }
  style.with_occupations = style.occupied <= most;
  return style;
}

std::vector<LeadingConfiguration> merged_by_spin(const std::vector<LeadingConfiguration>& leading) {
  std::vector<LeadingConfiguration> merged;
  std::vector<bool> is_taken(leading.size(), false);
  for (std::size_t k = 0; k < leading.size(); ++k) {
    if (is_taken[k]) continue;
    LeadingConfiguration line = leading[k];
    const std::string single = single_without_spin(line.replacement);
    for (std::size_t other = k + 1; !single.empty() && other < leading.size(); ++other) {
      if (is_taken[other] || !are_spin_partners(line, leading[other])) continue;
      is_taken[other] = true;
      const double weight = line.weight + leading[other].weight;
      // Signs of lines mean something beside each other only if all are of one spin.
      if (!line.replacement.ends_with("(a)")) line = leading[other];
      line.replacement = single + ", either spin";
      line.weight = weight;
      break;
    }
    merged.push_back(std::move(line));
  }
  return merged;
}

}  // namespace cisolve::report
