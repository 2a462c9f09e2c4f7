// SPDX-License-Identifier: MIT
#include "tasks/files/finished_run.hpp"

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/input/toml.hpp"

namespace cisolve {
namespace {

/// A value of a resolved input; none if it is not given, or not of that type.
template <class T>
std::optional<T> resolved_value(const std::vector<detail::TomlItem>& items, std::string_view path) {
  const auto found = std::ranges::find(items, path, &detail::TomlItem::path);
  if (found == items.end() || !found->value) return std::nullopt;
  if (const T* value = std::get_if<T>(&*found->value)) return *value;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&*found->value);
    if (list != nullptr && list->size() == 1) return list->front();
  }
  return std::nullopt;
}

/// They are made anew from the vectors.
void forget_properties(std::vector<Root>& roots) {
  for_each_column(property_columns(), [&]<class T>(const auto&, const std::string&, T Root::*member) {
    for (Root& root : roots) root.*member = T();
  });
}

}  // namespace

Checkpoint read_finished_run(const std::filesystem::path& file) {
  CiResult result = read_result(file, true);
  const auto items = detail::parse_toml(result.resolved_text, file.string());
  // The file of a single sector doesn't say its multiplicity.
  if (CiResult::Sector& only = result.sectors.front(); result.sectors.size() == 1) {
    only.multiplicity =
        only.space.basis == "csf"
            ? only.ms2 + 1
            : static_cast<int>(resolved_value<std::int64_t>(items, "states.multiplicity").value_or(0));
  }
  Checkpoint checkpoint;
  CheckpointHeader& header = checkpoint.header;
  header.version = std::move(result.version);
  header.created = std::move(result.created);
  header.integrals_hash = result.system.integrals_hash;
  header.threshold = resolved_value<double>(items, "hamiltonian.threshold").value_or(0.0);
  header.basis = result.sectors.front().space.basis;
  std::vector<std::string> names;
  for (CiResult::Sector& sector : result.sectors) {
    names.push_back(sector_name(sector, result.system));
    if (sector.vectors == nullptr) sector.roots.clear();
    forget_properties(sector.roots);
  }
  header.sectors = join_sectors(names);
  header.resolved_input = std::move(result.resolved_text);
  checkpoint.finished = std::move(result.sectors);
  header.sector = static_cast<int>(checkpoint.finished.size()) + 1;
  return checkpoint;
}

void remove_checkpoint(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  try {
    if (Hdf5File::open(file).root().read_attribute<std::string>("format") != checkpoint_format) return;
  } catch (const std::runtime_error&) {
    return;
  }
  std::filesystem::remove(file, error);
}

}  // namespace cisolve
