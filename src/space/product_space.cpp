// SPDX-License-Identifier: MIT
// Spaces made of blocks by what is selected: one reference, with or without bounds.
#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/space/local_order.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {
namespace {

template <int Words>
void check(const SpaceSelection<Words>& selection) {
  if (selection.references.empty()) throw DimensionError("space: no reference determinant");
  if (selection.irreps.size() != static_cast<std::size_t>(selection.num_orbitals)) {
    throw DimensionError("space: one irrep label per orbital is needed");
  }
  if (selection.num_orbitals > BitString<Words>::max_orbitals) {
    throw DimensionError("space: more orbitals than a string has bits");
  }
  for (const Determinant<Words>& d : selection.references) {
    if (d.alpha.count() != selection.references[0].alpha.count() ||
        d.beta.count() != selection.references[0].beta.count()) {
      throw DimensionError("space: references differ in their numbers of electrons");
    }
  }
}

/// Largest level of one spin's strings.
int max_level(int num_electrons, int num_orbitals) {
  return std::min(num_electrons, num_orbitals - num_electrons);
}

template <int Words>
StringSelection<Words> strings_of(const SpaceSelection<Words>& selection, const BitString<Words>& reference) {
  return {
      .num_orbitals = selection.num_orbitals,
      .reference = reference,
      .max_level = std::min(selection.excitation_level, max_level(reference.count(), selection.num_orbitals)),
      .irreps = selection.irreps,
      .class_by_irrep = selection.irrep != any_irrep,
      .max_holes = selection.max_holes,
      .max_particles = selection.max_particles};
}

/// Whether the space has determinants made of strings such as these.
template <int Words>
bool may_meet(const SpaceSelection<Words>& selection, const StringCount& alpha, const StringCount& beta) {
  if (alpha.level + beta.level > selection.excitation_level) return false;
  if (selection.irrep != any_irrep && (alpha.irrep ^ beta.irrep) != selection.irrep) return false;
  if (selection.max_holes && alpha.holes + beta.holes > selection.max_holes->count) return false;
  return !selection.max_particles || alpha.particles + beta.particles <= selection.max_particles->count;
}

template <int Words>
const SpaceSelection<Words>& checked_single_reference(const SpaceSelection<Words>& selection) {
  check(selection);
  if (selection.references.size() != 1) throw DimensionError("ProductSpace: one reference is needed");
  return selection;
}

/// Whether the bounds leave out anything that the excitation level allows.
template <int Words>
bool has_effective_bounds(const SpaceSelection<Words>& selection) {
  const Determinant<Words>& reference = selection.references[0];
  const auto may_exceed = [&](const OccupationBound<Words>& bound, int of_reference) {
    const int most = std::min(2 * bound.orbitals.count(), of_reference + selection.excitation_level);
    return most > bound.count;
  };
  const auto electrons = [&](const BitString<Words>& orbitals) {
    return (reference.alpha & orbitals).count() + (reference.beta & orbitals).count();
  };
  if (const auto& holes = selection.max_holes) {
    if (may_exceed(*holes, 2 * holes->orbitals.count() - electrons(holes->orbitals))) return true;
  }
  const auto& particles = selection.max_particles;
  return particles && may_exceed(*particles, electrons(particles->orbitals));
}

template <int Words>
int holes_in(const std::optional<OccupationBound<Words>>& bound, const BitString<Words>& s) {
  return bound ? (bound->orbitals & ~s).count() : 0;
}

template <int Words>
int electrons_in(const std::optional<OccupationBound<Words>>& bound, const BitString<Words>& s) {
  return bound ? (bound->orbitals & s).count() : 0;
}

/// What a bound leaves to one spin if the other uses up so much.
template <int Words>
int left_of(const std::optional<OccupationBound<Words>>& bound, int used) {
  return bound ? std::min(bound->count - used, bound->orbitals.count()) : 0;
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
    const StringCount like{.level = (s & ~own).count(),
                           .irrep = irrep_of(s, all.irreps),
                           .holes = holes_in(selection.max_holes, s),
                           .particles = electrons_in(selection.max_particles, s)};
    if (std::ranges::none_of(partners, [&](const auto& beside) { return may_meet(selection, like, beside); }))
      continue;
    strings.push_back(s);
    levels.push_back(static_cast<std::int8_t>(like.level));
  }
  return {std::move(strings), std::move(levels), all.irreps, all.class_by_irrep};
}

}  // namespace

template <int Words>
int max_excitation_level(const SpaceSelection<Words>& selection) {
  return max_level(selection.references[0].alpha.count(), selection.num_orbitals) +
         max_level(selection.references[0].beta.count(), selection.num_orbitals);
}

template <int Words>
std::vector<double> count_determinants(const SpaceSelection<Words>& selection) {
  check(selection);
  const Determinant<Words>& reference = selection.references[0];
  const int levels = std::min(selection.excitation_level, max_excitation_level(selection)) + 1;
  const auto alpha = count_strings(strings_of(selection, reference.alpha));
  const auto beta = count_strings(strings_of(selection, reference.beta));
  std::vector<double> counts(levels, 0.0);
  for (const StringCount& a : alpha) {
    for (const StringCount& b : beta) {
      if (may_meet(selection, a, b)) counts[a.level + b.level] += a.strings * b.strings;
    }
  }
  return counts;
}

template <int Words>
bool is_product(const SpaceSelection<Words>& selection) {
  check(selection);
  const bool full = selection.excitation_level >= max_excitation_level(selection);
  if (selection.references.size() > 1 && (!full || has_effective_bounds(selection))) return false;
  const Determinant<Words>& reference = selection.references[0];
  return full || !selection.spin_complete || reference.alpha == reference.beta;
}

/// Makes each list of beta strings once that runs of a space out of one reference have.
template <int Words>
class ProductSpace<Words>::ListMaker {
public:
  ListMaker(const SpaceSelection<Words>& selection, const StringTable<Words>& beta)
      : selection_(selection), beta_(beta), hole_limits_(left_of(selection.max_holes, 0) + 1),
        particle_limits_(left_of(selection.max_particles, 0) + 1) {
    numbers_.assign(beta.num_levels() * 8 * hole_limits_ * particle_limits_, unknown);
  }

  /// The strings of a class that add at most so many holes and particles; no_list: there are none.
  std::int32_t number(int level, int irrep, int holes, int particles) {
    if (level < 0 || level >= beta_.num_levels() || holes < 0 || particles < 0) return no_list;
    std::int32_t& known =
        numbers_[((level * 8 + irrep) * hole_limits_ + holes) * particle_limits_ + particles];
    if (known == unknown) known = make(level, irrep, holes, particles);
    return known;
  }

  std::vector<BetaList> lists;

private:
  static constexpr std::int32_t unknown = -2;

  std::int32_t make(int level, int irrep, int holes, int particles) {
    BetaList list{.members = {}, .level = level};
    for (const std::int32_t b : beta_.members(level, irrep)) {
      if (holes_in(selection_.max_holes, beta_[b]) <= holes &&
          electrons_in(selection_.max_particles, beta_[b]) <= particles) {
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
  int hole_limits_, particle_limits_;
  std::vector<std::int32_t> numbers_;
};

template <int Words>
ProductSpace<Words>::ProductSpace(const SpaceSelection<Words>& selection)
    : StringProduct(
          std::min(selection.excitation_level, max_excitation_level(checked_single_reference(selection))) +
          1),
      selection_(selection),
      alpha_(table_of(selection, selection.references[0].alpha, selection.references[0].beta)),
      beta_(table_of(selection, selection.references[0].beta, selection.references[0].alpha)) {
  num_alpha_strings_ = static_cast<std::size_t>(alpha_.size());
  ListMaker maker(selection_, beta_);
  run_lists_.reserve(run_number(num_levels_, 0));
  for (int level = 0; level < num_levels_; ++level) {
    for (std::int32_t a = 0; a < alpha_.size(); ++a) {
      const int irrep = selection_.irrep == any_irrep ? 0 : selection_.irrep ^ alpha_.irrep(a);
      run_lists_.push_back(
          maker.number(level - alpha_.level(a), irrep,
                       left_of(selection_.max_holes, holes_in(selection_.max_holes, alpha_[a])),
                       left_of(selection_.max_particles, electrons_in(selection_.max_particles, alpha_[a]))));
    }
  }
  lists_ = std::move(maker.lists);
  if (has_effective_bounds(selection_)) drop_empty_levels();
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

/// Bounds may leave nothing of the highest levels.
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
  if (levels_add_) {
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
  // Without bounds the selection says it all.
  const bool is_selected = levels_add_ && !has_effective_bounds(selection_);
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

#define INSTANTIATE(W)                                                       \
  template class ProductSpace<W>;                                            \
  template int max_excitation_level(const SpaceSelection<W>&);               \
  template std::vector<double> count_determinants(const SpaceSelection<W>&); \
  template bool is_product(const SpaceSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
