// SPDX-License-Identifier: MIT
#include "tasks/files/orbitals_file.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"

namespace cisolve {

void write_orbitals(Hdf5Group& root, const CiResult::Orbitals& orbitals) {
  Hdf5Group group = root.create_group("orbitals");
  write_attributes(group, orbitals, orbitals_columns());
  write_arrays(group, orbitals, orbitals_arrays());
  Hdf5Group history = group.create_group("history");
  write_arrays(history, orbitals, orbitals_history());
}

CiResult::Orbitals read_orbitals(const Hdf5Group& root) {
  const Hdf5Group group = root.open_group("orbitals");
  CiResult::Orbitals orbitals;
  read_attributes(group, orbitals, orbitals_columns());
  read_arrays(group, orbitals, orbitals_arrays());
  read_arrays(group.open_group("history"), orbitals, orbitals_history());
  return orbitals;
}

void write_checkpoint_orbitals(Hdf5Group& root, const CheckpointOrbitals& orbitals) {
  write_orbitals(root, orbitals.reached);
  if (!orbitals.vectors) return;
  Hdf5Group group = root.open_group("orbitals").create_group("vectors");
  for (std::size_t k = 0; k < orbitals.vectors->size(); ++k) {
    const SectorVectors& sector = (*orbitals.vectors)[k];
    const auto rows = static_cast<std::uint64_t>(sector.dimension);
    Hdf5Group one = group.create_group(std::to_string(k + 1));
    one.write_attribute("space_hash", sector.space_hash);
    one.write<double>("vectors", sector.values, {sector.values.size() / rows, rows},
                      {"1", "roots over the orbitals reached, one per row"});
  }
}

std::shared_ptr<const CheckpointOrbitals> read_checkpoint_orbitals(const Hdf5Group& root) {
  CheckpointOrbitals orbitals{read_orbitals(root), nullptr};
  const Hdf5Group group = root.open_group("orbitals");
  if (!group.contains("vectors")) return std::make_shared<const CheckpointOrbitals>(std::move(orbitals));
  const Hdf5Group all = group.open_group("vectors");
  std::vector<SectorVectors> sectors;
  for (int k = 1; all.contains(std::to_string(k)); ++k) {
    const Hdf5Group one = all.open_group(std::to_string(k));
    Hdf5Array<double> found = one.read<double>("vectors");
    if (found.shape.size() != 2 || found.values.empty())
      throw InputError(fmt::format("'{}/vectors' is no list of vectors", one.name()));
    sectors.push_back({one.read_attribute<std::uint64_t>("space_hash"),
                       static_cast<std::int64_t>(found.shape[1]), std::move(found.values)});
  }
  orbitals.vectors = std::make_shared<const std::vector<SectorVectors>>(std::move(sectors));
  return std::make_shared<const CheckpointOrbitals>(std::move(orbitals));
}

std::uint64_t bytes_of(const CheckpointOrbitals& orbitals) {
  std::uint64_t bytes = 64 * 1024 + 8 * orbitals.reached.coefficients.size();
  bytes += 64 * orbitals.reached.history_energy.size();
  if (!orbitals.vectors) return bytes;
  for (const SectorVectors& sector : *orbitals.vectors) bytes += 16 * 1024 + 8 * sector.values.size();
  return bytes;
}

}  // namespace cisolve
