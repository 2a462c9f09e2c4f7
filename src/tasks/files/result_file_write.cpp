// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/result_file_molecule.hpp"

namespace cisolve {
namespace {

void write_system(Hdf5Group root, const CiResult::System& system) {
  Hdf5Group group = root.create_group("system");
  write_attributes(group, system, system_columns());
  const Hdf5Shape per_orbital = {static_cast<std::uint64_t>(system.n_orbitals)};
  group.write<std::int32_t>("orbital_irreps", system.orbital_irreps, per_orbital,
                            {.description = "irreps of the active orbitals, Molpro numbers from 1"});
  group.write<std::int32_t>("active_orbitals", system.active_orbitals, per_orbital,
                            {.description = "numbers of the active orbitals in the file, from 1"});
  group.write<std::int32_t>("core_orbitals", system.core_orbitals, {system.core_orbitals.size()},
                            {.description = "numbers of the frozen core orbitals in the file, from 1"});
}

void write_blocks(Hdf5Group group, const CiResult::StringBlocks& blocks, int words) {
  const auto strings = [&](const std::vector<std::uint64_t>& list) {
    return Hdf5Shape{list.size() / static_cast<std::size_t>(words), static_cast<std::uint64_t>(words)};
  };
  const Hdf5Shape runs = {blocks.run_alpha.size()};
  group.write<std::uint64_t>("alpha", blocks.alpha, strings(blocks.alpha),
                             {.description = "alpha strings, first active orbital in the lowest bit"});
  group.write<std::uint64_t>("beta", blocks.beta, strings(blocks.beta),
                             {.description = "beta strings, first active orbital in the lowest bit"});
  group.write<std::int64_t>(
      "run_first_row", blocks.run_first_row, runs,
      {.description = "first row of a run: one alpha string with all beta strings of a list"});
  group.write<std::int32_t>("run_alpha", blocks.run_alpha, runs, {.description = "row of alpha, from 0"});
  group.write<std::int32_t>("run_list", blocks.run_list, runs,
                            {.description = "list of beta strings, from 0"});
  group.write<std::int64_t>("list_offsets", blocks.list_offsets, {blocks.list_offsets.size()},
                            {.description = "first member of each list, and the end of the last"});
  group.write<std::int32_t>("list_members", blocks.list_members, {blocks.list_members.size()},
                            {.description = "rows of beta, from 0"});
}

void write_space(Hdf5Group root, const CiResult::Space& space) {
  Hdf5Group group = root.create_group("space");
  write_attributes(group, space, space_columns());
  group.write<std::int64_t>("level_counts", space.level_counts, {space.level_counts.size()},
                            {.description = "determinants or CSFs per excitation level, from 0"});
  if (!space.blocks.run_alpha.empty()) write_blocks(group.create_group("blocks"), space.blocks, space.words);
  if (!space.steps.empty()) {
    const auto rows = static_cast<std::uint64_t>(space.dimension);
    group.write<std::uint8_t>(
        "steps", space.steps, {rows, space.steps.size() / rows},
        {.description = "per active orbital: 0 empty, 1 coupled to S + 1/2, 2 coupled to S - 1/2, "
                        "3 doubly occupied; docs/output.md says how a CSF is built from it"},
        Hdf5Packing::compressed);
  }
  if (space.alpha.empty()) return;
  const Hdf5Shape shape = {static_cast<std::uint64_t>(space.dimension),
                           static_cast<std::uint64_t>(space.words)};
  group.write<std::uint64_t>(
      "alpha", space.alpha, shape,
      {.description = "occupied alpha orbitals, first active orbital in the lowest bit"},
      Hdf5Packing::compressed);
  group.write<std::uint64_t>(
      "beta", space.beta, shape,
      {.description = "occupied beta orbitals, first active orbital in the lowest bit"},
      Hdf5Packing::compressed);
}

void write_hamiltonian(Hdf5Group root, const CiResult::Hamiltonian& hamiltonian) {
  Hdf5Group group = root.create_group("hamiltonian");
  write_attributes(group, hamiltonian, hamiltonian_columns());
}

/// Of each root as many as the longest list has.
void write_leading(Hdf5Group group, const std::vector<const Root*>& roots) {
  std::size_t width = 0;
  for (const Root* root : roots) width = std::max(width, root->leading.size());
  std::vector<const LeadingConfiguration*> all(roots.size() * width, nullptr);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    for (std::size_t i = 0; i < roots[k]->leading.size(); ++i) all[k * width + i] = &roots[k]->leading[i];
  }
  write_columns(group, all, {roots.size(), width}, leading_columns());
}

void write_roots(Hdf5Group& states, const std::vector<const Root*>& roots) {
  write_columns(states, roots, {roots.size()}, root_columns());
  write_leading(states.create_group("leading"), roots);
}

void write_vectors(Hdf5Group group, const CiResult::Sector& sector) {
  if (!sector.vectors || sector.roots.empty()) return;
  const VectorSource& vectors = *sector.vectors;
  if (vectors.rows() != sector.space.dimension || vectors.columns() != std::ssize(sector.roots)) {
    throw DimensionError("result: the vectors do not have roots x dimension elements");
  }
  const Hdf5Shape shape = {sector.roots.size(), static_cast<std::uint64_t>(vectors.rows())};
  Hdf5Dataset<double> dataset = group.create_dataset<double>(
      "vector", shape, {"1", "normalised eigenvectors in the order of the space, one per row"});
  Array<double> buffer;
  for (int k = 0; k < vectors.columns(); ++k) {
    dataset.write(vectors.view(k, 1, buffer), {static_cast<std::uint64_t>(k), 0}, {1, shape[1]});
  }
}

/// Lists over the roots of a sector become lists over all, NaN where there is nothing.
Root over_all_roots(const CiResult& result, const CiResult::RootNumber& number) {
  Root root = result.sectors[number.sector].roots[number.root];
  const std::size_t in_sector = result.sectors[number.sector].roots.size();
  for_each_column(property_columns(), [&]<class T>(const auto& column, const std::string&, T Root::*member) {
    if constexpr (is_list<T>) {
      if (!column.per_pair) return;
      const T list = std::move(root.*member);
      const std::size_t width = list.size() / in_sector;
      (root.*member).assign(result.roots.size() * width, padding<double>());
      for (std::size_t k = 0; k < result.roots.size(); ++k) {
        if (result.roots[k].sector != number.sector) continue;
        std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(result.roots[k].root * width), width,
                    (root.*member).begin() + static_cast<std::ptrdiff_t>(k * width));
      }
    }
  });
  return root;
}

void write_states(Hdf5Group group, const CiResult& result) {
  std::vector<Root> rows;
  std::vector<std::int32_t> sectors;
  for (const CiResult::RootNumber& number : result.roots) {
    rows.push_back(over_all_roots(result, number));
    sectors.push_back(static_cast<std::int32_t>(number.sector) + 1);
  }
  std::vector<const Root*> roots;
  for (const Root& row : rows) roots.push_back(&row);
  write_roots(group, roots);
  if (!rows.empty() && !rows.front().dipole.empty()) {
    write_columns(group, roots, {roots.size()}, property_columns());
  }
  if (result.sectors.size() == 1) return;
  group.write<std::int32_t>(
      "sector", sectors, {roots.size()},
      {.description = "number of the group /sector/<k> that the root belongs to, from 1"});
}

void write_solver(Hdf5Group root, const CiResult::Solver& solver, bool with_history) {
  Hdf5Group group = root.create_group("solver");
  write_attributes(group, solver, solver_columns());
  if (with_history) write_history(group.create_group("history"), solver.history);
}

void write_timing(Hdf5Group root, const CiResult::Timing& timing) {
  Hdf5Group group = root.create_group("timing");
  group.write_attribute("unit", "second");
  write_attributes(group, timing, timing_columns());
}

std::uint64_t bytes_of(const CiResult::Space& space) {
  const CiResult::StringBlocks& blocks = space.blocks;
  return 16 * blocks.run_alpha.size() + 4 * blocks.list_members.size() +
         8 * (blocks.alpha.size() + blocks.beta.size() + space.alpha.size() + space.beta.size());
}

}  // namespace

void write_sector(Hdf5Group group, const CiResult::Sector& sector) {
  write_attributes(group, sector, sector_columns());
  write_space(group, sector.space);
  write_hamiltonian(group, sector.hamiltonian);
  write_solver(group, sector.solver, true);
}

void write_finished_sector(Hdf5Group group, const CiResult::Sector& sector) {
  write_sector(group, sector);
  if (sector.roots.empty()) return;
  std::vector<const Root*> roots;
  for (const Root& root : sector.roots) roots.push_back(&root);
  Hdf5Group states = group.create_group("states");
  write_roots(states, roots);
  write_vectors(states, sector);
}

std::uint64_t expected_bytes(const CiResult& result) {
  std::uint64_t bytes = 256 * 1024;
  bytes += result.input_text.size() + result.resolved_text.size();
  if (result.molecule) bytes += 8 * result.molecule->coefficients.size();
  for (const CiResult::Sector& sector : result.sectors) {
    bytes += 64 * 1024 + bytes_of_vectors(sector) + bytes_of(sector.space);
    for (const IterationRecord& record : sector.solver.history) bytes += 32 + 16 * record.energies.size();
    for (const Root& root : sector.roots) {
      for (const LeadingConfiguration& found : root.leading) bytes += 64 + found.occupation.size();
    }
  }
  return bytes;
}

void write_head(Hdf5Group& root, const CiResult& result) {
  write_stamp(root, {"cisolve-result", result_format_version, result.version, result.created});
  root.write_attribute("title", result.title);
  Hdf5Group input = root.create_group("input");
  input.write_string("text", result.input_text, {.description = "the input as given (TOML)"});
  input.write_string("resolved", result.resolved_text,
                     {.description = "the input with every default filled in (TOML)"});
}

void write_findings(Hdf5Group& group, const CiResult& result, bool with_vectors) {
  group.write_strings("warnings", result.warnings, {result.warnings.size()},
                      {.description = "what the report warned of"});
  if (result.molecule) write_molecule(group, *result.molecule);
  write_system(group, result.system);
  Hdf5Group states = group.create_group("states");
  write_states(states, result);
  if (result.sectors.size() == 1) {
    const CiResult::Sector& only = result.sectors.front();
    write_space(group, only.space);
    write_hamiltonian(group, only.hamiltonian);
    write_solver(group, only.solver, true);
    if (with_vectors) write_vectors(states, only);
  } else {
    Hdf5Group sectors = group.create_group("sector");
    for (std::size_t k = 0; k < result.sectors.size(); ++k) {
      Hdf5Group sector = sectors.create_group(std::to_string(k + 1));
      write_sector(sector, result.sectors[k]);
      if (with_vectors) write_vectors(sector, result.sectors[k]);
    }
    write_solver(group, result.overall_solver(), false);
  }
  write_timing(group, result.timing);
}

void write_result(const std::filesystem::path& file, const CiResult& result, bool with_vectors) {
  AtomicFile atomic(file, expected_bytes(result));
  Hdf5File hdf5 = Hdf5File::create(atomic.temporary(), file);
  Hdf5Group root = hdf5.root();
  write_head(root, result);
  write_findings(root, result, with_vectors);
  hdf5.close();
  atomic.commit();
}

}  // namespace cisolve
