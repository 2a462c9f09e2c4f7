// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/hamiltonian/planned_direct_product.hpp"

namespace cisolve::cuda {

namespace direct {
struct Panels;
struct Parts;
struct VectorSizes;
}  // namespace direct

/// Device scratch of a direct product: up to four vectors in the order of blocks, intermediates of same-spin parts, and what
/// ranks exchange.
/// Keep one beside the operator; it grows with the first product and stays. One product at a time.
class DirectWorkspace {
public:
  std::int64_t bytes() const noexcept;

private:
  friend class DirectProduct;
  friend class RankedDirectProduct;

  /// Gives it the sizes of a plan. What is new is zero once the stream gets there.
  void prepare(const direct::VectorSizes& sizes, const Stream& stream);
  direct::Panels panels();

  DeviceArray<double> x[2], y[2];
  DeviceArray<double> scratch;  ///< of same-spin parts
  DeviceArray<double> exchanged;
  DeviceArray<double> strips[2];  ///< of x, while one is read and the next comes
};

/// y = H x over a ProductSpace on the device, from strings alone: the device form of cisolve::DirectProduct, which is
/// its definition. Every element of y is summed in an order fixed by the space: repeatable to the last bit on the
/// same device.
class DirectProduct {
public:
  /// Copies the tables and the diagonal; what was planned for may be destroyed afterwards.
  /// @param planned  without ranks
  /// @param stream   on which all products run; must outlive this object
  /// @throws ResourceError if the device has not that much memory left; CudaError; DimensionError if it was planned for a rank
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

  /// Tabulates what S^2 needs, unless that was done. Waits for nothing that was enqueued.
  /// @param space  the one that was planned for; is not kept
  /// @throws ResourceError if the device has not that much memory left; CudaError
  void prepare_spin(const StringProduct& space);

  /// Enqueues y = S^2 x, hbar^2: the device form of StringSpin. Shapes as those of multiply.
  /// @pre prepare_spin was called
  /// @throws as multiply
  void multiply_s_squared(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const;

private:
  std::int64_t size_;
  SpinParity parity_;
  double shift_;
  const Stream& stream_;
  std::unique_ptr<direct::Parts> parts_;
};

}  // namespace cisolve::cuda
