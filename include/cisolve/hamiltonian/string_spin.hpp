// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/ranks/row_map.hpp"
#include "cisolve/space/singles_by_pair.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// y = S^2 x over a product space from strings alone, hbar^2: no element is stored. Each thread owns the rows
/// of some alpha strings, and every sum has a fixed order. What leads out of the space is left out, as in
/// SpinRowSource.
///
/// S^2 = Ms^2 + (open shells) / 2 - sum over p != q of (a+_p a_q)_alpha (a+_q a_p)_beta
/// @see R. Pauncz, Spin Eigenfunctions (1979), ch. 2
class StringSpin {
public:
  /// @param space  must outlive this object
  explicit StringSpin(const StringProduct& space) : space_(space), beta_(space.beta()) {}

  std::int64_t size() const { return space_.size(); }

  /// y = S^2 x.
  /// @param x, y  [size()], not overlapping
  /// @throws DimensionError if they are not that long
  void multiply(std::span<const double> x, std::span<double> y) const;

  /// Own rows of y = S^2 x: the same bits.
  /// @param rows  runs of the space, each of them whole, as rows_of gives them
  /// @param x     [size()]
  /// @param y     [rows.local_rows()], not overlapping
  /// @throws DimensionError if they are not that long, or a run is not whole
  void multiply_rows(const RowMap& rows, std::span<const double> x, std::span<double> y) const;

private:
  using Runs = std::vector<StringProduct::Run>;

  bool are_whole_runs(const RowMap& rows) const;
  void apply_diagonal(std::int32_t alpha, const Runs& runs, const Runs& targets, const double* x,
                      double* y) const;
  template <class Visit>
  void for_each_exchange(std::int32_t alpha, const Runs& targets, const Visit& visit) const;
  void fill_rows(const RowMap& rows, std::int32_t alpha, const double* x, double* y) const;

  const StringProduct& space_;
  SinglesByPair beta_;
};

}  // namespace cisolve
