// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#include "problem/devices.hpp"

namespace cisolve {

bool is_built_for_devices() { return true; }

std::vector<Device> devices_here() {
  std::vector<Device> devices;
  for (const cuda::DeviceInfo& info : cuda::visible_devices()) {
    devices.push_back({info.ordinal, info.name, info.total_memory,
                       fmt::format("{}.{}", info.compute_major, info.compute_minor), info.uuid});
  }
  return devices;
}

std::vector<Device> find_devices() {
  std::vector<Device> devices = devices_here();
  if (devices.empty()) return devices;
  std::erase_if(devices, [name = devices.front().name](const Device& one) { return one.name != name; });
  devices.front().free_bytes = free_memory(devices.front());
  return devices;
}

std::int64_t free_memory(const Device& device) { return cuda::device_memory(device.ordinal).free; }

std::jthread start_devices(int most) {
  const std::vector<cuda::DeviceInfo> devices = cuda::visible_devices();
  if (devices.empty()) return {};
  const auto count = std::min<std::ptrdiff_t>(most, std::ssize(devices));
  return std::jthread([count] {
    try {
      for (int device = 0; device < count; ++device) {
        // Context, BLAS and the kernels of both: loaded when first used.
        constexpr std::int64_t rows = 64;
        const cuda::CudaBackend backend(device);
        auto block = backend.allocate(rows, 2);
        backend.fill(block.view(), 1.0);
        static_cast<void>(backend.gram(block.view(), block.view()));
      }
    } catch (const Error&) {
      // The run itself meets the same, and says so.
    }
  });
}

DevicePlan plan_on_device(const DirectProduct& product, const Device& device, const DeviceCut& cut,
                          const StringShares& shares) {
  auto config = device.ordinal == Device::not_here
                    ? cuda::DirectConfig::for_profile(cuda::device_profile_for(device.free_bytes))
                    : cuda::DirectConfig::for_device();
  if (!cut.with_packs) config.most_pack_bytes = 0;
  config.most_strip_bytes = cut.most_strip_bytes;
  DevicePlan plan;
  plan.product = shares.ranks == 1 ? std::make_shared<cuda::PlannedDirectProduct>(product, config)
                                   : std::make_shared<cuda::PlannedDirectProduct>(product, config, shares);
  const cuda::DirectBytes bytes = plan.product->bytes();
  plan.tables = bytes.tables;
  plan.workspace = bytes.workspace;
  plan.why_whole = plan.product->why_whole();
  plan.host_bytes = plan.product->host_bytes();
  return plan;
}

}  // namespace cisolve
