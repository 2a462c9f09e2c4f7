// SPDX-License-Identifier: MIT
#include "tasks/files/result_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {
namespace {

constexpr std::int32_t heaviest_element = 118;

/// Says of a file that it is damaged unless something holds.
class Check {
public:
  explicit Check(const std::filesystem::path& file) : file_(file) {}

  void operator()(bool holds, std::string_view what) const {
    if (!holds) throw InputError(fmt::format("'{}' is damaged: {}", file_.string(), what));
  }

  template <class T>
  void within(const std::vector<T>& values, T least, T most, std::string_view what) const {
    const auto found =
        std::ranges::find_if(values, [&](const T& value) { return value < least || value > most; });
    if (found == values.end()) return;
    (*this)(false, fmt::format("{} holds {}; expected from {} to {}", what, *found, least, most));
  }

private:
  const std::filesystem::path& file_;
};

void check_molecule(const CiResult::Molecule& molecule, const Check& check) {
  const auto atoms = static_cast<std::int32_t>(molecule.labels.size());
  check.within(molecule.charges, 0, heaviest_element, "/molecule/charges");
  for (std::size_t a = 0; a < std::min(molecule.labels.size(), molecule.charges.size()); ++a)
    check(molecule.charges[a] != 0 || parse_atom_label(molecule.labels[a]).is_ghost,
          "/molecule/charges has a 0 for an atom whose label is not that of a ghost");
  check.within(molecule.bond_atoms, 1, atoms, "/molecule/bond_atoms");
  int irreps = 0;
  try {
    irreps = PointGroup::parse(molecule.point_group).num_irreps();
  } catch (const InputError& error) {
    check(false, fmt::format("/molecule: {}", error.what()));
  }
  check.within(molecule.orbital_irreps, 1, irreps, "/molecule/orbital_irreps");
  const auto orbitals = static_cast<std::int64_t>(molecule.orbital_energies.size());
  check(orbitals >= 1 && orbitals <= molecule.num_functions,
        fmt::format("/molecule has {} orbitals of {} functions", orbitals, molecule.num_functions));
  for (const std::size_t size : {molecule.beta_energies.size(), molecule.beta_occupations.size()}) {
    check(size == 0 || std::cmp_equal(size, orbitals),
          fmt::format("/molecule has {} orbitals of alpha and {} of beta", orbitals, size));
  }
  check(molecule.field.empty() || molecule.field.size() == 3, "/molecule/field has not three components");
  check(std::ssize(molecule.doubly_occupied) <= irreps,
        fmt::format("/molecule/doubly_occupied has more than {} irreps", irreps));
}

void check_system(const CiResult::System& system, const Check& check) {
  check(system.n_electrons >= 0 && system.n_electrons / 2 <= system.n_orbitals,
        fmt::format("/system has {} electrons in {} orbitals", system.n_electrons, system.n_orbitals));
  check(system.ms2 >= -system.n_electrons && system.ms2 <= system.n_electrons,
        fmt::format("/system has an ms2 of {} with {} electrons", system.ms2, system.n_electrons));
  if (system.point_group == "unknown") return;
  try {
    PointGroup::parse(system.point_group);
  } catch (const InputError& error) {
    check(false, fmt::format("/system: {}", error.what()));
  }
}

/// Numbers of a molecule's orbitals.
void check_orbitals(const CiResult::System& system, const CiResult::Molecule& molecule, const Check& check) {
  const auto orbitals = static_cast<std::int32_t>(molecule.orbital_energies.size());
  check.within(system.core_orbitals, 1, orbitals, "/system/core_orbitals");
  check.within(system.active_orbitals, 1, orbitals, "/system/active_orbitals");
  check.within(system.left_out_orbitals, 1, orbitals, "/system/left_out_orbitals");
  check.within(system.cas_orbitals, 1, orbitals, "/system/cas_orbitals");
  check.within(system.max_holes_orbitals, 1, orbitals, "/system/max_holes_orbitals");
  check.within(system.max_particles_orbitals, 1, orbitals, "/system/max_particles_orbitals");
  std::vector<std::int32_t> once = system.core_orbitals;
  once.insert(once.end(), system.active_orbitals.begin(), system.active_orbitals.end());
  std::ranges::sort(once);
  check(std::ranges::adjacent_find(once) == once.end(),
        "an orbital is twice in /system/core_orbitals and /system/active_orbitals");
}

/// Strings of one spin.
/// @return electrons in each
int check_strings(const std::vector<std::uint64_t>& strings, int words, int num_orbitals,
                  const Check& check) {
  constexpr int bits = 64;
  int electrons = 0;
  for (std::size_t first = 0; first < strings.size(); first += static_cast<std::size_t>(words)) {
    int found = 0;
    for (int w = 0; w < words; ++w) {
      const std::uint64_t word = strings[first + static_cast<std::size_t>(w)];
      const int most = std::clamp(num_orbitals - bits * w, 0, bits);  // orbitals in this word
      check(most == bits || word >> most == 0,
            "a determinant in /space occupies an orbital that is not there");
      found += std::popcount(word);
    }
    if (first == 0) electrons = found;
    check(found == electrons, "determinants in /space differ in their electrons");
  }
  return electrons;
}

void check_functions(const CiResult::Space& space, const CiResult::System& system, const Check& check) {
  check(space.dimension >= 0,
        fmt::format("the dimension of a space is {}; expected 0 or more", space.dimension));
  const auto check_determinants = [&](const auto& alpha, const auto& beta) {
    if (alpha.empty() && beta.empty()) return;
    check(space.words >= 1, fmt::format("/space has {} words per string", space.words));
    const int electrons = check_strings(alpha, space.words, system.n_orbitals, check) +
                          check_strings(beta, space.words, system.n_orbitals, check);
    check(
        electrons == system.n_electrons,
        fmt::format("determinants in /space have {} electrons; expected {}", electrons, system.n_electrons));
  };
  check_determinants(space.alpha, space.beta);
  check_determinants(space.blocks.alpha, space.blocks.beta);
  if (space.steps.empty()) return;
  const auto width = static_cast<std::size_t>(system.n_orbitals);
  check(space.steps.size() == static_cast<std::size_t>(space.dimension) * width,
        "/space/steps does not have a column per active orbital");
  for (auto row = space.steps.begin(); row != space.steps.end(); row += system.n_orbitals) {
    constexpr int electrons_of[] = {0, 1, 1, 2};
    int electrons = 0;
    for (const std::uint8_t step : std::span(row, width)) {
      check(step < std::size(electrons_of), "/space/steps holds a step that is not 0 to 3");
      electrons += electrons_of[step];
    }
    check(electrons == system.n_electrons, "a CSF in /space does not have the active electrons");
  }
}

}  // namespace

void check_parts(const CiResult& result, const std::filesystem::path& file) {
  const Check check(file);
  check_system(result.system, check);
  if (result.molecule) {
    check_molecule(*result.molecule, check);
    check_orbitals(result.system, *result.molecule, check);
    check(result.system.scf_energy.has_value(), "/system has no scf_energy, which a molecule has");
  }
  if (result.orbitals) {
    const CiResult::Orbitals& orbitals = *result.orbitals;
    const CiResult::System& system = result.system;
    // Of integrals of a file, the functions are its orbitals.
    const std::int64_t all = std::int64_t{system.n_orbitals} + system.n_frozen_core + system.n_frozen_virtual;
    const auto count = std::ssize(orbitals.energies);
    const bool fits = result.molecule ? orbitals.num_functions == result.molecule->num_functions &&
                                            count == std::ssize(result.molecule->orbital_energies)
                                      : orbitals.num_functions == all && count == all;
    check(fits && orbitals.n_active == system.n_orbitals,
          "/orbitals has other orbitals than /molecule or /system");
    constexpr int most_irreps = 8;
    const int irreps =
        result.molecule ? PointGroup::parse(result.molecule->point_group).num_irreps() : most_irreps;
    check.within(orbitals.irreps, 1, irreps, "/orbitals/irreps");
  }
  constexpr std::int64_t most_products = std::int64_t{1} << 53;  // sums of sectors fit
  for (const CiResult::Sector& sector : result.sectors) {
    check_functions(sector.space, result.system, check);
    const std::int64_t products = sector.solver.num_applications;
    check(products >= 0 && products <= most_products, fmt::format("/solver has {} products of H", products));
  }
}

void check_roots(const std::vector<Root>& roots, const std::string& group,
                 const std::filesystem::path& file) {
  constexpr int most_irreps = 8;  // of D2h; 0: mixed
  std::vector<int> irreps;
  for (const Root& root : roots) irreps.push_back(root.irrep);
  Check(file).within(irreps, 0, most_irreps, group + "/irrep");
}

void check_properties(const CiResult& result, const std::vector<Root>& roots,
                      const std::filesystem::path& file) {
  const Check check(file);
  const auto require = [&](std::size_t found, std::size_t expected, std::string_view what) {
    check(found == expected,
          fmt::format("/states/{} has {} values for a root; expected {}", what, found, expected));
  };
  constexpr std::size_t axes = 3;
  for (const Root& root : roots) {
    require(root.dipole.size(), axes, "dipole");
    require(root.transition_dipole.size(), axes * roots.size(), "transition_dipole");
    require(root.oscillator_strength.size(), roots.size(), "oscillator_strength");
    constexpr std::size_t moments = 6;
    if (!root.quadrupole.empty()) require(root.quadrupole.size(), moments, "quadrupole");
    if (!result.molecule) continue;
    const std::size_t atoms = result.molecule->labels.size();
    require(root.mulliken_charges.size(), atoms, "mulliken_charges");
    if (!root.spin_populations.empty()) require(root.spin_populations.size(), atoms, "spin_populations");
  }
}

}  // namespace cisolve
