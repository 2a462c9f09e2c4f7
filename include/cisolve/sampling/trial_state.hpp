// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/lattice/lattice_model.hpp"
#include "cisolve/sampling/jastrow_factor.hpp"

namespace cisolve {

/// What variational Monte Carlo projects: the pairs of a superconductor, or the lowest orbitals of the hopping.
enum class Wavefunction { bcs, fermi_sea };

/// Form of the gap Delta_k: (Delta / 2) times cos kx - cos ky, cos kx + cos ky (of a chain cos k), or 1.
enum class Pairing { d, extended_s, s };

/// What can be varied: ln|psi| is differentiated by these.
struct TrialParameter {
  enum Kind { delta, mu, t2, t3, log_gutzwiller, jastrow, spin_jastrow };

  Kind kind = delta;
  int shell = 0;  ///< of a Jastrow factor, from 1; else 0

  constexpr TrialParameter(Kind which, int of_shell = 0) : kind(which), shell(of_shell) {}
  constexpr bool is_of_jastrow() const { return kind == jastrow || kind == spin_jastrow; }
  constexpr bool is_of_pairs() const { return kind != log_gutzwiller && !is_of_jastrow(); }
  bool operator==(const TrialParameter&) const = default;
};

/// A trial state as the input describes it; energies in units of the hopping of its band, which is 1.
struct TrialParameters {
  Wavefunction wavefunction = Wavefunction::bcs;
  Pairing pairing = Pairing::d;
  double delta = 1.0;                      ///< gap, > 0
  double mu = 0.0;                         ///< chemical potential of the pairs' band
  double t2 = 0.0, t3 = 0.0;               ///< its hopping to the second and third neighbours
  double gutzwiller = 1.0;                 ///< factor for each doubly occupied site, > 0; Hubbard
  std::vector<double> jastrow = {};        ///< v of shells 1, 2, ..; see JastrowFactor
  std::vector<double> spin_jastrow = {};   ///< u likewise
  std::optional<double> pair_cutoff = {};  ///< phi_k where it is singular; none: infinity, by ghost pairs
};

/// The value of one of the parameters, and another in its place.
double parameter_of(const TrialParameters& parameters, TrialParameter which);
void set_parameter(TrialParameters& parameters, TrialParameter which, double value);

/// Electrons of each spin.
struct ElectronNumbers {
  int up = 0, down = 0;

  int total() const { return up + down; }
  bool operator==(const ElectronNumbers&) const = default;
};

/// A real function of R_i - R_j, where R are the places of the sites in the cell of their numbers, not reduced to the
/// cluster, so that signs of the boundaries are in it: value[centre + place[i] - place[j]].
struct DisplacementFunction {
  std::vector<int> place = {};  ///< [sites]
  int centre = 0;
  std::vector<double> value = {};

  double operator()(int i, int j) const { return value[centre + place[i] - place[j]]; }
};

/// Momenta k and -k with Delta_k = 0 and xi_k < 0, whose pairs are there for certain.
struct SingularMomentum {
  std::array<double, 2> k = {};  ///< units of pi
  bool is_own_negative = false;  ///< k = -k up to reciprocal vectors
};

/// A trial state of so many electrons on the sites of a model, ready to be sampled.
///
/// bcs: psi = det M, M(a, b) = phi(u_a, d_b) over the sites of up and down electrons, with
///
///     phi(i, j) = N^-1 sum_k phi_k cos k.(R_i - R_j),    phi_k = Delta_k / (xi_k + sqrt(xi_k^2 + Delta_k^2)),
///
/// bordered by the ghost pairs of singular momenta: columns and rows cos k.R_i and, unless k = -k, sin k.R_i, of
/// electrons that never move. fermi-sea: psi = det C(u_p, k) det C(d_q, k), C the lowest orbitals of the hopping. Either
/// times g^D, where D sites are doubly occupied, and a Jastrow factor. See C. Gros, Ann. Phys. 189, 53 (1989), doi:10.1016/0003-4916(89)90077-8.
struct TrialState {
  TrialParameters parameters = {};
  ElectronNumbers electrons = {};
  int sites = 0;

  DisplacementFunction phi = {};    ///< bcs
  std::vector<double> ghosts = {};  ///< [num_ghosts x sites] bcs
  std::vector<SingularMomentum> singular = {};
  Matrix orbitals = {};  ///< [sites x electrons of the more numerous spin] fermi-sea

  JastrowFactor jastrow = {};

  std::vector<TrialParameter> varied = {};  ///< parameters that ln|psi| is differentiated by
  std::vector<std::vector<double>> phi_derivatives =
      {};  ///< of each of them d phi as values like those of phi; empty: 0

  bool is_sea() const { return parameters.wavefunction == Wavefunction::fermi_sea; }
  int num_ghosts() const { return static_cast<int>(ghosts.size()) / (sites > 0 ? sites : 1); }
  const double* ghost(int number) const {
    return ghosts.data() + static_cast<std::size_t>(number) * static_cast<std::size_t>(sites);
  }
};

/// Prepares a trial state.
/// @param varied  parameters to differentiate by
/// @throws InputError  what is out of range or doesn't go together: bcs with unequal numbers, on a graph or with an open
///         boundary; a momentum with neither gap nor energy, more ghost pairs than pairs, too few pair amplitudes; an
///         open shell of the fermi-sea; electrons that don't fit the sites; complex phases of the boundaries; a Jastrow
///         factor of too many shells, or to be varied where it has no number
TrialState make_trial_state(const LatticeModel& model, ElectronNumbers electrons,
                            const TrialParameters& parameters, std::span<const TrialParameter> varied = {});

/// Name of a parameter in the input: "delta", "mu", "t2", "t3", "gutzwiller"; of a Jastrow factor with its shell,
/// "jastrow_1", "spin_jastrow_2".
std::string name_of(TrialParameter parameter);

/// Whether electrons can't move at all, nor be exchanged: there is one configuration.
bool has_one_configuration(const LatticeModel& model, ElectronNumbers electrons);

}  // namespace cisolve
