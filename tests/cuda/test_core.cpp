// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/device_test.hpp"

namespace cisolve::cuda {
namespace test_core {

TEST(DeviceInfo, MachinesWithoutDriverHaveNoDevices) {
  // An answer in either case, never an exception, and the same answer twice.
  const auto devices = visible_devices();
  EXPECT_EQ(visible_devices().size(), devices.size());
  if (driver_version().empty()) {
    EXPECT_TRUE(devices.empty());
  }
  for (const DeviceInfo& device : devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.total_memory, 0);
    EXPECT_GE(device.compute_major, 5);
  }
}

TEST(DeviceInfo, RuntimeHasAVersion) { EXPECT_GE(std::stod(runtime_version()), 12.0); }

TEST(Check, NamesPlaceAndError) {
  try {
    check(cudaErrorInvalidValue);
    FAIL() << "nothing was thrown";
  } catch (const CudaError& error) {
    EXPECT_NE(std::string(error.what()).find("test_core.cpp"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cudaErrorInvalidValue"), std::string::npos) << error.what();
  }
  EXPECT_THROW(check(cudaErrorMemoryAllocation), ResourceError);
  EXPECT_THROW(check(CUBLAS_STATUS_NOT_INITIALIZED), CudaError);
  EXPECT_NO_THROW(check(cudaSuccess));
}

class CoreGpu : public test::DeviceTest {};

TEST_F(CoreGpu, DeviceMemoryIsReported) {
  const DeviceMemory memory = device_memory(0);
  EXPECT_GT(memory.free, 0);
  EXPECT_LE(memory.free, memory.total);
  EXPECT_THROW(device_memory(1000), CudaError);
}

TEST_F(CoreGpu, TooMuchMemoryIsAResourceErrorThatLeavesTheDeviceUsable) {
  EXPECT_THROW(DeviceArray<double>(std::size_t{1} << 45), ResourceError);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_NO_THROW(DeviceArray<double>(1000));
}

TEST_F(CoreGpu, TransfersOfAnySizeArriveWhole) {
  const Stream stream;
  HostTransfer transfer;
  constexpr std::size_t chunk = HostTransfer::chunk_bytes / sizeof(std::int64_t);
  // Growing, so that the buffers do; then a small one through large buffers.
  const std::vector<std::size_t> sizes = {0,         1, 1000, chunk - 1, chunk, chunk + 1, 5 * chunk / 2,
                                          4 * chunk, 3};
  for (const std::size_t size : sizes) {
    std::vector<std::int64_t> host(size), back(size, -1);
    std::iota(host.begin(), host.end(), static_cast<std::int64_t>(size));
    DeviceArray<std::int64_t> device(size);
    upload<std::int64_t>(stream, transfer, host, device);
    transfer.download(stream, device.data(), back.data(), size * sizeof(std::int64_t));
    ASSERT_TRUE(host == back) << size;
  }
}

TEST_F(CoreGpu, UploadReadsTheHostBeforeItReturns) {
  const Stream stream;
  HostTransfer transfer;
  std::vector<std::int64_t> host(20'000'000, 7), back(host.size());
  DeviceArray<std::int64_t> device(host.size());
  upload<std::int64_t>(stream, transfer, host, device);
  std::fill(host.begin(), host.end(), 0);
  transfer.download(stream, device.data(), back.data(), device.size_bytes());
  EXPECT_TRUE(back == std::vector<std::int64_t>(host.size(), 7));
}

TEST_F(CoreGpu, EventsMeasureTime) {
  const Stream stream;
  const Event first(Event::Kind::timing), second(Event::Kind::timing);
  DeviceArray<char> device(std::size_t{256} << 20);
  first.record(stream);
  check(cudaMemsetAsync(device.data(), 1, device.size(), stream.get()));
  second.record(stream);
  EXPECT_GT(milliseconds(first, second), 0.0);
}

}  // namespace test_core
}  // namespace cisolve::cuda
