// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "cisolve/tasks/report/report.hpp"
#include "tasks/report/displacements.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::displacement_text;
using report::fixed;
using report::momentum_text;
using report::print_field;
using report::print_wrapped;

std::string vector_text(const std::vector<std::int32_t>& numbers, std::size_t row) {
  return fmt::format("({}, {})", numbers[2 * row], numbers[2 * row + 1]);
}

std::string parameters_text(const LatticeDescription& lattice) {
  std::string text = fmt::format("t = {}", lattice.t);
  const auto add = [&](const char* name, double value, bool is_always) {
    if (value != 0.0 || is_always) text += fmt::format(", {} = {}", name, value);
  };
  add("t2", lattice.t2, false);
  add("t3", lattice.t3, false);
  add("U", lattice.u, lattice.model == "Hubbard");
  add("J", lattice.j, lattice.model == "t-J");
  add("V", lattice.v, false);
  return text;
}

/// "-4.0000, 4 of -2.0000, ...": levels with their degeneracies.
std::string levels_text(const std::vector<double>& energies) {
  constexpr double same = 1e-9;
  std::string text;
  for (std::size_t first = 0; first < energies.size();) {
    std::size_t last = first + 1;
    while (last < energies.size() && energies[last] - energies[last - 1] <= same) ++last;
    const std::size_t count = last - first;
    text += (text.empty() ? "" : ", ") + (count > 1 ? fmt::format("{} of ", count) : "") +
            fixed(energies[first], 4);
    first = last;
  }
  return text;
}

/// Values of one root: `width` of them from `all`.
std::vector<double> part(const std::vector<double>& all, std::size_t root, std::size_t width) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(root * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}

void print_by_displacement(std::ostream& out, const CiResult& result, std::size_t k) {
  const LatticeDescription& lattice = *result.lattice;
  const CiResult::LatticeStates& states = *result.lattice_states;
  const auto sites = static_cast<std::size_t>(lattice.n_sites);
  const auto s_s = part(states.s_s, k, sites), sz_sz = part(states.sz_sz, k, sites),
             n_n = part(states.n_n, k, sites);
  out << fmt::format("  {:>14}{:>14}{:>14}{:>14}\n", "displacement", "<S.S>", "<Sz Sz>", "<n n>");
  for (std::size_t d = 0; d < sites; ++d) {
    out << fmt::format("  {:>14}{:>14}{:>14}{:>14}\n", displacement_text(lattice, d), fixed(s_s[d], 8),
                       fixed(sz_sz[d], 8), fixed(n_n[d], 8));
  }
  const auto spin = part(states.spin_structure_factor, k, sites),
             charge = part(states.charge_structure_factor, k, sites);
  const auto up = part(states.momentum_distribution, 2 * k, sites),
             down = part(states.momentum_distribution, 2 * k + 1, sites);
  out << fmt::format("  {:>20}{:>12}{:>12}{:>14}{:>10}{:>9}\n", "q/pi", "S(q)", "N(q)", "k/pi", "n(k) up",
                     "down");
  for (std::size_t q = 0; q < sites; ++q) {
    out << fmt::format("  {:>20}{:>12}{:>12}{:>14}{:>10}{:>9}\n",
                       momentum_text(lattice, lattice.wave_vectors, q), fixed(spin[q], 6),
                       fixed(charge[q], 6), momentum_text(lattice, lattice.momenta, q), fixed(up[q], 6),
                       fixed(down[q], 6));
  }
}

void print_by_pair(std::ostream& out, const CiResult& result, std::size_t k) {
  const CiResult::LatticeStates& states = *result.lattice_states;
  const auto sites = static_cast<std::size_t>(result.lattice->n_sites);
  const auto s_s = part(states.s_s, k, sites * sites), n_n = part(states.n_n, k, sites * sites);
  const auto density = part(states.density, k, sites),
             double_occupancy = part(states.double_occupancy, k, sites);
  out << fmt::format("  {:>14}{:>14}{:>14}\n", "site", "<n>", "<n_u n_d>");
  for (std::size_t i = 0; i < sites; ++i)
    out << fmt::format("  {:>14}{:>14}{:>14}\n", i + 1, fixed(density[i], 8), fixed(double_occupancy[i], 8));
  out << fmt::format("  {:>14}{:>14}{:>14}\n", "bond", "<S.S>", "<n n>");
  const auto& bonds = result.lattice->bonds;
  for (std::size_t b = 0; b < bonds.size() / 2; ++b) {
    const auto i = static_cast<std::size_t>(bonds[2 * b]) - 1,
               j = static_cast<std::size_t>(bonds[2 * b + 1]) - 1;
    out << fmt::format("  {:>14}{:>14}{:>14}\n", fmt::format("{}-{}", i + 1, j + 1),
                       fixed(s_s[i * sites + j], 8), fixed(n_n[i * sites + j], 8));
  }
}

}  // namespace

void print_lattice(std::ostream& out, const LatticeDescription& lattice) {
  out << "\nLattice\n";
  std::string cluster =
      fmt::format("{} of {} sites", lattice.kind == "bonds" ? "graph" : lattice.kind, lattice.n_sites);
  print_field(out, "cluster", cluster);
  if (lattice.dimensions == 2)
    print_field(out, "spanning vectors",
                vector_text(lattice.vectors, 0) + ", " + vector_text(lattice.vectors, 1));
  if (lattice.dimensions > 0) print_field(out, "boundary", lattice.boundary);
  print_field(out, "bonds", std::to_string(lattice.bond_phases.size()));
  if (lattice.multiply_joined > 0)
    print_field(
        out, "joined several times",
        fmt::format("{} pair{} of sites", lattice.multiply_joined, lattice.multiply_joined == 1 ? "" : "s"));
  print_field(out, "model", fmt::format("{}, {}", lattice.model, parameters_text(lattice)));
  const double filling = static_cast<double>(lattice.n_electrons) / lattice.n_sites;
  print_field(out, "electrons",
              fmt::format("{}, {} for each site (doping {})", lattice.n_electrons, fixed(filling, 4),
                          fixed(1.0 - filling, 4)));
  print_field(out, "orbitals", lattice.orbitals == "band" ? "bands" : "sites");
  if (!lattice.band_energies.empty()) print_field(out, "  energies", levels_text(lattice.band_energies));
}

void print_lattice_states(std::ostream& out, const CiResult& result) {
  const CiResult::LatticeStates& states = *result.lattice_states;
  const std::string& unit = result.lattice->unit;
  out << fmt::format("\nCorrelations\n");
  constexpr std::size_t most_shown = 3;  // levels; the file has all
  std::int32_t shown = 0;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    if (states.group[k] == shown) continue;
    if (static_cast<std::size_t>(shown) == most_shown) {
      print_wrapped(out, "  ", "Those of the other roots are in the result file.");
      break;
    }
    shown = states.group[k];
    const auto of_level = std::ranges::count(states.group, shown);
    out << fmt::format("  {}\n", of_level == 1 ? fmt::format("root {}", k + 1)
                                               : fmt::format("roots {} to {}: average of the level", k + 1,
                                                             k + static_cast<std::size_t>(of_level)));
    const auto sites = static_cast<std::size_t>(result.lattice->n_sites);
    double doubly = 0.0;
    for (const double d : part(states.double_occupancy, k, sites)) doubly += d;
    const auto print_energy = [&](const char* name, double energy) {
      if (energy != 0.0) print_field(out, name, fixed(energy, 10) + " " + unit);
    };
    print_energy("kinetic energy", states.kinetic[k]);
    print_energy("exchange energy", states.exchange[k]);
    print_energy("energy of U", states.interaction[k]);
    print_energy("energy of V", states.repulsion[k]);
    if (result.lattice->model == "Hubbard") print_field(out, "doubly occupied sites", fixed(doubly, 8));
    if (states.spin_structure_factor.empty()) {
      print_by_pair(out, result, k);
    } else {
      print_by_displacement(out, result, k);
    }
  }
}

}  // namespace cisolve
