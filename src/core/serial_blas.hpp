// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// While one lives, an OpenBLAS with threads of its own (Debian's usual build) uses one for each call, as those for
/// OpenMP do by themselves in a parallel region: callers are threads, which would wait for one another. Open it around a
/// region whose threads call BLAS; several may be open, of any threads. Does nothing with other libraries.
class SerialBlas {
public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;
};

/// Whether the BLAS is an OpenBLAS with threads of its own.
bool blas_has_own_threads();

}  // namespace cisolve
