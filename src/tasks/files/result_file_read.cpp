// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/density_file.hpp"
#include "tasks/files/lattice_file.hpp"
#include "tasks/files/orbitals_file.hpp"
#include "tasks/files/result_checks.hpp"
#include "tasks/files/result_columns.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/selection_file.hpp"
#include "tasks/files/stored_integrals.hpp"
#include "tasks/files/vector_parts.hpp"

namespace cisolve {
namespace {

template <class Record>
Record read_group(const Hdf5Group& group, Columns<Record> columns, ArrayColumns<Record> arrays) {
  Record record;
  read_attributes(group, record, columns);
  read_arrays(group, record, arrays);
  return record;
}

StringBlocks read_blocks(const Hdf5Group& group, int words) {
  if (words < 1) throw InputError(fmt::format("/space has {} words per string", words));
  const auto strings = [&](const char* name) {
    auto list = group.read<std::uint64_t>(name);
    if (list.values.size() % static_cast<std::size_t>(words) != 0) {
      throw InputError(fmt::format("/space/blocks/{} is not of {} words per string", name, words));
    }
    return std::move(list.values);
  };
  StringBlocks blocks;
  blocks.alpha = strings("alpha");
  blocks.beta = strings("beta");
  blocks.run_first_row = group.read<std::int64_t>("run_first_row").values;
  blocks.run_alpha = group.read<std::int32_t>("run_alpha").values;
  blocks.run_list = group.read<std::int32_t>("run_list").values;
  blocks.list_offsets = group.read<std::int64_t>("list_offsets").values;
  blocks.list_members = group.read<std::int32_t>("list_members").values;
  return blocks;
}

CiResult::Space read_space(const Hdf5Group& group, bool with_strings) {
  CiResult::Space space;
  read_attributes(group, space, space_columns());
  space.level_counts = group.read<std::int64_t>("level_counts").values;
  if (with_strings && group.contains("blocks"))
    space.blocks = read_blocks(group.open_group("blocks"), space.words);
  if (with_strings && group.contains("steps")) {
    auto steps = group.read<std::uint8_t>("steps");
    if (steps.shape.size() != 2 || steps.shape[0] != static_cast<std::uint64_t>(space.dimension)) {
      throw InputError("dataset '" + group.name() + "/steps' does not have a row per CSF");
    }
    space.steps = std::move(steps.values);
  }
  if (!with_strings || !group.contains("alpha")) return space;
  const Hdf5Shape shape = {static_cast<std::uint64_t>(space.dimension),
                           static_cast<std::uint64_t>(space.words)};
  space.alpha = group.read<std::uint64_t>("alpha", shape);
  space.beta = group.read<std::uint64_t>("beta", shape);
  return space;
}

void read_certificates(const Hdf5Group& states, std::vector<Root>& roots) {
  if (!states.contains("certificate")) return;
  std::vector<Certificate> certificates(roots.size());
  read_columns(states.open_group("certificate"), certificates, {roots.size()}, certificate_columns());
  for (std::size_t k = 0; k < roots.size(); ++k) roots[k].certificate = std::move(certificates[k]);
}

std::vector<Root> read_roots(const Hdf5Group& states, const std::filesystem::path& file) {
  const Hdf5Dataset<double> energies = states.open_dataset<double>("energy");
  std::vector<Root> roots(rows_of(energies.shape(), energies.name()));
  read_columns(states, roots, {roots.size()}, root_columns());
  check_roots(roots, states.name(), file);
  read_certificates(states, roots);
  const Hdf5Group group = states.open_group("leading");
  const Hdf5Shape shape = group.open_dataset<double>("weight").shape();
  const std::size_t width = shape.size() == 2 && shape[0] == roots.size() ? shape[1] : 0;
  std::vector<LeadingConfiguration> leading(roots.size() * width);
  read_columns(group, leading, {roots.size(), width}, leading_columns());
  for (std::size_t at = 0; at < leading.size(); ++at) {
    if (leading[at].occupation.empty()) continue;
    roots[at / width].leading.push_back(std::move(leading[at]));
  }
  return roots;
}

std::shared_ptr<const VectorSource> read_vectors(const Hdf5Group& group, const CiResult::Sector& sector,
                                                 const std::filesystem::path& file,
                                                 std::span<const VectorPart> parts) {
  if (!group.contains("vector")) return nullptr;
  const StoredVectors vectors(group, "vector", file, parts);
  const Hdf5Shape& shape = vectors.shape();
  const auto dimension = static_cast<std::uint64_t>(sector.space.dimension);
  const bool is_complex = shape == Hdf5Shape{sector.roots.size(), dimension, 2};
  if (!is_complex && shape != Hdf5Shape{sector.roots.size(), dimension}) {
    throw InputError("'" + file.string() + "': dataset '" + group.name() +
                     "/vector' does not have the dimension of the space");
  }
  const std::uint64_t rows = dimension * (is_complex ? 2 : 1);
  Array<double> values = vectors.read();
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw InputError("'" + file.string() + "' is damaged: dataset '" + group.name() +
                     "/vector' holds a number that is not finite");
  }
  return std::make_shared<HeldVectors>(std::move(values), static_cast<std::int64_t>(rows),
                                       static_cast<int>(shape[0]));
}

/// Gives each root to its sector.
void read_states(const Hdf5Group& group, const std::filesystem::path& file, CiResult& result) {
  std::vector<Root> roots = read_roots(group, file);
  if (group.contains("natural_occupations")) read_columns(group, roots, {roots.size()}, occupation_columns());
  if (group.contains("dipole")) {
    read_columns(group, roots, {roots.size()}, property_columns());
    check_properties(result, roots, file);
  }
  std::vector<std::int32_t> sectors(roots.size(), 1);
  if (group.contains("sector")) sectors = group.read<std::int32_t>("sector", {roots.size()});
  for (const std::int32_t sector : sectors) {
    if (sector < 1 || sector > std::ssize(result.sectors)) {
      throw InputError("'" + file.string() + "' is damaged: a root belongs to no sector");
    }
    const std::size_t number = sector - 1;
    result.roots.push_back({number, result.sectors[number].roots.size()});
    result.sectors[number].roots.emplace_back();
  }
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const CiResult::RootNumber number = result.roots[k];
    result.sectors[number.sector].roots[number.root] = std::move(roots[k]);
  }
}

/// Space, Hamiltonian and solver of a sector, wherever they stand.
void read_groups(const Hdf5Group& group, bool with_strings, CiResult::Sector& sector) {
  sector.space = read_space(group.open_group("space"), with_strings);
  if (group.contains("selection")) sector.selection = read_selection(group);
  read_attributes(group.open_group("hamiltonian"), sector.hamiltonian, hamiltonian_columns());
  const Hdf5Group solver = group.open_group("solver");
  read_attributes(solver, sector.solver, solver_columns());
  sector.solver.history = read_history(solver.open_group("history"));
}

CiResult::Sector read_sector(const Hdf5Group& group, bool with_strings) {
  CiResult::Sector sector;
  read_attributes(group, sector, sector_columns());
  read_groups(group, with_strings, sector);
  return sector;
}

}  // namespace

CiResult::Sector read_finished_sector(const Hdf5Group& group, const std::filesystem::path& file,
                                      std::span<const VectorPart> parts) {
  CiResult::Sector sector = read_sector(group, true);
  if (!group.contains("states")) return sector;
  const Hdf5Group states = group.open_group("states");
  sector.roots = read_roots(states, file);
  sector.vectors = read_vectors(states, sector, file, parts);
  return sector;
}

CiResult read_head(const Hdf5Group& root, const std::filesystem::path& file) {
  FileStamp stamp = read_stamp(root, {result_format, result_format_version, {}, {}}, file);
  CiResult result;
  result.version = std::move(stamp.program_version);
  result.created = std::move(stamp.created);
  result.title = root.read_attribute<std::string>("title");
  const Hdf5Group input = root.open_group("input");
  result.input_text = input.read_string("text");
  result.resolved_text = input.read_string("resolved");
  return result;
}

void read_findings(const Hdf5Group& group, bool with_vectors, const std::filesystem::path& file,
                   CiResult& result, std::span<const VectorPart> parts) {
  result.warnings = group.read_strings("warnings").values;
  if (group.contains("molecule")) {
    const Hdf5Group molecule = group.open_group("molecule");
    result.molecule = read_group<CiResult::Molecule>(molecule, molecule_columns(), molecule_arrays());
    if (molecule.contains("basis_set")) result.molecule->basis_set = molecule.read_string("basis_set");
  }
  result.system = read_group<CiResult::System>(group.open_group("system"), system_columns(), system_arrays());
  if (group.contains("orbitals") && group.open_group("orbitals").contains("history"))
    result.orbitals = read_orbitals(group);
  if (with_vectors) result.integrals = read_integrals(group, result.system, file);
  const Hdf5Group states = group.open_group("states");
  std::vector<Hdf5Group> groups;  // that hold the vectors of each sector
  result.sectors.clear();
  if (group.contains("sector")) {
    const Hdf5Group sectors = group.open_group("sector");
    for (int k = 1; sectors.contains(std::to_string(k)); ++k) {
      groups.push_back(sectors.open_group(std::to_string(k)));
      result.sectors.push_back(read_sector(groups.back(), with_vectors));
    }
  } else {
    groups.push_back(states);
    CiResult::Sector& only = result.sectors.emplace_back();
    read_groups(group, with_vectors, only);
    only.irrep = only.space.irrep;
    only.ms2 = result.system.ms2;
  }
  check_parts(result, file);
  read_states(states, file, result);
  for (std::size_t k = 0; with_vectors && k < groups.size(); ++k) {
    result.sectors[k].vectors = read_vectors(groups[k], result.sectors[k], file, parts);
  }
  read_lattice(group, file, result);
  if (with_vectors) read_densities(group, file, result);
  read_attributes(group.open_group("timing"), result.timing, timing_columns());
}

bool is_result(const std::filesystem::path& file) { return format_of(file) == result_format; }

CiResult read_result(const std::filesystem::path& file, bool with_vectors) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  CiResult result = read_head(hdf5.root(), file);
  if (hdf5.root().contains("scan")) {
    throw InputError("'" + file.string() +
                     "' is the result of a scan; that of a single calculation is expected");
  }
  if (hdf5.root().contains("flapw"))
    throw InputError("'" + file.string() +
                     "' is the result of a crystal ([flapw]); that of a CI calculation is expected");
  std::vector<VectorPart> parts;
  if (with_vectors) parts = read_part_table(hdf5.root());
  read_findings(hdf5.root(), with_vectors, file, result, parts);
  return result;
}

}  // namespace cisolve
