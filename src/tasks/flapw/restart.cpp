// SPDX-License-Identifier: MIT
#include "tasks/flapw/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"

namespace cisolve {
namespace {

/// Lines of a resolved input that decide what is calculated, each with its section.
std::vector<std::string> deciding_lines(const std::string& resolved) {
  constexpr std::string_view sections[] = {"flapw", "crystal", "potential", "k_points", "synthetic"};
  // How it is done, and how much of it is looked at.
  constexpr std::string_view free[] = {"check", "repeat", "max_iterations", "solver", "coefficients"};
  std::vector<std::string> lines;
  std::istringstream stream(resolved);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('[') && line.ends_with(']') && line.find(' ') == std::string::npos) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    if (line.empty() || std::ranges::find(sections, section) == std::end(sections)) continue;
    const std::string_view key = std::string_view(line).substr(0, line.find(' '));
    if (section == "flapw" && std::ranges::find(free, key) != std::end(free)) continue;
    lines.push_back(section + "." + line);
  }
  return lines;
}

void require_same_job(const std::string& there, const std::string& here, const std::string& begin) {
  const std::vector<std::string> earlier = deciding_lines(there), now = deciding_lines(here);
  const auto [a, b] = std::ranges::mismatch(earlier, now);
  if (a == earlier.end() && b == now.end()) return;
  throw InputError(fmt::format("{} is of another calculation: there \"{}\", here \"{}\"", begin,
                               a == earlier.end() ? "nothing" : *a, b == now.end() ? "nothing" : *b));
}

}  // namespace

void take_finished_points(const FlapwConfig& config, const std::filesystem::path& file, FlapwResult& result) {
  const std::string begin = fmt::format("--restart: '{}'", file.string());
  if (std::error_code unknown; !std::filesystem::exists(file, unknown))
    throw InputError(fmt::format("{} is not there: there is nothing to go on from", begin));
  FlapwResult earlier = read_flapw(file);
  require_same_job(earlier.head.resolved_text, config.resolved_text, begin);
  if (earlier.source_hash != result.source_hash)
    throw InputError(fmt::format("{} was made from a '{}' of other content", begin, result.source));
  if (earlier.points.size() != result.points.size())
    throw InputError(fmt::format("{} has {} k-points, this calculation {}", begin, earlier.points.size(),
                                 result.points.size()));
  std::vector<std::size_t> again;
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    FlapwPoint& found = earlier.points[k];
    if (found.status != "converged" && found.status != "matrices") {
      again.push_back(k);
      continue;
    }
    if (found.waves != result.points[k].waves || found.k.k != result.points[k].k.k)
      throw InputError(fmt::format(
          "{}: k-point {} has other plane waves: the file it was made from has changed", begin, k + 1));
    found.g = std::move(result.points[k].g);
    result.points[k] = std::move(found);
  }
  result.seconds = earlier.seconds;
  for (std::string& warning : earlier.warnings) {
    const bool is_of_the_past = std::ranges::any_of(
        again, [&](std::size_t k) { return warning.starts_with(fmt::format("k-point {}: ", k + 1)); });
    if (!is_of_the_past) result.warn(std::move(warning));
  }
}

}  // namespace cisolve
