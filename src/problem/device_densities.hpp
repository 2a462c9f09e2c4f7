// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>

#include "cisolve/analysis/spin_density.hpp"
#include "cuda/analysis/string_density.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/backend_vectors.hpp"

namespace cisolve {

/// Densities of vectors that are there, or are brought there.
class DensitiesOnDevice {
public:
  DensitiesOnDevice(const cuda::CudaBackend& backend, const StringProduct& space, const VectorSource& vectors)
      : backend_(backend), vectors_(vectors), sums_(space, backend.stream()) {
    if (const auto* found = dynamic_cast<const BackendVectors<cuda::CudaBackend>*>(&vectors))
      there_ = found->in(backend);
  }

  SpinDensities operator()(bool pairs) {
    const int count = vectors_.columns();
    if (pairs) return sums_(columns(0, count));
    SpinDensities densities(count, count, {});
    for (int k = 0; k < count; ++k) densities(k, k) = sums_(columns(k, 1))(0, 0);
    return densities;
  }

private:
  cuda::CudaBackend::ConstView columns(int first, int count) {
    if (there_) return there_->slice(first, count);
    if (copies_.columns() == 0) copies_ = backend_.allocate(vectors_.rows(), count);
    Array<double> buffer;
    for (int k = 0; k < count; ++k)
      backend_.from_host(vectors_.view(first + k, 1, buffer), copies_.view().slice(k, 1));
    return std::as_const(copies_).view();
  }

  const cuda::CudaBackend& backend_;
  const VectorSource& vectors_;
  cuda::StringDensities sums_;
  std::optional<cuda::CudaBackend::ConstView> there_;
  cuda::CudaBackend::Block copies_;
};

/// One-particle density and transition density matrices of vectors on a device; see RootFinder::spin_densities. None:
/// there is no room.
inline std::optional<SpinDensities> densities_on_device(const cuda::CudaBackend& backend,
                                                        const StringProduct& space,
                                                        const VectorSource& vectors, bool pairs) {
  try {
    return DensitiesOnDevice(backend, space, vectors)(pairs);
  } catch (const ResourceError&) {
    return std::nullopt;
  }
}

}  // namespace cisolve
