// SPDX-License-Identifier: MIT
#include "tasks/files/finished_run.hpp"

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/resolved_input.hpp"
#include "tasks/files/result_columns.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

/// They are made anew from the vectors.
void forget_properties(std::vector<Root>& roots) {
  for (const auto columns : {occupation_columns(), property_columns()}) {
    for_each_column(columns, [&]<class T>(const auto&, const std::string&, T Root::*member) {
      for (Root& root : roots) root.*member = Root().*member;
    });
  }
}

}  // namespace

Checkpoint read_finished_run(const std::filesystem::path& file) {
  CiResult result = read_result(file, true);
  const ResolvedInput input(result.resolved_text, file);
  input.settle_multiplicity(result);
  Checkpoint checkpoint;
  CheckpointHeader& header = checkpoint.header;
  header.version = std::move(result.version);
  header.created = std::move(result.created);
  header.integrals_hash = result.system.integrals_hash;
  header.threshold = input.threshold();
  header.basis = result.sectors.front().space.basis;
  std::vector<std::string> names;
  for (CiResult::Sector& sector : result.sectors) {
    names.push_back(sector_name(sector, result.system));
    if (sector.vectors == nullptr) sector.roots.clear();
    forget_properties(sector.roots);
  }
  header.sectors = join_sectors(names);
  if (result.orbitals)
    header.orbitals =
        std::make_shared<const CheckpointOrbitals>(CheckpointOrbitals{std::move(*result.orbitals), nullptr});
  header.resolved_input = std::move(result.resolved_text);
  checkpoint.finished = std::move(result.sectors);
  header.sector = static_cast<int>(checkpoint.finished.size()) + 1;
  return checkpoint;
}

}  // namespace cisolve
