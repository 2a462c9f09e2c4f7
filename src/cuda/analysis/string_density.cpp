// SPDX-License-Identifier: MIT
#include "cuda/analysis/string_density.hpp"

#include <cuda_runtime_api.h>

#include "analysis/density_parts.hpp"
#include "cisolve/core/error.hpp"
#include "cuda/analysis/string_density_kernels.hpp"
#include "cuda/core/uploads.hpp"

namespace cisolve::cuda {

StringDensityConfig StringDensityConfig::for_device() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return {.shared_memory = bytes};
}

StringDensities::StringDensities(const StringDensityPlan& plan, const Stream& stream)
    : stream_(stream), elements_(plan.elements), num_rows_(plan.num_rows),
      doubles_of_two_(plan.doubles_of_two), doubles_of_one_(plan.doubles_of_one),
      num_orbitals_(plan.num_orbitals), arrays_(Uploads(stream)(plan.arrays)), partial_(plan.num_partials),
      results_(elements_.size()), found_(elements_.size()) {}

std::int64_t StringDensities::bytes() const { return array_bytes(arrays_, partial_, results_); }

SpinDensity StringDensities::lower(const double* bra, const double* ket) {
  const StringDensityArrays<Pointer> arrays = pointers_to(arrays_);
  launch_alpha_sums(stream_, arrays, arrays_.alpha_tasks.size(), bra, ket, partial_.data());
  launch_beta_sums(stream_, arrays, arrays_.beta_tasks.size(), bra == ket ? doubles_of_one_ : doubles_of_two_,
                   bra, ket, partial_.data());
  launch_element_sums(stream_, arrays, elements_.size(), partial_.data(), results_.data());
  check(cudaMemcpyAsync(found_.data(), results_.data(), results_.size_bytes(), cudaMemcpyDeviceToHost,
                        stream_.get()));
  stream_.synchronize();
  SpinDensity density{Matrix(num_orbitals_, num_orbitals_), Matrix(num_orbitals_, num_orbitals_)};
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const auto& [is_beta, p, q] = elements_[k];
    (is_beta ? density.beta : density.alpha)(p, q) = found_.data()[k];
  }
  return density;
}

SpinDensities StringDensities::operator()(ConstDeviceView vectors) {
  if (vectors.rows != num_rows_) throw DimensionError("StringDensities: the vectors are not over the space");
  SpinDensities densities(vectors.columns, vectors.columns, {});
  for (int l = 0; l < vectors.columns; ++l) {
    for (int k = 0; k < vectors.columns; ++k) densities(k, l) = lower(vectors.column(k), vectors.column(l));
  }
  complete_densities(densities);
  return densities;
}

void complete_densities(SpinDensities& densities) { complete_from_lower(densities); }

}  // namespace cisolve::cuda
