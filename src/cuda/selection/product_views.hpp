// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/selection/external_views.hpp"

// What the kernels of products over lists are given. All pointers are device memory.
namespace cisolve::cuda {

/// Numbers of the strings of one spin by their bits: open addressing.
struct StringNumbers {
  std::uint64_t* keys;    ///< [mask + 1]
  std::int32_t* numbers;  ///< likewise
  std::uint64_t mask;
};

/// Excitations from each listed string of a spin to others.
struct SpinLinksView {
  std::int64_t* single_offsets;  ///< [strings * 8 + 1] by the irrep of their orbitals
  std::int32_t* single_targets;
  std::uint32_t* single_codes;   ///< pair of the orbitals | (1 if the phase is negative) << 31
  std::int64_t* own_offsets;     ///< [strings + 1]: symmetric single ones
  double* own_values;            ///< of those the part within the spin, no phase, hartree
  std::int64_t* double_offsets;  ///< [strings + 1]
  std::int32_t* double_targets;
  double* double_values;  ///< elements, hartree
};

/// The determinants of an alpha string by their beta strings: a hash table.
struct StringGroup {
  std::int64_t first;  ///< slot
  std::uint32_t mask;  ///< slots - 1
};

/// A list in the order of its alpha strings, its places.
struct ListProductView {
  SpinView alpha, beta;
  SpinLinksView alpha_links, beta_links;
  const StringGroup* groups;     ///< [alpha strings]
  const std::uint64_t* slots;    ///< beta string | place << 32; all bits: empty
  const std::int32_t* alpha_of;  ///< [determinants] strings at each place
  const std::int32_t* beta_of;
  const std::int32_t* rows;  ///< in the list
  const double* diagonal;    ///< hartree
  const double* between;     ///< as ListView's
  double core_energy, threshold;
  std::int64_t size;
  std::uint32_t num_pairs;
  std::int32_t num_orbitals;
};

}  // namespace cisolve::cuda
