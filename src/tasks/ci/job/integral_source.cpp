// SPDX-License-Identifier: MIT
#include "tasks/ci/job/integral_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/lattice/lattice_integrals.hpp"
#include "cisolve/molecule/orbitals_in.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/job/spin_orbitals.hpp"
#include "tasks/export/result_molecule.hpp"
#include "tasks/files/read_trexio.hpp"
#include "tasks/files/trexio_reader.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

/// The orbitals of a file as functions that other orbitals are made of.
std::shared_ptr<const StartOrbitals> start_of(const Integrals& integrals, const CiConfig& config) {
  const int n = integrals.num_orbitals;
  const std::int64_t bytes = Repulsion::bytes_over_orbitals(n), memory = memory_limit(config);
  if (bytes > memory) {
    throw DoesNotFit(
        DoesNotFit::Limit::host_memory,
        fmt::format("orbitals.optimise: the integrals over {} orbitals, unpacked, take {}, but there are {}",
                    n, format_bytes(bytes), format_bytes(memory)),
        "fold core orbitals in, or leave empty ones out, when the file is written");
  }
  const auto repulsion = std::make_shared<const Repulsion>(integrals);
  Matrix unit(n, n);
  for (int p = 0; p < n; ++p) unit(p, p) = 1.0;
  return std::make_shared<const StartOrbitals>(
      StartOrbitals{repulsion, FunctionIntegrals(integrals, *repulsion), std::move(unit), integrals.irreps});
}

ActiveIntegrals freeze_complex(const ComplexIntegrals& integrals, const std::vector<int>& core,
                               const std::vector<int>& virtuals) {
  const OrbitalPartition orbitals = partition_orbitals(integrals.num_orbitals, core, virtuals);
  ActiveIntegrals active;
  auto complex = std::make_shared<const ComplexIntegrals>(freeze(integrals, orbitals.core, orbitals.active));
  active.integrals = diagonal_part(*complex);
  active.active_orbitals = orbitals.active;
  active.complex = std::move(complex);
  return active;
}

/// What complex integrals make of a source.
void take_complex(const CiConfig& config, std::shared_ptr<FcidumpFile> file, IntegralSource& source) {
  require_complex_determinants(config, file->complex->are_spinors);
  source.num_orbitals = file->complex->num_orbitals;
  source.spinors = file->complex->are_spinors;
  source.places_per_orbital = source.spinors ? 1 : 2;
  source.orbital_irreps.assign(source.num_orbitals, 0);
  source.activate = [file = std::move(file)](const std::vector<int>& core, const std::vector<int>& virtuals) {
    return freeze_complex(*file->complex, core, virtuals);
  };
}

IntegralSource open_file(const CiConfig& config) {
  IntegralSource source;
  if (config.point_group) source.point_group = PointGroup::parse(*config.point_group);
  FcidumpOptions options;
  options.point_group = source.point_group;
  constexpr std::int64_t small = std::int64_t{64} << 20;  // the space says better what does not fit
  options.max_bytes = std::max(memory_limit(config), small);
  options.irrep_required = !config.irreps.empty() && config.irreps.front() != "all";
  options.spins = config.spins;
  auto file = std::make_shared<FcidumpFile>(read_integral_file(config.integrals_file, options));
  source.num_orbitals = file->integrals.num_orbitals;
  if (!config.electrons && file->num_electrons == 0 && is_trexio(config.integrals_file)) {
    throw InputError(config.integrals_file.string() +
                     " does not say how many electrons there are (electron.num): give integrals.electrons");
  }
  source.num_electrons = config.electrons.value_or(file->num_electrons);
  source.ms2 = file->ms2;
  source.ms2_given = file->ms2_given;
  if (file->has_symmetry) source.isym = file->isym;
  source.orbital_irreps = file->integrals.irreps;
  source.shells = degenerate_shells(file->integrals);
  source.warnings = std::move(file->warnings);
  if (file->complex) {
    take_complex(config, std::move(file), source);
    return source;
  }
  if (file->integrals.is_unrestricted()) {
    require_determinants_of_spin_orbitals(config);
    settle_overlap(config, file->integrals, source.warnings);
  } else if (!config.overlap_file.empty()) {
    throw InputError(
        fmt::format("integrals.overlap: {} has one set of orbitals for both spins, which overlap with "
                    "themselves alone",
                    config.integrals_file.string()));
  }
  if (config.orbitals) source.start = start_of(file->integrals, config);
  source.activate = [file](const std::vector<int>& core, const std::vector<int>& virtuals) {
    return freeze(file->integrals, core, virtuals);
  };
  return source;
}

/// A share of what the run may have: vectors and matrix come when this is gone, but the operating system may
/// not have noticed.
constexpr double memory_share = 0.5;

/// What was done to the geometry, where that may surprise.
std::vector<std::string> frame_warnings(const SymmetryFrame& frame) {
  constexpr double rounding = 1e-6;  // bohr; typed digits are seldom better
  std::vector<std::string> warnings;
  if (frame.displacement > rounding) {
    warnings.push_back(fmt::format("atoms were moved by up to {:.1e} bohr to make the geometry exactly {}",
                                   frame.displacement, frame.group.name()));
  }
  return warnings;
}

/// A UHF determinant in which beta electrons have an orbital that alpha ones leave empty; else nothing.
std::string determinant_of_spins(const ScfResult& scf) {
  std::string text;
  for (std::size_t p = 0; p < scf.beta_orbitals.occupations.size(); ++p) {
    const bool alpha = scf.orbitals.occupations[p] > 0, beta = scf.beta_orbitals.occupations[p] > 0;
    text += alpha ? (beta ? '2' : 'u') : (beta ? 'd' : '0');
  }
  return text.find('d') == std::string::npos ? "" : text;
}

void require_convergence(const ScfResult& scf, const MoleculeConfig& molecule) {
  if (scf.converged) return;
  throw ScfNotConverged(
      fmt::format("the SCF did not converge in {} iterations (orbital gradient {:.1e} hartree); raise "
                  "molecule.scf_max_iterations, set "
                  "molecule.level_shift (0.3, say), or give the occupation by molecule.doubly_occupied",
                  molecule.scf.max_iterations, scf.history.back().gradient));
}

ScfResult converged_scf(const MoleculeConfig& molecule, const MolecularBasis& functions,
                        const JobMonitor& monitor) {
  if (monitor.report != nullptr) print_scf_heading(*monitor.report);
  const auto observer = [&](const ScfIteration& iteration) {
    if (monitor.report == nullptr) return;
    print_scf_iteration(*monitor.report, iteration);
    monitor.report->flush();
  };
  ScfResult scf = run_scf(functions, molecule.scf, observer, monitor.control.stop);
  require_convergence(scf, molecule);
  return scf;
}

/// The determinant of the orbitals that the input names.
ScfResult scf_of_file(const CiConfig& config, const MolecularBasis& functions) {
  const std::filesystem::path& file = config.orbitals_file;
  const MoldenOrbitals read = file.extension() == ".h5" ? orbitals_of(read_result(file, false), file)
                              : is_trexio(file)         ? read_trexio_orbitals(file)
                                                        : read_molden(file);
  const ScfConfig& electrons = config.molecule->scf;
  OrbitalsIn placed = place_orbitals(read, functions.frame, functions.basis, electrons,
                                     fmt::format("orbitals.file: {}", file.string()));
  ScfResult scf = determinant_of(functions, electrons, std::move(placed.orbitals));
  scf.warnings = std::move(placed.warnings);
  return scf;
}

IntegralSource open_molecule(const CiConfig& config, const JobMonitor& monitor) {
  const MoleculeConfig& molecule = *config.molecule;
  auto solution = std::make_shared<MoleculeSolution>();
  if (monitor.report != nullptr) {
    print_molecule(*monitor.report, describe_molecule(molecule));
    monitor.report->flush();
  }

  const auto memory = static_cast<std::int64_t>(memory_share * static_cast<double>(memory_limit(config)));
  RepulsionConfig repulsion_config;
  repulsion_config.max_bytes = memory;
  std::shared_ptr<Repulsion> repulsion;
  {
    ProgressLine progress(monitor.control, "Two-electron integrals");
    repulsion =
        std::make_shared<Repulsion>(molecule.basis, molecule.frame, repulsion_config, progress.callback());
  }
  const MolecularBasis functions{molecule.frame, molecule.basis, *repulsion};
  const bool is_given = !config.orbitals_file.empty();
  solution->scf = is_given ? scf_of_file(config, functions) : converged_scf(molecule, functions, monitor);
  // Before anything is settled over these orbitals: who asked for others sees which there are.
  solution->description = describe_molecule(molecule);
  add_scf(solution->scf, molecule, solution->description);
  if (is_given) {
    solution->description.method = "file";
    solution->description.orbitals_file = config.orbitals_file.string();
    solution->description.stability_checked = false;
  }
  if (monitor.report != nullptr)
    print_scf(*monitor.report, solution->description, solution->scf.energy, monitor.control.verbose);

  IntegralSource source;
  if (config.orbitals) {
    const ScfOrbitals& orbitals = solution->scf.orbitals;
    source.start = std::make_shared<const StartOrbitals>(
        StartOrbitals{repulsion, functions, orbitals.coefficients, orbitals.irreps});
  }
  source.molecule = solution;
  source.num_orbitals = solution->scf.orbitals.coefficients.columns();
  source.num_electrons = molecule.num_electrons;
  source.ms2 = molecule.multiplicity - 1;
  source.ms2_given = true;
  source.noble_gas_core = noble_gas_core(molecule.frame.geometry);
  source.point_group = molecule.frame.group;
  source.orbital_irreps = solution->scf.orbitals.irreps;
  source.shells = solution->is_unrestricted() ? degenerate_shells(solution->scf.orbitals.energies,
                                                                  solution->scf.beta_orbitals.energies)
                                              : degenerate_shells(solution->scf.orbitals.energies);
  source.determinant = determinant_of_spins(solution->scf);
  source.warnings = molecule.warnings;
  for (std::string& warning : frame_warnings(molecule.frame)) source.warnings.push_back(std::move(warning));
  const auto& warnings = solution->scf.warnings;
  source.warnings.insert(source.warnings.end(), warnings.begin(), warnings.end());
  source.activate = [&config, repulsion, solution, memory, control = monitor.control](
                        const std::vector<int>& core, const std::vector<int>& virtuals) {
    ProgressLine progress(control, "Transforming the integrals");
    TransformationConfig transformation;
    transformation.max_bytes = memory;
    const MoleculeConfig& m = *config.molecule;
    solution->core = core;
    const MolecularBasis basis{m.frame, m.basis, *repulsion};
    const ScfResult& scf = solution->scf;
    if (solution->is_unrestricted()) {
      return transform_integrals(basis, {scf.orbitals, scf.beta_orbitals}, core, virtuals, transformation,
                                 progress.callback());
    }
    return transform_integrals(basis, scf.orbitals, core, virtuals, transformation, progress.callback());
  };
  return source;
}

/// The Hubbard model of any phases of the boundaries as complex integrals.
IntegralSource open_complex_lattice(const CiConfig& config, IntegralSource source) {
  require_complex_determinants(config, false);
  auto integrals = std::make_shared<const ComplexIntegrals>(complex_hubbard_integrals(config.lattice->model));
  source.places_per_orbital = 2;
  source.activate = [integrals](const std::vector<int>& core, const std::vector<int>& virtuals) {
    return freeze_complex(*integrals, core, virtuals);
  };
  return source;
}

IntegralSource open_lattice(const CiConfig& config) {
  const LatticeConfig& lattice = *config.lattice;
  const LatticeModel& model = lattice.model;
  IntegralSource source;
  source.num_orbitals = model.sites();
  source.num_electrons = lattice.electrons;
  source.ms2 = lattice.electrons % 2;
  source.warnings = lattice.warnings;
  source.orbital_irreps.assign(source.num_orbitals, 0);
  if (model.is_complex()) return open_complex_lattice(config, std::move(source));
  auto solution = std::make_shared<LatticeSolution>();
  const bool are_bands = lattice.orbitals == LatticeOrbitalChoice::band;
  solution->orbitals = are_bands ? band_orbitals(model) : site_orbitals(model);
  source.orbital_irreps = solution->orbitals.irreps;
  source.lattice = solution;
  auto integrals = std::make_shared<const Integrals>(
      model.is_t_j() ? t_j_integrals(model) : hubbard_integrals(model, solution->orbitals));
  source.activate = [integrals](const std::vector<int>& core, const std::vector<int>& virtuals) {
    return freeze(*integrals, core, virtuals);
  };
  return source;
}

}  // namespace

IntegralSource open_integrals(const CiConfig& config, const JobMonitor& monitor) {
  if (config.lattice) return open_lattice(config);
  return config.molecule ? open_molecule(config, monitor) : open_file(config);
}

}  // namespace cisolve
