// SPDX-License-Identifier: MIT
#include "tasks/export/result_molecule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/molecule/gaussian94.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse_damaged(const std::filesystem::path& file, std::string_view what) {
  throw InputError(fmt::format("'{}' is damaged: {}", file.string(), what));
}

Geometry geometry_of(const CiResult::Molecule& molecule) {
  Geometry geometry;
  for (std::size_t a = 0; a < molecule.labels.size(); ++a) {
    const double* at = molecule.coordinates.data() + 3 * a;
    const int ghost_of = molecule.charges[a] == 0 ? parse_atom_label(molecule.labels[a]).element : 0;
    geometry.atoms.push_back({molecule.charges[a], molecule.labels[a], {at[0], at[1], at[2]}, ghost_of});
  }
  return geometry;
}

/// @param geometry  its atoms get the numbers of their sets
GaussianBasis basis_of(const CiResult::Molecule& molecule, Geometry& geometry,
                       const std::filesystem::path& file) {
  const std::string where = fmt::format("'{}': /molecule/basis_set", file.string());
  const std::vector<BasisSet> sets = read_gaussian94_sets(molecule.basis_set, where, geometry);
  GaussianBasis basis = make_basis(geometry, sets, where);
  if (basis.num_functions != molecule.num_functions)
    refuse_damaged(file, fmt::format("/molecule/basis_set has {} functions, /molecule {}",
                                     basis.num_functions, molecule.num_functions));
  return basis;
}

/// Zero-based numbers of orbitals.
std::vector<int> numbers(const std::vector<std::int32_t>& orbitals, std::size_t num_orbitals,
                         const std::filesystem::path& file) {
  std::vector<int> from_zero;
  for (const std::int32_t p : orbitals) {
    if (p < 1 || static_cast<std::size_t>(p) > num_orbitals)
      refuse_damaged(file, "an orbital of /system is none of the SCF's");
    from_zero.push_back(p - 1);
  }
  return from_zero;
}

}  // namespace

ResultMolecule molecule_of(const CiResult& result, const std::filesystem::path& file,
                           std::string_view purpose) {
  if (!result.molecule) {
    throw InputError(fmt::format("{} has no molecule, its integrals are those of {}; {} need basis functions",
                                 file.string(), result.system.integrals_file, purpose));
  }
  const CiResult::Molecule& molecule = *result.molecule;
  if (molecule.basis_set.empty()) {
    throw InputError(
        fmt::format("{} does not hold its basis set; it was written by cisolve {}, and a run of "
                    "this version writes it",
                    file.string(), result.version));
  }
  ResultMolecule found;
  found.geometry = geometry_of(molecule);
  found.basis = basis_of(molecule, found.geometry, file);
  const std::size_t n = molecule.orbital_energies.size();
  found.core = numbers(result.system.core_orbitals, n, file);
  found.active = numbers(result.system.active_orbitals, n, file);
  for (int p = 0; p < static_cast<int>(n); ++p) {
    if (std::ranges::find(found.core, p) == found.core.end() &&
        std::ranges::find(found.active, p) == found.active.end())
      found.virtuals.push_back(p);
  }
  if (found.core.size() + found.active.size() + found.virtuals.size() != n)
    refuse_damaged(file, "an orbital of /system is both frozen and active");
  return found;
}

MoldenOrbitals orbitals_of(const CiResult& result, const std::filesystem::path& file) {
  ResultMolecule parts = molecule_of(result, file, "orbitals");
  const CiResult::Molecule& molecule = *result.molecule;
  if (!molecule.beta_energies.empty()) {
    throw InputError(
        fmt::format("the orbitals of {} are UHF's, of each spin its own; ones that both share are needed",
                    file.string()));
  }
  const int n = static_cast<int>(molecule.orbital_energies.size());
  MoldenOrbitals orbitals;
  orbitals.title = result.title;
  orbitals.geometry = std::move(parts.geometry);
  orbitals.basis = std::move(parts.basis);
  orbitals.coefficients = Matrix(molecule.num_functions, n);
  std::ranges::copy(molecule.coefficients, orbitals.coefficients.data());
  std::vector<int> irreps;
  for (const std::int32_t irrep : molecule.orbital_irreps) irreps.push_back(irrep - 1);
  orbitals.symmetries = orbital_labels(irreps, PointGroup::parse(molecule.point_group));
  orbitals.energies = molecule.orbital_energies;
  orbitals.occupations.assign(molecule.occupations.begin(), molecule.occupations.end());
  if (result.orbitals) {  // in the places of the SCF's
    std::ranges::copy(result.orbitals->coefficients, orbitals.coefficients.data());
    orbitals.energies = result.orbitals->energies;
    orbitals.occupations = result.orbitals->occupations;
  }
  return orbitals;
}

}  // namespace cisolve
