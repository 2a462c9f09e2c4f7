// SPDX-License-Identifier: MIT
// Whether determinants, listed or of a CAS, are made of blocks: alpha strings that share lists of beta strings.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cisolve/space/space.hpp"
#include "space/selection_rules.hpp"

namespace cisolve {
namespace {

/// Determinants that a block must have on average. With 43 a product without a matrix takes half the time of one
/// with a matrix, with 14 it takes twice as long (MRCI of water over 3 and 6 references, one core).
constexpr std::int64_t least_block = 32;

/// Tiers of beta strings, above which telling them apart costs more than it saves.
constexpr std::int32_t most_tiers = 32;

/// Sets of numbers 0 .. n - 1, joined step by step.
class Components {
public:
  explicit Components(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t of(std::int32_t i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(std::int32_t i, std::int32_t j) {
    i = of(i);
    j = of(j);
    parent(std::max(i, j)) = std::min(i, j);
  }

private:
  std::int32_t& parent(std::int32_t i) { return parent_[i]; }
  std::vector<std::int32_t> parent_;
};

}  // namespace

template <int Words>
class ProductSpace<Words>::BlockFinder {
public:
  explicit BlockFinder(const SpaceSelection<Words>& selection) : selection_(selection) {}

  std::unique_ptr<ProductSpace> in_list(std::span<const Determinant<Words>> determinants,
                                        std::span<const std::int64_t> level_counts) {
    determinants_ = determinants;
    level_counts_ = {level_counts.begin(), level_counts.end()};
    if (!read_runs()) return nullptr;
    collect_strings();
    return arranged();
  }

  /// The same blocks as of a list of them all.
  std::unique_ptr<ProductSpace> in_cas() {
    combine_strings();
    std::int64_t listed = 0;
    for (const BetaList& list : lists_) listed += std::ssize(list.members);
    return 2 * listed > level_counts_[0] ? nullptr : arranged();
  }

private:
  struct Run {
    BitString<Words> alpha;
    int level;
    std::int32_t list;
  };
  /// Where a list of beta strings stands first.
  struct Stretch {
    std::size_t first, length;
  };

  std::unique_ptr<ProductSpace> arranged() {
    const std::int64_t size = std::accumulate(level_counts_.begin(), level_counts_.end(), std::int64_t{0});
    if (size == 0 || size < least_block * count_blocks()) return nullptr;
    std::vector<std::int8_t> alpha_levels(alphas_.size(), 0);
    const bool by_irrep = selection_.irrep != any_irrep;
    StringTable<Words> alpha(alphas_, std::move(alpha_levels), selection_.irreps, by_irrep);
    StringTable<Words> beta(betas_, tiers(), selection_.irreps, by_irrep);
    for (BetaList& list : lists_) list.level = beta.level(list.members.front());
    std::vector<std::int32_t> run_lists(level_counts_.size() * alphas_.size(), no_list);
    for (const Run& run : runs_) {
      run_lists[static_cast<std::size_t>(run.level) * alphas_.size() +
                static_cast<std::size_t>(alpha.find(run.alpha))] = run.list;
    }
    return std::unique_ptr<ProductSpace>(new ProductSpace(selection_, static_cast<int>(level_counts_.size()),
                                                          std::move(alpha), std::move(beta),
                                                          std::move(lists_), std::move(run_lists)));
  }

  /// False where rows aren't in the order of files, or lists are hardly shared (as in_cas has it).
  bool read_runs() {
    std::size_t row = 0;
    for (std::size_t level = 0; level < level_counts_.size(); ++level) {
      const std::size_t end = row + static_cast<std::size_t>(level_counts_[level]);
      for (const std::size_t start = row; row < end;) {
        const std::size_t first = row;
        const BitString<Words>& alpha = determinants_[first].alpha;
        if (first > start && !(determinants_[first - 1].alpha < alpha)) return false;
        std::uint64_t hash = 0;
        for (; row < end && determinants_[row].alpha == alpha; ++row) {
          if (row > first && !(determinants_[row - 1].beta < determinants_[row].beta)) return false;
          hash = mix(determinants_[row].beta, hash);
        }
        runs_.push_back({alpha, static_cast<int>(level), number_of({first, row - first}, hash)});
        if (2 * listed_ > determinants_.size()) return false;
      }
    }
    return true;
  }

  /// Strings and runs of a CAS: alpha strings of one kind have the same beta strings beside them.
  void combine_strings() {
    const Determinant<Words>& first = selection_.references[0];
    const auto meets = [&](const StringCount& kind) {
      return [&](const StringCount& other) { return may_meet(selection_, kind, other); };
    };
    const auto partners = count_strings(strings_of(selection_, first.alpha));
    std::vector<StringCount> beta_kinds;
    for (const BitString<Words>& s : strings_within(strings_of(selection_, first.beta))) {
      const StringCount kind = kind_of(selection_, s, first.beta);
      if (std::ranges::none_of(partners, meets(kind))) continue;
      betas_.push_back(s);
      beta_kinds.push_back(kind);
    }
    std::map<std::tuple<int, int, int>, std::int32_t> numbers;  // of lists, by kind
    const auto list_of = [&](const StringCount& kind) {
      const auto [at, is_new] = numbers.try_emplace({kind.irrep, kind.holes, kind.particles}, no_list);
      if (!is_new) return at->second;
      BetaList list;
      for (std::size_t b = 0; b < betas_.size(); ++b) {
        if (may_meet(selection_, kind, beta_kinds[b])) list.members.push_back(static_cast<std::int32_t>(b));
      }
      if (list.members.empty()) return no_list;
      const auto same = std::ranges::find(lists_, list.members, &BetaList::members);
      at->second = static_cast<std::int32_t>(same - lists_.begin());
      if (same == lists_.end()) lists_.push_back(std::move(list));
      return at->second;
    };
    level_counts_ = {0};
    for (const BitString<Words>& s : strings_within(strings_of(selection_, first.alpha))) {
      const std::int32_t list = list_of(kind_of(selection_, s, first.alpha));
      if (list == no_list) continue;
      alphas_.push_back(s);
      runs_.push_back({s, 0, list});
      level_counts_[0] += std::ssize(lists_[list].members);
    }
  }

  std::int32_t number_of(const Stretch& stretch, std::uint64_t hash) {
    const auto betas = [&](const Stretch& s) { return determinants_.subspan(s.first, s.length); };
    const auto [begin, end] = numbers_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      if (std::ranges::equal(betas(stretches_[at->second]), betas(stretch), {}, &Determinant<Words>::beta,
                             &Determinant<Words>::beta)) {
        return at->second;
      }
    }
    const auto number = static_cast<std::int32_t>(stretches_.size());
    numbers_.emplace(hash, number);
    stretches_.push_back(stretch);
    listed_ += stretch.length;
    return number;
  }

  void collect_strings() {
    const auto make_distinct = [](std::vector<BitString<Words>>& strings) {
      std::sort(strings.begin(), strings.end());
      strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
    };
    for (const Run& run : runs_) alphas_.push_back(run.alpha);
    make_distinct(alphas_);
    for (const Stretch& s : stretches_) {
      for (std::size_t row = s.first; row < s.first + s.length; ++row)
        betas_.push_back(determinants_[row].beta);
    }
    make_distinct(betas_);
    for (const Stretch& s : stretches_) {
      BetaList& list = lists_.emplace_back();
      for (std::size_t row = s.first; row < s.first + s.length; ++row) {
        const auto at = std::lower_bound(betas_.begin(), betas_.end(), determinants_[row].beta);
        list.members.push_back(static_cast<std::int32_t>(at - betas_.begin()));
      }
    }
  }

  /// Strings that are in the same lists belong together; a block is what a list has of them, with all its
  /// alpha strings.
  std::int64_t count_blocks() const {
    std::vector<std::uint64_t> key(betas_.size(), 0);
    for (std::size_t number = 0; number < lists_.size(); ++number) {
      for (const std::int32_t b : lists_[number].members) {
        std::uint64_t& k = key[b];
        k = mix(BitString<1>{{number}}, k);
      }
    }
    std::int64_t blocks = 0;
    std::vector<std::uint64_t> keys;
    for (const BetaList& list : lists_) {
      keys.clear();
      for (const std::int32_t b : list.members) keys.push_back(key[b]);
      std::sort(keys.begin(), keys.end());
      blocks += std::unique(keys.begin(), keys.end()) - keys.begin();
    }
    return blocks;
  }

  /// Strings of one list have one tier, so that few lists need to be looked at for an excitation.
  std::vector<std::int8_t> tiers() const {
    Components components(betas_.size());
    for (const BetaList& list : lists_) {
      for (const std::int32_t b : list.members) components.join(list.members.front(), b);
    }
    std::vector<std::int32_t> tier_of(betas_.size(), -1);
    std::vector<std::int8_t> result;
    std::int32_t next[8] = {};
    for (std::int32_t b = 0; b < std::ssize(betas_); ++b) {
      const std::size_t root = components.of(b);
      const int irrep = selection_.irrep == any_irrep ? 0 : irrep_of(betas_[b], selection_.irreps);
      if (tier_of[root] < 0) tier_of[root] = next[irrep]++;
      if (tier_of[root] >= most_tiers) return std::vector<std::int8_t>(betas_.size(), 0);
      result.push_back(static_cast<std::int8_t>(tier_of[root]));
    }
    return result;
  }

  const SpaceSelection<Words>& selection_;
  std::span<const Determinant<Words>> determinants_;
  std::vector<std::int64_t> level_counts_;
  std::vector<Run> runs_;
  std::vector<Stretch> stretches_;
  std::unordered_multimap<std::uint64_t, std::int32_t> numbers_;  // of stretches, by hash
  std::size_t listed_ = 0;                                        // beta strings in all stretches
  std::vector<BetaList> lists_;
  std::vector<BitString<Words>> alphas_, betas_;
};

template <int Words>
std::unique_ptr<ProductSpace<Words>> ProductSpace<Words>::from_list(
    const SpaceSelection<Words>& selection, std::span<const Determinant<Words>> determinants,
    std::span<const std::int64_t> level_counts) {
  return BlockFinder(selection).in_list(determinants, level_counts);
}

template <int Words>
std::unique_ptr<ProductSpace<Words>> ProductSpace<Words>::from_cas(const SpaceSelection<Words>& selection) {
  cas_of(selection);
  return BlockFinder(selection).in_cas();
}

#define INSTANTIATE(W)                                                                           \
  template std::unique_ptr<ProductSpace<W>> ProductSpace<W>::from_list(                          \
      const SpaceSelection<W>&, std::span<const Determinant<W>>, std::span<const std::int64_t>); \
  template std::unique_ptr<ProductSpace<W>> ProductSpace<W>::from_cas(const SpaceSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
