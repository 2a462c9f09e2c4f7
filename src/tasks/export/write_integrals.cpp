// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <ostream>
#include <utility>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/orbitals/optimise.hpp"

namespace cisolve {

void write_integrals(const CiConfig& given, const std::filesystem::path& file, const RunControl& control,
                     std::ostream& report) {
  CiConfig config = given;
  config.keep_orbitals = true;
  const ThreadScope threads(config.threads);
  if (!config.molecule && std::filesystem::exists(file) &&
      std::filesystem::equivalent(file, config.integrals_file)) {
    throw InputError(fmt::format(
        "--write-fcidump: {} is the file that the integrals come from; give another name", file.string()));
  }
  print_header(report, build_info::version, utc_timestamp(), "cpu", config.title);
  CiResult result;
  // All sectors have the same integrals; the header's spin and irrep are those of the first.
  const RunContext context{config, control, report, result};
  std::vector<CiJob> jobs = prepare_sectors(context);
  if (config.orbitals) optimise_orbitals(context, jobs);
  const CiJob job = std::move(jobs.front());
  if (job.active->complex) {
    throw InputError(
        fmt::format("--write-fcidump: the integrals of {} are complex, and files are written of real ones",
                    config.integrals_file.string()));
  }
  for (const std::string& warning : job.warnings) context.warn(warning);
  const auto& first = job.selection.references.front();
  const auto& irreps = job.active->integrals.irreps;
  write_fcidump(file, job.active->integrals, job.num_electrons, job.ms2,
                (irrep_of(first.alpha, irreps) ^ irrep_of(first.beta, irreps)) + 1);
  print_warnings(report, result.warnings);
  report << fmt::format("\nThe integrals over {} active orbitals are in {}; nothing else was calculated.\n",
                        job.num_orbitals(), file.string());
}

}  // namespace cisolve
