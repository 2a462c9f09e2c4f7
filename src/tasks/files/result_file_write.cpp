// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/result_file_molecule.hpp"

namespace cisolve {
namespace {

void write_system(Hdf5Group root, const CiResult::System& system) {
  Hdf5Group group = root.create_group("system");
  group.write_attribute("integrals_file", system.integrals_file);
  group.write_attribute("integrals_hash", system.integrals_hash);
  group.write_attribute("n_orbitals", system.n_orbitals);
  group.write_attribute("n_electrons", system.n_electrons);
  group.write_attribute("ms2", system.ms2);
  group.write_attribute("n_frozen_core", system.n_frozen_core);
  group.write_attribute("n_frozen_virtual", system.n_frozen_virtual);
  group.write_attribute("core_energy", system.core_energy);
  group.write_attribute("reference_energy", system.reference_energy);
  if (system.scf_energy) group.write_attribute("scf_energy", *system.scf_energy);
  group.write_attribute("point_group", system.point_group);
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
  group.write_attribute("basis", space.basis);
  group.write_attribute("dimension", space.dimension);
  group.write_attribute("reference_dimension", space.reference_dimension);
  group.write_attribute("excitation_level", space.excitation_level);
  group.write_attribute("irrep", space.irrep);
  group.write_attribute("spin_complete", space.spin_complete);
  group.write_attribute("hash", space.hash);
  group.write_attribute("reference", space.reference);
  group.write_attribute("words", space.words);
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
  group.write_attribute("storage", hamiltonian.storage);
  group.write_attribute("rows", hamiltonian.rows);
  group.write_attribute("nonzeros", hamiltonian.nonzeros);
  group.write_attribute("bytes", hamiltonian.bytes);
  group.write_attribute("csr_bytes", hamiltonian.csr_bytes);
  group.write_attribute("ell_bytes", hamiltonian.ell_bytes);
  group.write_attribute("ell_width", hamiltonian.ell_width);
  group.write_attribute("tail_nonzeros", hamiltonian.tail_nonzeros);
  group.write_attribute("sparsity", hamiltonian.sparsity);
  group.write_attribute("reference_sparsity", hamiltonian.reference_sparsity);
  group.write_attribute("expansion_sparsity", hamiltonian.expansion_sparsity);
  group.write_attribute("build_seconds", hamiltonian.build_seconds);
  group.write_attribute("device", hamiltonian.device);
}

void write_leading(Hdf5Group states, const std::vector<std::vector<LeadingConfiguration>>& leading) {
  std::size_t width = 0;
  for (const auto& root : leading) width = std::max(width, root.size());
  const std::size_t size = leading.size() * width;
  std::vector<std::string> occupation(size);
  std::vector<double> coefficient(size, std::numeric_limits<double>::quiet_NaN()), weight = coefficient;
  for (std::size_t root = 0; root < leading.size(); ++root) {
    for (std::size_t k = 0; k < leading[root].size(); ++k) {
      const LeadingConfiguration& found = leading[root][k];
      const std::size_t at = root * width + k;
      occupation[at] = found.occupation;
      coefficient[at] = found.coefficient;
      weight[at] = found.weight;
    }
  }
  Hdf5Group group = states.create_group("leading");
  const Hdf5Shape shape = {leading.size(), width};
  group.write_strings(
      "occupation", occupation, shape,
      {.description =
           "2, 0, u (alpha, or step S + 1/2), d (beta, or step S - 1/2) per active orbital, padded with ''"});
  group.write<double>("coefficient", coefficient, shape,
                      {"1", "coefficient in the normalised eigenvector, padded with NaN"});
  group.write<double>("weight", weight, shape, {"1", "coefficient squared, padded with NaN"});
}

void write_vectors(Hdf5Group group, const CiResult::States& states, std::int64_t dimension) {
  if (states.vectors.size() == 0) return;
  const auto n = static_cast<std::uint64_t>(dimension);
  group.write<double>("vector", states.vectors, {states.vectors.size() / n, n},
                      {"1", "normalised eigenvectors in the order of the space, one per row"});
}

void write_corrections(Hdf5Group group, const CiResult::States& states) {
  if (states.davidson_q.empty()) return;
  const Hdf5Shape per_root = {states.energy.size()};
  group.write<double>("reference_weight", states.reference_weight, per_root,
                      {"1", "weight of the reference space, c0^2"});
  group.write<double>("davidson_q", states.davidson_q, per_root,
                      {"hartree", "Davidson correction, to be added to the energy; NaN: none"});
  group.write<double>("renormalised_q", states.renormalised_q, per_root,
                      {"hartree", "renormalised Davidson correction; NaN: none"});
  group.write<double>("pople_q", states.pople_q, per_root, {"hartree", "Pople correction; NaN: none"});
}

void write_states(Hdf5Group root, const CiResult::States& states, std::int64_t dimension, bool with_vectors) {
  Hdf5Group group = root.create_group("states");
  const Hdf5Shape per_root = {states.energy.size()};
  group.write<double>("energy", states.energy, per_root, {"hartree", "total energies, ascending"});
  group.write<double>("residual_norm", states.residual_norm, per_root, {"hartree", "norm of H c - E c"});
  group.write<std::uint8_t>("converged", states.converged, per_root,
                            {.description = "1: the residual norm is below the tolerance"});
  group.write<double>("s_squared", states.s_squared, per_root, {"hbar^2", "expectation value of S^2"});
  group.write<std::int32_t>("irrep", states.irrep, per_root,
                            {.description = "Molpro number from 1; 0: mixed"});
  group.write_strings("irrep_name", states.irrep_name, per_root,
                      {.description = "names of the irreps; numbers if the point group is unknown"});
  if (states.leading.size() != states.energy.size()) {
    throw DimensionError("result: leading configurations must be given for every root");
  }
  write_leading(group, states.leading);
  write_corrections(group, states);
  if (!states.sector.empty()) {
    group.write<std::int32_t>(
        "sector", states.sector, per_root,
        {.description = "number of the group /sector/<k> that the root belongs to, from 1"});
  }
  if (states.vectors.size() > 0 &&
      states.vectors.size() != per_root[0] * static_cast<std::uint64_t>(dimension)) {
    throw DimensionError("result: the vectors do not have roots x dimension elements");
  }
  if (with_vectors) write_vectors(group, states, dimension);
}

void write_solver(Hdf5Group root, const CiResult::Solver& solver, bool with_history) {
  Hdf5Group group = root.create_group("solver");
  group.write_attribute("status", solver.status);
  group.write_attribute("num_applications", solver.num_applications);
  group.write_attribute("start", solver.start);
  if (with_history) write_history(group.create_group("history"), solver.history);
}

void write_timing(Hdf5Group root, const CiResult::Timing& timing) {
  Hdf5Group group = root.create_group("timing");
  group.write_attribute("unit", "second");
  group.write_attribute("integrals", timing.integrals);
  group.write_attribute("space", timing.space);
  group.write_attribute("hamiltonian", timing.hamiltonian);
  group.write_attribute("transfer", timing.transfer);
  group.write_attribute("solve", timing.solve);
  group.write_attribute("analysis", timing.analysis);
  group.write_attribute("total", timing.total);
}

std::uint64_t bytes_of(const CiResult::StringBlocks& blocks) {
  return 16 * blocks.run_alpha.size() + 8 * (blocks.alpha.size() + blocks.beta.size()) +
         4 * blocks.list_members.size();
}

}  // namespace

void write_sector(Hdf5Group group, const CiResult::Sector& sector, bool with_vectors) {
  group.write_attribute("irrep", sector.irrep);
  group.write_attribute("multiplicity", sector.multiplicity);
  group.write_attribute("ms2", sector.ms2);
  write_space(group, sector.space);
  write_hamiltonian(group, sector.hamiltonian);
  write_solver(group, sector.solver, true);
  if (!sector.states.energy.empty()) {
    write_states(group, sector.states, sector.space.dimension, with_vectors);
  } else if (with_vectors) {
    write_vectors(group, sector.states, sector.space.dimension);
  }
}

std::uint64_t expected_bytes(const CiResult& result) {
  std::uint64_t bytes = 256 * 1024;
  bytes += result.input_text.size() + result.resolved_text.size();
  bytes += result.states.vectors.size_bytes() + 8 * (result.space.alpha.size() + result.space.beta.size());
  bytes += bytes_of(result.space.blocks);
  if (result.molecule) bytes += 8 * result.molecule->coefficients.size();
  for (const IterationRecord& record : result.solver.history) bytes += 32 + 16 * record.energies.size();
  for (const CiResult::Sector& sector : result.sectors) {
    bytes += 64 * 1024 + sector.states.vectors.size_bytes() +
             8 * (sector.space.alpha.size() + sector.space.beta.size()) + bytes_of(sector.space.blocks);
  }
  for (const auto& root : result.states.leading) {
    for (const LeadingConfiguration& found : root) bytes += 64 + found.occupation.size();
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
  if (result.sectors.empty()) {
    write_space(group, result.space);
    write_hamiltonian(group, result.hamiltonian);
  } else {
    Hdf5Group sectors = group.create_group("sector");
    for (std::size_t k = 0; k < result.sectors.size(); ++k) {
      write_sector(sectors.create_group(std::to_string(k + 1)), result.sectors[k], with_vectors);
    }
  }
  write_states(group, result.states, result.space.dimension, with_vectors);
  if (result.properties) {
    Hdf5Group states = group.open_group("states");
    write_properties(states, *result.properties, result.states.energy.size());
  }
  write_solver(group, result.solver, result.sectors.empty());
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
