// SPDX-License-Identifier: MIT
// Spaces made of blocks by what is selected: one reference, with or without bounds and spin completion.
#include <algorithm>
#include <bit>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/space/local_order.hpp"
#include "cisolve/space/space.hpp"
#include "space/selection_rules.hpp"

namespace cisolve {
namespace {

template <int Words>
const SpaceSelection<Words>& checked_single_reference(const SpaceSelection<Words>& selection) {
  check_selection(selection);
  if (selection.references.size() != 1 || !is_product(selection))
    throw DimensionError(
        "ProductSpace: one reference is needed, with open shells of one spin to be completed");
  return selection;
}

/// The strings of one spin that some determinant has. In a space of many electrons and low levels they are few: those of
/// the highest level stand beside the other spin's reference alone, and need its irrep.
/// @param own, other  strings of the reference
template <int Words>
StringTable<Words> table_of(const SpaceSelection<Words>& selection, const BitString<Words>& own,
                            const BitString<Words>& other) {
  const StringSelection<Words> all = strings_of(selection, own);
  const std::vector<StringCount> partners = count_strings(strings_of(selection, other));
  std::vector<BitString<Words>> strings;
  std::vector<std::int8_t> levels;
  for (const BitString<Words>& s : strings_within(all)) {
    const StringCount like = kind_of(selection, s, own);
    if (std::ranges::none_of(partners, [&](const auto& beside) { return may_meet(selection, like, beside); }))
      continue;
    strings.push_back(s);
    levels.push_back(static_cast<std::int8_t>(like.level));
  }
  return {std::move(strings), std::move(levels), all.irreps, all.class_by_irrep};
}

}  // namespace

/// Makes each list of beta strings once that runs of a space out of one reference have.
template <int Words>
class ProductSpace<Words>::ListMaker {
public:
  /// What the beta strings beside an alpha string have at a level.
  struct Limits {
    int level, irrep;
    int holes, particles;  ///< that they may add at most
    unsigned changed;      ///< open shells that the alpha string changes
    int flips;             ///< of which they change so many, at least
  };

  ListMaker(const SpaceSelection<Words>& selection, const StringTable<Words>& beta)
      : selection_(selection), beta_(beta), open_shells_(completed_shells(selection)),
        hole_limits_(left_of(selection.max_holes, 0) + 1),
        particle_limits_(left_of(selection.max_particles, 0) + 1), patterns_(1 << open_shells_.count()),
        flip_limits_(open_shells_.count() + 1) {
    numbers_.assign(beta.num_levels() * 8 * hole_limits_ * particle_limits_ * patterns_ * flip_limits_,
                    unknown);
  }

  /// The strings of a class within limits; no_list: there are none.
  std::int32_t number(const Limits& of) {
    if (of.level < 0 || of.level >= beta_.num_levels() || of.holes < 0 || of.particles < 0) return no_list;
    if (of.flips > std::popcount(of.changed)) return no_list;
    const int bounds =
        ((of.level * 8 + of.irrep) * hole_limits_ + of.holes) * particle_limits_ + of.particles;
    std::int32_t& known =
        numbers_[(bounds * patterns_ + static_cast<int>(of.changed)) * flip_limits_ + of.flips];
    if (known == unknown) known = make(of);
    return known;
  }

  /// The limits for an alpha string, excitation level by excitation level.
  Limits limits(int level, const StringTable<Words>& alpha, std::int32_t a) const {
    const BitString<Words>& string = alpha[a];
    return {.level = level - alpha.level(a),
            .irrep = selection_.irrep == any_irrep ? 0 : selection_.irrep ^ alpha.irrep(a),
            .holes = left_of(selection_.max_holes, holes_in(selection_.max_holes, string)),
            .particles = left_of(selection_.max_particles, electrons_in(selection_.max_particles, string)),
            .changed = changed_shells(string, selection_.references[0].alpha, open_shells_),
            .flips = std::max(level - selection_.excitation_level, 0)};
  }

  std::vector<BetaList> lists;

private:
  static constexpr std::int32_t unknown = -2;

  std::int32_t make(const Limits& of) {
    BetaList list{.members = {}, .level = of.level};
    for (const std::int32_t b : beta_.members(of.level, of.irrep)) {
      const unsigned changed = changed_shells(beta_[b], selection_.references[0].beta, open_shells_);
      if (holes_in(selection_.max_holes, beta_[b]) <= of.holes &&
          electrons_in(selection_.max_particles, beta_[b]) <= of.particles &&
          std::popcount(changed & of.changed) >= of.flips) {
        list.members.push_back(b);
      }
    }
    if (list.members.empty()) return no_list;
    const auto same = std::find_if(lists.begin(), lists.end(),
                                   [&](const BetaList& other) { return other.members == list.members; });
    if (same == lists.end()) {
      lists.push_back(std::move(list));
      return static_cast<std::int32_t>(lists.size()) - 1;
    }
    return static_cast<std::int32_t>(same - lists.begin());
  }

  const SpaceSelection<Words>& selection_;
  const StringTable<Words>& beta_;
  BitString<Words> open_shells_;
  int hole_limits_, particle_limits_;
  int patterns_, flip_limits_;
  std::vector<std::int32_t> numbers_;
};

template <int Words>
ProductSpace<Words>::ProductSpace(const SpaceSelection<Words>& selection)
    : StringProduct(count_levels(checked_single_reference(selection))), selection_(selection),
      alpha_(table_of(selection, selection.references[0].alpha, selection.references[0].beta)),
      beta_(table_of(selection, selection.references[0].beta, selection.references[0].alpha)) {
  num_alpha_strings_ = static_cast<std::size_t>(alpha_.size());
  ListMaker maker(selection_, beta_);
  run_lists_.reserve(run_number(num_levels_, 0));
  for (int level = 0; level < num_levels_; ++level) {
    for (std::int32_t a = 0; a < alpha_.size(); ++a)
      run_lists_.push_back(maker.number(maker.limits(level, alpha_, a)));
  }
  lists_ = std::move(maker.lists);
  if (has_effective_bounds(selection_) || has_completed_shells(selection_)) drop_empty_levels();
  number_rows();
}

template <int Words>
ProductSpace<Words>::ProductSpace(const SpaceSelection<Words>& selection, int num_levels,
                                  StringTable<Words> alpha, StringTable<Words> beta,
                                  std::vector<BetaList> lists, std::vector<std::int32_t> run_lists)
    : StringProduct(num_levels), selection_(selection), levels_add_(false), alpha_(std::move(alpha)),
      beta_(std::move(beta)) {
  num_alpha_strings_ = static_cast<std::size_t>(alpha_.size());
  lists_ = std::move(lists);
  run_lists_ = std::move(run_lists);
  number_rows();
}

/// Bounds, or what is completed, may leave nothing of the highest levels.
template <int Words>
void ProductSpace<Words>::drop_empty_levels() {
  const auto last =
      std::find_if(run_lists_.rbegin(), run_lists_.rend(), [](std::int32_t list) { return list != no_list; });
  const std::size_t used = run_lists_.rend() - last;
  const std::size_t per_level = std::max(alpha_.size(), 1);
  num_levels_ = std::max(static_cast<int>((used + per_level - 1) / per_level), 1);
  run_lists_.resize(run_number(num_levels_, 0));
}

template <int Words>
std::int64_t ProductSpace<Words>::find(const Determinant<Words>& determinant) const {
  const std::int32_t a = alpha_.find(determinant.alpha);
  if (a < 0) return -1;
  const std::int32_t b = beta_.find(determinant.beta);
  if (b < 0) return -1;
  if (selection_.irrep != any_irrep && (alpha_.irrep(a) ^ beta_.irrep(b)) != selection_.irrep) return -1;
  const int sum = alpha_.level(a) + beta_.level(b);
  const int first = levels_add_ ? sum : 0;
  const int last = levels_add_ ? std::min(sum, num_levels_ - 1) : num_levels_ - 1;
  for (int level = first; level <= last; ++level) {
    const std::int32_t number = run_list(level, a);
    if (number == no_list) continue;
    const BetaList& list = lists_[number];
    if (list.level != beta_.level(b)) continue;
    const std::int32_t place = list.place(beta_.position(b));
    if (place >= 0) return run_offset(level, a) + place;
  }
  return -1;
}

template <int Words>
void ProductSpace<Words>::enumerate(std::int64_t first, std::span<Determinant<Words>> out) const {
  std::size_t done = 0;
  for (std::int64_t run = out.empty() ? 0 : run_of_row(first); done < out.size(); ++run) {
    const auto level = static_cast<int>(run / alpha_.size());
    const auto a = static_cast<std::int32_t>(run % alpha_.size());
    const auto betas = run_betas(level, a);
    for (std::size_t j = std::max<std::int64_t>(first - run_offset(level, a), 0);
         j < betas.size() && done < out.size(); ++j) {
      out[done++] = {alpha_[a], beta_[betas[j]]};
    }
  }
}

template <int Words>
std::int64_t ProductSpace<Words>::num_references() const {
  return run_offsets_[run_number(1, 0)];
}

template <int Words>
std::vector<std::int64_t> ProductSpace<Words>::level_counts() const {
  std::vector<std::int64_t> counts;
  for (int level = 0; level < num_levels_; ++level) {
    counts.push_back(run_offsets_[run_number(level + 1, 0)] - run_offsets_[run_number(level, 0)]);
  }
  return counts;
}

/// Alpha strings, and the list of each at every level. Strings that no determinant has belong to what is selected: a
/// checkpoint of 0.1.0 counts them.
template <int Words>
void ProductSpace<Words>::hash_runs(Hasher& hasher) const {
  std::vector<BitString<Words>> strings;
  if (levels_add_ && !has_completed_shells(selection_)) {
    strings = strings_within(strings_of(selection_, selection_.references[0].alpha));
  } else {
    for (std::int32_t a = 0; a < alpha_.size(); ++a) strings.push_back(alpha_[a]);
  }
  for (const BitString<Words>& s : strings) hasher.add(mix(s));
  for (int level = 0; level < num_levels_; ++level) {
    for (const BitString<Words>& s : strings) {
      const std::int32_t a = alpha_.find(s);
      hasher.add(std::int64_t{a < 0 ? no_list : run_list(level, a)});
    }
  }
}

template <int Words>
std::uint64_t ProductSpace<Words>::fingerprint() const {
  // Without bounds the selection says it all; completed spaces keep the hash that their lists had.
  const bool is_selected =
      levels_add_ && !has_effective_bounds(selection_) && !has_completed_shells(selection_);
  Hasher hasher;
  hasher.add(is_selected ? "product" : "blocks");
  hasher.add(std::int64_t{selection_.num_orbitals});
  hasher.add(std::int64_t{num_levels_});
  hasher.add(std::int64_t{selection_.irrep});
  if (is_selected) {
    hasher.add(mix(selection_.references[0]));
    if (selection_.irrep != any_irrep) {
      for (const int irrep : selection_.irreps) hasher.add(std::int64_t{irrep});
    }
    return hasher.digest();
  }
  hash_runs(hasher);
  for (const BetaList& list : lists_) {
    hasher.add(static_cast<std::int64_t>(list.members.size()));
    for (const std::int32_t b : list.members) hasher.add(mix(beta_[b]));
  }
  return hasher.digest();
}

template <int Words>
Array<std::int32_t> ProductSpace<Words>::local_order() const {
  return cisolve::local_order(*this, selection_.irreps);
}

#define INSTANTIATE(W) template class ProductSpace<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
