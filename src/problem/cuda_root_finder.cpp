// SPDX-License-Identifier: MIT
#include "cuda/core/check.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/selection/list_product.hpp"
#include "cuda/sparse/formats.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/device_densities.hpp"
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
    return densities_on_device(backend, space, vectors, pairs);
  }
};

}  // namespace

std::unique_ptr<RootFinder> make_device_root_finder(const Problem& problem, Plan plan,
                                                    const BuildOptions& options) {
  if (placement_of(plan).ordinal == Device::not_here)
    throw InputError("the plan is for a device that is not there");
  return make_root_finder_on<CudaPlatform>(problem, std::move(plan), options);
}

}  // namespace cisolve
