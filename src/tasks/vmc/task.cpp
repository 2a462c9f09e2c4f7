// SPDX-License-Identifier: MIT
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/run/tasks.hpp"
#include "tasks/vmc/keys.hpp"
#include "tasks/vmc/shared_chains.hpp"

namespace cisolve {

Task vmc_task() {
  return {
      .name = "vmc",
      .asked_by = "vmc",
      .sections = vmc_sections,
      .reads = is_vmc_key,
      .require_sections = require_vmc_sections,
      .run = [](const Input& input, const RunOptions& options, const RunControl& control,
                std::ostream& report) { return run_vmc(read_vmc_config(input), options, control, report); },
      .check = [](const Input& input, std::ostream& report, const OtherMachine& machine,
                  const RunControl&) { check_vmc(read_vmc_config(input), report, machine); },
      .wrote = holds_vmc,
      .show = [](const std::filesystem::path& file, std::ostream& report,
                 bool verbose) { print_vmc(report, read_vmc(file), verbose); },
      .page = vmc_page,
      .verify = verify_vmc,
      .serve = serve_chains};
}

}  // namespace cisolve
