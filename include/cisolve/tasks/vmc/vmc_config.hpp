// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/problem/resources.hpp"
#include "cisolve/sampling/reconfiguration.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "cisolve/sampling/trial_state.hpp"
#include "cisolve/tasks/lattice/lattice_config.hpp"

namespace cisolve {

struct Input;

/// What [optimisation] asks for.
struct OptimisationConfig {
  int iterations = 200;
  int sweeps = 200;  ///< measured in each iteration, of each chain
  ReconfigurationConfig step;
  ConvergenceConfig convergence;
};

/// Variational Monte Carlo, as the input asks for it: every default filled in, every value checked. One field per key.
struct VmcConfig {
  std::string title;
  LatticeConfig lattice;
  ElectronNumbers electrons;

  // [vmc]
  TrialParameters trial;
  std::vector<TrialParameter> optimise;  ///< empty: parameters are taken as given
  int chains = 256;
  std::int64_t sweeps = 5000;        ///< measured, of each chain
  double target_error = 0.0;         ///< of E/N, unit of t; 0: all sweeps
  std::int64_t equilibration = 500;  ///< sweeps before the first measurement
  int measure_interval = 1;          ///< sweeps between energies
  int correlation_interval = 10;     ///< sweeps between correlations; 0: none
  WalkConfig walk;
  OptimisationConfig optimisation;

  // [run]
  DeviceChoice device = DeviceChoice::automatic;
  int gpus = 0;             ///< 0: automatic
  int threads = 0;          ///< 0: all
  std::int64_t memory = 0;  ///< bytes; 0: automatic

  // [output]
  std::filesystem::path output_file, checkpoint_file;
  double checkpoint_interval = 300.0;  ///< seconds

  std::vector<std::string> warnings;
  std::string input_text, resolved_text;

  int sites() const { return lattice.model.sites(); }
};

/// @throws InputError if a value is refused, or values contradict each other
VmcConfig read_vmc_config(const Input& input);

}  // namespace cisolve
