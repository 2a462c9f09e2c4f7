// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_product.hpp"

#include "cisolve/core/error.hpp"
#include "core/planted_error.hpp"
#include "cuda/hamiltonian/direct/parts.hpp"

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

std::int64_t DirectWorkspace::bytes() const noexcept {
  return array_bytes(x[0], x[1], y[0], y[1], scratch, exchanged, strips[0], strips[1]);
}

void DirectWorkspace::prepare(const direct::VectorSizes& sizes, const Stream& stream) {
  const auto fit = [&](DeviceArray<double>& array, std::int64_t size) {
    if (static_cast<std::int64_t>(array.size()) == size) return;
    array = DeviceArray<double>();  // Free first: both need not fit.
    array = DeviceArray<double>(size);
    if (size > 0)
      check(cudaMemsetAsync(array.data(), 0, array.size_bytes(), stream.get()));  // padding stays so
  };
  for (int k = 0; k < 2; ++k) {
    fit(x[k], sizes.x[k]);
    fit(y[k], sizes.y[k]);
    fit(strips[k], sizes.strip);
  }
  fit(scratch, sizes.scratch);
  fit(exchanged, sizes.exchanged);
}

direct::Panels DirectWorkspace::panels() { return {{x[0].data(), x[1].data()}, {y[0].data(), y[1].data()}}; }

DirectProduct::DirectProduct(PlannedDirectProduct planned, const Stream& stream)
    : size_(planned.host_->size()), parity_(planned.host_->parity()), shift_(planned.host_->shift()),
      stream_(stream) {
  if (planned.plan_->exchange) throw DimensionError("DirectProduct: planned for one of several ranks");
  parts_ = std::make_unique<direct::Parts>(*planned.host_, planned.host_->diagonal(), *planned.plan_,
                                           Uploads(stream));
}

DirectProduct::DirectProduct(const cisolve::DirectProduct& host, const Stream& stream,
                             const DirectConfig& config)
    : DirectProduct(PlannedDirectProduct(host, config), stream) {}

DirectProduct::~DirectProduct() = default;

std::int64_t DirectProduct::bytes() const noexcept {
  return parts_->bytes() + static_cast<std::int64_t>(CublasHandle::workspace_bytes);
}
std::int64_t DirectProduct::workspace_bytes() const noexcept { return parts_->vectors.bytes(); }

void DirectProduct::multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns) {
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  }
  workspace.prepare(parts_->vectors, stream_);
  direct::Parts& parts = *parts_;
  DirectWorkspace& w = workspace;
  const bool parity = parity_ != SpinParity::none;
  const direct::Panels panels = w.panels();
  for (int k = 0; k < x.columns; ++k) {
    parts.layout.distribute(stream_, x.column(k), w.x[0].data(), w.x[1].data());
    if (parity)
      direct::symmetrize(stream_, parts.vectors.x[0], static_cast<double>(parity_), w.x[1].data(),
                         w.x[0].data());
    if (parts.uses_layout_1 && !parts.same_spin.fills_layout_1())
      check(cudaMemsetAsync(w.y[1].data(), 0, w.y[1].size_bytes(), stream_.get()));
    parts.same_spin.write(stream_, panels, w.scratch.data());
    if (!is_planted(PlantedError::device_direct)) {
      parts.opposite.add(stream_, panels);
      parts.long_rows.add(stream_, panels);
    }
    parts.same_spin.add(stream_, panels, w.scratch.data());
    const direct::Collected collected{x.column(k),
                                      w.y[0].data(),
                                      parity ? w.y[0].data() : w.y[1].data(),
                                      parity_ == SpinParity::odd ? -1.0 : 1.0,
                                      parity ? w.x[0].data() : nullptr,
                                      shift_};
    parts.layout.collect(stream_, collected, y.column(k));
  }
}

void DirectProduct::project(DeviceView x, DirectWorkspace& workspace) const {
  if (x.rows != size_) throw DimensionError("DirectProduct: x must have one row per determinant");
  if (parity_ == SpinParity::none) return;
  workspace.prepare(parts_->vectors, stream_);
  DirectWorkspace& w = workspace;
  for (int k = 0; k < x.columns; ++k) {
    parts_->layout.distribute(stream_, x.column(k), w.x[0].data(), w.x[1].data());
    direct::symmetrize(stream_, parts_->vectors.x[0], static_cast<double>(parity_), w.x[1].data(),
                       w.x[0].data());
    parts_->layout.restore(stream_, w.x[0].data(), x.column(k));
  }
}

void DirectProduct::prepare_spin(const StringProduct& space) {
  if (parts_->spin) return;
  const BlockStructure blocks(space);
  parts_->spin.emplace(direct::SpinPlan(space, blocks, BlockLayout(blocks, true)), Uploads(stream_));
}

void DirectProduct::multiply_s_squared(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns)
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  workspace.prepare(parts_->vectors, stream_);
  DirectWorkspace& w = workspace;
  for (int k = 0; k < x.columns; ++k) {
    parts_->layout.distribute(stream_, x.column(k), w.x[0].data(), nullptr);
    parts_->spin->multiply(stream_, w.x[0].data(), w.y[0].data());
    parts_->layout.restore_own(stream_, w.y[0].data(), y.column(k));
  }
}

}  // namespace cisolve::cuda
