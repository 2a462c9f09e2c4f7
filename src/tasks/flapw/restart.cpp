// SPDX-License-Identifier: MIT
#include "tasks/flapw/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/files/deciding_lines.hpp"

namespace cisolve {
namespace {

// How it is done, and how much of it is looked at, is free.
constexpr DecidingLines deciding_lines{{"flapw", "crystal", "potential", "k_points", "synthetic"},
                                       "flapw",
                                       {"check", "repeat", "max_iterations", "solver", "coefficients"}};

void require_same_job(const std::string& there, const std::string& here, const std::string& begin) {
  const std::vector<std::string> earlier = deciding_lines.of(there), now = deciding_lines.of(here);
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
