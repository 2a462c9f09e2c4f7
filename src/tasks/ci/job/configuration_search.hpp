// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/configuration.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

using WideConfiguration = Configuration<most_string_words>;

/// Energies of configurations, the same for every Ms of a spin: the mean of <d|H|d> over the determinants d that
/// arrange the open shells to Ms = S. Where the spins have orbitals of their own, <d|H|d> of the first of these.
class ConfigurationEnergies {
public:
  /// Hartree; within this, energies are equal: orbitals that symmetry makes equal differ by rounding.
  static constexpr double tie = 1e-8;

  /// @param integrals  must outlive this
  /// @param two_s      2 S
  ConfigurationEnergies(const Integrals& integrals, int two_s);

  /// @param configuration  with at least 2 S open shells
  /// @return hartree, with the core energy
  double operator()(const WideConfiguration& configuration) const;

  /// h_pp and the repulsion of the electrons of a configuration, of half of each spin, hartree.
  double of_orbital(int p, const WideConfiguration& configuration) const;

  const Integrals& integrals() const { return integrals_; }
  int two_s() const { return two_s_; }

private:
  friend class Replacements;

  /// h_pp of an electron of any spin.
  double h(int p) const;
  /// Of the first arrangement, where the spins have orbitals of their own.
  double of_determinant(const WideConfiguration& configuration) const;
  /// (pp|qq) - (pq|pq) / 2: between one electron in p and one in q, of any spin.
  double repulsion(int p, int q) const { return coulomb_[index(p, q)] - 0.5 * exchange_[index(p, q)]; }
  std::size_t index(int p, int q) const {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(num_orbitals_) +
           static_cast<std::size_t>(q);
  }

  /// What that lacks of open shells, whose spins are not parallel in half of the cases.
  double exchange_of_open(const WideConfiguration& configuration) const;

  const Integrals& integrals_;
  int num_orbitals_;
  int two_s_;
  std::vector<double> coulomb_,
      exchange_;  ///< [orbitals * orbitals] (pp|qq) and (pq|pq), means over the spins
};

/// Which configurations are looked for.
struct ConfigurationWish {
  int irrep = any_irrep;                                            ///< zero-based
  int fewest_open = 0;                                              ///< open shells, at least
  int most_open = std::numeric_limits<int>::max();                  ///< at most
  std::function<bool(const WideConfiguration&)> keeps_bounds = {};  ///< null: there are none

  bool is_met(const WideConfiguration& configuration, const Integrals& integrals) const;
};

/// The first orbitals, 2 S of them singly occupied; none where there are not the electrons or orbitals for it.
std::optional<WideConfiguration> first_orbitals(int num_electrons, int num_orbitals, int two_s);

/// The determinant of a configuration whose alpha electrons have the lowest open shells.
/// @param num_alpha  of all shells
Determinant<most_string_words> first_arrangement(const WideConfiguration& configuration, int num_alpha);

/// The configuration of lowest energy among `start` and what one or two moved electrons make of it, if any is as
/// wished. Energies within 1e-8 hartree tie: `start` first, then the first arrangement with the smaller alpha
/// string, then with the smaller beta string.
std::optional<WideConfiguration> lowest_replacement(const ConfigurationEnergies& energies,
                                                    const WideConfiguration& start,
                                                    const ConfigurationWish& wish);

/// Goes from `start`, which is as wished, to its lowest replacement until that is itself.
WideConfiguration descend(const ConfigurationEnergies& energies, WideConfiguration start,
                          const ConfigurationWish& wish);

}  // namespace cisolve
