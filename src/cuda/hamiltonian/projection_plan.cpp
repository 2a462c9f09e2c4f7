// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/projection_plan.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "cuda/hamiltonian/link_lists.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Rates of a device, by which ways are compared: multiplications and additions of large dense products and of small
/// ones, bytes per second of its memory and second-level cache.
constexpr double dense_rate = 55e12, small_rate = 40e12, memory_rate = 4e12, cache_rate = 5e12;

/// Elements of intermediates for the narrowest strip of columns: 1 GiB.
constexpr std::int64_t most_intermediates = std::int64_t{1} << 27;
/// Preferred for wider ones: 256 MiB.
constexpr std::int64_t preferred_intermediates = std::int64_t{1} << 25;
constexpr std::int32_t widest_strip = 512;

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

/// Pairs of orbitals a < b, numbered within their irrep.
class OrbitalPairs {
public:
  explicit OrbitalPairs(const IntegralTables& tables) : norb_(tables.num_orbitals()) {
    number_.resize(static_cast<std::size_t>(norb_) * static_cast<std::size_t>(norb_));
    for (int b = 0; b < norb_; ++b) {
      for (int a = 0; a < b; ++a) {
        auto& pairs = of_irrep_[static_cast<std::size_t>(tables.irrep(a) ^ tables.irrep(b))];
        number_[at(a, b)] = static_cast<std::int32_t>(pairs.size());
        pairs.emplace_back(a, b);
      }
    }
  }
  std::int32_t number(int a, int b) const { return number_[at(a, b)]; }
  const std::vector<std::pair<int, int>>& of(int irrep) const {
    return of_irrep_[static_cast<std::size_t>(irrep)];
  }

private:
  std::size_t at(int a, int b) const { return static_cast<std::size_t>(a * norb_ + b); }

  int norb_;
  std::vector<std::int32_t> number_;
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
std::vector<Projected> project(const IntegralTables& tables, const OrbitalPairs& pairs,
                               const SpinLinks& links, const StringClasses& strings, int c) {
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
                                                const StringClasses& strings, int c, double density,
                                                bool always) {
  const int n = links.num_electrons;
  const std::int64_t size = strings.size(c), slots_per_string = n * (n - 1) / 2;
  const std::int64_t num_entries = size * slots_per_string;
  const Binomials binomial(tables.num_orbitals(), std::max(n, 1));
  if (n < 2 || num_entries * narrowest_strip > most_intermediates ||
      binomial(tables.num_orbitals(), n - 2) >= Binomials::limit / 2)
    return std::nullopt;
  const OrbitalPairs pairs(tables);
  const std::vector<Projected> projected = project(tables, pairs, links, strings, c);
  std::vector<ProjectionItem> new_items;
  std::vector<int> irreps;
  double multiplications = 0.0;
  Projection projection{.first_item = index_of(items.size()),
                        .num_items = 0,
                        .first_entry = static_cast<std::int64_t>(entries.size()),
                        .num_entries = static_cast<std::int32_t>(num_entries),
                        .most = 0,
                        .first_slot = static_cast<std::int64_t>(slots.size()),
                        .slots = static_cast<std::int32_t>(slots_per_string),
                        .width = 0};
  for (auto first = projected.begin(); first != projected.end();) {
    const auto last =
        std::find_if(first, projected.end(), [&](const Projected& p) { return p.key() != first->key(); });
    const auto count = static_cast<std::int32_t>(last - first);
    new_items.push_back({static_cast<std::int32_t>(first - projected.begin()), count,
                         static_cast<std::int32_t>(pairs.of(first->irrep).size()), 0});
    irreps.push_back(first->irrep);
    projection.most = std::max(projection.most, count);
    multiplications += static_cast<double>(count) * count;
    first = last;
  }
  // For a column, seconds of products by a dense matrix and by a sparse one, which read a row for each element; and of
  // reading and writing intermediates once and of making them.
  const double elements = static_cast<double>(size) * static_cast<double>(size);
  const double by_matrix = std::min(2.0 * elements / dense_rate, 8.0 * density * elements / cache_rate);
  const double by_projection =
      2.0 * 8.0 * static_cast<double>(num_entries) / memory_rate + 2.0 * multiplications / small_rate;
  if (projection.most > most_projected || (!always && by_projection > by_matrix)) return std::nullopt;

  const auto [matrices, is_new] = matrices_.try_emplace(n);
  for (int irrep = 0; is_new && irrep < 8; ++irrep) {
    matrices->second[static_cast<std::size_t>(irrep)] = std::ssize(integrals);
    for (const auto& ab : pairs.of(irrep)) {
      for (const auto& cd : pairs.of(irrep)) integrals.push_back(element(tables, n, ab, cd));
    }
  }
  for (std::size_t k = 0; k < new_items.size(); ++k) {
    new_items[k].matrix = matrices->second[static_cast<std::size_t>(irreps[k])];
    items.push_back(new_items[k]);
  }
  projection.num_items = static_cast<std::int32_t>(new_items.size());
  slots.resize(slots.size() + projected.size());
  std::vector<std::int32_t> filled(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < projected.size(); ++k) {
    const Projected& p = projected[k];
    entries.push_back({p.string, p.pair});
    const std::int64_t at =
        projection.first_slot + p.string * slots_per_string + filled[static_cast<std::size_t>(p.string)]++;
    slots[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(k);
  }
  const std::int64_t strips =
      std::max<std::int64_t>(preferred_intermediates / (num_entries * narrowest_strip), 1);
  projection.width =
      static_cast<std::int32_t>(std::min<std::int64_t>(strips * narrowest_strip, widest_strip));
  classes.push_back(projection);
  return static_cast<std::int32_t>(classes.size()) - 1;
}

}  // namespace cisolve::cuda::direct
