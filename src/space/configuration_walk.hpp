// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "cisolve/space/configuration_space.hpp"

namespace cisolve {

/// A configuration with what its place in a space depends on.
template <int Words>
struct RankedConfiguration {
  std::int32_t reference;  ///< number of the reference that it is, else past the last
  std::int32_t level;      ///< the least over the references
  Configuration<Words> configuration;
  auto key() const { return std::tie(reference, level, configuration); }
};

/// All configurations of a selection that hold a CSF, in the order of ConfigurationSpace, in parallel.
/// @param selection  valid
template <int Words>
std::vector<RankedConfiguration<Words>> generate_configurations(
    const ConfigurationSelection<Words>& selection);

}  // namespace cisolve
