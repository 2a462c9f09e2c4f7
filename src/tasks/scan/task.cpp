// SPDX-License-Identifier: MIT
#include "cisolve/tasks/page/page.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/ci/config/keys.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/run/tasks.hpp"

namespace cisolve {

Task scan_task() {
  return {
      .name = "scan",
      .asked_by = "scan",
      .sections = [] { return std::vector{scan_section()}; },
      .reads = [](const InputKey& key) { return key.section() == "scan" || detail::is_ci_key(key); },
      .require_sections = detail::require_source,
      .run =
          [](const Input& input, const RunOptions& options, const RunControl& control, std::ostream& report) {
            return run_scan(options.extend ? read_extended_scan_config(input) : read_scan_config(input),
                            options, control, report);
          },
      .check =
          [](const Input& input, std::ostream& report, const OtherMachine& machine,
             const RunControl& control) { check_scan(read_scan_config(input), report, machine, control); },
      .wrote = holds_scan,
      .show = [](const std::filesystem::path& file, std::ostream& report,
                 bool verbose) { print_scan_report(report, file, verbose); },
      .page = scan_page,
      .verify = verify_scan};
}

}  // namespace cisolve
