// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/opposite/phase_limits.hpp"

#include <algorithm>
#include <limits>

#include "cuda/hamiltonian/direct/excitations/excitation_lists.hpp"

namespace cisolve::cuda::direct {
namespace {

/// About how many phases there will be; too many to count where t has no room for a pair.
int count_phases(std::span<const Feed> feeds, const PhaseLimits& limits) {
  PhaseRoom room(limits);
  int phases = 1;
  for (const Feed& feed : feeds) {
    if (feed.stride + 1 > limits.t) return std::numeric_limits<int>::max();
    const std::int32_t size = part_size(feed, limits);
    for (std::int32_t first = 0; first < feed.num_pairs; first += size) {
      if (!room.take(std::min(size, feed.num_pairs - first), feed.num_excitations, feed.stride)) ++phases;
    }
  }
  return phases;
}

}  // namespace

bool PhaseRoom::take(std::int64_t num_pairs, std::int64_t num_excitations, std::int64_t stride) {
  const std::int64_t more = num_excitations * factor_width(num_pairs);
  const bool fits = t_ + num_pairs * stride <= limits_.t && factors_ + more <= limits_.factors;
  if (!fits) {
    t_ = 1;
    factors_ = 0;
  }
  t_ += num_pairs * stride;
  factors_ += more;
  return fits;
}

std::int32_t part_size(const Feed& feed, const PhaseLimits& limits) {
  const std::int64_t factors = (limits.factors / feed.num_excitations - factor_padding) / 8 * 8;
  return even_part(feed.num_pairs,
                   std::min<std::int64_t>({most_pairs, (limits.t - 1) / feed.stride, factors}));
}

PhaseLimits choose_limits(const Shape& shape, std::span<const Feed> feeds) {
  const std::int64_t most_pack = shape.most_pack();
  PhaseLimits best{shape.most_t, shape.most_factors, most_pack};
  std::int64_t least_factors = 0;
  for (const Feed& feed : feeds)
    least_factors = std::max(least_factors, feed.num_excitations * factor_width(1));
  int least = count_phases(feeds, best);
  for (const double share : {0.375, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5}) {
    const auto factors = static_cast<std::int64_t>(share * shape.most_factors);
    const std::int64_t excitations = factors / factor_width(1);
    const std::int64_t pack = pack_size(excitations / excitation_step, excitations, factors);
    const std::int64_t t = std::min(most_shared_t, shape.most_t + 2 * (most_pack - pack));
    if (factors < least_factors || t < least_shared_t(shape.most_columns)) continue;
    const PhaseLimits limits{t, factors, pack};
    if (const int phases = count_phases(feeds, limits); phases < least) {
      least = phases;
      best = limits;
    }
  }
  return best;
}

}  // namespace cisolve::cuda::direct
