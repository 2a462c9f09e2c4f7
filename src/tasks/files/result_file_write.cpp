// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/density_file.hpp"
#include "tasks/files/lattice_file.hpp"
#include "tasks/files/orbitals_file.hpp"
#include "tasks/files/result_columns.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/selection_file.hpp"
#include "tasks/files/stored_integrals.hpp"
#include "tasks/files/vector_parts.hpp"

namespace cisolve {
namespace {

template <class Record>
void write_group(Hdf5Group root, const char* name, const Record& record, Columns<Record> columns,
                 ArrayColumns<Record> arrays) {
  Hdf5Group group = root.create_group(name);
  write_attributes(group, record, columns);
  write_arrays(group, record, arrays);
}

void write_blocks(Hdf5Group group, const StringBlocks& blocks, int words) {
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
  if (!space.alpha.empty()) write_determinants(group, space, space);
}

/// Of each root as many as the longest list has.
void write_leading(Hdf5Group group, const std::vector<Root>& roots) {
  std::size_t width = 0;
  for (const Root& root : roots) width = std::max(width, root.leading.size());
  std::vector<const LeadingConfiguration*> all(roots.size() * width, nullptr);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    for (std::size_t i = 0; i < roots[k].leading.size(); ++i) all[k * width + i] = &roots[k].leading[i];
  }
  write_columns(group, all, {roots.size(), width}, leading_columns());
}

/// Where there are some.
void write_certificates(Hdf5Group& states, const std::vector<Root>& roots) {
  std::vector<const Certificate*> certificates;
  for (const Root& root : roots) {
    if (!root.certificate) return;
    certificates.push_back(&*root.certificate);
  }
  Hdf5Group group = states.create_group("certificate");
  write_columns(group, certificates, {roots.size()}, certificate_columns());
}

void write_roots(Hdf5Group& states, const std::vector<Root>& roots) {
  write_columns(states, roots, root_columns());
  write_certificates(states, roots);
  write_leading(states.create_group("leading"), roots);
}

/// @param stamp  of the file
/// @param parts  that they are written to; null: into the file
void write_vectors(Hdf5Group group, const CiResult::Sector& sector, const FileStamp& stamp,
                   PartWriter* parts) {
  if (!sector.vectors || sector.roots.empty()) return;
  const VectorSource& vectors = *sector.vectors;
  const bool is_complex = vectors.rows() == 2 * sector.space.dimension;
  if ((!is_complex && vectors.rows() != sector.space.dimension) ||
      vectors.columns() != std::ssize(sector.roots)) {
    throw DimensionError("result: the vectors do not have roots x dimension elements");
  }
  Hdf5Shape shape = {sector.roots.size(), static_cast<std::uint64_t>(sector.space.dimension)}, first = {0, 0};
  std::string what = "normalised eigenvectors in the order of the space, one per row";
  if (is_complex) {
    shape.push_back(2);
    first.push_back(0);
    what += "; real and imaginary parts";
    group.write_attribute("complex", 1);
  }
  if (parts != nullptr) {
    Hdf5Object dataset = parts->write(group, "vector", shape, {"1", what}, stamp,
                                      [&](int column, std::int64_t first_row, std::span<double> rows) {
                                        vectors.read(column, first_row, rows);
                                      });
    if (is_complex) dataset.write_attribute("complex", 1);
    return;
  }
  Hdf5Dataset<double> dataset = group.create_dataset<double>("vector", shape, {"1", what});
  if (is_complex) dataset.write_attribute("complex", 1);
  Array<double> buffer;
  constexpr std::int64_t most = std::int64_t{1} << 22;  // rows at a time
  const std::int64_t of_function = is_complex ? 2 : 1;
  for (int k = 0; k < vectors.columns(); ++k) {
    for (std::int64_t row = 0; row < sector.space.dimension; row += most) {
      const std::int64_t rows = std::min(most, sector.space.dimension - row);
      Hdf5Shape piece = shape;
      piece[0] = 1;
      piece[1] = static_cast<std::uint64_t>(rows);
      first[0] = static_cast<std::uint64_t>(k);
      first[1] = static_cast<std::uint64_t>(row);
      dataset.write(vectors.piece(k, of_function * row, of_function * rows, buffer), first, piece);
    }
  }
}

void write_states(Hdf5Group group, const CiResult& result) {
  std::vector<Root> roots;
  std::vector<std::int32_t> sectors;
  for (const CiResult::RootNumber& number : result.roots) {
    roots.push_back(result.sectors[number.sector].roots[number.root]);
    sectors.push_back(static_cast<std::int32_t>(number.sector) + 1);
  }
  write_roots(group, roots);
  if (!roots.empty() && !roots.front().natural_occupations.empty())
    write_columns(group, roots, occupation_columns());
  if (!roots.empty() && !roots.front().dipole.empty()) write_columns(group, roots, property_columns());
  if (result.sectors.size() == 1) return;
  group.write<std::int32_t>(
      "sector", sectors, {roots.size()},
      {.description = "number of the group /sector/<k> that the root belongs to, from 1"});
}

/// Space, Hamiltonian and solver of a sector, wherever they stand.
void write_groups(Hdf5Group root, const CiResult::Sector& sector) {
  write_space(root, sector.space);
  if (sector.selection) write_selection(root, *sector.selection);
  write_attributes(root.create_group("hamiltonian"), sector.hamiltonian, hamiltonian_columns());
  Hdf5Group solver = root.create_group("solver");
  write_attributes(solver, sector.solver, solver_columns());
  write_history(solver.create_group("history"), sector.solver.history);
}

void write_sector(Hdf5Group group, const CiResult::Sector& sector) {
  write_attributes(group, sector, sector_columns());
  write_groups(group, sector);
}

FileStamp stamp_of(const CiResult& result) {
  return {result_format, result_format_version, result.version, result.created};
}

std::uint64_t bytes_of(const CiResult::Space& space) {
  const StringBlocks& blocks = space.blocks;
  return 16 * blocks.run_alpha.size() + 4 * blocks.list_members.size() +
         8 * (blocks.alpha.size() + blocks.beta.size() + space.alpha.size() + space.beta.size());
}

void write_molecule(Hdf5Group& group, const CiResult::Molecule& molecule) {
  write_group(group, "molecule", molecule, molecule_columns(), molecule_arrays());
  if (molecule.basis_set.empty()) return;
  group.open_group("molecule")
      .write_string(
          "basis_set", molecule.basis_set,
          {.description =
               "exponents (bohr^-2) and coefficients of normalised primitives of the basis functions, of "
               "each element, in Gaussian94 format"});
}

}  // namespace

void write_finished_sector(Hdf5Group group, const CiResult::Sector& sector, const FileStamp& stamp,
                           PartWriter* parts) {
  write_sector(group, sector);
  if (sector.roots.empty()) return;
  Hdf5Group states = group.create_group("states");
  write_roots(states, sector.roots);
  write_vectors(states, sector, stamp, parts);
}

std::uint64_t bytes_of_vectors(const CiResult& result) {
  std::uint64_t bytes = 0;
  for (const CiResult::Sector& sector : result.sectors) bytes += bytes_of_vectors(sector);
  return bytes;
}

std::uint64_t expected_bytes(const CiResult& result) {
  std::uint64_t bytes = 256 * 1024;
  bytes += result.input_text.size() + result.resolved_text.size();
  if (result.molecule) bytes += 8 * result.molecule->coefficients.size() + result.molecule->basis_set.size();
  if (result.orbitals) bytes += 8 * result.orbitals->coefficients.size();
  if (stores_integrals(result)) bytes += bytes_of_integrals(result);
  bytes += bytes_of_densities(result) + bytes_of_lattice(result);
  for (const CiResult::Sector& sector : result.sectors) {
    bytes += 64 * 1024 + bytes_of(sector.space);
    for (const IterationRecord& record : sector.solver.history) bytes += 32 + 16 * record.energies.size();
    for (const Root& root : sector.roots) {
      for (const LeadingConfiguration& found : root.leading) bytes += 64 + found.occupation.size();
    }
  }
  return bytes;
}

void write_head(Hdf5Group& root, const CiResult& result) {
  write_stamp(root, stamp_of(result));
  root.write_attribute("title", result.title);
  write_input(root, result);
}

void write_input(Hdf5Group& root, const CiResult& result) {
  Hdf5Group input = root.create_group("input");
  input.write_string("text", result.input_text, {.description = "the input as given (TOML)"});
  input.write_string("resolved", result.resolved_text,
                     {.description = "the input with every default filled in (TOML)"});
}

void write_findings(Hdf5Group& group, const CiResult& result, bool with_vectors, PartWriter* parts) {
  group.write_strings("warnings", result.warnings, {result.warnings.size()},
                      {.description = "what the report warned of"});
  if (result.molecule) write_molecule(group, *result.molecule);
  write_group(group, "system", result.system, system_columns(), system_arrays());
  if (result.orbitals) write_orbitals(group, *result.orbitals);
  Hdf5Group states = group.create_group("states");
  write_states(states, result);
  write_lattice(group, result);
  if (result.sectors.size() == 1) {
    write_groups(group, result.sectors.front());
    if (with_vectors) write_vectors(states, result.sectors.front(), stamp_of(result), parts);
  } else {
    Hdf5Group sectors = group.create_group("sector");
    for (std::size_t k = 0; k < result.sectors.size(); ++k) {
      Hdf5Group sector = sectors.create_group(std::to_string(k + 1));
      write_sector(sector, result.sectors[k]);
      if (with_vectors) write_vectors(sector, result.sectors[k], stamp_of(result), parts);
    }
    write_attributes(group.create_group("solver"), result.overall_solver(), solver_columns());
  }
  if (with_vectors) write_integrals(group, result);
  write_densities(group, result);
  Hdf5Group timing = group.create_group("timing");
  timing.write_attribute("unit", "second");
  write_attributes(timing, result.timing, timing_columns());
}

void write_result_within(const PartLimits& limits, const std::filesystem::path& file, const CiResult& result,
                         bool with_vectors, bool read_back) {
  remove_unused_parts({&file, 1});
  PartedFile written(file, expected_bytes(result), with_vectors ? bytes_of_vectors(result) : 0, limits);
  Hdf5File hdf5 = Hdf5File::create(written.temporary(), file);
  for (const char* power : {"", "^2"})
    hdf5.rename_unit(std::string("hartree") + power, result.energy_unit() + power);
  Hdf5Group root = hdf5.root();
  write_head(root, result);
  write_findings(root, result, with_vectors, written.parts());
  if (written.parts() != nullptr) written.parts()->write_table(root);
  hdf5.close();
  if (read_back) {
    written.sync();
    written.verify();
  }
  written.commit();
  remove_unused_parts({&file, 1});  // of the result that it replaces
}

void write_result(const std::filesystem::path& file, const CiResult& result, bool with_vectors,
                  bool read_back) {
  write_result_within({}, file, result, with_vectors, read_back);
}

}  // namespace cisolve
