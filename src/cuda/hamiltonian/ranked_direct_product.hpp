// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/hamiltonian/ranked_stages.hpp"
#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

namespace direct {
struct RankPiece;
}

/// y = H x as DirectProduct, by ranks of which each has a device and the rows of its alpha strings (StringShares). x is
/// gathered whole on every device while a rank adds up what its own rows alone bring to each other; then every rank makes
/// its rows of both layouts, and sends those of layout 1, or with a parity their mirror images, to whom they belong.
/// Where it is so planned (DirectConfig::most_strip_bytes), no device has x whole: it comes in strips of columns, of which one
/// is worked on while the next is on its way.
///
/// Every element of y is summed in an order fixed by the space: repeatable to the last bit with as many ranks on devices
/// of a kind. All ranks call the members of theirs in the same order.
class RankedDirectProduct {
public:
  /// Copies tables and diagonal; what was planned for may be destroyed afterwards.
  /// @param planned   for this rank
  /// @param diagonal  of H, hartree, one element per own row
  /// @param exchange  between the ranks; must outlive this object
  /// @param stream    on which all products run; must outlive this object
  /// @throws ResourceError if the device has not that much memory left; CudaError; DimensionError if it was planned
  ///         without ranks or the diagonal has another length; RankFailed
  RankedDirectProduct(PlannedDirectProduct planned, std::span<const double> diagonal,
                      DeviceExchange& exchange, const Stream& stream);
  ~RankedDirectProduct();
  RankedDirectProduct(const RankedDirectProduct&) = delete;
  RankedDirectProduct& operator=(const RankedDirectProduct&) = delete;

  std::int64_t size() const noexcept { return size_; }              ///< order of H
  std::int64_t local_rows() const noexcept { return local_rows_; }  ///< of this rank
  SpinParity parity() const noexcept { return parity_; }

  /// Where everything of the other parity lies, hartree: the largest diagonal element of all ranks.
  double shift() const noexcept { return shift_; }

  /// Bytes of device memory that tables and diagonal take.
  std::int64_t bytes() const noexcept;

  /// Bytes that a workspace takes.
  std::int64_t workspace_bytes() const noexcept;

  /// Transfers hide behind sums, as they do if nothing is said; or wait for each other, to be measured.
  void set_overlap(bool overlaps) noexcept { overlaps_ = overlaps; }

  /// Products tell from now on when their stages end.
  /// @param stages  must outlive them; null: they don't
  void set_stages(RankedStages* stages) noexcept { stages_ = stages; }

  /// What ranks give each other in a product: rows of x; columns of y, and with a parity of x.
  enum class Exchanged { rows, columns };

  /// How often that is done for a vector.
  int exchanges(Exchanged what) const noexcept;

  /// Bytes that come from other ranks each time.
  std::int64_t received_bytes(Exchanged what) const noexcept;

  /// Enqueues one of these exchanges without a product, of whatever the workspace holds: to be measured.
  /// @throws as multiply
  void exchange_alone(Exchanged what, DirectWorkspace& workspace) const;

  /// Enqueues y = H x and returns; local_rows() x k for any k, the same on all ranks, in the order of RowMap; x must not
  /// overlap y. Allocates nothing once the workspace has grown.
  /// @throws DimensionError if shapes disagree
  /// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow, RankFailed
  void multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const;

  /// Enqueues: with a parity, leaves of each column the part that has it.
  /// @throws as multiply
  void project(DeviceView x, DirectWorkspace& workspace) const;

  /// Tabulates what S^2 needs, unless that was done. Waits for nothing that was enqueued.
  /// @param space  the one that was planned for; is not kept
  /// @throws ResourceError if the device has not that much memory left; CudaError
  void prepare_spin(const StringProduct& space);

  /// Enqueues own rows of y = S^2 x, hbar^2: the device form of StringSpin. Shapes as those of multiply.
  /// @pre prepare_spin was called
  /// @throws as multiply
  void multiply_s_squared(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const;

  /// Enqueues: own rows of a vector, with those of all others, in layout 0.
  /// @param x  [local_rows()]
  /// @return in the workspace, until the next product
  /// @throws as multiply
  const double* gather_whole(const double* x, DirectWorkspace& workspace) const;

  /// Whether there is room for that: not where vectors come in strips.
  bool gathers_whole() const noexcept { return !in_strips(); }

  /// Elements of that.
  std::int64_t gathered_size() const noexcept;

private:
  struct Transfers;
  void exchange(const Transfers& transfers, const Event& done) const;
  void end(RankedStage stage) const {
    if (stages_ != nullptr) stages_->end(stage, stream_);
  }
  bool in_strips() const noexcept;
  void gather_strip(std::size_t number, DirectWorkspace& workspace) const;
  void gather(const Transfers& rows, DirectWorkspace& workspace) const;
  void add_opposite(int layout, DirectWorkspace& workspace) const;
  void add_strips(DirectWorkspace& workspace) const;
  void bring_layout_1(DirectWorkspace& workspace) const;
  void mirror_x(const double* x, const Transfers& columns, DirectWorkspace& workspace) const;
  void add_sums(const Transfers& rows, const Transfers& columns, DirectWorkspace& workspace) const;

  std::int64_t size_, local_rows_;
  SpinParity parity_;
  double shift_ = 0.0;
  DeviceExchange& exchange_;
  const Stream& stream_;
  bool overlaps_ = true;
  RankedStages* stages_ = nullptr;
  mutable bool is_first_ = true;  ///< no product has been made yet
  Event ready_, rows_here_, columns_here_, strips_here_[2];
  std::unique_ptr<direct::Parts> parts_;
};

}  // namespace cisolve::cuda
