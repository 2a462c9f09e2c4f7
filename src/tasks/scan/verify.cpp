// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/ci/verification.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {

bool verify_scan(const std::filesystem::path& file, std::ostream& report, bool thorough) {
  const ScanResult scan = read_scan(file);
  std::vector<std::string> failures, unfinished;
  std::ostringstream tables;
  for (int number = 1; number <= std::ssize(scan.points); ++number) {
    const ScanPoint& point = scan.points[number - 1];
    if (!point.has_roots()) {
      unfinished.push_back(fmt::format(
          "point {} {}", number, point.status == "failed" ? "failed: " + point.message : "is not done"));
      continue;
    }
    const CiResult claimed = read_scan_point(file, number, true);
    CiResult result = claimed;
    for (const std::string& failure : certify_again(result, file, thorough))
      failures.push_back(fmt::format("point {}: {}", number, failure));
    for (const std::string& sentence : unfinished_roots(claimed))
      unfinished.push_back(fmt::format("point {}: {}", number, sentence));
    print_point_heading(tables, scan, number);
    print_verification(tables, result, claimed);
  }
  report::print_wrapped(report, "", fmt::format("Certificates of {}", file.string()));
  print_failed_certificates(report, failures);
  report << tables.str();
  return print_verdict(report, failures, unfinished);
}

}  // namespace cisolve
