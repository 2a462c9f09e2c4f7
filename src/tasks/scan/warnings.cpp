// SPDX-License-Identifier: MIT
#include "tasks/scan/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cisolve {
namespace {

/// "1, 3 to 7" of ascending numbers.
std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[k]);
    if (last > k) text += fmt::format(" to {}", numbers[last]);
    k = last + 1;
  }
  return text;
}

/// "point 3", "points 1, 3 to 7".
std::string points_text(const std::vector<int>& numbers) {
  return fmt::format("point{} {}", numbers.size() == 1 ? "" : "s", ranges(numbers));
}

/// Where the SCF changes its occupation, the curve has a kink, or two branches.
void warn_of_occupations(ScanResult& scan) {
  const ScanPoint* before = nullptr;
  int before_number = 0;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& here = scan.points[number - 1];
    if (here.doubly_occupied.empty()) continue;
    if (before != nullptr && (here.doubly_occupied != before->doubly_occupied ||
                              here.singly_occupied != before->singly_occupied)) {
      scan.warnings.push_back(fmt::format(
          "the occupation of the irreps changes between points {} and {}: the SCF curve has a kink there; "
          "molecule.doubly_occupied keeps it the same",
          before_number, number));
    }
    before = &here;
    before_number = number;
  }
}

/// Curves should not depend on where a scan begins; where they do, that is said.
void warn_of_states(ScanResult& scan, bool follow_scf) {
  std::vector<int> higher;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    if (scan.points[number - 1].scf_note.find("fresh SCF") != std::string::npos) higher.push_back(number);
  }
  if (higher.empty()) return;
  scan.warnings.push_back(
      fmt::format("the SCF state at {} is not the one that a point alone has{}; the table says by how much",
                  points_text(higher), follow_scf ? " (scan.scf_state = \"follow\")" : ""));
}

/// Warnings of the points: each kind once, as the first point has it.
void warn_of_points(ScanResult& scan) {
  struct Kind {
    std::string text;
    std::vector<int> points;
    bool varies = false;
  };
  std::vector<std::pair<std::string, Kind>> kinds;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    for (const std::string& warning : scan.points[number - 1].warnings) {
      std::string without = warning;
      std::erase_if(without, [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.'; });
      auto found = std::ranges::find(kinds, without, &std::pair<std::string, Kind>::first);
      if (found == kinds.end()) found = kinds.insert(kinds.end(), {without, {warning, {}, false}});
      Kind& kind = found->second;
      kind.varies = kind.varies || warning != kind.text;
      if (kind.points.empty() || kind.points.back() != number) kind.points.push_back(number);
    }
  }
  for (const auto& [without, kind] : kinds) {
    scan.warnings.push_back(fmt::format(
        "{}{}: {}", points_text(kind.points),
        kind.varies ? fmt::format(" (numbers of point {})", kind.points.front()) : "", kind.text));
  }
}

}  // namespace

void add_scan_warnings(ScanResult& scan, bool follow_scf) {
  warn_of_states(scan, follow_scf);
  warn_of_occupations(scan);
  warn_of_points(scan);
}

}  // namespace cisolve
