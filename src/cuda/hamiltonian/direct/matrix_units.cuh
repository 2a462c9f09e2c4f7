// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::cuda::direct {

/// c += a b by a whole warp, for a [16][8], b [8][8] and c [16][8] spread over its lanes as PTX has them (ISA 9.7.15,
/// mma.m16n8k8 with .f64): with g = lane / 4 and i = lane % 4, a lane holds
///   a: (g, i), (g + 8, i), (g, i + 4), (g + 8, i + 4);  b: (i, g), (i + 4, g);
///   c: (g, 2 i), (g, 2 i + 1), (g + 8, 2 i), (g + 8, 2 i + 1).
__device__ inline void multiply_add(double (&c)[4], const double (&a)[4], double b0, double b1) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#elif __CUDA_ARCH__ >= 800
  const auto step = [](double& c0, double& c1, double a0, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c0), "+d"(c1)
        : "d"(a0), "d"(b));
  };
  step(c[0], c[1], a[0], b0);
  step(c[0], c[1], a[2], b1);
  step(c[2], c[3], a[1], b0);
  step(c[2], c[3], a[3], b1);
#else
  const int lane = threadIdx.x % 32;
  const int row = lane / 4 * 4;
  const int column = lane % 4 * 2;
  for (int k = 0; k < 8; ++k) {
    const double upper = __shfl_sync(0xffffffffU, k < 4 ? a[0] : a[2], row + k % 4);
    const double lower = __shfl_sync(0xffffffffU, k < 4 ? a[1] : a[3], row + k % 4);
    const double left = __shfl_sync(0xffffffffU, k < 4 ? b0 : b1, column * 4 + k % 4);
    const double right = __shfl_sync(0xffffffffU, k < 4 ? b0 : b1, column * 4 + 4 + k % 4);
    c[0] += upper * left;
    c[1] += upper * right;
    c[2] += lower * left;
    c[3] += lower * right;
  }
#endif
}

}  // namespace cisolve::cuda::direct
