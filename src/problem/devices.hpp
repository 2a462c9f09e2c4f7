// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/hamiltonian/string_shares.hpp"
#include "cisolve/lapw/engine.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "cisolve/selection/externals.hpp"
#include "problem/ranked/ranked_finder.hpp"

// What only builds for devices can do: cuda_devices.cpp does it, absent_devices.cpp stands for it elsewhere.

namespace cisolve {

/// How H would be applied string by string on a device, and what that takes.
struct DevicePlan {
  std::shared_ptr<cuda::PlannedDirectProduct> product;
  std::int64_t tables = 0, workspace = 0;  ///< bytes of device memory
  std::string why_whole = {};              ///< why ranks gather vectors whole although strips were asked for
  std::int64_t host_bytes = 0;             ///< of the plan itself
};

/// Bytes that are free on a device now. Creates its context, which takes a while.
std::int64_t free_memory(const Device& device);

/// How DirectPlan has it.
struct DeviceCut {
  bool with_packs = true;  ///< make once what otherwise is made in every product, where there is room
  std::int64_t most_strip_bytes = 0;
};

/// @param shares  of ranks, of which one has its strings on the device
/// @throws ResourceError if the device lacks something else than memory
DevicePlan plan_on_device(const DirectProduct& product, const Device& device, const DeviceCut& cut,
                          const StringShares& shares = {});

/// make_root_finder for a plan that says a device.
std::unique_ptr<RootFinder> make_device_root_finder(const Problem& problem, Plan plan,
                                                    const BuildOptions& options);

/// Where H and S of FLAPW are made, on one or several devices.
std::unique_ptr<lapw::Engine> make_device_lapw_engine(std::span<const Device> devices);

/// Where chains of variational Monte Carlo walk on one or several devices, from where they are.
std::unique_ptr<ChainEngine> make_device_chain_engine(const LatticeModel& model, const TrialState& trial,
                                                      const WalkConfig& config, const ChainStates& states,
                                                      std::span<const Device> devices);

/// Makes the shares of ranks that have a device each.
MakeShare device_shares();

/// What external determinants are those of.
template <int Words>
struct ListedHamiltonian {
  const IntegralTables& tables;
  const SameSpinMoves& alpha_moves;
  const SameSpinMoves& beta_moves;
  std::span<const Determinant<Words>> determinants;
};

/// ExternalSpace::sum on a device.
/// @param[out] chosen  the externals that are chosen; a null pointer: none are
/// @throws Interrupted; ResourceError if the device has not that much memory
template <int Words>
SecondOrder sum_externals_on_device(const Device& device, const ListedHamiltonian<Words>& list,
                                    const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                                    std::vector<External<Words>>* chosen, const ExternalOptions& options);
/// ExternalSpace::estimate on a device; likewise.
template <int Words>
SecondOrder estimate_externals_on_device(const Device& device, const ListedHamiltonian<Words>& list,
                                         const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                         const ExternalOptions& options);

}  // namespace cisolve
