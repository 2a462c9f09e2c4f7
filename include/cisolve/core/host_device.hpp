// SPDX-License-Identifier: MIT
#pragma once

/// What kernels call too.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#else
#define CISOLVE_HOST_DEVICE
#endif
