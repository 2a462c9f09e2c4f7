// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Rows of S^2 over a space of determinants, hbar^2: Ms^2 + (open shells) / 2 on the diagonal, a sign
/// for each exchange of the spins of an alpha-only and a beta-only orbital. Elements that lead out of
/// the space are left out, so that the matrix has the eigenvalues S (S + 1) only if the space is closed
/// under spin flips.
/// @see R. Pauncz, Spin Eigenfunctions (1979), ch. 2
template <int Words>
class SpinRowSource final : public RowSource {
public:
  /// @param space  must outlive this object
  explicit SpinRowSource(const Space<Words>& space) : space_(space) {}

  std::int64_t num_rows() const override { return space_.size(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;

private:
  template <class Visit>
  void for_each_row(RowRange range, Visit&& visit) const;
  const Space<Words>& space_;
};

/// Numbers of configurations (occupation patterns) that have 0, 1, 2, ... singly occupied orbitals.
/// @param space  holds all determinants of each of its configurations
template <int Words>
std::vector<std::int64_t> count_open_shells(const Space<Words>& space);

/// The diagonal of H averaged over the determinants of each configuration: only the exchange integrals of its
/// open shells tell these apart, and their mean needs no other determinant. Hartree, [rows.local_rows()].
/// @param space     holds all determinants of each of its configurations
/// @param rows      of a rank
/// @param diagonal  of H, hartree, [rows.local_rows()]
template <int Words>
std::vector<double> average_over_configurations(const Space<Words>& space, const Integrals& integrals,
                                                const RowMap& rows, std::span<const double> diagonal);

/// Spin functions of total spin S that `open` electrons in different orbitals have:
/// C(open, open/2 - S) - C(open, open/2 - S - 1).
std::int64_t num_spin_functions(int open, int twice_s);

}  // namespace cisolve
