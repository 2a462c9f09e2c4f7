// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/sampling/sampler.hpp"
#include "cisolve/sampling/statistics.hpp"
#include "cisolve/tasks/lattice/lattice_description.hpp"

namespace cisolve {

/// A mean and its standard error.
struct Estimate {
  double value = 0.0, error = 0.0;
};

/// Means and errors, one after another.
struct Estimates {
  std::vector<double> values, errors;

  Estimate at(std::size_t k) const { return {values[k], errors[k]}; }
};

/// How parameters were optimised: one row per iteration.
struct VmcOptimisation {
  std::vector<std::string> names;            ///< of the parameters
  std::vector<double> parameters;            ///< [iterations x names]
  std::vector<double> energy, energy_error;  ///< [iterations] of the whole cluster
  std::vector<double> forces, force_errors;  ///< [iterations x names]
  std::vector<double> overlap;               ///< [iterations x names x names]
  std::vector<double> result, result_error;  ///< [names]
  bool converged = false;

  std::size_t iterations() const { return energy.size(); }
};

/// What variational Monte Carlo found: what its file holds and the report prints. Energies are those of the whole cluster, in
/// the unit of the model.
struct VmcResult {
  std::string version, created, title, input_text, resolved_text;
  LatticeDescription lattice;

  std::string wavefunction, pairing;  ///< as in the input; of a fermi-sea no pairing
  double delta = 0.0, mu = 0.0, t2 = 0.0, t3 = 0.0, gutzwiller = 1.0;  ///< of the state that was sampled last
  std::vector<double> jastrow = {}, spin_jastrow = {};  ///< of its Jastrow factor by shells of pairs
  std::vector<double> shell_distances = {};             ///< of these shells, as many as the longer list has
  double pair_cutoff = 0.0;                             ///< 0: exact
  std::vector<std::array<double, 2>> singular;  ///< momenta of pairs that are there for certain, units of pi
  int ghosts = 0;                               ///< columns that stand for them

  std::uint64_t seed = 0;
  int chains = 0, measure_interval = 1, correlation_interval = 0;
  std::int64_t sweeps = 0, equilibration = 0;  ///< of each chain
  std::int64_t steps = 0;                      ///< of all chains
  bool is_exact = false;                       ///< there is one configuration, and no chain walked
  bool target_reached = true;                  ///< false: sweeps ran out before target_error was reached
  StepCounts counts;
  std::string device;

  SeriesStatistics statistics;  ///< of the energy
  std::int64_t mser_cut = 0;    ///< sweeps from the first on that the series would rather do without
  Estimate energy, kinetic, exchange, interaction, repulsion, double_occupancy, variance;
  std::vector<double> series;                   ///< [chains x n] E/N
  std::int64_t averaged = 1;                    ///< measurements that each of them is the mean of
  std::vector<double> equilibration_series;     ///< E/N of the sweeps before, mean of all chains
  std::vector<double> chain_mean, chain_drift;  ///< [chains]; E/N
  std::vector<std::int64_t> chain_accepted;     ///< [chains] while measuring

  /// By displacement, or of all pairs; empty: none were measured.
  Estimates s_s, sz_sz, n_n;
  Estimates spin_structure_factor, charge_structure_factor;  ///< of lattice.wave_vectors
  Estimates momentum_distribution;                           ///< [2 x sites] of lattice.momenta

  VmcOptimisation optimisation;  ///< without names: there was none
  std::vector<std::string> warnings;
  double start_seconds = 0.0, optimisation_seconds = 0.0, sampling_seconds = 0.0, total_seconds = 0.0;
  double steps_per_second = 0.0;  ///< while sampling

  double per_site(double value) const { return value / lattice.n_sites; }
  Estimate per_site(Estimate e) const { return {e.value / lattice.n_sites, e.error / lattice.n_sites}; }
};

}  // namespace cisolve
