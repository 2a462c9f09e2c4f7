// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cisolve::bench {

struct SamplingOptions {
  std::vector<int> sizes = {5, 9, 15};  ///< L of tilted squares of L^2 + 1 sites
  double doping = 0.1, delta = 1.5, j = 0.3;
  int chains = 32;
  int sweeps = 1000;  ///< of each chain, timed
  int energy_interval = 1;
  bool with_baseline = true;  ///< one chain by the inverse alone, as other programs do
  bool on_device = false;
  std::vector<int> gpus = {0};
  int repeats = 3;
};

/// Times Markov chains of a projected d-wave state in the t-J model: on one thread, on all, on a device, beside a walker that
/// keeps the inverse alone; prints steps per second. All walk the same chains: their energies are compared first.
/// @throws Error  energies differ
nlohmann::json run_sampling(const SamplingOptions& options);

}  // namespace cisolve::bench
