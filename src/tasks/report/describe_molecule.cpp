// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>

#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "cisolve/molecule/gaussian94.hpp"
#include "cisolve/molecule/orbital_contributions.hpp"
#include "cisolve/tasks/report/report.hpp"

namespace cisolve {

CiResult::Molecule describe_molecule(const MoleculeConfig& config) {
  CiResult::Molecule molecule;
  for (const Atom& atom : config.frame.geometry.atoms) {
    molecule.labels.push_back(atom.label);
    molecule.charges.push_back(atom.charge);
    molecule.coordinates.insert(molecule.coordinates.end(), atom.position.begin(), atom.position.end());
  }
  const Surroundings& around = config.frame.geometry.surroundings;
  for (const PointCharge& other : around.charges) {
    molecule.point_charges.push_back(other.charge);
    molecule.point_charge_positions.insert(molecule.point_charge_positions.end(), other.position.begin(),
                                           other.position.end());
  }
  if (around.has_field()) molecule.field.assign(around.field.begin(), around.field.end());
  for (const AtomPair& bond : find_bonds(config.frame.geometry)) {
    molecule.bond_lengths.push_back(bond.distance);
    molecule.bond_atoms.insert(molecule.bond_atoms.end(), {bond.first + 1, bond.second + 1});
  }
  molecule.charge = config.charge;
  molecule.multiplicity = config.multiplicity;
  molecule.basis = config.basis_name;
  molecule.functions = function_types(
      config.basis,
      config.sets[static_cast<std::size_t>(config.frame.geometry.atoms.front().set)].functions.value());
  molecule.basis_set = gaussian94_text(config.basis, config.frame.geometry, config.sets);
  molecule.num_functions = config.basis.num_functions;
  molecule.point_group = config.frame.group.name();
  molecule.largest_group = config.frame.largest_group;
  molecule.reoriented = config.frame.reoriented;
  molecule.origin.assign(config.frame.origin.begin(), config.frame.origin.end());
  for (const Position& axis : config.frame.axes)
    molecule.axes.insert(molecule.axes.end(), axis.begin(), axis.end());
  return molecule;
}

namespace {

/// The way down from the state first found: "0.012300 hartree down to another occupation of the irreps".
std::string search_text(const ScfResult& scf) {
  std::string text;
  for (const ScfDescent& step : scf.descents) {
    text += fmt::format("{}{:.6f} hartree down {}", text.empty() ? "" : ", then ", step.from - step.to,
                        step.by_rotation ? "along an instability" : "to another occupation of the irreps");
  }
  return text;
}

std::vector<double> values_of(const Matrix& m) {
  return {m.data(), m.data() + static_cast<std::size_t>(m.rows()) * static_cast<std::size_t>(m.columns())};
}

/// What UHF has besides alpha orbitals.
void add_beta(const ScfResult& scf, const MoleculeConfig& config, CiResult::Molecule& molecule) {
  const ScfOrbitals& beta = scf.beta_orbitals;
  molecule.restricted_energy = scf.restricted_energy;
  molecule.s_squared = scf.s_squared;
  molecule.beta_energies = beta.energies;
  molecule.beta_occupations.assign(beta.occupations.begin(), beta.occupations.end());
  molecule.beta_contributions = orbital_contributions(config.basis, config.frame, beta.coefficients);
  molecule.beta_coefficients = values_of(beta.coefficients);
}

}  // namespace

void add_scf(const ScfResult& scf, const MoleculeConfig& config, CiResult::Molecule& molecule) {
  molecule.method = config.scf.unrestricted ? "UHF" : config.multiplicity == 1 ? "RHF" : "ROHF";
  molecule.from_guess = scf.from_guess;
  molecule.search = search_text(scf);
  molecule.carried_energy = scf.carried_energy;
  molecule.fresh_energy = scf.fresh_energy;
  molecule.nuclear_repulsion = scf.nuclear_repulsion;
  molecule.num_dependent = scf.num_dependent;
  molecule.stability_checked = config.scf.check_stability;
  molecule.lowest_eigenvalue = scf.lowest_eigenvalue;
  molecule.doubly_occupied.assign(scf.doubly_occupied.begin(), scf.doubly_occupied.end());
  molecule.singly_occupied.assign(scf.singly_occupied.begin(), scf.singly_occupied.end());
  molecule.orbital_energies = scf.orbitals.energies;
  molecule.occupations.assign(scf.orbitals.occupations.begin(), scf.orbitals.occupations.end());
  for (const int irrep : scf.orbitals.irreps) molecule.orbital_irreps.push_back(irrep + 1);
  molecule.orbital_labels = orbital_labels(scf.orbitals.irreps, config.frame.group);
  molecule.orbital_contributions =
      orbital_contributions(config.basis, config.frame, scf.orbitals.coefficients);
  molecule.coefficients = values_of(scf.orbitals.coefficients);
  if (config.scf.unrestricted) add_beta(scf, config, molecule);
  for (const ScfIteration& iteration : scf.history) {
    molecule.scf_energies.push_back(iteration.energy);
    molecule.scf_gradients.push_back(iteration.gradient);
  }
}

}  // namespace cisolve
