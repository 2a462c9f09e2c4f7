// SPDX-License-Identifier: MIT
#include "problem/certificate_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "cisolve/core/lowest.hpp"

namespace cisolve {
namespace {

/// Numbers that follow from a seed: SplitMix64, see vectors/noise.hpp.
class Draws {
public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  /// From 0 to below `count`; that 2^64 is no multiple of it moves no probability by more than 1e-9.
  std::int64_t below(std::int64_t count) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return static_cast<std::int64_t>(z % static_cast<std::uint64_t>(count));
  }

private:
  std::uint64_t state_;
};

/// What a row takes on average, by a few that are evenly spread.
double cost_of_row(const DefinitionRows& rows) {
  constexpr std::int64_t most = 8;
  const std::int64_t n = rows.size(), count = std::min(n, most);
  std::vector<DefinitionRows::Element> elements;
  double cost = 0.0;
  for (std::int64_t k = 0; k < count; ++k) cost += rows.hamiltonian_row(n * k / count, elements);
  return cost / static_cast<double>(count);
}

/// Rows of the largest magnitudes.
std::vector<std::int64_t> largest_elements(std::span<const double> vector, std::int64_t count) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  LowestElements lowest(count);
  std::vector<double> negative;
  for (std::size_t first = 0; first < vector.size(); first += piece) {
    const auto part = vector.subspan(first, std::min(piece, vector.size() - first));
    negative.resize(part.size());
    std::ranges::transform(part, negative.begin(), [](double c) { return -std::abs(c); });
    lowest.add(negative, static_cast<std::int64_t>(first));
  }
  std::vector<std::int64_t> rows;
  for (const auto& [value, row] : lowest.found()) rows.push_back(row);
  return rows;
}

}  // namespace

CheckedRows choose_rows(const DefinitionRows& rows, std::span<const double> vectors, std::size_t states,
                        const CertificateConfig& config) {
  const std::int64_t n = rows.size();
  CheckedRows checked;
  checked.size = n;
  const auto take_all = [&] {
    checked.rows.resize(static_cast<std::size_t>(n));
    std::iota(checked.rows.begin(), checked.rows.end(), 0);
    checked.num_certain = checked.rows.size();
    return checked;
  };
  if (config.all_rows || n <= config.fewest_rows) return take_all();
  const double affordable = config.budget / cost_of_row(rows);
  if (affordable >= static_cast<double>(n)) return take_all();
  const auto count = static_cast<std::int64_t>(
      std::clamp(affordable, static_cast<double>(config.fewest_rows), static_cast<double>(config.most_rows)));
  if (count >= n) return take_all();

  std::unordered_set<std::int64_t> taken;
  const auto take = [&](std::int64_t row) {
    if (taken.insert(row).second) checked.rows.push_back(row);
  };
  const auto heaviest = static_cast<std::int64_t>(config.heaviest_share * static_cast<double>(count));
  const std::int64_t of_state = std::max<std::int64_t>(heaviest / static_cast<std::int64_t>(states), 1);
  for (std::size_t k = 0; k < states; ++k) {
    const auto vector = vectors.subspan(k * static_cast<std::size_t>(n), static_cast<std::size_t>(n));
    for (const std::int64_t row : largest_elements(vector, of_state)) take(row);
  }
  checked.num_certain = checked.rows.size();
  const std::int64_t drawn = std::max<std::int64_t>(count - heaviest, 1);
  const std::int64_t wanted = std::min(n, std::ssize(checked.rows) + drawn);
  Draws draws(config.seed);
  while (std::ssize(checked.rows) < wanted) take(draws.below(n));
  return checked;
}

}  // namespace cisolve
