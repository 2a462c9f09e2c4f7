// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <complex>
#include <numbers>

#include "cisolve/tasks/lattice/lattice_description.hpp"

namespace cisolve {
namespace {

std::vector<double> flat(const std::vector<std::array<double, 2>>& pairs) {
  std::vector<double> numbers;
  for (const auto& pair : pairs) numbers.insert(numbers.end(), pair.begin(), pair.end());
  return numbers;
}

std::string boundary_text(const Boundary& boundary) {
  if (boundary.open) return "open";
  if (boundary.angle == 0.0) return "periodic";
  return boundary.angle == 1.0 ? "antiperiodic" : fmt::format("{} pi", boundary.angle);
}

}  // namespace

LatticeDescription describe_lattice(const LatticeConfig& config, int ms2,
                                    const std::vector<double>& band_energies) {
  const LatticeModel& model = config.model;
  const Cluster& cluster = model.cluster;
  const LatticeParameters& p = model.parameters;
  LatticeDescription lattice;
  lattice.kind = config.kind;
  lattice.model = model.is_t_j() ? "t-J" : "Hubbard";
  lattice.orbitals = config.orbitals == LatticeOrbitalChoice::band ? "band" : "site";
  lattice.t = p.t, lattice.t2 = p.t2, lattice.t3 = p.t3;
  lattice.u = p.u, lattice.j = p.j, lattice.v = p.v;
  lattice.n_sites = model.sites();
  lattice.n_electrons = config.electrons;
  lattice.ms2 = ms2;
  lattice.dimensions = cluster.dimensions();
  lattice.multiply_joined = model.multiply_joined_pairs();
  for (const LatticeBond& bond : model.bonds) {
    lattice.bonds.insert(lattice.bonds.end(), {bond.pair.i + 1, bond.pair.j + 1});
    lattice.bond_parameters.insert(lattice.bond_parameters.end(), {bond.t, bond.j, bond.v});
    const std::complex<double> phase = bond.pair.phase;
    lattice.bond_phases.push_back(phase.imag() != 0.0 ? 0 : phase.real() > 0.0 ? 1 : -1);
    lattice.bond_angles.push_back(std::arg(phase) / std::numbers::pi);
  }
  lattice.band_energies = band_energies;
  if (cluster.is_graph()) return lattice;
  const auto& [first, second] = cluster.boundary();
  lattice.boundary = boundary_text(first);
  if (cluster.dimensions() == 2 && first != second) lattice.boundary += ", " + boundary_text(second);
  for (const LatticeVector& t : cluster.vectors()) lattice.vectors.insert(lattice.vectors.end(), {t.x, t.y});
  for (int i = 0; i < cluster.sites(); ++i) {
    const LatticeVector r = cluster.position(i);
    lattice.coordinates.insert(lattice.coordinates.end(), {r.x, r.y});
  }
  if (!cluster.is_translation_invariant()) return lattice;
  lattice.momenta = flat(cluster.momenta());
  lattice.wave_vectors = flat(cluster.wave_vectors());
  return lattice;
}

}  // namespace cisolve
