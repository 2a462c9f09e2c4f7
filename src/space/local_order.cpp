// SPDX-License-Identifier: MIT
#include "cisolve/space/local_order.hpp"

#include <algorithm>
#include <array>
#include <parallel/algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace {

/// Strings of one spin by irrep, without a limit on excitations.
template <int Words>
std::array<double, 8> count_all_strings(int num_orbitals, int num_electrons, std::span<const int> irreps) {
  std::array<double, 8> sums{};
  for (const StringCount& count : count_strings<Words>({.num_orbitals = num_orbitals,
                                  .reference = BitString<Words>::lowest(num_electrons),
                                  .max_level = num_electrons,
                                  .irreps = {irreps.begin(), irreps.end()}})) {
    sums[count.irrep] += count.strings;
  }
  return sums;
}

/// Whether the space has every determinant of its irrep.
template <int Words>
bool is_complete(const Space<Words>& space, std::span<const int> irreps) {
  const auto alpha = count_all_strings<Words>(space.num_orbitals(), space.num_alpha(), irreps);
  const auto beta = count_all_strings<Words>(space.num_orbitals(), space.num_beta(), irreps);
  double all = 0.0;
  for (std::size_t a = 0; a < alpha.size(); ++a) {
    for (std::size_t b = 0; b < beta.size(); ++b) {
      if (space.irrep() == any_irrep || static_cast<int>(a ^ b) == space.irrep()) all += alpha[a] * beta[b];
    }
  }
  return all == static_cast<double>(space.size());
}

template <int Words>
struct Place {
  std::int16_t level = 0;
  std::int16_t alpha_level = 0;
  std::int16_t alpha_irrep = 0;
  std::int32_t row = 0;
  BitString<Words> alpha_holes, beta_holes;
  Determinant<Words> determinant;

  auto key() const {
    return std::tie(level, alpha_level, alpha_holes, beta_holes, alpha_irrep, determinant.alpha,
                    determinant.beta);
  }
};

}  // namespace

template <int Words>
Array<std::int32_t> local_order(const Space<Words>& space, std::span<const int> irreps) {
  const std::int64_t n = space.size();
  if (n == 0) return {};
  const Determinant<Words> reference = space.determinant(0);
  const bool is_limited = !is_complete(space, irreps);
  std::vector<Place<Words>> places(n);
  constexpr std::int64_t stretch = 4096;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t first = 0; first < n; first += stretch) {
    std::vector<Determinant<Words>> some(std::min(stretch, n - first));
    space.enumerate(first, some);
    for (std::size_t at = 0; at < some.size(); ++at) {
      Place<Words>& place = places[first + at];
      place.row = static_cast<std::int32_t>(first + static_cast<std::int64_t>(at));
      place.determinant = some[at];
      place.alpha_irrep = static_cast<std::int16_t>(irrep_of(some[at].alpha, irreps));
      if (!is_limited) continue;
      place.alpha_holes = reference.alpha & ~some[at].alpha;
      place.beta_holes = reference.beta & ~some[at].beta;
      place.alpha_level = static_cast<std::int16_t>(place.alpha_holes.count());
      place.level = static_cast<std::int16_t>(place.alpha_level + place.beta_holes.count());
    }
  }
  __gnu_parallel::sort(places.begin(), places.end(),
                       [](const auto& x, const auto& y) { return x.key() < y.key(); });
  Array<std::int32_t> order(places.size());
  for (std::size_t at = 0; at < places.size(); ++at) order[at] = places[at].row;
  return order;
}

#define INSTANTIATE(W) template Array<std::int32_t> local_order(const Space<W>&, std::span<const int>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
