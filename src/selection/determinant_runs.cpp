// SPDX-License-Identifier: MIT
#include "cisolve/selection/determinant_runs.hpp"

#include <algorithm>
#include <parallel/algorithm>

namespace cisolve {
namespace {

template <int Words>
std::vector<BitString<Words>> strings_in(std::span<const Determinant<Words>> determinants,
                                         BitString<Words> Determinant<Words>::*spin) {
  std::vector<BitString<Words>> strings(determinants.size());
  std::ranges::transform(determinants, strings.begin(), [&](const auto& d) { return d.*spin; });
  __gnu_parallel::sort(strings.begin(), strings.end());
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
  strings.shrink_to_fit();
  return strings;
}

template <int Words>
std::vector<std::int32_t> numbers_in(const std::vector<BitString<Words>>& strings,
                                     std::span<const Determinant<Words>> determinants,
                                     BitString<Words> Determinant<Words>::*spin) {
  std::vector<std::int32_t> numbers(determinants.size());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < determinants.size(); ++row) {
    const auto at = std::lower_bound(strings.begin(), strings.end(), determinants[row].*spin);
    numbers[row] = static_cast<std::int32_t>(at - strings.begin());
  }
  return numbers;
}

template <int Words>
void fill_runs(ListedStrings<Words>& runs, std::span<const std::int32_t> own,
               std::span<const std::int32_t> others) {
  runs.offsets.assign(runs.strings.size() + 1, 0);
  for (const std::int32_t s : own) ++runs.offsets[static_cast<std::size_t>(s) + 1];
  for (std::size_t s = 1; s < runs.offsets.size(); ++s) runs.offsets[s] += runs.offsets[s - 1];
  runs.members.resize(own.size());
  std::vector<std::int64_t> next = runs.offsets;
  for (std::size_t row = 0; row < own.size(); ++row)
    runs.members[next[own[row]]++] = {others[row], static_cast<std::int32_t>(row)};
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t s = 0; s < runs.strings.size(); ++s) {
    std::sort(runs.members.begin() + runs.offsets[s], runs.members.begin() + runs.offsets[s + 1],
              [](const auto& x, const auto& y) { return x.other < y.other; });
  }
}

}  // namespace

template <int Words>
DeterminantRuns<Words>::DeterminantRuns(std::span<const Determinant<Words>> determinants) {
  alpha.strings = strings_in(determinants, &Determinant<Words>::alpha);
  beta.strings = strings_in(determinants, &Determinant<Words>::beta);
  const auto a = numbers_in(alpha.strings, determinants, &Determinant<Words>::alpha);
  const auto b = numbers_in(beta.strings, determinants, &Determinant<Words>::beta);
  fill_runs<Words>(alpha, a, b);
  fill_runs<Words>(beta, b, a);
}

#define INSTANTIATE(W) template struct DeterminantRuns<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
