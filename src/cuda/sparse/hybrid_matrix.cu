// SPDX-License-Identifier: MIT
#include "cuda/sparse/hybrid_matrix.hpp"

#include "cuda/sparse/complex_row_kernel.cuh"
#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
template <class Scalar>
struct HybridRows : BasicHybridMatrix<Pointer, Scalar> {
  struct Bounds {
    std::int64_t tail_first;
    int count;
  };

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= this->num_rows) return {0, 0};
    return {__ldg(this->tail_offsets + row), __ldg(this->row_counts + row)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t row, const Bounds& bounds, const Visit& visit) const {
    const std::int64_t ell = row * this->ell_stride;
    int in_ell = min(bounds.count, this->ell_width);
    if (this->ell_counts != nullptr && row < this->num_rows) in_ell = __ldg(this->ell_counts + row);
    visit(BasicDevicePart<Scalar>{this->ell_columns + ell, this->ell_values + ell, 0, in_ell});
    if (bounds.count > in_ell) {
      visit(unaligned_part<elements>(this->tail_columns, this->tail_values, bounds.tail_first,
                                     bounds.count - in_ell));
    }
  }
};

}  // namespace

void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update, const SpmvConfig& config) {
  multiply(stream, HybridRows<double>{pointers_to(a)}, a.nonzeros, x, y, workspace, update, config);
}

void spmv(const Stream& stream, const DeviceComplexHybridMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update) {
  multiply_complex<Complex>(stream, HybridRows<Complex>{pointers_to(a)}, x, y, workspace, update);
}

void spmv(const Stream& stream, const DeviceQuaternionHybridMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update) {
  multiply_complex<Quaternion>(stream, HybridRows<Quaternion>{pointers_to(a)}, x, y, workspace, update);
}

}  // namespace cisolve::cuda
