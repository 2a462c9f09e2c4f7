// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/same_spin/panel_matrix_plan.hpp"
#include "cuda/hamiltonian/direct/same_spin/projection_plan.hpp"
#include "cuda/hamiltonian/direct/same_spin/segment_plan.hpp"
#include "cuda/hamiltonian/direct_config.hpp"

namespace cisolve::cuda::direct {

/// A class whose same-spin Hamiltonian is applied as a dense matrix, or by projection.
struct LargeClass {
  int spin;
  int number;
  std::int32_t first_ordinal, size, ld;
  std::int32_t projection;  ///< its number; -1: none
  std::int64_t resident;    ///< where its matrix stays in the buffer; -1: filled as it is needed
};

/// A product with a LargeClass, in a panel.
struct LargePart {
  std::size_t number;  ///< of the LargeClass
  int layout;
  std::int64_t x, y;  ///< first elements that it works on
  std::int32_t rows, columns, stride;
  bool left;  ///< acts on rows, and writes y; else on columns, and adds
};

/// First rows of the classes in the panels of the layouts, as BlockLayout has them.
template <template <class> class Array>
struct RowArrays {
  Array<std::int64_t> alpha_major, beta_major;

  static auto members(auto& of) { return std::tie(of.alpha_major, of.beta_major); }
};

/// How the same-spin part of each row of y is done: with the class, with the panel, with the block of y, or by itself.
///
/// Products with large classes are all done in layout 0, for the major spin on rows. A rank has not all rows, but all
/// columns: it does them on columns, for the minor spin of either layout; with a parity, for beta strings alone, which the
/// second layout mirrors.
struct SameSpinPlan {
  bool symmetric;  ///< both spins have the excitations of the first (DirectTables::exchange_symmetric)
  bool ranked;     ///< of a rank: y, which is zero, is added to everywhere
  SameSpinExcitations<HostArray> excitations[2];  ///< by spin, those of projected classes left out
  RowArrays<HostView> rows;
  std::vector<LargeClass> large;
  std::vector<LargePart> large_parts;
  std::vector<std::int32_t> large_of[2];  ///< by class the number in `large`; -1: none
  std::int64_t dense_buffer = 0;  ///< elements of the matrices of large classes that are kept at a time
  std::int64_t scratch = 0;       ///< elements of intermediates, and of a strip of columns beside them
  ProjectionPlan projections;
  PanelMatrixPlan panels;
  SegmentPlan segments;
  bool uses_layout_1 = false;
  bool large_in_layout_1 = false;  ///< of a rank: products with large classes are done there, too
  bool fills_layout_1 = true;      ///< every element of y is written, as always in layout 0

  /// @param shares  null: there are no ranks
  SameSpinPlan(const cisolve::DirectProduct& host, const DirectConfig& config, const StringShares* shares);

  /// Excitations of the major spin of a layout.
  const SameSpinExcitations<HostArray>& excitations_of(int layout) const {
    return excitations[symmetric ? 0 : layout];
  }

  /// Bytes of what kernels read, wherever it is.
  std::int64_t plan_bytes() const;

  /// Elements of matrices that are made on the device.
  std::int64_t num_matrix_elements() const { return dense_buffer + panels.size; }

private:
  void choose_large(const cisolve::DirectProduct& host, const DirectConfig& config, int spin);
  void place_matrices(std::int64_t most_elements);
  void list_large_parts(const cisolve::DirectProduct& host);
  void list_own_parts(const Side& side);
  void plan_panel(const Side& side, int panel, std::int64_t most_panel_elements);
  void size_scratch(bool left_only);
};

}  // namespace cisolve::cuda::direct
