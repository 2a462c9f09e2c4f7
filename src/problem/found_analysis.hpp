// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/matrix.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "problem/operators.hpp"

// What cisolve/analysis/states.hpp does with vectors on the host, where a backend has them.

namespace cisolve {

/// The elements of largest magnitude, descending, equal ones by row.
/// @param negative  -x
template <class Backend>
std::vector<LeadingDeterminant> heaviest_elements(const Backend& backend, typename Backend::ConstView x,
                                                  typename Backend::ConstView negative, std::int64_t count) {
  std::vector<LeadingDeterminant> found;
  for (const auto& [value, row] : backend.lowest(x, count)) found.push_back({row, value});
  for (const auto& [value, row] : backend.lowest(negative, count)) found.push_back({row, -value});
  std::ranges::sort(found, [](const LeadingDeterminant& a, const LeadingDeterminant& b) {
    const double of_a = std::abs(a.coefficient), of_b = std::abs(b.coefficient);
    return of_a != of_b ? of_a > of_b : a.row < b.row;
  });
  const auto is_same = [](const LeadingDeterminant& a, const LeadingDeterminant& b) {
    return a.row == b.row;
  };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
  return found;
}

/// leading_determinants.
template <class Backend>
std::vector<LeadingDeterminant> leading_elements(const Backend& backend, typename Backend::ConstView x,
                                                 int most, double minimum_weight) {
  auto negative = backend.allocate(x.rows, 1);
  backend.copy(x, negative.view());
  backend.scale(negative.view(), std::vector<double>{-1.0});
  auto found = heaviest_elements(backend, x, std::as_const(negative).view(), most);
  const auto is_light = [&](const LeadingDeterminant& one) {
    return one.coefficient * one.coefficient < minimum_weight;
  };
  if (!found.empty()) found.erase(std::find_if(found.begin() + 1, found.end(), is_light), found.end());
  return found;
}

/// Gives a vector the sign that makes the first component within 1e-6 of the largest magnitude positive.
/// @param scratch  as long
template <class Backend>
void fix_sign(const Backend& backend, std::int64_t size, typename Backend::View x,
              typename Backend::View scratch) {
  constexpr double tie = 1e-6;
  const typename Backend::ConstView vector = x, negative = scratch;
  backend.copy(vector, scratch);
  backend.scale(scratch, std::vector<double>{-1.0});
  std::vector<LeadingDeterminant> found;
  const auto is_tie = [&](const LeadingDeterminant& one) {
    return std::abs(one.coefficient) >= std::abs(found.front().coefficient) - tie;
  };
  // More, until the lightest is none of the largest.
  constexpr std::int64_t at_first = 16;
  for (std::int64_t count = at_first; count == at_first || (is_tie(found.back()) && std::ssize(found) < size);
       count *= at_first) {
    found = heaviest_elements(backend, vector, negative, std::min(count, size));
    if (found.empty()) return;
  }
  found.erase(std::ranges::find_if_not(found, is_tie), found.end());
  if (std::ranges::min(found, {}, &LeadingDeterminant::row).coefficient < 0.0)
    backend.scale(x, std::vector<double>{-1.0});
}

/// What label_states does for functions of one irrep; see RootFinder::resolve_spins.
/// @param s_squared  y = S^2 x
/// @param size       elements of a vector, over all ranks
template <class Backend>
std::vector<double> resolve_spins(const Backend& backend, const Product<Backend>& s_squared,
                                  std::int64_t size, typename Backend::View vectors,
                                  std::span<const double> energies, const ClusterConfig& config,
                                  std::vector<bool>& rotated) {
  const std::size_t roots = energies.size();
  rotated.assign(roots, false);
  for (std::size_t first = 0, last; first < roots; first = last) {
    for (last = first + 1; last < roots && energies[last] - energies[last - 1] < config.width;) ++last;
    const auto count = static_cast<int>(last - first);
    if (count == 1) continue;
    const auto cluster = vectors.slice(static_cast<int>(first), count);
    auto turned = backend.allocate(vectors.rows, count);
    s_squared(cluster, turned.view());
    const Matrix block = backend.gram(cluster, std::as_const(turned).view());
    const auto vectors_of =
        symmetric_eigenpairs(Eigen::Map<const Eigen::MatrixXd>(block.data(), count, count)).vectors;
    Matrix rotation(count, count);
    std::copy_n(vectors_of.data(), count * count, rotation.data());
    backend.combine(cluster, rotation, 0.0, turned.view());
    backend.copy(std::as_const(turned).view(), cluster);
    std::fill_n(rotated.begin() + static_cast<std::ptrdiff_t>(first), count, true);
  }
  std::vector<double> spins;
  auto scratch = backend.allocate(vectors.rows, 1);
  for (int k = 0; k < static_cast<int>(roots); ++k) {
    const auto vector = vectors.slice(k, 1);
    fix_sign(backend, size, vector, scratch.view());
    s_squared(vector, scratch.view());
    spins.push_back(backend.gram(vector, std::as_const(scratch).view())(0, 0));
  }
  return spins;
}

}  // namespace cisolve
