// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cuda/hamiltonian/direct/layout/exchange_plan.hpp"
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"
#include "cuda/hamiltonian/direct/layout/strip_plan.hpp"
#include "cuda/hamiltonian/direct/long_rows/long_rows_plan.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_plan.hpp"
#include "cuda/hamiltonian/direct/same_spin/same_spin_plan.hpp"

namespace cisolve::cuda::direct {

/// Elements of the vectors of a workspace.
struct VectorSizes {
  std::int64_t x[2], y[2], scratch;
  std::int64_t exchanged;  ///< ExchangePlan::buffer
  std::int64_t strip;      ///< of the largest; there is room for two
  std::int64_t bytes() const { return 8 * (x[0] + x[1] + y[0] + y[1] + scratch + exchanged + 2 * strip); }
};

/// Everything that a direct product on a device needs, in host memory; of one rank, if there are ranks.
struct DirectPlan {
  std::optional<ExchangePlan> exchange;  ///< of a rank
  LayoutPlan layout;
  SameSpinPlan same_spin;
  ExcitationArrays<HostArray> excitations;  ///< of both opposite-spin parts
  IntegralArrays<HostView> integrals;
  OppositePlan opposite;
  LongRowsPlan long_rows;
  std::vector<SourceStrip>
      strips;                  ///< in which a rank gathers x, of which it has own rows alone; none: whole
  std::string_view why_whole;  ///< why there are none although they were asked for
  bool uses_layout_1;          ///< else everything is done in layout 0
  VectorSizes vectors;

  /// @param shares  null: there are no ranks
  /// @throws ResourceError if a string has more excitations than shared memory has room for
  DirectPlan(const cisolve::DirectProduct& host, const DirectConfig& config,
             const StringShares* shares = nullptr);

  /// Bytes that it takes in host memory.
  std::int64_t host_bytes() const;

  /// Bytes that tables take in device memory, the diagonal included.
  std::int64_t device_bytes() const;

private:
  void plan_opposite(const cisolve::DirectProduct& host, const DirectConfig& config,
                     const StringShares& shares);
  void choose_strips(Sources& sources, const StringShares& shares, std::int64_t most_bytes);
  void keep_own_rows();
  void finish_exchange(const cisolve::DirectProduct& host, const StringShares& shares);
};

}  // namespace cisolve::cuda::direct
