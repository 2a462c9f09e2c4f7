// SPDX-License-Identifier: MIT
#include "tasks/ci/job/configuration_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {

ConfigurationEnergies::ConfigurationEnergies(const Integrals& integrals, int two_s)
    : integrals_(integrals), num_orbitals_(integrals.num_orbitals), two_s_(two_s) {
  for (int p = 0; p < num_orbitals_; ++p) {
    for (int q = 0; q < num_orbitals_; ++q) {
      const auto mean = [&](const auto& of_spin) {
        return 0.5 * (of_spin(Spin::alpha) + of_spin(Spin::beta));
      };
      const double same = mean([&](Spin spin) { return integrals.eri(spin, p, p, q, q); });
      const double opposite = mean([&](Spin spin) { return integrals.mixed(spin, p, p, q, q); });
      coulomb_.push_back(0.5 * (same + opposite));
      exchange_.push_back(mean([&](Spin spin) { return integrals.eri(spin, p, q, p, q); }));
    }
  }
}

double ConfigurationEnergies::h(int p) const {
  return 0.5 * (integrals_.h(Spin::alpha, p, p) + integrals_.h(Spin::beta, p, p));
}

double ConfigurationEnergies::of_determinant(const WideConfiguration& configuration) const {
  const Determinant<most_string_words> d =
      first_arrangement(configuration, (configuration.num_electrons() + two_s_) / 2);
  return matrix_element(integrals_, d, d);
}

double ConfigurationEnergies::exchange_of_open(const WideConfiguration& configuration) const {
  const int open = configuration.num_open();
  if (open < 2) return 0.0;
  const int up = (open + two_s_) / 2, down = open - up;
  const double parallel = (up * (up - 1.0) + down * (down - 1.0)) / (open * (open - 1.0));  // share of pairs
  const OrbitalList shells = OrbitalList::occupied(configuration.singly);
  double sum = 0.0;
  for (int i = 0; i < shells.size; ++i) {
    for (int j = 0; j < i; ++j) sum += exchange_[index(shells[i], shells[j])];
  }
  return (0.5 - parallel) * sum;
}

double ConfigurationEnergies::operator()(const WideConfiguration& configuration) const {
  if (integrals_.is_unrestricted()) return of_determinant(configuration);
  double energy = integrals_.core_energy + exchange_of_open(configuration);
  const OrbitalList occupied = OrbitalList::occupied(configuration.occupied());
  for (const int p : occupied) {
    const int n = configuration.occupation(p);
    energy += n * h(p);
    if (n == 2) energy += coulomb_[index(p, p)];
    for (const int q : occupied) {
      if (q < p) energy += n * configuration.occupation(q) * repulsion(p, q);
    }
  }
  return energy;
}

double ConfigurationEnergies::of_orbital(int p, const WideConfiguration& configuration) const {
  double energy = h(p);
  configuration.occupied().for_each([&](int q) { energy += configuration.occupation(q) * repulsion(p, q); });
  return energy;
}

bool ConfigurationWish::is_met(const WideConfiguration& configuration, const Integrals& integrals) const {
  if (irrep != any_irrep && irrep_of(configuration.singly, integrals.irreps) != irrep) return false;
  return configuration.num_open() >= fewest_open && configuration.num_open() <= most_open &&
         (!keeps_bounds || keeps_bounds(configuration));
}

std::optional<WideConfiguration> first_orbitals(int num_electrons, int num_orbitals, int two_s) {
  const int closed = (num_electrons - two_s) / 2;
  if (closed < 0 || closed + two_s > num_orbitals) return std::nullopt;
  const WideString doubly = WideString::lowest(closed);
  return WideConfiguration{doubly, WideString::lowest(closed + two_s) & ~doubly};
}

Determinant<most_string_words> first_arrangement(const WideConfiguration& configuration, int num_alpha) {
  Determinant<most_string_words> d{configuration.doubly, configuration.doubly};
  int missing = num_alpha - configuration.doubly.count();
  configuration.singly.for_each([&](int p) { (missing-- > 0 ? d.alpha : d.beta).set(p); });
  return d;
}

/// What one or two moved electrons make of a configuration, with energies from those of the start.
class Replacements {
public:
  Replacements(const ConfigurationEnergies& energies, const WideConfiguration& start)
      : energies_(energies), start_(start),
        without_exchange_(energies(start) - energies.exchange_of_open(start)),
        field_(energies.num_orbitals_) {
    for (int p = 0; p < energies.num_orbitals_; ++p) {
      field_[p] = energies.h(p);
      start.occupied().for_each([&](int q) {
        if (q != p) field_[p] += start.occupation(q) * energies.repulsion(p, q);
      });
    }
  }

  /// visit(configuration) for each, once.
  template <class Visit>
  void for_each(const Visit& visit) {
    const OrbitalList occupied = OrbitalList::occupied(start_.occupied());
    for (int i = 0; i < occupied.size; ++i) {
      WideConfiguration once = start_;
      once.remove(occupied[i]);
      add_one(once, occupied[i], visit);
      for (int j = i; j < occupied.size; ++j) {
        if (i == j && start_.occupation(occupied[i]) < 2) continue;
        WideConfiguration twice = once;
        twice.remove(occupied[j]);
        add_two(twice, occupied[i], occupied[j], visit);
      }
    }
  }

  /// Energy of a replacement.
  double energy(const WideConfiguration& to) const {
    if (energies_.integrals_.is_unrestricted()) return energies_(to);
    std::array<std::pair<int, int>, 4> changes;  // orbital, electrons
    std::size_t num_changes = 0;
    const WideString changed = (to.doubly ^ start_.doubly) | (to.singly ^ start_.singly);
    changed.for_each([&](int p) { changes[num_changes++] = {p, to.occupation(p) - start_.occupation(p)}; });
    double energy = without_exchange_ + energies_.exchange_of_open(to);
    for (std::size_t i = 0; i < num_changes; ++i) {
      const auto [p, n] = changes[i];
      energy += n * field_[p];
      const int pairs = (to.occupation(p) == 2 ? 1 : 0) - (start_.occupation(p) == 2 ? 1 : 0);
      energy += pairs * energies_.coulomb_[energies_.index(p, p)];
      for (std::size_t j = 0; j < i; ++j)
        energy += n * changes[j].second * energies_.repulsion(p, changes[j].first);
    }
    return energy;
  }

private:
  template <class Visit>
  void add_one(const WideConfiguration& without, int removed, const Visit& visit) {
    for (int r = 0; r < energies_.num_orbitals_; ++r) {
      if (r == removed || without.occupation(r) == 2) continue;
      WideConfiguration c = without;
      c.add(r);
      visit(c);
    }
  }

  template <class Visit>
  void add_two(const WideConfiguration& without, int first, int second, const Visit& visit) {
    for (int r = 0; r < energies_.num_orbitals_; ++r) {
      if (r == first || r == second || without.occupation(r) == 2) continue;
      WideConfiguration once = without;
      once.add(r);
      for (int s = r; s < energies_.num_orbitals_; ++s) {
        if (s == first || s == second || once.occupation(s) == 2) continue;
        WideConfiguration c = once;
        c.add(s);
        visit(c);
      }
    }
  }

  const ConfigurationEnergies& energies_;
  const WideConfiguration& start_;
  double without_exchange_;    ///< energy of the start, hartree
  std::vector<double> field_;  ///< of its electrons, those in the orbital itself left out
};

std::optional<WideConfiguration> lowest_replacement(const ConfigurationEnergies& energies,
                                                    const WideConfiguration& start,
                                                    const ConfigurationWish& wish) {
  constexpr double tie = ConfigurationEnergies::tie;
  const Integrals& integrals = energies.integrals();
  struct Found {
    double energy;
    WideConfiguration configuration;
  };
  std::vector<Found> lowest;  // within the tie of the lowest so far
  Replacements replacements(energies, start);
  double least = std::numeric_limits<double>::max();
  const auto consider = [&](const WideConfiguration& c) {
    if (!wish.is_met(c, integrals)) return;
    const double energy = replacements.energy(c);
    if (energy > least + tie) return;
    least = std::min(least, energy);
    lowest.push_back({energy, c});
  };
  consider(start);
  replacements.for_each(consider);
  std::erase_if(lowest, [&](const Found& found) { return found.energy > least + tie; });
  if (lowest.empty()) return std::nullopt;
  if (lowest.front().configuration == start) return start;
  const int num_alpha = (start.num_electrons() + energies.two_s()) / 2;
  return std::ranges::min(
             lowest, {},
             [&](const Found& found) { return first_arrangement(found.configuration, num_alpha); })
      .configuration;
}

WideConfiguration descend(const ConfigurationEnergies& energies, WideConfiguration start,
                          const ConfigurationWish& wish) {
  while (const auto lower = lowest_replacement(energies, start, wish)) {
    if (*lower == start) break;
    start = *lower;
  }
  return start;
}

}  // namespace cisolve
