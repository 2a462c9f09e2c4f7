// SPDX-License-Identifier: MIT
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/flapw/keys.hpp"
#include "tasks/flapw/readers.hpp"
#include "tasks/flapw/shared_points.hpp"
#include "tasks/run/tasks.hpp"

namespace cisolve {

Task flapw_task() {
  return {
      .name = "flapw",
      .asked_by = "flapw",
      .sections = flapw_sections,
      .reads = is_flapw_key,
      .require_sections = require_flapw_sections,
      .run =
          [](const Input& input, const RunOptions& options, const RunControl& control, std::ostream& report) {
            return run_flapw(read_flapw_config(input), options, control, report);
          },
      .check =
          [](const Input& input, std::ostream& report, const OtherMachine& machine,
             const RunControl& control) { check_flapw(read_flapw_config(input), report, machine, control); },
      .wrote = holds_flapw,
      .show = [](const std::filesystem::path& file, std::ostream& report,
                 bool verbose) { print_flapw_report(report, read_flapw(file), verbose); },
      .page = flapw_page,
      .verify = verify_flapw,
      .serve = serve_points};
}

}  // namespace cisolve
