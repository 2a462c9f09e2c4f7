// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/hamiltonian/device_profile.hpp"
#include "cuda/hamiltonian/direct/side.hpp"
#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// Columns that intermediates are made for at a time, at least.
inline constexpr std::int32_t narrowest_strip = 128;
/// Intermediates of an item that a warp makes at a time, and strings from which it does.
inline constexpr std::int32_t projected_at_a_time = 56;
inline constexpr std::int32_t projected_from = 64;
/// Elements between the rows of W in shared memory, at most; bytes of W and of where rows of x are.
inline constexpr std::int32_t projected_ld = projected_at_a_time + factor_padding;
inline constexpr std::int64_t projected_bytes = 8 * projected_from * (projected_ld + 1);

/// The strings P + a + b of a class with the same P and irrep of ab.
struct ProjectionItem {
  std::int32_t first, size;  ///< entries, counted in the class
  std::int32_t ld;           ///< pairs ab of the irrep, rows of W
  std::int64_t matrix;       ///< first element of W
};

struct ProjectionEntry {
  std::int32_t string;  ///< in the class
  std::int32_t pair;    ///< 2 * pair ab in its irrep + (1 if the phase is negative)
};

/// A class of strings in a ProjectionPlan.
struct Projection {
  std::int32_t first_item, num_items;
  std::int64_t first_entry;
  std::int32_t num_entries;
  std::int32_t slots_per_string;
  /// Entries of a string, counted in the class: slots[first_slot + string * slots_per_string ...].
  std::int64_t first_slot;
  std::int32_t width;  ///< columns for which intermediates are made at a time
};

template <template <class> class Array>
struct ProjectionArrays {
  Array<ProjectionItem> items;
  Array<ProjectionEntry> entries;
  Array<std::int32_t> slots;
  Array<double> integrals;  ///< W without ab = cd, which the diagonal has, of each class and irrep

  static auto members(auto& of) { return std::tie(of.items, of.entries, of.slots, of.integrals); }
};

/// A class of strings to be projected.
struct ProjectedClass {
  const IntegralTables& tables;
  const SpinExcitations& excitations;
  const StringClasses& strings;
  int number;
};

/// What a class to be projected is compared with.
struct ProjectionLimits {
  double density;                   ///< share of the class's Hamiltonian that is not zero
  std::int64_t most_columns;        ///< that are multiplied in one product
  std::int64_t most_intermediates;  ///< elements
  bool always;                      ///< also where a dense or a sparse matrix is expected to be faster
  const DeviceProfile& device;
};

/// Same-spin Hamiltonians by intermediates over strings P with two electrons less,
///   e(P, ab) = sum over c < d of +-W(ab, cd) x(P + c + d),   y(I) = sum over P + a + b = I of e(P, ab),
///   W(ab, cd) = (ac|bd) - (ad|bc) + one-electron integrals / (N - 1), ab other than cd, the sign that of both phases:
/// far fewer multiplications than a dense matrix, and vectors pass through memory more often.
/// @see R. J. Harrison, S. Zarrabian, Chem. Phys. Lett. 158 (1989) 393
struct ProjectionPlan {
  std::vector<Projection> classes;
  ProjectionArrays<HostArray> arrays;

  /// Adds a class of strings.
  /// @return its number in `classes`; none if intermediates take too much memory, or more time than a matrix
  std::optional<std::int32_t> add(const ProjectedClass& of, const ProjectionLimits& limits);
};

}  // namespace cisolve::cuda::direct
