// SPDX-License-Identifier: MIT
#include "tasks/scan/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Lines of a resolved input that decide what the points are: a restart may change all the others.
std::vector<std::string> defining_lines(const std::string& resolved) {
  std::vector<std::string> lines;
  std::istringstream stream(resolved);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('[')) section = line;
    const bool is_key = !line.empty() && line.front() != '#' && line.front() != '[';
    const bool in_section = section == "[molecule]" || section == "[integrals]" || section == "[scan]" ||
                            section == "[space]" || section == "[states]";
    const bool is_free = line.starts_with("count = ") || line.starts_with("warm_start = ") ||
                         line.starts_with("scf_max_iterations = ") || line.starts_with("level_shift = ") ||
                         line.starts_with("stability = ");
    const bool is_threshold = section == "[hamiltonian]" && line.starts_with("threshold = ");
    if (is_key && ((in_section && !is_free) || is_threshold)) lines.push_back(line);
  }
  return lines;
}

void require_same_job(const std::string& resolved, const ScanConfig& scan, const std::string& begin) {
  const auto earlier = defining_lines(resolved), here = defining_lines(scan.job.resolved_text);
  const auto [a, b] = std::mismatch(earlier.begin(), earlier.end(), here.begin(), here.end());
  if (a == earlier.end() && b == here.end()) return;
  const auto shown = [](const auto& at, const auto& lines) {
    return at == lines.end() ? std::string("nothing") : *at;
  };
  throw InputError(fmt::format("{} belongs to another job: it has {}, this job has {}", begin,
                               shown(a, earlier), shown(b, here)));
}

/// Geometries may come from files that have changed since.
void require_same_geometry(const CiResult& result, const CiConfig& config, int number,
                           const std::string& begin) {
  if (!result.molecule) return;
  const auto& atoms = config.molecule->frame.geometry.atoms;
  constexpr double rounding = 1e-9;  // bohr
  bool same = result.molecule->coordinates.size() == 3 * atoms.size();
  for (std::size_t k = 0; same && k < result.molecule->coordinates.size(); ++k) {
    same = std::abs(result.molecule->coordinates[k] - atoms[k / 3].position[k % 3]) < rounding;
  }
  if (!same)
    throw InputError(fmt::format("{} belongs to another job: point {} has another geometry", begin, number));
}

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
  require_same_job(earlier.head.resolved_text, scan, begin);
  if (count_of(earlier.head.resolved_text) < scan.job.count) {
    for (ScanPoint& point : earlier.points) point.status = "pending";  // more roots are wanted of each
  }
  for (std::size_t k = 0; k < earlier.points.size(); ++k) {
    if (!earlier.points[k].has_roots()) continue;
    const auto number = static_cast<int>(k) + 1;
    require_same_geometry(read_scan_point(file, number, false), scan.points[k], number, begin);
  }
  return std::move(earlier.points);
}

}  // namespace

ScanRestart read_scan_restart(const ScanConfig& scan,
                              const std::optional<std::filesystem::path>& checkpoint) {
  ScanRestart restart;
  const std::filesystem::path file = checkpoint.value_or(scan.job.checkpoint_file);
  const bool has_points = std::filesystem::exists(scan.job.output_file);
  if (has_points) restart.points = read_points(scan);
  if (!checkpoint && !std::filesystem::exists(file)) {
    if (has_points) return restart;
    throw InputError(
        fmt::format("--restart: there is neither a result file '{}' nor a checkpoint '{}' to go on from",
                    scan.job.output_file.string(), file.string()));
  }
  restart.checkpoint = read_checkpoint(file);
  const std::string begin = fmt::format("checkpoint '{}'", file.string());
  require_same_job(restart.checkpoint->header.resolved_input, scan, begin);
  // "point 3 (bond 1 2 = 0.8 angstrom): irrep A1"
  const std::string& names = restart.checkpoint->header.sectors;
  restart.checkpoint_name = names.substr(0, names.find("): ") + 1);
  return restart;
}

}  // namespace cisolve
