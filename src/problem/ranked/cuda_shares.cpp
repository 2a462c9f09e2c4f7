// SPDX-License-Identifier: MIT
#include <omp.h>

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "cisolve/core/thread_scope.hpp"
#include "cuda/analysis/string_density.hpp"
#include "cuda/hamiltonian/ranked_direct_product.hpp"
#include "cuda/hamiltonian/ranked_matrix.hpp"
#include "cuda/ranks/make_exchange.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/device_densities.hpp"
#include "problem/devices.hpp"
#include "problem/ranked/ranked_share.hpp"
#include "problem/ranked/stored_share.hpp"

namespace cisolve {
namespace {

/// Whether work(), which needs memory, has it on all ranks.
template <class Work>
bool have_room(const Communicator& ranks, const Work& work) {
  int has_room = 1;
  try {
    work();
  } catch (const ResourceError&) {
    has_room = 0;
  }
  return std::ranges::min(all_values(ranks, has_room)) == 1;
}

struct RankedCudaPlatform {
  using Base = cuda::CudaBackend;
  using Backend = RankedBackend<Base>;

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
        : Direct(backend, begin(backend, shared), diagonal) {}

    double shift() const { return product_.shift(); }
    void abort() noexcept { exchange_->abort(); }
    void multiply(cuda::ConstDeviceView x, cuda::DeviceView y) { product_.multiply(x, y, workspace_); }
    void project(cuda::DeviceView x) { product_.project(x, workspace_); }

    /// @return whether all ranks have room for it
    bool prepare_spin(const StringProduct& space) {
      return product_.gathers_whole() && have_room(exchange_->ranks(), [&] { product_.prepare_spin(space); });
    }
    void multiply_s_squared(cuda::ConstDeviceView x, cuda::DeviceView y) {
      product_.multiply_s_squared(x, y, workspace_);
    }

    /// None where a rank has no room, or vectors come in strips.
    std::optional<SpinDensities> densities(const Backend& backend, const StringProduct& space,
                                           const VectorSource& own, std::span<const int> columns,
                                           bool pairs) {
      if (!product_.gathers_whole()) return std::nullopt;
      const auto vectors = dynamic_cast<const BackendVectors<Backend>&>(own).in(backend);
      const Communicator& ranks = exchange_->ranks();
      const int count = static_cast<int>(columns.size());
      const auto column = [&](int k) { return vectors->column(columns[static_cast<std::size_t>(k)]); };
      const bool needs_second = pairs && count > 1;
      std::optional<cuda::StringDensities> sums;
      cuda::DeviceArray<double> second;
      const bool fits = have_room(ranks, [&] {
        const cuda::StringDensityPlan plan(space, cuda::StringDensityConfig::for_device(),
                                           {ranks.size(), ranks.rank()});
        sums.emplace(plan, backend.base().stream());
        if (needs_second)
          second = cuda::DeviceArray<double>(static_cast<std::size_t>(product_.gathered_size()));
      });
      if (!fits) return std::nullopt;
      SpinDensities found(count, count, {});
      for (int l = 0; l < count; ++l) {
        const double* ket = product_.gather_whole(column(l), workspace_);
        found(l, l) = sums->lower(ket, ket);
        if (!needs_second) continue;
        cuda::check(cudaMemcpyAsync(second.data(), ket, second.size_bytes(), cudaMemcpyDeviceToDevice,
                                    backend.base().stream().get()));
        for (int k = 0; k < count; ++k) {
          if (k != l) found(k, l) = sums->lower(product_.gather_whole(column(k), workspace_), second.data());
        }
      }
      for (int l = 0; l < count; ++l) {
        for (int k = 0; k < count; ++k) add_up(ranks, found(k, l));
      }
      cuda::complete_densities(found);
      return found;
    }

  private:
    static void add_up(const Communicator& ranks, SpinDensity& density) {
      for (cisolve::Matrix* matrix : {&density.alpha, &density.beta}) {
        const auto size =
            static_cast<std::size_t>(matrix->rows()) * static_cast<std::size_t>(matrix->columns());
        sum(ranks, {matrix->data(), size});
      }
    }

    struct Begun {
      std::unique_ptr<cuda::DeviceExchange> exchange;
      cuda::PlannedDirectProduct planned;
    };

    Direct(const RankedBackend<Base>& backend, Begun begun, std::span<const double> diagonal)
        : exchange_(std::move(begun.exchange)),
          product_(std::move(begun.planned), diagonal, *exchange_, backend.base().stream()) {}

    /// Plans beside the start of the exchange, which takes a second and no core.
    static Begun begin(const RankedBackend<Base>& backend, const SharedProblem& shared) {
      const Communicator& ranks = backend.ranks();
      auto planned = std::async(std::launch::async, [&, threads = omp_get_max_threads()] {
        const ThreadScope scope(threads);
        cuda::check(cudaSetDevice(backend.base().device()));
        return plan_of(ranks, shared);
      });
      auto exchange = cuda::make_exchange(ranks);
      return {std::move(exchange), planned.get()};
    }

    static cuda::PlannedDirectProduct plan_of(const Communicator& ranks, const SharedProblem& shared) {
      const auto& plan = shared.direct();
      if (ranks.rank() == 0 && plan.on_device) return std::move(*plan.on_device);
      auto config = cuda::DirectConfig::for_device();
      if (!plan.with_packs) config.most_pack_bytes = 0;
      config.most_strip_bytes = plan.most_strip_bytes;
      return {*plan.product, config, {ranks.size(), ranks.rank()}};
    }

    std::unique_ptr<cuda::DeviceExchange> exchange_;
    cuda::RankedDirectProduct product_;
    cuda::DirectWorkspace workspace_;
  };

  class Exchange {
  public:
    explicit Exchange(const Communicator& ranks) : exchange_(cuda::make_exchange(ranks)) {}
    void abort() noexcept { exchange_->abort(); }
    cuda::DeviceExchange& operator*() const { return *exchange_; }

  private:
    std::unique_ptr<cuda::DeviceExchange> exchange_;
  };

  class Matrix {
  public:
    Matrix(const RankedBackend<Base>& backend, RowsOfRank& rows, const RowShares& shares,
           std::int64_t besides, const Exchange& exchange)
        : matrix_(rows, shares, besides, *exchange, backend.base().stream()) {}
    void multiply(cuda::ConstDeviceView x, cuda::DeviceView y) { matrix_.multiply(x, y, workspace_); }

  private:
    cuda::RankedMatrix matrix_;
    cuda::RankedMatrixWorkspace workspace_;
  };
};

}  // namespace

MakeShare device_shares() { return make_shares_on<RankedCudaPlatform>(); }

}  // namespace cisolve
