// SPDX-License-Identifier: MIT
#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/page/page.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/config/keys.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/ci/verification.hpp"
#include "tasks/run/tasks.hpp"

namespace cisolve {

Task ci_task() {
  return {
      .name = "ci",
      .asked_by = {},
      .sections = detail::ci_sections,
      .reads = detail::is_ci_key,
      .require_sections = detail::require_source,
      .run =
          [](const Input& input, const RunOptions& options, const RunControl& control, std::ostream& report) {
            if (options.extend)
              throw InputError(input.source_name +
                               ": --extend adds points to a scan; this input has no [scan]");
            return run_ci(read_ci_config(input), options, control, report);
          },
      .check = [](const Input& input, std::ostream& report, const OtherMachine& machine,
                  const RunControl& control) { check_ci(read_ci_config(input), report, machine, control); },
      .wrote = [](const std::filesystem::path&) { return true; },
      .show = [](const std::filesystem::path& file, std::ostream& report,
                 bool verbose) { print_report(report, read_result(file, false), verbose); },
      .page = ci_page,
      .verify = verify_ci};
}

}  // namespace cisolve
