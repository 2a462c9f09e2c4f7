// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct_config.hpp"

namespace cisolve::cuda {

namespace direct {
struct DirectPlan;
}

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

  /// The part of one rank, for a RankedDirectProduct. All ranks must plan by the same config.
  /// @param host  must outlive this object; it needn't know the diagonal
  /// @throws as above
  PlannedDirectProduct(const cisolve::DirectProduct& host, const DirectConfig& config,
                       const StringShares& shares);
  ~PlannedDirectProduct();
  PlannedDirectProduct(PlannedDirectProduct&&) noexcept;

  /// What the device will need.
  DirectBytes bytes() const;

  /// In how many strips ranks gather x, where DirectConfig::most_strip_bytes asks for them; 0: it is gathered whole.
  int strips() const;

  /// Why there are no strips although they were asked for: ends a sentence; else empty.
  std::string_view why_whole() const;

  /// Rows of a vector that are planned for: all, or those of the rank.
  std::int64_t local_rows() const;

  /// Bytes of host memory that the plan takes.
  std::int64_t host_bytes() const;

private:
  friend class DirectProduct;
  friend class RankedDirectProduct;
  const cisolve::DirectProduct* host_;
  std::unique_ptr<direct::DirectPlan> plan_;
};

}  // namespace cisolve::cuda
