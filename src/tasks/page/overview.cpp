// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cisolve/core/number_text.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

/// "CISD" and so on; further levels by number.
std::string truncation(int level) {
  constexpr std::string_view letters = "SDTQ";
  if (level <= static_cast<int>(letters.size()))
    return "CI" + std::string(letters.substr(0, static_cast<std::size_t>(level)));
  return fmt::format("CI up to level {}", level);
}

/// Of the CI alone, without its orbitals.
std::string ci_method(const CiResult& result, const CiResult::Sector& sector) {
  const CiResult::System& system = result.system;
  if (sector.selection) return fmt::format("selected CI ({})", sector.selection->criterion);
  const int level = sector.space.excitation_level;
  const std::size_t in_cas = system.cas_orbitals.size();
  const bool is_restricted = !system.max_holes_orbitals.empty() || !system.max_particles_orbitals.empty();
  const std::string restricted = is_restricted ? ", holes and particles restricted (RAS)" : "";
  if (level < 0) return "full CI" + restricted;
  if (level > 0)
    return in_cas == 0
               ? truncation(level) + restricted
               : fmt::format("MR-{} out of a CAS of {} orbitals{}", truncation(level), in_cas, restricted);
  if (in_cas == 0) return "CI of the references" + restricted;
  const bool is_optimised = result.orbitals && result.orbitals->type == "casscf";
  const std::string name = fmt::format("{}{}", is_restricted ? "RAS" : "CAS", is_optimised ? "SCF" : "CI");
  // Where other orbitals are active too, how many electrons the CAS holds is not said.
  return in_cas == static_cast<std::size_t>(system.n_orbitals)
             ? fmt::format("{}({},{})", name, system.n_electrons, in_cas)
             : fmt::format("{} of {} orbitals", name, in_cas);
}

std::string orbitals_of(const CiResult& result) {
  if (result.orbitals) return result.orbitals->type == "natural" ? "natural orbitals" : "CASSCF orbitals";
  if (!result.molecule)
    return result.system.orbitals == "restricted" ? "" : result.system.orbitals + " orbitals";
  if (!result.molecule->orbitals_file.empty()) return "orbitals of " + result.molecule->orbitals_file;
  return result.molecule->method + " orbitals";
}

/// Of one sector, or from the smallest to the largest; the table of spaces has all.
std::string dimensions(const CiResult& result) {
  std::vector<std::int64_t> all;
  std::string_view basis;
  for (const CiResult::Sector& sector : result.sectors) {
    if (sector.space.dimension == 0) continue;
    all.push_back(sector.space.dimension);
    basis = sector.space.basis == "csf" ? "CSFs" : "determinants";
  }
  if (all.empty()) return "";
  const auto [least, most] = std::ranges::minmax(all);
  const std::string range = format_count(least) + (most > least ? " to " + format_count(most) : "");
  return fmt::format("{} {}{}", range, basis,
                     all.size() > 1 ? fmt::format(" in each of {} sectors", all.size()) : "");
}

std::string electrons(const CiResult::System& system) {
  const std::string spins = system.orbitals == "spinors"
                                ? ""
                                : fmt::format(" ({} alpha, {} beta)", (system.n_electrons + system.ms2) / 2,
                                              (system.n_electrons - system.ms2) / 2);
  return fmt::format("{}{} in {} {}", system.n_electrons, spins, system.n_orbitals,
                     system.orbitals == "spinors" ? "spinors" : "orbitals");
}

std::string others(const CiResult& result) {
  const CiResult::System& system = result.system;
  const auto left_out = static_cast<int>(system.left_out_orbitals.size());
  if (result.orbitals)
    return fmt::format("{} inactive, {} empty", system.n_frozen_core, system.n_frozen_virtual);
  if (system.n_frozen_core == 0 && system.n_frozen_virtual == 0) return "";
  return fmt::format("{} core, {} virtual{}", system.n_frozen_core, system.n_frozen_virtual - left_out,
                     left_out > 0 ? fmt::format("; {} left out", left_out) : "");
}

/// Where elements stand in the formula of a compound of carbon.
std::size_t place_by_hill(std::string_view symbol) { return symbol == "C" ? 0 : symbol == "H" ? 1 : 2; }

/// In other formulas: LiH, NH3, H2O, HF.
/// @see Nomenclature of Inorganic Chemistry, IUPAC Recommendations 2005, table VI
std::size_t place_by_iupac(std::string_view symbol) {
  constexpr std::string_view order[] = {"Tl", "In", "Ga", "Al", "B", "Pb", "Sn", "Ge", "Si",
                                        "C",  "Bi", "Sb", "As", "P", "N",  "H",  "Po", "Te",
                                        "Se", "S",  "O",  "At", "I", "Br", "Cl", "F"};
  const auto* found = std::ranges::find(order, symbol);
  return found == std::end(order) ? 0 : static_cast<std::size_t>(found - std::begin(order)) + 1;
}

}  // namespace

std::string formula_of(const CiResult::Molecule& molecule) {
  std::map<std::size_t, std::map<std::string, int>> counts;  // by place
  const bool is_organic = std::ranges::find(molecule.charges, 6) != molecule.charges.end();
  for (const std::int32_t charge : molecule.charges) {
    if (charge == 0) continue;  // a ghost
    const std::string symbol(element_symbol(charge));
    ++counts[is_organic ? place_by_hill(symbol) : place_by_iupac(symbol)][symbol];
  }
  std::string text;
  for (const auto& [place, elements] : counts) {
    for (const auto& [symbol, count] : elements) text += symbol + (count > 1 ? std::to_string(count) : "");
  }
  return text;
}

std::string method_of(const CiResult& result) {
  std::string method;
  for (const CiResult::Sector& sector : result.sectors) {
    if (sector.space.dimension > 0) {
      method = ci_method(result, sector);
      break;
    }
  }
  const std::string orbitals = orbitals_of(result);
  const bool is_said = method.find("SCF") != std::string::npos;
  return orbitals.empty() || is_said ? method : fmt::format("{}, {}", method, orbitals);
}

Markup overview(const CiResult& result) {
  Fields fields;
  const CiResult::System& system = result.system;
  if (result.molecule) {
    fields.add("Molecule", formula_of(*result.molecule));
    fields.add("Charge, multiplicity",
               fmt::format("{}, {}", result.molecule->charge, result.molecule->multiplicity));
  }
  if (result.lattice) {
    const LatticeDescription& lattice = *result.lattice;
    fields.add("Lattice", fmt::format("{} of {} sites, {}", lattice.kind, lattice.n_sites,
                                      lattice.boundary.empty() ? "a graph" : lattice.boundary));
    fields.add("Model", fmt::format("{}, {} electrons", lattice.model, lattice.n_electrons));
  } else {
    fields.add("Integrals", system.integrals_file);
  }
  fields.add("Method", method_of(result));
  if (result.molecule)
    fields.add("Basis set",
               fmt::format("{}, {} functions", result.molecule->basis, result.molecule->num_functions));
  if (system.orbitals != "spinors" && !result.lattice) fields.add("Point group", system.point_group);
  fields.add("Active electrons", electrons(system));
  fields.add(result.orbitals ? "Other orbitals" : "Frozen orbitals", others(result));
  fields.add("Dimension", dimensions(result));
  if (system.scf_energy) fields.add("SCF energy", report::fixed(*system.scf_energy, 10) + " hartree");
  fields.add("Device", device_of(result));
  fields.add("Time", report::fixed(result.timing.total, 2) + " s");
  return fields.markup();
}

}  // namespace cisolve::page
