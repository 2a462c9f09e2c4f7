// SPDX-License-Identifier: MIT
#include "cisolve/molecule/bonds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cisolve/core/units.hpp"

namespace cisolve {
namespace {

/// Angstrom, from hydrogen on.
constexpr double radii[] = {0.31, 0.28, 1.28, 0.96, 0.84, 0.76, 0.71, 0.66, 0.57, 0.58, 1.66,
                            1.41, 1.21, 1.11, 1.07, 1.05, 1.02, 1.06, 2.03, 1.76, 1.70, 1.60,
                            1.53, 1.39, 1.61, 1.52, 1.50, 1.24, 1.32, 1.22, 1.22, 1.20, 1.19,
                            1.20, 1.20, 1.16, 2.20, 1.95, 1.90, 1.75, 1.64, 1.54, 1.47, 1.46,
                            1.42, 1.39, 1.45, 1.44, 1.42, 1.39, 1.39, 1.38, 1.39, 1.40};

AtomPair pair_of(const Geometry& geometry, int a, int b) {
  const Atom& one = geometry.atoms[a];
  const Atom& other = geometry.atoms[b];
  const double x = one.position[0] - other.position[0], y = one.position[1] - other.position[1],
               z = one.position[2] - other.position[2];
  const double ra = covalent_radius(one.charge), rb = covalent_radius(other.charge);
  return {std::min(a, b), std::max(a, b), std::hypot(x, y, z), ra > 0.0 && rb > 0.0 ? ra + rb : 0.0};
}

bool is_noble_gas(int charge) {
  return charge == 2 || charge == 10 || charge == 18 || charge == 36 || charge == 54;
}

bool is_transition_metal(int charge) {
  return (charge >= 21 && charge <= 30) || (charge >= 39 && charge <= 48);
}

}  // namespace

double covalent_radius(int charge) {
  const bool is_known = charge >= 1 && charge <= static_cast<int>(std::size(radii));
  return is_known ? radii[charge - 1] / units::bohr_in_angstrom : 0.0;
}

std::vector<AtomPair> find_bonds(const Geometry& geometry, const BondConfig& config) {
  std::vector<AtomPair> bonds;
  for (int a = 0; a < std::ssize(geometry.atoms); ++a) {
    for (int b = a + 1; b < std::ssize(geometry.atoms); ++b) {
      const AtomPair pair = pair_of(geometry, a, b);
      if (pair.distance <= config.longest_bond * pair.expected) bonds.push_back(pair);
    }
  }
  return bonds;
}

std::vector<AtomPair> find_odd_distances(const Geometry& geometry, const BondConfig& config) {
  std::vector<AtomPair> odd;
  const int count = static_cast<int>(geometry.atoms.size());
  for (int a = 0; a < count; ++a) {
    std::optional<AtomPair> nearest;
    for (int b = 0; b < count; ++b) {
      if (b == a) continue;
      const AtomPair pair = pair_of(geometry, a, b);
      const bool are_metals =
          is_transition_metal(geometry.atoms[a].charge) && is_transition_metal(geometry.atoms[b].charge);
      if (a < b && !are_metals && pair.distance < config.too_short * pair.expected) odd.push_back(pair);
      if (!nearest || pair.distance * nearest->expected < nearest->distance * pair.expected) nearest = pair;
    }
    if (!nearest || nearest->expected == 0.0 || is_noble_gas(geometry.atoms[a].charge) ||
        is_noble_gas(geometry.atoms[nearest->first == a ? nearest->second : nearest->first].charge))
      continue;
    const auto is_same = [&](const AtomPair& p) {
      return p.first == nearest->first && p.second == nearest->second;
    };
    if (nearest->distance > config.too_long * nearest->expected && std::ranges::none_of(odd, is_same))
      odd.push_back(*nearest);
  }
  return odd;
}

std::vector<std::string> atom_names(const std::vector<std::string>& labels, const std::vector<int>& charges) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < labels.size(); ++a) {
    const bool is_unique = std::ranges::count(labels, labels[a]) == 1;
    if (is_unique) {
      names.push_back(labels[a]);
    } else if (charges[a] == 0) {
      names.push_back(fmt::format("Gh({}{})", element_symbol(parse_atom_label(labels[a]).element), a + 1));
    } else {
      names.push_back(fmt::format("{}{}", element_symbol(charges[a]), a + 1));
    }
  }
  return names;
}

std::vector<std::string> atom_names(const Geometry& geometry) {
  std::vector<std::string> labels;
  std::vector<int> charges;
  for (const Atom& atom : geometry.atoms) {
    labels.push_back(atom.label);
    charges.push_back(atom.charge);
  }
  return atom_names(labels, charges);
}

}  // namespace cisolve
