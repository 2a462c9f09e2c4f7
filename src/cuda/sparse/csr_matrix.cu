// SPDX-License-Identifier: MIT
#include "cuda/sparse/csr_matrix.hpp"

#include "cuda/sparse/complex_row_kernel.cuh"
#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
template <class Scalar>
struct CsrRows : BasicCsrMatrix<Pointer, Scalar> {
  struct Bounds {
    std::int64_t first;
    int length;
  };

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= this->num_rows) return {0, 0};
    const std::int64_t first = __ldg(this->offsets + row);
    return {first, static_cast<int>(__ldg(this->offsets + row + 1) - first)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t, const Bounds& bounds, const Visit& visit) const {
    visit(unaligned_part<elements>(this->columns, this->values, bounds.first, bounds.length));
  }
};

}  // namespace

void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update, const SpmvConfig& config) {
  multiply(stream, CsrRows<double>{pointers_to(a)}, a.nonzeros, x, y, workspace, update, config);
}

void spmv(const Stream& stream, const DeviceComplexCsrMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update) {
  multiply_complex<Complex>(stream, CsrRows<Complex>{pointers_to(a)}, x, y, workspace, update);
}

void spmv(const Stream& stream, const DeviceQuaternionCsrMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update) {
  multiply_complex<Quaternion>(stream, CsrRows<Quaternion>{pointers_to(a)}, x, y, workspace, update);
}

}  // namespace cisolve::cuda
