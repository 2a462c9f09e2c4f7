// SPDX-License-Identifier: MIT
#include "tasks/vmc/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Lines of a resolved input that decide what is sampled, each with its section.
std::vector<std::string> lines_that_decide(const std::string& resolved) {
  constexpr std::array<std::string_view, 4> sections = {"lattice", "vmc", "optimisation", "states"};
  constexpr std::array<std::string_view, 2> free = {"sweeps", "target_error"};  // how long
  std::vector<std::string> lines;
  std::istringstream stream(resolved);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('[') && line.ends_with(']') && line.find(' ') == std::string::npos) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    if (line.empty() || line.starts_with('#') || std::ranges::find(sections, section) == sections.end())
      continue;
    const std::string_view key = std::string_view(line).substr(0, line.find(' '));
    if (section == "vmc" && std::ranges::find(free, key) != free.end()) continue;
    lines.push_back(section + "." + line);
  }
  return lines;
}

void require_same_run(const FoundState& found, const VmcConfig& config) {
  const auto there = lines_that_decide(found.resolved), here = lines_that_decide(config.resolved_text);
  const auto [a, b] = std::ranges::mismatch(there, here);
  if (a == there.end() && b == here.end()) return;
  throw InputError(fmt::format("--restart: '{}' is of another calculation: there \"{}\", here \"{}\"",
                               found.file.string(), a == there.end() ? "nothing" : *a,
                               b == here.end() ? "nothing" : *b));
}

}  // namespace

FoundState find_state(const VmcConfig& config, const RunOptions& options) {
  std::filesystem::path file = options.checkpoint.value_or(config.checkpoint_file);
  std::error_code ignored;
  if (!options.checkpoint && !std::filesystem::exists(file, ignored)) {
    if (!std::filesystem::exists(config.output_file, ignored))
      throw InputError(
          fmt::format("--restart: there is neither the checkpoint '{}' nor the result '{}' to go on from",
                      file.string(), config.output_file.string()));
    file = config.output_file;
  }
  FoundState found = read_vmc_state(file);
  require_same_run(found, config);
  if (found.state.chains.chains != config.chains)
    throw InputError(fmt::format("--restart: '{}' is damaged: it has {} chains, not {}", file.string(),
                                 found.state.chains.chains, config.chains));
  return found;
}

}  // namespace cisolve
