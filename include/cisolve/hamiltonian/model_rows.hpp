// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/ranks/row_map.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// Sizes of the model space in which start vectors are found.
struct ModelRowsConfig {
  std::int64_t minimum = 200;   ///< determinants wanted; a dense block of this order is free
  std::int64_t maximum = 1000;  ///< at most; diagonalising the block takes the third power of its order
  bool cover_all_spins = true;  ///< one configuration for each S >= |Ms| that the space holds
  bool may_cut = true;          ///< the lowest configuration, if it has more than `maximum` determinants
};

/// All that is asked of the diagonal of H to choose model rows: its lowest elements, ascending, equal ones by row. Of all
/// rows, or of those that a rank has, and then merged.
struct LowestRows {
  struct Element {
    double value = 0.0;  ///< hartree
    std::int64_t row = -1;
    auto operator<=>(const Element&) const = default;
  };

  std::vector<Element> of_all, of_references;
  std::vector<Element> of_open_shells;  ///< one for each number of open shells; row -1: there is none

  /// @param most  that are kept, but of of_open_shells
  void merge(const LowestRows& other, std::int64_t most);
};

/// @param rows      of a rank
/// @param diagonal  of H, hartree, shape [rows.local_rows()]
/// @throws DimensionError  the rows are not those of the space, or the diagonal not that of the rows
template <int Words>
LowestRows find_lowest_rows(const Space<Words>& space, const RowMap& rows, std::span<const double> diagonal,
                            const ModelRowsConfig& config);

/// Rows of the determinants in which start vectors are found: the lowest configuration, the references from
/// the lowest on, then the other determinants of lowest diagonal energy; always all arrangements of a
/// configuration's open-shell spins that the space holds, so that the eigenvectors of H over them have pure
/// spin where the space allows. Distinct, ascending. A configuration that would lead beyond `maximum` is left
/// out. If that is the lowest one, there are the `maximum` lowest determinants, whatever their spins, or, unless
/// it may be cut, none: a preconditioner that mixes spins is worse than none where they are projected out.
///
/// @param lowest  of all rows
template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, const LowestRows& lowest,
                                            const ModelRowsConfig& config);

/// @param diagonal  of H, hartree, shape [space.size()]
template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config);

}  // namespace cisolve
