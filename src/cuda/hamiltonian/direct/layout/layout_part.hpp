// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"

namespace cisolve::cuda {
struct Launch;
}

namespace cisolve::cuda::direct {

/// What `collect` makes of a product.
struct Collected {
  const double* x;
  const double* by_alpha;
  const double* by_beta;  ///< null: nothing; of a rank what the others give it
  double sign;            ///< of by_beta
  const double* within;   ///< null, or x by alpha with the parity
  double shift;
};

/// Moves vectors between the order of the space and the layouts. Everything is enqueued.
class LayoutPart {
public:
  /// @param diagonal  of H, hartree, one element per row that is planned for
  /// @throws DimensionError if it has another length
  LayoutPart(std::span<const double> diagonal, const LayoutPlan& plan, Uploads& put);

  std::int64_t bytes() const { return array_bytes(arrays_, places_, diagonal_); }

  /// x in the layouts; by_beta may be null.
  /// @throws CudaError if the kernel cannot be launched, as all of these
  void distribute(const Stream& stream, const double* x, double* by_alpha, double* by_beta) const;

  /// y = diagonal x + by_alpha + sign by_beta, with a parity y = diagonal within + ... + shift (x - within).
  void collect(const Stream& stream, const Collected& collected, double* y) const;

  /// by_alpha = 1/2 (by_alpha + sign by_beta), by_beta being what a rank's share of layout 1 is after an exchange.
  void mirror(const Stream& stream, double sign, const double* by_beta, double* by_alpha) const;

  /// y = by_alpha, in the order of the space.
  void restore(const Stream& stream, const double* by_alpha, double* y) const;

  /// The same of own rows alone in layout 0, as y has them there.
  void restore_own(const Stream& stream, const double* by_alpha, double* y) const;

private:
  Launch over_squares(const Stream& stream) const;

  LayoutArrays<DeviceArray> arrays_;
  DeviceArray<std::int32_t> places_;
  DeviceArray<double> diagonal_;
};

/// a = 1/2 (a + sign b), `size` elements.
void symmetrize(const Stream& stream, std::int64_t size, double sign, const double* b, double* a);

}  // namespace cisolve::cuda::direct
