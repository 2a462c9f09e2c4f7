// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/sampling/reconfiguration.hpp"
#include "tasks/vmc/measured.hpp"

namespace cisolve {

/// All that a run of variational Monte Carlo goes on from, to the last bit: at the end of a block of sweeps, or of an
/// iteration of its optimisation.
struct VmcState {
  enum class Phase : std::int32_t { optimisation = 0, equilibration = 1, measurement = 2 };

  Phase phase = Phase::equilibration;
  std::int64_t sweeps_done = 0;  ///< of that phase
  ChainStates chains;
  std::vector<double> trial;                         ///< numbers_of the state that is sampled
  std::optional<ReconfigurationState> optimisation;  ///< iterations so far; none: nothing is optimised
  std::vector<double> equilibration;                 ///< energies of the whole cluster, mean of all chains
  Measured::Sums sums;
  SeriesState energies;
  std::vector<double> bonds;  ///< those of bonds_that_are_listed
  double seconds = 0.0;       ///< of sampling so far
  std::int64_t steps = 0;     ///< of all chains so far
};

/// Bonds that no other parameter of the input tells of, as they may stand in a file of their own: i, j, t, J, V of each;
/// empty: the cluster is no graph.
std::vector<double> bonds_that_are_listed(const LatticeModel& model);

/// Writes it into a group "state".
void write_state(Hdf5Group& group, const VmcState& state);

/// @throws InputError if it is damaged
VmcState read_state(const Hdf5Group& group);

/// About what it takes in a file.
std::uint64_t bytes_of(const VmcState& state);

/// Replaces a checkpoint file.
/// @param resolved  the input with all defaults: what the run is of
/// @throws SystemError
void write_vmc_checkpoint(const std::filesystem::path& file, const VmcState& state,
                          const std::string& resolved);

/// What a run goes on from.
struct FoundState {
  VmcState state;
  std::string resolved;  ///< input of the run that left it
  std::filesystem::path file;
};

/// Reads a checkpoint, or the result of a run.
/// @throws InputError  absent, of another kind of calculation, or damaged
FoundState read_vmc_state(const std::filesystem::path& file);

}  // namespace cisolve
