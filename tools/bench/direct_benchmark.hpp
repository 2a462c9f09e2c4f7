// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cisolve/hamiltonian/direct_product.hpp"

namespace cisolve::bench {

struct DirectBenchmarkOptions {
  int repeats = 11;
  SpinParity parity = SpinParity::none;
  bool compare = false;  ///< with a product of the host
  bool dgemm = false;    ///< the DGEMM of a product by dense intermediates, for comparison
  int blocks_per_multiprocessor = 0, least_long_columns = -1;  ///< as cuda::DirectConfig has them
  std::string same_spin = "chosen";                            ///< the name of a cuda::SameSpin
};

/// Times products without a matrix on the current device, after one whose repetition must agree to the last bit.
/// Only in builds with CUDA.
/// @throws Error if products don't repeat, or are further than 1e-13 from the host's
nlohmann::json run_direct(const DirectProduct& host, const DirectBenchmarkOptions& options);

}  // namespace cisolve::bench
