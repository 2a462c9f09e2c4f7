// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/result_file_molecule.hpp"

namespace cisolve {
namespace {

template <class T>
void read(const Hdf5Group& group, const char* name, T& value) {
  value = group.read_attribute<T>(name);
}

CiResult::System read_system(const Hdf5Group& group) {
  CiResult::System system;
  read(group, "integrals_file", system.integrals_file);
  read(group, "integrals_hash", system.integrals_hash);
  read(group, "n_orbitals", system.n_orbitals);
  read(group, "n_electrons", system.n_electrons);
  read(group, "ms2", system.ms2);
  read(group, "n_frozen_core", system.n_frozen_core);
  read(group, "n_frozen_virtual", system.n_frozen_virtual);
  read(group, "core_energy", system.core_energy);
  read(group, "reference_energy", system.reference_energy);
  if (group.has_attribute("scf_energy")) system.scf_energy = group.read_attribute<double>("scf_energy");
  read(group, "point_group", system.point_group);
  const Hdf5Shape per_orbital = {static_cast<std::uint64_t>(system.n_orbitals)};
  system.orbital_irreps = group.read<std::int32_t>("orbital_irreps", per_orbital);
  system.active_orbitals = group.read<std::int32_t>("active_orbitals", per_orbital);
  // Files of earlier programs lack it.
  if (group.contains("core_orbitals")) {
    system.core_orbitals = group.read<std::int32_t>("core_orbitals").values;
  }
  return system;
}

CiResult::StringBlocks read_blocks(const Hdf5Group& group, int words) {
  const auto strings = [&](const char* name) {
    auto list = group.read<std::uint64_t>(name);
    if (list.values.size() % static_cast<std::size_t>(words) != 0) {
      throw InputError(fmt::format("/space/blocks/{} is not of {} words per string", name, words));
    }
    return std::move(list.values);
  };
  CiResult::StringBlocks blocks;
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
  read(group, "basis", space.basis);
  read(group, "dimension", space.dimension);
  read(group, "reference_dimension", space.reference_dimension);
  read(group, "excitation_level", space.excitation_level);
  read(group, "irrep", space.irrep);
  read(group, "spin_complete", space.spin_complete);
  read(group, "hash", space.hash);
  read(group, "reference", space.reference);
  read(group, "words", space.words);
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

CiResult::Hamiltonian read_hamiltonian(const Hdf5Group& group) {
  CiResult::Hamiltonian hamiltonian;
  read(group, "storage", hamiltonian.storage);
  read(group, "rows", hamiltonian.rows);
  read(group, "nonzeros", hamiltonian.nonzeros);
  read(group, "bytes", hamiltonian.bytes);
  read(group, "csr_bytes", hamiltonian.csr_bytes);
  read(group, "ell_bytes", hamiltonian.ell_bytes);
  read(group, "ell_width", hamiltonian.ell_width);
  read(group, "tail_nonzeros", hamiltonian.tail_nonzeros);
  read(group, "sparsity", hamiltonian.sparsity);
  read(group, "reference_sparsity", hamiltonian.reference_sparsity);
  read(group, "expansion_sparsity", hamiltonian.expansion_sparsity);
  read(group, "build_seconds", hamiltonian.build_seconds);
  read(group, "device", hamiltonian.device);
  return hamiltonian;
}

void refuse_shape(const std::string& name, const std::filesystem::path& file) {
  throw InputError("'" + file.string() + "': dataset '" + name + "' does not have a row per root");
}

std::vector<std::vector<LeadingConfiguration>> read_leading(const Hdf5Group& group, std::size_t num_roots,
                                                            const std::filesystem::path& file) {
  Hdf5Array<std::string> occupation = group.read_strings("occupation");
  if (occupation.shape.size() != 2 || occupation.shape[0] != num_roots) {
    refuse_shape(group.name() + "/occupation", file);
  }
  const auto coefficient = group.read<double>("coefficient", occupation.shape);
  const auto weight = group.read<double>("weight", occupation.shape);
  const std::size_t width = occupation.shape[1];
  std::vector<std::vector<LeadingConfiguration>> leading(num_roots);
  for (std::size_t at = 0; at < occupation.values.size(); ++at) {
    if (occupation.values[at].empty()) continue;
    leading[at / width].push_back({std::move(occupation.values[at]), coefficient[at], weight[at]});
  }
  return leading;
}

/// @param num_roots  0: as many as there are
Array<double> read_vectors(const Hdf5Group& group, std::uint64_t num_roots, std::int64_t dimension,
                           const std::filesystem::path& file) {
  if (!group.contains("vector")) return {};
  const Hdf5Dataset<double> vectors = group.open_dataset<double>("vector");
  const Hdf5Shape& shape = vectors.shape();
  if (shape.size() != 2 || shape[1] != static_cast<std::uint64_t>(dimension) ||
      (num_roots != 0 && shape[0] != num_roots)) {
    throw InputError("'" + file.string() + "': dataset '" + vectors.name() +
                     "' does not have the dimension of the space");
  }
  Array<double> values(shape[0] * shape[1]);
  vectors.read(values, {0, 0}, shape);
  return values;
}

CiResult::States read_states(const Hdf5Group& group, std::int64_t dimension, bool with_vectors,
                             const std::filesystem::path& file) {
  CiResult::States states;
  states.energy = group.read<double>("energy").values;
  const Hdf5Shape per_root = {states.energy.size()};
  states.residual_norm = group.read<double>("residual_norm", per_root);
  states.converged = group.read<std::uint8_t>("converged", per_root);
  states.s_squared = group.read<double>("s_squared", per_root);
  states.irrep = group.read<std::int32_t>("irrep", per_root);
  Hdf5Array<std::string> names = group.read_strings("irrep_name");
  if (names.shape != per_root) refuse_shape(group.name() + "/irrep_name", file);
  states.irrep_name = std::move(names.values);
  states.leading = read_leading(group.open_group("leading"), states.energy.size(), file);
  if (group.contains("davidson_q")) {
    states.reference_weight = group.read<double>("reference_weight", per_root);
    states.davidson_q = group.read<double>("davidson_q", per_root);
    states.renormalised_q = group.read<double>("renormalised_q", per_root);
    states.pople_q = group.read<double>("pople_q", per_root);
  }
  if (group.contains("sector")) states.sector = group.read<std::int32_t>("sector", per_root);
  if (with_vectors) states.vectors = read_vectors(group, per_root[0], dimension, file);
  return states;
}

CiResult::Solver read_solver(const Hdf5Group& group) {
  CiResult::Solver solver;
  read(group, "status", solver.status);
  if (group.has_attribute("start")) read(group, "start", solver.start);
  read(group, "num_applications", solver.num_applications);
  if (group.contains("history")) solver.history = read_history(group.open_group("history"));
  return solver;
}

CiResult::Timing read_timing(const Hdf5Group& group) {
  CiResult::Timing timing;
  read(group, "integrals", timing.integrals);
  read(group, "space", timing.space);
  read(group, "hamiltonian", timing.hamiltonian);
  read(group, "transfer", timing.transfer);
  read(group, "solve", timing.solve);
  read(group, "analysis", timing.analysis);
  read(group, "total", timing.total);
  return timing;
}

}  // namespace

CiResult::Sector read_sector(const Hdf5Group& group, bool with_vectors, const std::filesystem::path& file) {
  CiResult::Sector sector;
  read(group, "irrep", sector.irrep);
  read(group, "multiplicity", sector.multiplicity);
  read(group, "ms2", sector.ms2);
  sector.space = read_space(group.open_group("space"), with_vectors);
  sector.hamiltonian = read_hamiltonian(group.open_group("hamiltonian"));
  sector.solver = read_solver(group.open_group("solver"));
  if (group.contains("states")) {
    sector.states = read_states(group.open_group("states"), sector.space.dimension, with_vectors, file);
  } else if (with_vectors) {
    sector.states.vectors = read_vectors(group, 0, sector.space.dimension, file);
  }
  return sector;
}

CiResult read_head(const Hdf5Group& root, const std::filesystem::path& file) {
  FileStamp stamp = read_stamp(root, {"cisolve-result", result_format_version, {}, {}}, file);
  CiResult result;
  result.version = std::move(stamp.program_version);
  result.created = std::move(stamp.created);
  read(root, "title", result.title);
  const Hdf5Group input = root.open_group("input");
  result.input_text = input.read_string("text");
  result.resolved_text = input.read_string("resolved");
  return result;
}

void read_findings(const Hdf5Group& group, bool with_vectors, const std::filesystem::path& file,
                   CiResult& result) {
  result.warnings = group.read_strings("warnings").values;
  if (group.contains("molecule")) result.molecule = read_molecule(group.open_group("molecule"));
  result.system = read_system(group.open_group("system"));
  if (group.contains("sector")) {
    const Hdf5Group sectors = group.open_group("sector");
    for (int k = 1; sectors.contains(std::to_string(k)); ++k) {
      result.sectors.push_back(read_sector(sectors.open_group(std::to_string(k)), with_vectors, file));
    }
  } else {
    result.space = read_space(group.open_group("space"), with_vectors);
    result.hamiltonian = read_hamiltonian(group.open_group("hamiltonian"));
  }
  result.states = read_states(group.open_group("states"), result.space.dimension, with_vectors, file);
  result.properties = read_properties(group.open_group("states"));
  result.solver = read_solver(group.open_group("solver"));
  result.timing = read_timing(group.open_group("timing"));
}

CiResult read_result(const std::filesystem::path& file, bool with_vectors) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  CiResult result = read_head(hdf5.root(), file);
  if (hdf5.root().contains("scan")) {
    throw InputError("'" + file.string() +
                     "' is the result of a scan; that of a single calculation is expected");
  }
  read_findings(hdf5.root(), with_vectors, file, result);
  return result;
}

}  // namespace cisolve
