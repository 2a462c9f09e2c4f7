// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/sampling/sampler.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/sampling/views.hpp"

namespace cisolve::cuda::sampling {

/// What kernels need of a model and a trial state, in device memory.
class SetupArrays {
public:
  SetupArrays(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
              const Stream& stream);

  /// Its parts of a setup, which refer to the arrays here.
  void put_into(Setup& setup) const;

private:
  void take_walk(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
                 Uploads& upload);
  void take_trial(const TrialState& trial, Uploads& upload);
  void take_jastrow(const JastrowFactor& jastrow, Uploads& upload);
  void take_parameters(const TrialState& trial, Uploads& upload);
  void take_bonds(const LatticeModel& model, Uploads& upload);
  void take_correlations(const LatticeModel& model, Uploads& upload);

  WalkView walk_ = {};
  TrialView trial_ = {};
  BondsView bonds_ = {};
  CorrelationView correlations_ = {};
  DeviceArray<Site> neighbours_, sites_of_pairs_, shells_;
  DeviceArray<std::int32_t> place_;
  DeviceArray<double> phi_, ghosts_, orbitals_, like_, unlike_, offset_;
  std::vector<DeviceArray<double>> derivatives_;
  DeviceArray<SitePair> pairs_;
  DeviceArray<ParameterView> parameters_;
  DeviceArray<BondView> bond_list_;
  DeviceArray<std::int8_t> signs_;
};

/// Order of the largest matrix of a trial state.
int largest_order(const TrialState& trial);

/// A walk's view without its arrays.
WalkView walk_of(const LatticeModel& model, const TrialState& trial);

}  // namespace cisolve::cuda::sampling
