// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_product.hpp"

#include "cisolve/core/error.hpp"
#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/direct_tables.hpp"

namespace cisolve::cuda {

DeviceProfile profile_of_device() {
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  DeviceProfile result = device_profile_of(properties.name, properties.major, properties.minor,
                                           static_cast<std::int64_t>(properties.totalGlobalMem),
                                           static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor));
  result.shared_memory_of_system = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock);
  return result;
}

DirectConfig DirectConfig::for_profile(const DeviceProfile& device) {
  return {.most_pack_bytes = device.budgets.packs, .device = device};
}

DirectConfig DirectConfig::for_device() { return for_profile(profile_of_device()); }

std::int64_t DirectWorkspace::bytes() const noexcept {
  return static_cast<std::int64_t>(x[0].size_bytes() + x[1].size_bytes() + y[0].size_bytes() +
                                   y[1].size_bytes() + scratch.size_bytes());
}

PlannedDirectProduct::PlannedDirectProduct(const cisolve::DirectProduct& host, const DirectConfig& config)
    : host_(&host), plan_(std::make_unique<direct::DirectPlan>(host, config)) {}
PlannedDirectProduct::~PlannedDirectProduct() = default;
PlannedDirectProduct::PlannedDirectProduct(PlannedDirectProduct&&) noexcept = default;

DirectBytes PlannedDirectProduct::bytes() const {
  return {direct::table_bytes(*host_, *plan_) + static_cast<std::int64_t>(CublasHandle::workspace_bytes),
          direct::vector_sizes(*host_, *plan_).bytes()};
}
std::int64_t PlannedDirectProduct::host_bytes() const { return direct::plan_bytes(*plan_); }

DirectProduct::DirectProduct(PlannedDirectProduct planned, const Stream& stream)
    : size_(planned.host_->size()), parity_(planned.host_->parity()), shift_(planned.host_->shift()),
      stream_(stream), tables_(std::make_unique<direct::Tables>(*planned.host_, stream, *planned.plan_)) {}

DirectProduct::DirectProduct(const cisolve::DirectProduct& host, const Stream& stream,
                             const DirectConfig& config)
    : DirectProduct(PlannedDirectProduct(host, config), stream) {}

DirectProduct::~DirectProduct() = default;

std::int64_t DirectProduct::bytes() const noexcept {
  return tables_->bytes + static_cast<std::int64_t>(CublasHandle::workspace_bytes);
}
std::int64_t DirectProduct::workspace_bytes() const noexcept { return tables_->sizes.bytes(); }

void DirectProduct::prepare(DirectWorkspace& workspace) const {
  const auto fit = [&](DeviceArray<double>& array, std::int64_t size) {
    if (static_cast<std::int64_t>(array.size()) == size) return;
    array = DeviceArray<double>();  // Free first: both need not fit.
    array = DeviceArray<double>(static_cast<std::size_t>(size));
    if (size > 0)
      check(cudaMemsetAsync(array.data(), 0, array.size_bytes(), stream_.get()));  // padding stays so
  };
  for (int k = 0; k < 2; ++k) {
    fit(workspace.x[k], tables_->sizes.x[k]);
    fit(workspace.y[k], tables_->sizes.y[k]);
  }
  fit(workspace.scratch, tables_->sizes.scratch);
}

void DirectProduct::multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns) {
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  }
  prepare(workspace);
  direct::Tables& t = *tables_;
  DirectWorkspace& w = workspace;
  const bool parity = parity_ != SpinParity::none;
  const direct::Panels panels{{w.x[0].data(), w.x[1].data()}, {w.y[0].data(), w.y[1].data()}};
  for (int k = 0; k < x.columns; ++k) {
    direct::launch_distribute(stream_, t.layout, x.column(k), w.x[0].data(), w.x[1].data());
    if (parity)
      direct::launch_symmetrize(stream_, t.sizes.x[0], static_cast<double>(parity_), w.x[1].data(),
                                w.x[0].data());
    if (t.uses_layout_1 && !t.fills_layout_1)
      check(cudaMemsetAsync(w.y[1].data(), 0, w.y[1].size_bytes(), stream_.get()));
    t.multiply_dense(stream_, panels, true, w.scratch.data());
    t.multiply_own(stream_, panels);
    direct::launch_sums(stream_, t.opposite, t.launch, panels);
    direct::launch_tiled(stream_, t.tiled, t.tiled_launch, panels);
    t.multiply_dense(stream_, panels, false, w.scratch.data());
    const direct::Collected collected{x.column(k),
                                      t.diagonal.data(),
                                      w.y[0].data(),
                                      parity ? w.y[0].data() : w.y[1].data(),
                                      parity_ == SpinParity::odd ? -1.0 : 1.0,
                                      parity ? w.x[0].data() : nullptr,
                                      shift_};
    direct::launch_collect(stream_, t.layout, collected, y.column(k));
  }
}

void DirectProduct::project(DeviceView x, DirectWorkspace& workspace) const {
  if (x.rows != size_) throw DimensionError("DirectProduct: x must have one row per determinant");
  if (parity_ == SpinParity::none) return;
  prepare(workspace);
  DirectWorkspace& w = workspace;
  for (int k = 0; k < x.columns; ++k) {
    direct::launch_distribute(stream_, tables_->layout, x.column(k), w.x[0].data(), w.x[1].data());
    direct::launch_symmetrize(stream_, tables_->sizes.x[0], static_cast<double>(parity_), w.x[1].data(),
                              w.x[0].data());
    direct::launch_restore(stream_, tables_->layout, w.x[0].data(), x.column(k));
  }
}

}  // namespace cisolve::cuda
