// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/projection_plan.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "cuda/hamiltonian/direct/excitations/excitation_lists.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Most strips of the narrowest width that are one.
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
  Binomials(int n, int k) : width_(k + 1) {
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
  explicit OrbitalPairs(const IntegralTables& tables) : tables_(tables), numbers_(tables.num_pairs(), -1) {}

  std::int32_t number(int a, int b) {
    std::int32_t& number = numbers_[tables_.pair(a, b)];
    if (number < 0) {
      auto& pairs = of_irrep_[tables_.irrep(a) ^ tables_.irrep(b)];
      number = static_cast<std::int32_t>(pairs.size());
      pairs.emplace_back(a, b);
    }
    return number;
  }
  const std::vector<std::pair<int, int>>& of(int irrep) const { return of_irrep_[irrep]; }

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
std::vector<Projected> project(const ProjectedClass& of, OrbitalPairs& pairs) {
  const int n = of.excitations.num_electrons();
  const Binomials binomial(of.tables.num_orbitals(), n);
  const std::int32_t size = of.strings.size(of.number);
  const std::int32_t ordinal = of.strings.offsets[of.number];
  std::vector<Projected> result;
  result.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(n * (n - 1) / 2));
  for (std::int32_t k = 0; k < size; ++k) {
    const auto occupied = of.excitations.occupied(ordinal + k);
    for (std::size_t j = 1; j < occupied.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        std::uint64_t rank = 0;
        int left = 0;
        for (std::size_t e = 0; e < occupied.size(); ++e) {
          if (e != i && e != j) rank += binomial(occupied[e], ++left);
        }
        const int a = occupied[i], b = occupied[j];
        result.push_back({rank, of.tables.irrep(a) ^ of.tables.irrep(b), k,
                          2 * pairs.number(a, b) + static_cast<std::int32_t>((i + j) % 2)});
      }
    }
  }
  std::ranges::stable_sort(result, {}, &Projected::key);
  return result;
}

/// A class on its way into the plan.
struct NewClass {
  std::vector<Projected> projected;
  std::vector<ProjectionItem> items;
  std::vector<int> irreps;  ///< of the items
  double multiplications = 0.0;
};

NewClass make_items(const ProjectedClass& of, OrbitalPairs& pairs) {
  NewClass result{project(of, pairs), {}, {}};
  const std::vector<Projected>& all = result.projected;
  for (auto first = all.begin(); first != all.end();) {
    const auto last =
        std::find_if(first, all.end(), [&](const Projected& p) { return p.key() != first->key(); });
    const auto count = static_cast<std::int32_t>(last - first);
    result.items.push_back({static_cast<std::int32_t>(first - all.begin()), count,
                            static_cast<std::int32_t>(pairs.of(first->irrep).size()), 0});
    result.irreps.push_back(first->irrep);
    result.multiplications += static_cast<double>(count) * count;
    first = last;
  }
  return result;
}

/// Whether a projection takes longer than a matrix. For a column, seconds of products by a dense matrix and by a sparse
/// one, which read a row for each element; and of reading and writing intermediates once and of making them.
bool is_slower(const NewClass& one, double size, const ProjectionLimits& limits) {
  const DeviceProfile::Rates& rates = limits.device.rates;
  const double elements = size * size;
  const double by_matrix =
      std::min(2.0 * elements / rates.dense, 8.0 * limits.density * elements / rates.cache);
  const double by_projection = 2.0 * 8.0 * static_cast<double>(one.projected.size()) / rates.memory +
                               2.0 * one.multiplications / rates.small_dense;
  return by_projection > by_matrix;
}

/// Adds W of each irrep, and says to the items where it is.
void add_integrals(const ProjectedClass& of, const OrbitalPairs& pairs, NewClass& one,
                   std::vector<double>& integrals) {
  std::int64_t matrices[8];
  for (int irrep = 0; irrep < 8; ++irrep) {
    matrices[irrep] = std::ssize(integrals);
    integrals.reserve(integrals.size() + pairs.of(irrep).size() * pairs.of(irrep).size());
    for (const auto& ab : pairs.of(irrep)) {
      for (const auto& cd : pairs.of(irrep))
        integrals.push_back(element(of.tables, of.excitations.num_electrons(), ab, cd));
    }
  }
  for (std::size_t k = 0; k < one.items.size(); ++k) one.items[k].matrix = matrices[one.irreps[k]];
}

/// Adds the entries of a class, and by string where they are.
void add_entries(const NewClass& one, std::int32_t size, const Projection& to,
                 ProjectionArrays<HostArray>& arrays) {
  arrays.slots.resize(arrays.slots.size() + one.projected.size());
  std::vector<std::int32_t> filled(size);
  for (std::size_t k = 0; k < one.projected.size(); ++k) {
    const Projected& p = one.projected[k];
    arrays.entries.push_back({p.string, p.pair});
    const std::int64_t at = to.first_slot + std::int64_t{p.string} * to.slots_per_string + filled[p.string]++;
    arrays.slots[at] = static_cast<std::int32_t>(k);
  }
}

}  // namespace

std::optional<std::int32_t> ProjectionPlan::add(const ProjectedClass& of, const ProjectionLimits& limits) {
  const int n = of.excitations.num_electrons();
  const std::int32_t size = of.strings.size(of.number);
  const std::int64_t slots_per_string = n * (n - 1) / 2;
  const std::int64_t num_entries = size * slots_per_string;
  const Binomials binomial(of.tables.num_orbitals(), std::max(n, 1));
  if (n < 2 || num_entries * narrowest_strip > limits.most_intermediates ||
      binomial(of.tables.num_orbitals(), n - 2) >= Binomials::limit)
    return std::nullopt;
  OrbitalPairs pairs(of.tables);
  NewClass one = make_items(of, pairs);
  if (!limits.always && is_slower(one, size, limits)) return std::nullopt;

  add_integrals(of, pairs, one, arrays.integrals);
  const std::int64_t preferred = limits.device.budgets.preferred_intermediates / 8;
  const std::int64_t strips = std::min(preferred / (num_entries * narrowest_strip),
                                       (limits.most_columns + narrowest_strip - 1) / narrowest_strip);
  classes.push_back({.first_item = index_of(arrays.items.size()),
                     .num_items = static_cast<std::int32_t>(one.items.size()),
                     .first_entry = std::ssize(arrays.entries),
                     .num_entries = index_of(static_cast<std::size_t>(num_entries)),
                     .slots_per_string = static_cast<std::int32_t>(slots_per_string),
                     .first_slot = std::ssize(arrays.slots),
                     .width = narrowest_strip *
                              static_cast<std::int32_t>(std::clamp<std::int64_t>(strips, 1, most_strips))});
  arrays.items.insert(arrays.items.end(), one.items.begin(), one.items.end());
  add_entries(one, size, classes.back(), arrays);
  return static_cast<std::int32_t>(classes.size()) - 1;
}

}  // namespace cisolve::cuda::direct
