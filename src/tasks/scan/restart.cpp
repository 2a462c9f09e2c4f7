// SPDX-License-Identifier: MIT
#include "tasks/scan/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cisolve/core/error.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/scan/same_job.hpp"

namespace cisolve {
namespace {

/// states.count of a resolved input.
int count_of(const std::string& resolved) {
  constexpr std::string_view key = "\ncount = ";
  const auto at = resolved.find(key);
  return at == std::string::npos ? 0 : std::atoi(resolved.c_str() + at + key.size());
}

std::vector<ScanPoint> read_points(const ScanConfig& scan) {
  const std::filesystem::path& file = scan.job.output_file;
  const std::string begin = fmt::format("--restart: '{}'", file.string());
  ScanResult earlier = read_scan(file);
  require_same_job(earlier.head.resolved_text, scan.job.resolved_text, SameJob::points, begin);
  if (!std::ranges::equal(earlier.values, scan.values, is_same_value))
    throw InputError(begin + " has other points than scan.values: --extend adds points to a scan");
  if (count_of(earlier.head.resolved_text) < scan.job.count) {
    for (ScanPoint& point : earlier.points) point.status = "pending";  // more roots are wanted of each
  }
  for (std::size_t k = 0; k < earlier.points.size(); ++k) {
    if (!earlier.points[k].has_roots()) continue;
    const auto number = static_cast<int>(k) + 1;
    require_same_point(read_scan_point(file, number, false), scan.points[k], number, begin);
  }
  return std::move(earlier.points);
}

}  // namespace

ScanRestart read_scan_checkpoint(const ScanConfig& scan, const std::filesystem::path& file,
                                 const RunControl& control) {
  ScanRestart restart;
  FoundCheckpoint found = read_newest_checkpoint(file, control);
  restart.checkpoint = std::move(found.checkpoint);
  require_same_job(restart.checkpoint->header.resolved_input, scan.job.resolved_text, SameJob::points,
                   fmt::format("checkpoint '{}'", found.file.string()));
  // "point 3 (bond 1 2 = 0.8 angstrom): irrep A1"
  const std::string& names = restart.checkpoint->header.sectors;
  restart.checkpoint_name = names.substr(0, names.find("): ") + 1);
  return restart;
}

ScanRestart read_scan_restart(const ScanConfig& scan, const std::optional<std::filesystem::path>& named,
                              const RunControl& control) {
  std::error_code absent;
  const bool names_result = named && std::filesystem::equivalent(*named, scan.job.output_file, absent);
  const bool names_checkpoint = named && !names_result;
  const std::filesystem::path file = names_checkpoint ? *named : scan.job.checkpoint_file;
  std::optional<std::vector<ScanPoint>> points;
  if (std::filesystem::exists(scan.job.output_file)) points = read_points(scan);
  ScanRestart restart;
  if (names_checkpoint || has_checkpoint(file)) {
    restart = read_scan_checkpoint(scan, file, control);
  } else if (!points) {
    throw InputError(
        fmt::format("--restart: there is neither a result file '{}' nor a checkpoint '{}' to go on from",
                    scan.job.output_file.string(), file.string()));
  }
  restart.points = std::move(points);
  return restart;
}

}  // namespace cisolve
