// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

#include <algorithm>

#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {

SameSpinPart::SameSpinPart(const cisolve::DirectProduct& host, const SameSpinPlan& plan, Uploads& put)
    : symmetric_(plan.symmetric),
      fills_layout_1_(plan.fills_layout_1), excitations_{put(plan.excitations[0]), put(plan.excitations[1])},
      rows_(put(plan.rows)), segments_(put(HostView<Segment>(plan.segments.segments))),
      panels_(put(plan.panels.arrays)), projections_(put(plan.projections.arrays)),
      panel_matrices_(plan.panels.size), large_matrices_(plan.dense_buffer), large_(plan.large),
      large_parts_(plan.large_parts), projection_of_(plan.projections.classes), cublas_(put.stream()) {
  segment_tables_ = {
      .segments = segments_.data(),
      .num_segments = static_cast<std::int32_t>(segments_.size()),
      .num_warps = plan.segments.num_warps,
      .of = {{pointers_to(excitations_of(0)), rows_.alpha_major.data(), host.tables().alpha_major.num_major},
             {pointers_to(excitations_of(1)), rows_.beta_major.data(), host.tables().beta_major.num_major}},
      .adds = plan.ranked};
  dense_tables_ = {.lists = pointers_to(panels_),
                   .num_groups = static_cast<std::int32_t>(panels_.groups.size()),
                   .num_blocks = plan.panels.num_blocks,
                   .matrices = panel_matrices_.data(),
                   .adds = plan.ranked};
  fill_panel_matrices(host, put.stream(), plan.panels);
  for (const LargeClass& one : large_) {
    if (one.resident >= 0) fill(put.stream(), one, 0, one.size, large_matrices_.data() + one.resident);
  }
}

std::int64_t SameSpinPart::bytes() const {
  return array_bytes(excitations_[0], excitations_[1], rows_, segments_, panels_, projections_,
                     panel_matrices_, large_matrices_);
}

/// Columns of the matrix of a class.
void SameSpinPart::fill(const Stream& stream, const LargeClass& one, std::int32_t first, std::int32_t count,
                        double* to) const {
  launch_densify(stream, pointers_to(excitations_of(one.spin)),
                 {one.first_ordinal + first, count, one.ld, nullptr}, to);
}

void SameSpinPart::fill_panel_matrices(const cisolve::DirectProduct& host, const Stream& stream,
                                       const PanelMatrixPlan& plan) {
  if (plan.matrices.empty()) return;
  check(cudaMemsetAsync(panel_matrices_.data(), 0, panel_matrices_.size_bytes(), stream.get()));
  for (const PanelMatrixPlan::Matrix& matrix : plan.matrices) {
    if (matrix.targets == 0) continue;
    const Side side(host.tables(), matrix.layout);
    const DenseTargets* targets = panels_.targets.data() + matrix.first_target;
    for (int c = 0; c < side.major.count(); ++c) {
      const std::int64_t row = side.layout.row(matrix.panel, c);
      if (row < 0) continue;
      launch_densify(stream, pointers_to(excitations_of(matrix.layout)),
                     {side.first_ordinal(c), side.major.size(c), matrix.ld, targets},
                     panel_matrices_.data() + matrix.first + row * matrix.ld);
    }
  }
}

void SameSpinPart::write(const Stream& stream, const Panels& panels, double* scratch) {
  multiply_large(stream, panels, true, 0, scratch);
  multiply_others(stream, panels);
}

/// y = H_same x by rows, y += x H_same by columns, of large classes.
void SameSpinPart::multiply_large(const Stream& stream, const Panels& panels, bool left, int layout,
                                  double* scratch) {
  for (const LargePart& part : large_parts_) {
    if (part.left != left || part.layout != layout) continue;
    const std::int32_t projection = large_[part.number].projection;
    if (projection < 0)
      multiply_densely(stream, part, panels);
    else
      launch_projection(stream, pointers_to(projections_), projection_of_[projection], part, panels, scratch);
  }
}

/// Multiplies by as much of the matrix at a time as there is room for. Panels are row-major: for cuBLAS their transposes.
void SameSpinPart::multiply_densely(const Stream& stream, const LargePart& part, const Panels& panels) {
  const double* x = panels.x[part.layout] + part.x;
  double* y = panels.y[part.layout] + part.y;
  const double one = 1.0;
  const double zero = 0.0;
  const LargeClass& c = large_[part.number];
  const auto room = static_cast<std::int64_t>(large_matrices_.size()) / c.ld;
  const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(c.size, room));
  for (std::int32_t first = 0; first < c.size; first += most) {
    const std::int32_t count = std::min(most, c.size - first);
    double* h = large_matrices_.data() + std::max<std::int64_t>(c.resident, 0);
    if (c.resident < 0) fill(stream, c, first, count, h);
    if (part.left) {
      check(cublasDgemm(cublas_.get(), CUBLAS_OP_N, CUBLAS_OP_N, part.columns, count, c.size, &one, x,
                        part.stride, h, c.ld, &zero, y + static_cast<std::int64_t>(first) * part.stride,
                        part.stride));
    } else {
      check(cublasDgemm(cublas_.get(), CUBLAS_OP_T, CUBLAS_OP_N, count, part.rows, c.size, &one, h, c.ld, x,
                        part.stride, &one, y + first, part.stride));
    }
  }
}

/// y = or += same-spin excitations that no large class has. What is left to segments where panels are dense is little, and
/// waits for memory most of the time: both at once.
void SameSpinPart::multiply_others(const Stream& stream, const Panels& panels) const {
  if (dense_tables_.num_blocks == 0 || segment_tables_.num_warps == 0) {
    launch_dense_panels(stream, dense_tables_, panels);
    launch_segments(stream, segment_tables_, panels);
    return;
  }
  forked_.record(stream);
  wait(beside_, forked_);
  launch_segments(beside_, segment_tables_, panels);
  joined_.record(beside_);
  launch_dense_panels(stream, dense_tables_, panels);
  wait(stream, joined_);
}

}  // namespace cisolve::cuda::direct
