// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve {
struct BlockLayout;
struct StringClasses;
}  // namespace cisolve

namespace cisolve::cuda::direct {

class SpinExcitations;

/// Excitations of a target string from the strings of one class.
struct ExcitationGroup {
  std::int64_t first;
  std::int32_t size;
  std::int32_t source_class;
};

/// Excitations of the strings of one spin: same-spin doubles, and the part of singles within the spin.
template <template <class> class Array>
struct SameSpinExcitations {
  Array<std::int64_t> groups_of;  ///< [strings + 1]
  Array<ExcitationGroup> groups;
  Array<double> values;  ///< hartree, phase included
  Array<std::int32_t> sources;

  static auto members(auto& of) { return std::tie(of.groups_of, of.groups, of.values, of.sources); }
};

/// Same-spin excitations of the strings of some classes; others have none.
/// @param is_read  by class
SameSpinExcitations<HostArray> same_spin_excitations(const SpinExcitations& excitations,
                                                     const StringClasses& classes,
                                                     const std::vector<bool>& is_read);

/// Adds those of a string that come from rows of a panel.
void add_rows(const SameSpinExcitations<HostArray>& excitations, std::int32_t target,
              const BlockLayout& layout, int panel, std::vector<double>& to_values,
              std::vector<std::int32_t>& to_rows);

/// Which share of a class's Hamiltonian is not zero; none if it is linked to another class.
double density(const SpinExcitations& excitations, const StringClasses& classes, int c);

}  // namespace cisolve::cuda::direct
