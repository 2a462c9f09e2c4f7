// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/ranked_direct_product.hpp"
#include "cuda/ranks/make_exchange.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/device_densities.hpp"
#include "problem/devices.hpp"
#include "problem/ranked/ranked_share.hpp"

namespace cisolve {
namespace {

struct RankedCudaPlatform {
  using Base = cuda::CudaBackend;

  /// The device of a rank, of those that its process has.
  class Device {
  public:
    Device(const Communicator& ranks, const Placement& placement)
        : ordinal_(placement.ordinals[static_cast<std::size_t>(ranks.rank()) % placement.ordinals.size()]) {
      make_current();
    }
    void make_current() const { cuda::check(cudaSetDevice(ordinal_)); }
    cuda::CudaBackend make_base() const { return cuda::CudaBackend(ordinal_); }

  private:
    int ordinal_;
  };

  static std::optional<SpinDensities> spin_densities(const Base& base, const StringProduct& space,
                                                     const VectorSource& vectors, bool pairs) {
    return densities_on_device(base, space, vectors, pairs);
  }

  class Direct {
  public:
    Direct(const RankedBackend<Base>& backend, const SharedProblem& shared, std::span<const double> diagonal)
        : exchange_(cuda::make_exchange(backend.ranks())),
          product_(plan_of(backend.ranks(), shared), diagonal, *exchange_, backend.base().stream()) {}

    double shift() const { return product_.shift(); }
    void abort() noexcept { exchange_->abort(); }
    void multiply(cuda::ConstDeviceView x, cuda::DeviceView y) { product_.multiply(x, y, workspace_); }
    void project(cuda::DeviceView x) { product_.project(x, workspace_); }

  private:
    static cuda::PlannedDirectProduct plan_of(const Communicator& ranks, const SharedProblem& shared) {
      const auto& plan = shared.plan();
      if (ranks.rank() == 0 && plan.on_device) return std::move(*plan.on_device);
      auto config = cuda::DirectConfig::for_device();
      if (!plan.with_packs) config.most_pack_bytes = 0;
      return {*plan.product, config, {ranks.size(), ranks.rank()}};
    }

    std::unique_ptr<cuda::DeviceExchange> exchange_;
    cuda::RankedDirectProduct product_;
    cuda::DirectWorkspace workspace_;
  };
};

}  // namespace

MakeShare device_shares() {
  return [](const Communicator& ranks, const SharedProblem& shared) {
    return std::make_unique<DirectShare<RankedCudaPlatform>>(ranks, shared);
  };
}

}  // namespace cisolve
