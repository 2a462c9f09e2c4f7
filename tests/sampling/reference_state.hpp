// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "cisolve/sampling/trial_state.hpp"
#include "io/json.hpp"

namespace cisolve::test {

/// A trial state of tests/data/lattice.
struct ReferenceState {
  std::string name = {};
  LatticeModel model = {};
  ElectronNumbers electrons = {};
  TrialParameters parameters = {};
  std::vector<TrialParameter> varied = {};
  nlohmann::json json = {};  ///< all that the file says of it

  TrialState trial() const { return make_trial_state(model, electrons, parameters, varied); }
};

/// The states of a file.
std::vector<ReferenceState> reference_states(const std::string& file);

/// The state of that name of a file.
ReferenceState reference_state(const std::string& file, const std::string& name);

/// The state of that name of vmc.json, or of jastrow.json where its name ends in "jastrow".
ReferenceState reference_state(const std::string& name);

/// t-J on L^2 + 1 sites, J = 0.3, with the pairs of the thesis: Delta = 1.5, mu = 0.
ReferenceState tilted_pairs(int length, int pairs);

}  // namespace cisolve::test
