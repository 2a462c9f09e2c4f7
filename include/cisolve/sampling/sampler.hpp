// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "cisolve/sampling/trial_state.hpp"

namespace cisolve {

/// How Markov chains over configurations walk.
struct WalkConfig {
  std::uint64_t seed = 1;
  double neighbour_fraction = 0.0;  ///< 0 to 1: share of proposals to a nearest neighbour
  double exchange_fraction = 0.25;  ///< 0 to 1: share of proposals that are exchanges; Hubbard
  int block = 100;                  ///< >= 1: sweeps between recomputations of a chain's table
  double drift_tolerance = 1e-6;    ///< > 0: largest relative difference of updated and recomputed table
  int start_attempts = 100000;      ///< >= 1: start configurations drawn per chain before giving up
  double start_rcond = 1e-13;       ///< 1 / (|M|_1 |M^-1|_1) of a start's determinants: true nodes have 1e-17
};

/// Which steps a chain has taken.
struct StepCounts {
  std::int64_t hops_proposed = 0, hops_accepted = 0;
  std::int64_t exchanges_proposed = 0, exchanges_accepted = 0;
  std::int64_t null = 0;                    ///< without a target that is allowed
  std::int64_t rejected_as_non_finite = 0;  ///< the ratio was no number even from a table made anew
  std::int64_t recomputations = 0;  ///< of the table, because of a small ratio or one that was no number

  std::int64_t accepted() const { return hops_accepted + exchanges_accepted; }
  StepCounts& operator+=(const StepCounts& more);
  bool operator==(const StepCounts&) const = default;
};

/// Chains at the end of a block of sweeps, as plain arrays: all that they need to go on to the last bit.
struct ChainStates {
  std::uint32_t first_chain = 0;
  int chains = 0;
  std::vector<std::int32_t> places = {};  ///< [chains x 2 sites]: sites of up electrons in the order of their
                                          ///< numbers, free ones by slot, then the same of down electrons
  std::vector<std::uint64_t> steps = {};  ///< [chains] taken so far
  std::vector<std::int32_t> rebuild_interval = {};  ///< [chains] sweeps
  std::vector<StepCounts> counts = {};              ///< [chains]

  bool operator==(const ChainStates&) const = default;
};

/// Sweeps to walk, of N steps each, and what to measure after them.
struct BlockPlan {
  int sweeps = 0;
  std::int64_t first_sweep = 0;   ///< number of the first since measuring began
  int energy_interval = 1;        ///< an energy after every so many sweeps, counted from 0; 0: none
  int correlation_interval = 0;   ///< likewise correlations; 0: none
  bool with_derivatives = false;  ///< also the log-derivatives, with each energy

  /// Measurements of that interval in this block.
  int measurements(int interval) const;
};

/// Sums over the measurements of a block, of each chain by itself and in the order of time. O_a = d ln|psi| / d a of the
/// trial state's varied parameters; E is the local energy of the whole cluster, in the unit of the model.
struct BlockSums {
  int chains = 0;
  int energies_per_chain = 0;
  int correlations_per_chain = 0;
  int parameters = 0;
  int displacements = 0;

  std::vector<double> energy = {};    ///< [chains x energies_per_chain], not sums
  std::vector<double> kinetic = {};   ///< [chains]
  std::vector<double> exchange = {};  ///< [chains] J parts
  std::vector<double> double_occupancy =
      {};                            ///< [chains] number of doubly occupied sites; U times it is their energy
  std::vector<double> density = {};  ///< [chains] V parts
  std::vector<double> kinetic_squared = {};  ///< [chains] of the squares of these
  std::vector<double> exchange_squared = {};
  std::vector<double> double_occupancy_squared = {};
  std::vector<double> density_squared = {};
  std::vector<double> derivative = {};          ///< [chains x parameters] O_a
  std::vector<double> derivative_energy = {};   ///< [chains x parameters] O_a E
  std::vector<double> derivative_product = {};  ///< [chains x parameters x parameters] O_a O_b

  /// [chains x displacements] of n_i n_j, Sz_i Sz_j, S_i.S_j and, of each spin, c+_i c_j. See displacements_of.
  std::vector<double> n_n = {}, sz_sz = {}, s_s = {}, hop_up = {}, hop_down = {};

  std::vector<double> drift = {};  ///< [chains] max|T - T_new| / max|T_new|, the largest of the block
  std::vector<std::int64_t> accepted = {};  ///< [chains] moves in this block

  bool operator==(const BlockSums&) const = default;
};

/// Numbers of correlations of a cluster. With momenta they are N: of displacement d the mean over the sites j of what is
/// between sites j + d and j, for c+_i c_j with the sign of the boundaries that it crosses, so that
/// n(k) = sum_d exp(i k.R_d) <c+ c>(d). Else they are all pairs, N^2: i N + j.
int displacements_of(const Cluster& cluster);

/// Many independent Markov chains of one trial state that walk by |psi|^2, each a function of seed and number alone.
class ChainEngine {
public:
  virtual ~ChainEngine() = default;

  /// All chains walk on, on whatever the engine uses. @param sums  overwritten; its arrays are used again
  virtual void advance_block(const BlockPlan& plan, BlockSums& sums) = 0;

  /// Where the chains are.
  virtual ChainStates states() const = 0;

  /// Chains go on from there.
  /// @throws DimensionError  other chains, or places that are no configuration of these electrons
  virtual void set_states(const ChainStates& states) = 0;

  /// Chains go on from where they are with other parameters of the same kind of state; those where that state vanishes
  /// from their starts, as these are drawn for it.
  /// @throws DimensionError  other electrons, or another wavefunction
  /// @throws InputError  no start of such a chain
  virtual void set_trial(const TrialState& trial) = 0;
};

/// Chains on the threads of the host; their results do not depend on how many there are.
/// @param first_chain  number of the first
/// @throws InputError  no start of a chain within the attempts where the trial state does not vanish; numbers of `config`
///         that are out of range
std::unique_ptr<ChainEngine> make_host_engine(const LatticeModel& model, const TrialState& trial,
                                              const WalkConfig& config, std::uint32_t first_chain,
                                              int chains);

/// The same, from where chains were; none is drawn.
/// @throws as set_states
std::unique_ptr<ChainEngine> make_host_engine(const LatticeModel& model, const TrialState& trial,
                                              const WalkConfig& config, const ChainStates& states);

/// Memory of each chain of a host engine, bytes.
std::int64_t host_bytes_per_chain(const LatticeModel& model, const TrialState& trial);

/// Memory of each thread of a host engine, bytes.
std::int64_t host_bytes_per_thread(const LatticeModel& model, const TrialState& trial);

/// Energy of the only configuration of electrons that cannot move.
/// @pre has_one_configuration
double energy_of_one_configuration(const LatticeModel& model, ElectronNumbers electrons);

}  // namespace cisolve
