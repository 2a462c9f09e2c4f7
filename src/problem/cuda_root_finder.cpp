// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_product.hpp"
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
  static std::unique_ptr<Matrix> hold(const Backend& backend, std::unique_ptr<StoredMatrix> matrix) {
    return cuda::upload(*matrix, backend.stream());
  }
  static void multiply(const Backend& backend, const Matrix& matrix, Backend::ConstView x, Backend::View y,
                       MatrixWorkspace& workspace) {
    matrix.multiply(backend.stream(), x, y, workspace);
  }
  static std::unique_ptr<Direct> hold_direct(const Backend& backend, DirectPlan& plan) {
    return std::make_unique<Direct>(std::move(*plan.on_device), backend.stream());
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
