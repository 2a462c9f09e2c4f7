// SPDX-License-Identifier: MIT
#include "tasks/files/deciding_lines.hpp"

#include <algorithm>
#include <sstream>

namespace cisolve {

std::vector<std::string> DecidingLines::of(const std::string& resolved) const {
  std::vector<std::string> lines;
  std::istringstream stream(resolved);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('[') && line.ends_with(']') && line.find(' ') == std::string::npos) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    if (line.empty() || line.starts_with('#') || section.empty() ||
        std::ranges::find(sections, section) == sections.end())
      continue;
    const std::string_view key = std::string_view(line).substr(0, line.find(' '));
    if (section == section_with_free_keys && std::ranges::find(free_keys, key) != free_keys.end()) continue;
    lines.push_back(section + "." + line);
  }
  return lines;
}

}  // namespace cisolve
