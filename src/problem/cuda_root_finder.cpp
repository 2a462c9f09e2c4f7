// SPDX-License-Identifier: MIT
#include "cuda/analysis/string_density.hpp"
#include "cuda/core/check.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/selection/list_product.hpp"
#include "cuda/sparse/formats.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/devices.hpp"
#include "problem/root_finder_on.hpp"

namespace cisolve {
namespace {

struct CudaPlatform {
  using Backend = cuda::CudaBackend;
  using Matrix = cuda::DeviceMatrix;
  using MatrixWorkspace = cuda::SpmvWorkspace;
  using Direct = cuda::DirectProduct;
  using DirectWorkspace = cuda::DirectWorkspace;

  static Backend make_backend(int ordinal) { return Backend(ordinal); }
  static void await_others() { cuda::check(cudaDeviceSynchronize()); }
  static std::unique_ptr<Matrix> hold(const Backend& backend, std::unique_ptr<StoredMatrix> matrix,
                                      std::int64_t besides) {
    const auto* shared = dynamic_cast<const SharedMatrix*>(matrix.get());
    const StoredMatrix& held = shared != nullptr ? shared->matrix() : *matrix;
    if (auto list = cuda::list_product(held, backend.stream())) return list;
    return cuda::upload(held, backend.stream(), besides);
  }
  static void multiply(const Backend& backend, const Matrix& matrix, Backend::ConstView x, Backend::View y,
                       MatrixWorkspace& workspace) {
    matrix.multiply(backend.stream(), x, y, workspace);
  }
  static std::unique_ptr<Direct> hold_direct(const Backend& backend, DirectPlan& plan) {
    return std::make_unique<Direct>(std::move(*plan.on_device), backend.stream());
  }
  static std::optional<SpinDensities> spin_densities(const Backend& backend, const StringProduct& space,
                                                     const VectorSource& vectors, bool pairs) {
    try {
      return DensitiesOnDevice(backend, space, vectors)(pairs);
    } catch (const ResourceError&) {
      return std::nullopt;  // no room
    }
  }

private:
  /// Densities of vectors that are there, or are brought there.
  class DensitiesOnDevice {
  public:
    DensitiesOnDevice(const Backend& backend, const StringProduct& space, const VectorSource& vectors)
        : backend_(backend), vectors_(vectors), sums_(space, backend.stream()) {
      if (const auto* found = dynamic_cast<const BackendVectors<Backend>*>(&vectors))
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
    Backend::ConstView columns(int first, int count) {
      if (there_) return there_->slice(first, count);
      if (copies_.columns() == 0) copies_ = backend_.allocate(vectors_.rows(), count);
      Array<double> buffer;
      for (int k = 0; k < count; ++k)
        backend_.from_host(vectors_.view(first + k, 1, buffer), copies_.view().slice(k, 1));
      return std::as_const(copies_).view();
    }

    const Backend& backend_;
    const VectorSource& vectors_;
    cuda::StringDensities sums_;
    std::optional<Backend::ConstView> there_;
    Backend::Block copies_;
  };
};

}  // namespace

std::unique_ptr<RootFinder> make_device_root_finder(const Problem& problem, Plan plan,
                                                    const BuildOptions& options) {
  if (placement_of(plan).ordinal == Device::not_here)
    throw InputError("the plan is for a device that is not there");
  return make_root_finder_on<CudaPlatform>(problem, std::move(plan), options);
}

}  // namespace cisolve
