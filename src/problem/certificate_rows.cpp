// SPDX-License-Identifier: MIT
#include "problem/certificate_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

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

/// What a row takes on average, by a few that are evenly spread, of which there are fewer if they would cost much.
template <class Cost>
double cost_of_row(std::int64_t rows, double budget, Cost&& cost) {
  constexpr std::int64_t most = 8;
  constexpr double share = 0.25;  // of the budget
  const std::int64_t count = std::min(rows, most);
  double sum = 0.0;
  std::int64_t k = 0;
  // From the middle outwards: the first and the last are no average ones.
  for (; k < count && sum <= share * budget; ++k) sum += cost(rows * ((5 * k + count / 2) % count) / count);
  return sum / static_cast<double>(k);
}

}  // namespace

CheckedRows all_rows(const DefinitionRows& rows) {
  CheckedRows all;
  all.size = rows.num_rows();
  all.rows.resize(static_cast<std::size_t>(all.size));
  std::iota(all.rows.begin(), all.rows.end(), 0);
  all.num_certain = all.rows.size();
  return all;
}

bool affords_all_spins(const DefinitionRows& rows, const CertificateConfig& config) {
  std::vector<DefinitionRows::Element> elements;
  const double cost = cost_of_row(rows.num_rows(), config.spin_budget,
                                  [&](std::int64_t row) { return rows.spin_row(row, elements); });
  return static_cast<double>(rows.num_rows()) * cost <= config.spin_budget;
}

CheckedRows choose_rows(const DefinitionRows& rows, const VectorSource& vectors, std::size_t states,
                        const CertificateConfig& config) {
  const std::int64_t n = rows.num_rows(), functions = rows.size();
  if (config.all_rows || n <= config.fewest_rows) return all_rows(rows);
  std::vector<DefinitionRows::Element> elements;
  const double affordable = config.budget / cost_of_row(n, config.budget, [&](std::int64_t row) {
                              return rows.hamiltonian_row(row, elements);
                            });
  if (affordable >= static_cast<double>(n)) return all_rows(rows);
  const auto fewest = static_cast<double>(config.fewest_rows);
  const bool is_costly = config.patience * affordable < fewest;
  const auto count = static_cast<std::int64_t>(
      is_costly ? std::max(config.patience * affordable, static_cast<double>(config.least_rows))
                : std::clamp(affordable, fewest, static_cast<double>(config.most_rows)));
  if (count >= n) return all_rows(rows);

  CheckedRows checked;
  checked.size = n;
  std::unordered_set<std::int64_t> taken;
  const auto take = [&](std::int64_t row) {
    if (taken.insert(row).second) checked.rows.push_back(row);
  };
  // The heaviest of each state, then the second of each, ...
  const auto heaviest = std::max<std::int64_t>(
      static_cast<std::int64_t>(config.heaviest_share * static_cast<double>(count)), 1);
  const auto of_states = static_cast<std::int64_t>(states);
  const std::int64_t certain = is_costly ? heaviest : std::max(heaviest, of_states);
  const std::int64_t ranks = (certain + of_states - 1) / of_states;
  std::vector<std::vector<VectorElement>> of_state;
  for (std::int64_t k = 0; k < std::min(of_states, certain); ++k)
    of_state.push_back(vectors.heaviest(static_cast<int>(k), std::min(ranks, functions)));
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    for (const auto& largest : of_state) {
      if (rank < largest.size() && std::ssize(checked.rows) < certain) take(rows.row_of(largest[rank].row));
    }
  }
  checked.num_certain = checked.rows.size();
  const std::int64_t wanted =
      std::min(n, std::ssize(checked.rows) + std::max<std::int64_t>(count - heaviest, 1));
  Draws draws(config.seed);
  while (std::ssize(checked.rows) < wanted) take(draws.below(n));
  return checked;
}

}  // namespace cisolve
