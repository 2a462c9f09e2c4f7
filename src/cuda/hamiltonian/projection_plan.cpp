// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/projection_plan.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "cuda/hamiltonian/link_lists.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Of the narrowest width.
constexpr std::int64_t most_strips = 4;

/// A string without two of its orbitals.
struct Projected {
  std::uint64_t rank;  ///< of the orbitals left, in the combinatorial number system
  std::int32_t irrep;  ///< of the two
  std::int32_t string;
  std::int32_t pair;  ///< as ProjectionEntry has it

  auto key() const { return std::tuple(rank, irrep); }
};

/// Binomial coefficients, saturated.
class Binomials {
public:
  Binomials(int n, int k) : width_(static_cast<std::size_t>(k) + 1) {
    table_.resize((static_cast<std::size_t>(n) + 1) * width_);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i) {
      for (std::size_t j = 0; j < width_; ++j) {
        if (j == 0) {
          table_[i * width_] = 1;
        } else if (i > 0) {
          const std::uint64_t a = table_[(i - 1) * width_ + j - 1], b = table_[(i - 1) * width_ + j];
          table_[i * width_ + j] = a > limit - std::min(b, limit) ? limit : a + b;
        }
      }
    }
  }
  std::uint64_t operator()(int n, int k) const {
    return table_[static_cast<std::size_t>(n) * width_ + static_cast<std::size_t>(k)];
  }
  static constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / 4;

private:
  std::size_t width_;
  std::vector<std::uint64_t> table_;
};

/// Pairs of orbitals a < b that strings lose, numbered within their irrep as they come up.
class OrbitalPairs {
public:
  explicit OrbitalPairs(const IntegralTables& tables)
      : tables_(tables), numbers_(static_cast<std::size_t>(tables.num_pairs()), -1) {}

  std::int32_t number(int a, int b) {
    std::int32_t& number = numbers_[tables_.pair(a, b)];
    if (number < 0) {
      auto& pairs = of_irrep_[static_cast<std::size_t>(tables_.irrep(a) ^ tables_.irrep(b))];
      number = static_cast<std::int32_t>(pairs.size());
      pairs.emplace_back(a, b);
    }
    return number;
  }
  const std::vector<std::pair<int, int>>& of(int irrep) const {
    return of_irrep_[static_cast<std::size_t>(irrep)];
  }

private:
  const IntegralTables& tables_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::pair<int, int>> of_irrep_[8];
};

double element(const IntegralTables& tables, int num_electrons, std::pair<int, int> ab,
               std::pair<int, int> cd) {
  if (ab == cd) return 0.0;
  const auto [a, b] = ab;
  const auto [c, d] = cd;
  double one = 0.0;
  if (b == d) one += tables.h(a, c);
  if (a == c) one += tables.h(b, d);
  if (a == d) one -= tables.h(b, c);
  if (b == c) one -= tables.h(a, d);
  return tables.eri(a, c, b, d) - tables.eri(a, d, b, c) + one / (num_electrons - 1);
}

/// All strings of a class without two of their orbitals, those with the same ones left side by side.
std::vector<Projected> project(const IntegralTables& tables, OrbitalPairs& pairs, const SpinLinks& links,
                               const StringClasses& strings, int c) {
  const int n = links.num_electrons;
  const Binomials binomial(tables.num_orbitals(), n);
  std::vector<Projected> result;
  result.reserve(static_cast<std::size_t>(strings.size(c)) * static_cast<std::size_t>(n * (n - 1) / 2));
  for (std::int32_t k = 0; k < strings.size(c); ++k) {
    const auto ordinal = static_cast<std::size_t>(strings.offsets[static_cast<std::size_t>(c)] + k);
    const std::uint8_t* occupied = links.occupied.data() + ordinal * static_cast<std::size_t>(n);
    for (int j = 1; j < n; ++j) {
      for (int i = 0; i < j; ++i) {
        std::uint64_t rank = 0;
        for (int left = 0, e = 0; e < n; ++e) {
          if (e != i && e != j) rank += binomial(occupied[e], ++left);
        }
        result.push_back({rank, tables.irrep(occupied[i]) ^ tables.irrep(occupied[j]), k,
                          2 * pairs.number(occupied[i], occupied[j]) + (i + j) % 2});
      }
    }
  }
  std::ranges::stable_sort(result, {}, &Projected::key);
  return result;
}

}  // namespace

std::optional<std::int32_t> ProjectionPlan::add(const IntegralTables& tables, const SpinLinks& links,
                                                const StringClasses& strings, int c,
                                                const ProjectionLimits& limits) {
  const int n = links.num_electrons;
  const std::int64_t size = strings.size(c), slots_per_string = n * (n - 1) / 2;
  const std::int64_t num_entries = size * slots_per_string;
  const Binomials binomial(tables.num_orbitals(), std::max(n, 1));
  if (n < 2 || num_entries * narrowest_strip > limits.most_intermediates ||
      binomial(tables.num_orbitals(), n - 2) >= Binomials::limit)
    return std::nullopt;
  OrbitalPairs pairs(tables);
  const std::vector<Projected> projected = project(tables, pairs, links, strings, c);
  std::vector<ProjectionItem> new_items;
  std::vector<int> irreps;
  double multiplications = 0.0;
  for (auto first = projected.begin(); first != projected.end();) {
    const auto last =
        std::find_if(first, projected.end(), [&](const Projected& p) { return p.key() != first->key(); });
    const auto count = static_cast<std::int32_t>(last - first);
    new_items.push_back({static_cast<std::int32_t>(first - projected.begin()), count,
                         static_cast<std::int32_t>(pairs.of(first->irrep).size()), 0});
    irreps.push_back(first->irrep);
    multiplications += static_cast<double>(count) * count;
    first = last;
  }
  // For a column, seconds of products by a dense matrix and by a sparse one, which read a row for each element; and of
  // reading and writing intermediates once and of making them.
  const DeviceProfile::Rates& rates = limits.device.rates;
  const double elements = static_cast<double>(size) * static_cast<double>(size);
  const double by_matrix =
      std::min(2.0 * elements / rates.dense, 8.0 * limits.density * elements / rates.cache);
  const double by_projection =
      2.0 * 8.0 * static_cast<double>(num_entries) / rates.memory + 2.0 * multiplications / rates.small_dense;
  if (!limits.always && by_projection > by_matrix) return std::nullopt;

  std::int64_t matrices[8];
  for (int irrep = 0; irrep < 8; ++irrep) {
    matrices[irrep] = std::ssize(integrals);
    integrals.reserve(integrals.size() + pairs.of(irrep).size() * pairs.of(irrep).size());
    for (const auto& ab : pairs.of(irrep)) {
      for (const auto& cd : pairs.of(irrep)) integrals.push_back(element(tables, n, ab, cd));
    }
  }
  const std::int64_t strips =
      std::min(limits.device.budgets.preferred_intermediates / 8 / (num_entries * narrowest_strip),
               (limits.most_columns + narrowest_strip - 1) / narrowest_strip);
  classes.push_back({.first_item = index_of(items.size()),
                     .num_items = static_cast<std::int32_t>(new_items.size()),
                     .first_entry = std::ssize(entries),
                     .num_entries = index_of(static_cast<std::size_t>(num_entries)),
                     .slots_per_string = static_cast<std::int32_t>(slots_per_string),
                     .first_slot = std::ssize(slots),
                     .width = narrowest_strip *
                              static_cast<std::int32_t>(std::clamp<std::int64_t>(strips, 1, most_strips))});
  const Projection& projection = classes.back();
  for (std::size_t k = 0; k < new_items.size(); ++k) {
    new_items[k].matrix = matrices[irreps[k]];
    items.push_back(new_items[k]);
  }
  slots.resize(slots.size() + projected.size());
  std::vector<std::int32_t> filled(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < projected.size(); ++k) {
    const Projected& p = projected[k];
    entries.push_back({p.string, p.pair});
    const std::int64_t at =
        projection.first_slot + p.string * slots_per_string + filled[static_cast<std::size_t>(p.string)]++;
    slots[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(k);
  }
  return static_cast<std::int32_t>(classes.size()) - 1;
}

}  // namespace cisolve::cuda::direct
