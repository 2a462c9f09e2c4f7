// SPDX-License-Identifier: MIT
#include "cisolve/tasks/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

#include "cisolve/core/units.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "tasks/orbitals/report.hpp"
#include "tasks/report/text.hpp"
#include "tasks/selected/report.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;

std::string hartree(double energy) { return fixed(energy, 10) + " hartree"; }

std::string energy_text(const CiResult& result, double energy) {
  return fixed(energy, 10) + " " + result.energy_unit();
}

/// Names of irreps, also for groups that the program does not know.
std::string irrep_name(const std::string& point_group, int number) {
  const PointGroup group = point_group == "unknown" ? PointGroup() : PointGroup::parse(point_group);
  return number >= 1 && number <= group.num_irreps() ? group.irrep_name(number) : std::to_string(number);
}

std::string orbitals_per_irrep(const CiResult::System& system) {
  std::map<int, int> counts;
  for (const int irrep : system.orbital_irreps) ++counts[irrep];
  std::string text;
  for (const auto& [irrep, count] : counts) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", irrep_name(system.point_group, irrep), count);
  }
  return text;
}

/// "99.566 % zeros", "-" for a region without elements.
std::string sparsity(double share) { return std::isnan(share) ? "-" : fixed(100.0 * share, 3) + " % zeros"; }

}  // namespace

void print_header(std::ostream& out, std::string_view version, std::string_view created,
                  std::string_view device, std::string_view title) {
  print_wrapped(out, "", fmt::format("cisolve {}", version));
  if (!title.empty()) print_wrapped(out, "", title);
  out << '\n';
  if (!created.empty()) print_field(out, "date (UTC)", created);
  print_field(out, "device", device);
}

void print_system(std::ostream& out, const CiResult& result, bool optimised) {
  const CiResult::System& system = result.system;
  const bool is_given = result.molecule && !result.molecule->orbitals_file.empty();
  out << "\nSystem\n";
  print_field(out, "integrals",
              result.lattice ? fmt::format("of the lattice, in units of {}", result.lattice->unit)
              : !system.integrals_file.empty() ? system.integrals_file
              : optimised                      ? "of orbitals optimised for the CI"
              : is_given                       ? "of the orbitals given"
                                               : "of the SCF orbitals");
  const bool spinors = system.orbitals == "spinors", unrestricted = system.orbitals == "unrestricted";
  if (!spinors && !result.lattice) print_field(out, "point group", system.point_group);
  print_field(
      out, "active electrons",
      spinors ? std::to_string(system.n_electrons)
              : fmt::format("{} ({} alpha, {} beta)", system.n_electrons,
                            (system.n_electrons + system.ms2) / 2, (system.n_electrons - system.ms2) / 2));
  print_field(out, spinors ? "active spinors" : "active orbitals",
              fmt::format("{}{}", system.n_orbitals, unrestricted ? " of each spin (unrestricted)" : ""));
  print_field(out, "per irrep", orbitals_per_irrep(system));
  if (unrestricted) {
    print_field(out, "spin overlap",
                system.spin_overlap_source == "integrals" ? "from the integrals: both spins span one space"
                : system.spin_overlap_source.empty()      ? "not known"
                                                          : "from the " + system.spin_overlap_source);
  }
  if (optimised) {
    print_field(out, "other orbitals",
                fmt::format("{} inactive, {} empty", system.n_frozen_core, system.n_frozen_virtual));
  } else if (!result.lattice || system.n_frozen_core + system.n_frozen_virtual > 0) {
    const auto left_out = static_cast<int>(system.left_out_orbitals.size());
    print_field(out, "frozen orbitals",
                fmt::format("{} core, {} virtual{}", system.n_frozen_core, system.n_frozen_virtual - left_out,
                            left_out > 0 ? fmt::format("; {} left out", left_out) : ""));
    print_field(out, "core energy", energy_text(result, system.core_energy));
  }
  if (system.scf_energy)
    print_field(out, is_given ? "determinant's energy" : "SCF energy", hartree(*system.scf_energy));
  if (!optimised) print_field(out, "reference energy", energy_text(result, system.reference_energy));
}

void print_sector_heading(std::ostream& out, int number, int count, std::string_view name) {
  out << '\n';
  print_wrapped(out, fmt::format("Sector {} of {}: ", number, count), name);
}

void print_no_states(std::ostream& out, const CiResult::Space& space) {
  out << (space.dimension > 0 ? "\n  The space holds no state of this multiplicity.\n"
                              : "\n  The space is empty.\n");
}

void print_space(std::ostream& out, const CiResult::Space& space, const CiResult::System& system) {
  out << "\nSpace\n";
  print_field(out, "basis", space.basis);
  print_field(out, "reference", space.reference);
  if (!space.reference_origin.empty()) print_field(out, "  which is", space.reference_origin);
  print_field(out, "excitation level",
              space.excitation_level < 0 ? "full" : std::to_string(space.excitation_level));
  print_field(out, "irrep", space.irrep == 0 ? "all" : irrep_name(system.point_group, space.irrep));
  if (system.orbitals != "spinors") print_field(out, "spin-complete", space.spin_complete ? "yes" : "no");
  print_field(out, "dimension", format_count(space.dimension));
  if (space.level_counts.size() == 1 && space.reference_dimension == space.dimension &&
      space.excitation_level < 0)
    return;  // all of it are references: nothing more is to be said
  print_field(out, "reference dimension", format_count(space.reference_dimension));
  for (std::size_t level = 0; level < space.level_counts.size(); ++level) {
    print_field(out, fmt::format("  level {}", level), format_count(space.level_counts[level]));
  }
}

void print_hamiltonian(std::ostream& out, const CiResult::Hamiltonian& hamiltonian) {
  out << "\nHamiltonian\n";
  print_field(out, "storage", hamiltonian.storage);
  print_field(out, "device", hamiltonian.device);
  if (hamiltonian.ranks > 1) print_field(out, "ranks", format_count(hamiltonian.ranks));
  print_field(out, "rows", format_count(hamiltonian.rows));
  const auto per_row = hamiltonian.rows > 0
                           ? static_cast<double>(hamiltonian.nonzeros) / static_cast<double>(hamiltonian.rows)
                           : 0.0;
  print_field(out, "nonzeros",
              fmt::format("{} ({} per row)", format_count(hamiltonian.nonzeros), fixed(per_row, 1)));
  if (hamiltonian.ell_width > 0 || hamiltonian.tail_nonzeros > 0) {
    print_field(out, "ELL width", format_count(hamiltonian.ell_width));
    print_field(out, "nonzeros in the tail", format_count(hamiltonian.tail_nonzeros));
  }
  print_field(out, "sparsity", sparsity(hamiltonian.sparsity));
  const bool stored = hamiltonian.ell_bytes > 0;  // nothing was, if that was not counted
  if (stored) {
    print_field(out, "  reference region", sparsity(hamiltonian.reference_sparsity));
    print_field(out, "  expansion region", sparsity(hamiltonian.expansion_sparsity));
  }
  print_field(out, stored ? "memory, as stored" : "tables, work vectors", format_bytes(hamiltonian.bytes));
  print_field(out, "  as CSR", format_bytes(hamiltonian.csr_bytes));
  if (stored) print_field(out, "  as ELL", format_bytes(hamiltonian.ell_bytes));
  print_field(out, "time to build", fixed(hamiltonian.build_seconds, 2) + " s");
}

void print_iteration_heading(std::ostream& out, std::string_view start, std::string_view unit) {
  out << "\nDavidson iterations\n";
  if (!start.empty()) print_field(out, "start vectors", start);
  out << fmt::format("{:>6}{:>10}{:>11}{:>22}{:>17}{:>12}\n", "iter", "subspace", "products",
                     fmt::format("lowest root/{}", unit), "max. residual", "seconds");
}

namespace {

std::string_view purpose(SearchPhase phase) {
  switch (phase) {
    case SearchPhase::roots:
      return "the wanted roots again";
    case SearchPhase::new_root:
      return "another root has come up among the wanted ones, and converges";
    case SearchPhase::missed_roots:
      return "looking for missed roots: low functions that no root holds are added";
    case SearchPhase::next_root:
      return "is the next root degenerate with the last? Following it until clear";
  }
  return "";
}

}  // namespace

void print_iteration(std::ostream& out, std::span<const IterationRecord> history) {
  const IterationRecord& record = history.back();
  const SearchPhase before = history.size() > 1 ? history[history.size() - 2].phase : SearchPhase::roots;
  if (record.phase != before) {
    if (before == SearchPhase::missed_roots) print_iterations_end(out, history.first(history.size() - 1));
    out << "        " << purpose(record.phase) << '\n';
  }
  const std::string energy = record.energies.empty() ? "-" : fixed(record.energies.front(), 10);
  const auto largest = std::ranges::max_element(record.residual_norms);
  const std::string residual = largest == record.residual_norms.end() ? "-" : fmt::format("{:.2e}", *largest);
  out << fmt::format("{:>6}{:>10}{:>11}{:>22}{:>17}{:>12}\n", record.iteration, record.subspace_size,
                     record.num_applications, energy, residual, fixed(record.seconds, 1));
}

void print_iterations_end(std::ostream& out, std::span<const IterationRecord> history) {
  if (history.empty() || history.back().phase != SearchPhase::missed_roots) return;
  std::size_t first = history.size();
  while (first > 0 && history[first - 1].phase == SearchPhase::missed_roots) --first;
  if (first == 0) return;
  const std::vector<double>& before = history[first - 1].energies;
  const std::vector<double>& after = history.back().energies;
  constexpr double converged = 1e-6;  // hartree; roots that were there fall by less
  bool found = false;
  for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k)
    found = found || before[k] - after[k] > converged;
  out << "        " << (found ? "a missed root was found" : "no missed root was found") << '\n';
}

void print_warnings(std::ostream& out, std::span<const std::string> warnings) {
  if (warnings.empty()) return;
  out << "\nWarnings\n";
  for (const std::string& warning : warnings) print_wrapped(out, "  - ", warning);
}

void print_failed_certificates(std::ostream& out, std::span<const std::string> failures) {
  if (failures.empty()) return;
  out << "\nDO NOT USE THESE RESULTS: they fail their certificates\n";
  for (const std::string& failure : failures) print_wrapped(out, "  - ", failure);
}

void print_timing(std::ostream& out, const CiResult::Timing& timing) {
  out << "\nTime\n";
  const std::pair<const char*, double> parts[] = {
      {"integrals", timing.integrals}, {"space", timing.space}, {"Hamiltonian", timing.hamiltonian},
      {"transfer", timing.transfer},   {"solve", timing.solve}, {"analysis", timing.analysis}};
  double others = timing.total;
  for (const auto& [name, seconds] : parts) others -= seconds;
  const auto print = [&](const char* name, double seconds) {
    const double share = timing.total > 0.0 ? 100.0 * seconds / timing.total : 0.0;
    out << fmt::format("  {:<24}{:>12} s{:>8} %\n", name, fixed(seconds, 2), fixed(share, 1));
  };
  for (const auto& [name, seconds] : parts) print(name, seconds);
  print("other", std::max(0.0, others));
  print("total", timing.total);
}

namespace {

void print_sector(std::ostream& out, const CiResult::Sector& sector, const CiResult::System& system,
                  std::string_view unit) {
  if (sector.selection) print_selection(out, *sector.selection);
  print_space(out, sector.space, system);
  if (sector.hamiltonian.rows == 0) return print_no_states(out, sector.space);
  print_hamiltonian(out, sector.hamiltonian);
  print_iteration_heading(out, sector.solver.start, unit);
  const std::span<const IterationRecord> history = sector.solver.history;
  for (std::size_t k = 1; k <= history.size(); ++k) print_iteration(out, history.first(k));
  if (sector.solver.status == "converged") print_iterations_end(out, history);
}

}  // namespace

std::string sector_name(const CiResult::Sector& sector, const CiResult::System& system) {
  std::string name =
      sector.irrep == 0 ? "all irreps" : "irrep " + irrep_name(system.point_group, sector.irrep);
  if (sector.multiplicity > 0) name += fmt::format(", multiplicity {}", sector.multiplicity);
  return name;
}

void print_setting(std::ostream& out, const CiResult& result, bool verbose) {
  if (result.molecule) {
    const CiResult::Molecule& molecule = *result.molecule;
    print_molecule(out, molecule);
    if (molecule.orbitals_file.empty()) print_scf_heading(out);
    double before = molecule.scf_energies.empty() ? 0.0 : molecule.scf_energies.front();
    for (std::size_t k = 0; k < molecule.scf_energies.size(); ++k) {
      const double energy = molecule.scf_energies[k];
      print_scf_iteration(out, {static_cast<int>(k) + 1, energy, energy - before, molecule.scf_gradients[k]});
      before = energy;
    }
    print_scf(out, molecule, result.system.scf_energy.value_or(0.0), verbose);
  }
  if (result.lattice) print_lattice(out, *result.lattice);
  print_system(out, result, result.orbitals.has_value());
  if (result.orbitals) {
    print_optimisation_heading(out, result.system, *result.orbitals);
    for (std::size_t k = 0; k < result.orbitals->history_energy.size(); ++k)
      print_optimisation_iteration(out, *result.orbitals, k);
    print_optimised(out, result, *result.orbitals, verbose);
  }
  const bool several = result.sectors.size() > 1;
  for (std::size_t k = 0; k < result.sectors.size(); ++k) {
    const CiResult::Sector& sector = result.sectors[k];
    if (several) {
      print_sector_heading(out, static_cast<int>(k) + 1, static_cast<int>(result.sectors.size()),
                           sector_name(sector, result.system));
    }
    if (several && sector.space.dimension == 0) {
      print_no_states(out, sector.space);
    } else {
      print_sector(out, sector, result.system, result.energy_unit());
    }
  }
}

std::string device_of(const CiResult& result) {
  for (const CiResult::Sector& sector : result.sectors) {
    if (!sector.hamiltonian.device.empty()) return sector.hamiltonian.device;
  }
  return {};  // none had anything to be solved
}

void print_findings(std::ostream& out, const CiResult& result) {
  print_failed_certificates(out, result.failed_certificates());
  print_roots(out, result);
  print_second_order(out, result);
  if (!result.roots.empty() && !result.root(0).natural_occupations.empty()) print_properties(out, result);
  if (result.lattice_states) print_lattice_states(out, result);
  print_warnings(out, result.warnings);
  print_timing(out, result.timing);
}

void print_report(std::ostream& out, const CiResult& result, bool verbose) {
  print_header(out, result.version, result.created, device_of(result), result.title);
  print_failed_certificates(out, result.failed_certificates());
  print_setting(out, result, verbose);
  print_findings(out, result);
}

}  // namespace cisolve
