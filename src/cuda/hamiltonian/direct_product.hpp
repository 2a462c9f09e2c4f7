// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/hamiltonian/device_profile.hpp"

namespace cisolve::cuda {

namespace direct {
struct DirectPlan;
struct Tables;
}  // namespace direct

/// Device scratch of a direct product: up to four vectors in the order of blocks, and intermediates of same-spin parts.
/// Keep one beside the operator; it grows with the first product and stays. One product at a time.
class DirectWorkspace {
public:
  std::int64_t bytes() const noexcept;

private:
  friend class DirectProduct;
  DeviceArray<double> x[2], y[2];
  DeviceArray<double> scratch;  ///< of same-spin parts
};

/// Ways to apply the same-spin Hamiltonian of many strings.
enum class SameSpin { chosen, dense, projected };

/// How a direct product is cut for a device. As told, for an H200.
///
/// To plan for a device that isn't there:
///   PlannedDirectProduct planned(host, DirectConfig::for_profile(device_profile_for(bytes_of_memory)));
///   const DirectBytes needed = planned.bytes();
/// Plans don't ask how much memory there is: compare `needed` with DeviceProfile::memory, and where that is too little, plan
/// once more with most_pack_bytes = 0.
struct DirectConfig {
  int blocks_per_multiprocessor = 0;      ///< 1 or 2; 0: chosen
  std::int64_t least_tiled_columns = -1;  ///< of long rows, which are worked on in tiles; -1: chosen
  std::int64_t most_pack_bytes =
      256 << 20;  ///< of what can be made once instead of in every product, if all of it fits
  SameSpin same_spin = SameSpin::chosen;  ///< projected: wherever it is possible
  DeviceProfile device = device_profile("H200");

  /// For a card, which need not be there.
  static DirectConfig for_profile(const DeviceProfile& device);

  /// For the current device.
  /// @throws CudaError if there is none
  static DirectConfig for_device();
};

/// Device memory that a direct product takes, bytes.
struct DirectBytes {
  std::int64_t tables = 0;     ///< diagonal included
  std::int64_t workspace = 0;  ///< without the vectors that are multiplied
};

/// How a direct product will be cut for a device, before anything of it is there. Needs no device.
class PlannedDirectProduct {
public:
  /// @param host  must outlive this object
  /// @throws ResourceError if a string has more excitations than the device's shared memory has room for
  PlannedDirectProduct(const cisolve::DirectProduct& host, const DirectConfig& config);
  ~PlannedDirectProduct();
  PlannedDirectProduct(PlannedDirectProduct&&) noexcept;

  /// What the device will need.
  DirectBytes bytes() const;

  /// Bytes of host memory that the plan takes.
  std::int64_t host_bytes() const;

private:
  friend class DirectProduct;
  const cisolve::DirectProduct* host_;
  std::unique_ptr<direct::DirectPlan> plan_;
};

/// y = H x over a ProductSpace on the device, from strings alone: the device form of cisolve::DirectProduct, which is
/// its definition. Every element of y is summed in an order fixed by the space: repeatable to the last bit on the
/// same device.
class DirectProduct {
public:
  /// Copies the tables and the diagonal; what was planned for may be destroyed afterwards.
  /// @param stream  on which all products run; must outlive this object
  /// @throws ResourceError if the device has not that much memory left; CudaError
  DirectProduct(PlannedDirectProduct planned, const Stream& stream);

  /// Plans and copies.
  /// @param stream  on which all products run; must outlive this object
  /// @throws ResourceError if the device has not that much memory left, or too little shared memory; CudaError
  DirectProduct(const cisolve::DirectProduct& host, const Stream& stream,
                const DirectConfig& config = DirectConfig::for_device());
  ~DirectProduct();
  DirectProduct(const DirectProduct&) = delete;
  DirectProduct& operator=(const DirectProduct&) = delete;

  std::int64_t size() const noexcept { return size_; }
  SpinParity parity() const noexcept { return parity_; }

  /// Where everything of the other parity lies, hartree.
  double shift() const noexcept { return shift_; }

  /// Bytes of device memory that tables and diagonal take.
  std::int64_t bytes() const noexcept;

  /// Bytes that a workspace takes.
  std::int64_t workspace_bytes() const noexcept;

  /// Enqueues y = H x and returns; size() x k for any k, in the order of the space; x must not overlap y. Allocates
  /// nothing once the workspace has grown.
  /// @throws DimensionError if shapes disagree
  /// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
  void multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const;

  /// Enqueues: with a parity, leaves of each column the part that has it.
  /// @throws as multiply
  void project(DeviceView x, DirectWorkspace& workspace) const;

private:
  void prepare(DirectWorkspace& workspace) const;

  std::int64_t size_;
  SpinParity parity_;
  double shift_;
  const Stream& stream_;
  std::unique_ptr<direct::Tables> tables_;
};

}  // namespace cisolve::cuda
