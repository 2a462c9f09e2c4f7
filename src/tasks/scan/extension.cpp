// SPDX-License-Identifier: MIT
// Further points for a scan that has its result file.
#include "tasks/scan/extension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cisolve/core/error.hpp"
#include "tasks/scan/same_job.hpp"

namespace cisolve {
namespace {

std::string begin_of(const std::filesystem::path& file) {
  return fmt::format("--extend: '{}'", file.string());
}

/// Where a value stands in a list; its end: nowhere.
std::vector<double>::const_iterator find_value(const std::vector<double>& values, double value) {
  return std::ranges::find_if(values, [&](double other) { return is_same_value(other, value); });
}

}  // namespace

std::vector<double> joined_values(const std::vector<double>& earlier, const std::vector<double>& asked) {
  std::vector<double> all = earlier;
  for (const double value : asked) {
    if (find_value(all, value) == all.end()) all.push_back(value);
  }
  const bool descends = earlier.size() > 1 && std::ranges::is_sorted(earlier, std::greater());
  std::ranges::sort(all);
  if (descends) std::ranges::reverse(all);
  return all;
}

ScanConfig read_extended_scan_config(const Input& input) {
  ScanConfig asked = read_scan_config(input);
  const std::filesystem::path& file = asked.job.output_file;
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format("--extend: there is no result file '{}' to add points to", file.string()));
  const ScanResult earlier = read_scan(file);
  require_same_job(earlier.head.resolved_text, asked.job.resolved_text, SameJob::everything, begin_of(file));
  if (asked.coordinate != "file") return read_scan_config(input, joined_values(earlier.values, asked.values));
  for (const double value : earlier.values) {
    if (find_value(asked.values, value) != asked.values.end()) continue;
    throw InputError(
        fmt::format("{} has a point {:.10g} that scan.files lacks: list the files of all points, old and "
                    "new",
                    begin_of(file), value));
  }
  return asked;
}

ScanExtension read_scan_extension(const ScanConfig& scan) {
  const std::filesystem::path& file = scan.job.output_file;
  ScanResult earlier = read_scan(file);
  ScanExtension extension;
  for (std::size_t k = 0; k < scan.values.size(); ++k) {
    const auto found = find_value(earlier.values, scan.values[k]);
    if (found == earlier.values.end()) {
      extension.points.emplace_back();
      extension.numbers.push_back(0);
      continue;
    }
    const auto at = static_cast<std::size_t>(found - earlier.values.begin());
    const int number = static_cast<int>(at) + 1;
    if (earlier.points[at].has_roots())
      require_same_point(read_scan_point(file, number, false), scan.points[k], number, begin_of(file));
    extension.points.push_back(std::move(earlier.points[at]));
    extension.numbers.push_back(number);
  }
  return extension;
}

}  // namespace cisolve
