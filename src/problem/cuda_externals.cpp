// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include "cuda/core/check.hpp"
#include "cuda/selection/external_sums.hpp"
#include "problem/devices.hpp"

namespace cisolve {

template <int Words>
SecondOrder sum_externals_on_device(const Device& device, const ListedHamiltonian<Words>& list,
                                    const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                                    std::vector<External<Words>>* chosen, const ExternalOptions& options) {
  cuda::check(cudaSetDevice(device.ordinal));
  cuda::ExternalSums<Words> sums(list.tables, list.alpha_moves, list.beta_moves, list.determinants);
  return chosen == nullptr ? sums.sum(wavefunctions, options)
                           : sums.sum(wavefunctions, choice, *chosen, options);
}

template <int Words>
SecondOrder estimate_externals_on_device(const Device& device, const ListedHamiltonian<Words>& list,
                                         const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                         const ExternalOptions& options) {
  cuda::check(cudaSetDevice(device.ordinal));
  return cuda::ExternalSums<Words>(list.tables, list.alpha_moves, list.beta_moves, list.determinants)
      .estimate(wavefunctions, config, options);
}

#define INSTANTIATE(W)                                                                             \
  template SecondOrder sum_externals_on_device(const Device&, const ListedHamiltonian<W>&,         \
                                               const Wavefunctions&, const ExternalChoice&,        \
                                               std::vector<External<W>>*, const ExternalOptions&); \
  template SecondOrder estimate_externals_on_device(const Device&, const ListedHamiltonian<W>&,    \
                                                    const Wavefunctions&, const SamplingConfig&,   \
                                                    const ExternalOptions&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
