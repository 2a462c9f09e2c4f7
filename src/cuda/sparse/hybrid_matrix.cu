// SPDX-License-Identifier: MIT
#include "cuda/sparse/hybrid_matrix.hpp"

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
struct HybridRows : BasicHybridMatrix<Pointer> {
  struct Bounds {
    std::int64_t tail_first;
    int count;
  };

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= num_rows) return {0, 0};
    return {__ldg(tail_offsets + row), __ldg(row_counts + row)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t row, const Bounds& bounds, const Visit& visit) const {
    const std::int64_t ell = row * ell_stride;
    int in_ell = min(bounds.count, ell_width);
    if (ell_counts != nullptr && row < num_rows) in_ell = __ldg(ell_counts + row);
    visit(DevicePart{ell_columns + ell, ell_values + ell, 0, in_ell});
    if (bounds.count > in_ell) {
      visit(unaligned_part<elements>(tail_columns, tail_values, bounds.tail_first, bounds.count - in_ell));
    }
  }
};

}  // namespace

void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config) {
  multiply(stream, HybridRows{pointers_to(a)}, a.nonzeros, x, y, workspace, config);
}

}  // namespace cisolve::cuda
