// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "cuda/hamiltonian/device_profile.hpp"
#include "cuda/hamiltonian/direct_types.hpp"

namespace cisolve::cuda::direct {

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
  std::vector<ProjectionItem> items;
  std::vector<ProjectionEntry> entries;
  std::vector<std::int32_t> slots;
  std::vector<double> integrals;  ///< W without ab = cd, which the diagonal has, of each class and irrep

  /// Adds a class of strings.
  /// @return its number in `classes`; none if intermediates take too much memory, or more time than a matrix
  std::optional<std::int32_t> add(const IntegralTables& tables, const SpinLinks& links,
                                  const StringClasses& strings, int c, const ProjectionLimits& limits);
};

}  // namespace cisolve::cuda::direct
