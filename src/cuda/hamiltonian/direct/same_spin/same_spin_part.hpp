// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/cublas_handle.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/same_spin/same_spin_plan.hpp"
#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// Excitations and panels of one spin or layout, as kernels read them.
struct SpinTables {
  SameSpinExcitations<Pointer> excitations;
  const std::int64_t* first_row;  ///< of BlockLayout
  std::int32_t num_major;         ///< classes
};

/// Columns of a dense same-spin matrix.
struct DenseColumns {
  std::int32_t first, count;  ///< strings that they belong to, ordinals
  std::int32_t ld;
  const DenseTargets* targets;  ///< rows of the matrix, by class; null: all strings of one class
};

/// @param dense  the first of the columns
/// @throws CudaError if the kernel cannot be launched, as all of these
void launch_densify(const Stream& stream, const SameSpinExcitations<Pointer>& excitations,
                    const DenseColumns& columns, double* dense);

/// What kernels read of a SegmentPlan.
struct SegmentTables {
  const Segment* segments;
  std::int32_t num_segments;
  std::int64_t num_warps;
  SpinTables of[2];  ///< by layout
  bool adds;
};

/// y = or += same-spin excitations of x, in the segments.
void launch_segments(const Stream& stream, const SegmentTables& tables, const Panels& panels);

/// What kernels read of a PanelMatrixPlan.
struct DenseTables {
  DenseArrays<Pointer> lists;
  std::int32_t num_groups;
  std::int32_t num_blocks;  ///< of threads
  const double* matrices;
  bool adds;
};

/// y = or += same-spin excitations of x, in the panels that have dense matrices.
void launch_dense_panels(const Stream& stream, const DenseTables& tables, const Panels& panels);

/// A part of a class that is projected.
/// @param scratch  [num_entries][width] of intermediates, and behind them, if not left, [columns][width]
void launch_projection(const Stream& stream, const ProjectionArrays<Pointer>& arrays,
                       const Projection& projection, const LargePart& part, const Panels& panels,
                       double* scratch);

/// The same-spin part of a product on a device. Everything is enqueued.
class SameSpinPart {
public:
  /// @param host  the product that was planned
  SameSpinPart(const cisolve::DirectProduct& host, const SameSpinPlan& plan, Uploads& put);

  std::int64_t bytes() const;

  /// Every element of y in layout 1 is written.
  bool fills_layout_1() const { return fills_layout_1_; }

  /// y = what acts on rows, in both layouts; of one rank's rows: y += what acts on rows but for large classes.
  /// @param scratch  [SameSpinPlan::scratch]
  /// @throws CudaError if a kernel cannot be launched
  void write(const Stream& stream, const Panels& panels, double* scratch);

  /// y += what acts on columns, in a layout; but for a rank's in layout 0 alone.
  void add(const Stream& stream, const Panels& panels, double* scratch, int layout = 0) {
    multiply_large(stream, panels, false, layout, scratch);
  }

private:
  void fill(const Stream& stream, const LargeClass& one, std::int32_t first, std::int32_t count,
            double* to) const;
  void fill_panel_matrices(const cisolve::DirectProduct& host, const Stream& stream,
                           const PanelMatrixPlan& plan);
  void multiply_large(const Stream& stream, const Panels& panels, bool left, int layout, double* scratch);
  void multiply_densely(const Stream& stream, const LargePart& part, const Panels& panels);
  void multiply_others(const Stream& stream, const Panels& panels) const;
  const SameSpinExcitations<DeviceArray>& excitations_of(int layout) const {
    return excitations_[symmetric_ ? 0 : layout];
  }

  bool symmetric_, fills_layout_1_;
  SameSpinExcitations<DeviceArray> excitations_[2];
  RowArrays<DeviceArray> rows_;
  DeviceArray<Segment> segments_;
  DenseArrays<DeviceArray> panels_;
  ProjectionArrays<DeviceArray> projections_;
  DeviceArray<double> panel_matrices_, large_matrices_;
  SegmentTables segment_tables_;
  DenseTables dense_tables_;
  std::vector<LargeClass> large_;
  std::vector<LargePart> large_parts_;
  std::vector<Projection> projection_of_;
  CublasHandle cublas_;
  Stream beside_;
  Event forked_, joined_;
};

}  // namespace cisolve::cuda::direct
