// SPDX-License-Identifier: MIT
#include "cuda/sparse/csr_matrix.hpp"

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
struct CsrRows : BasicCsrMatrix<Pointer> {
  struct Bounds {
    std::int64_t first;
    int length;
  };

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= num_rows) return {0, 0};
    const std::int64_t first = __ldg(offsets + row);
    return {first, static_cast<int>(__ldg(offsets + row + 1) - first)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t, const Bounds& bounds, const Visit& visit) const {
    visit(unaligned_part<elements>(columns, values, bounds.first, bounds.length));
  }
};

}  // namespace

void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config) {
  multiply(stream, CsrRows{pointers_to(a)}, a.nonzeros, x, y, workspace, config);
}

}  // namespace cisolve::cuda
