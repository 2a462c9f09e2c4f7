// SPDX-License-Identifier: MIT
#include "cisolve/space/string_table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/configuration.hpp"
#include "space/remainders.hpp"

namespace cisolve {
namespace {

template <int Words>
bool holds(const std::optional<OccupationBound<Words>>& bound, int p) {
  return bound && bound->orbitals.test(p);
}

template <int Words>
int count_of(const std::optional<OccupationBound<Words>>& bound) {
  return bound ? std::clamp(bound->count, 0, bound->orbitals.count()) : 0;
}

/// Whether the occupation of an orbital may differ from the reference's.
template <int Words>
bool is_active(const StringSelection<Words>& selection, int p) {
  return !selection.active || selection.active->test(p);
}

/// Chooses for each orbital, the highest first, to be empty before occupied: strings come out ascending.
template <int Words>
class StringWalk {
public:
  StringWalk(const StringSelection<Words>& selection,
             const std::function<bool(const BitString<Words>&)>& visit)
      : selection_(selection), visit_(visit) {
    fewest_.push_back(0);
    most_.push_back(0);
    for (int p = 0; p < selection.num_orbitals; ++p) {
      const bool active = is_active(selection, p), occupied = selection.reference.test(p);
      fewest_.push_back(fewest_.back() + (occupied && !active ? 1 : 0));
      most_.push_back(most_.back() + (occupied || active ? 1 : 0));
    }
  }

  /// What may still be used up.
  struct Rest {
    int electrons, occupied;  ///< to be placed; orbitals of the reference yet to come
    int level_holes, level_particles;
    int holes, particles;  ///< of the bounds
  };

  /// False once a visit has asked to stop.
  bool walk(int p, const Rest& rest) {
    const auto below = static_cast<std::size_t>(p + 1);
    if (rest.electrons > rest.occupied + rest.level_particles) return true;
    if (rest.electrons < fewest_[below] || rest.electrons > most_[below]) return true;
    if (p < 0) return visit_(string_);
    const bool in_reference = selection_.reference.test(p);
    Rest empty = rest;
    empty.occupied -= in_reference ? 1 : 0;
    Rest filled = empty;
    if (in_reference) --empty.level_holes;
    if (holds(selection_.max_holes, p)) --empty.holes;
    const bool stays = !is_active(selection_, p);
    const bool may_be_empty = !(stays && in_reference) && empty.level_holes >= 0 && empty.holes >= 0;
    if (may_be_empty && !walk(p - 1, empty)) return false;
    if (stays && !in_reference) return true;
    --filled.electrons;
    if (!in_reference) --filled.level_particles;
    if (holds(selection_.max_particles, p)) --filled.particles;
    if (filled.electrons < 0 || filled.level_particles < 0 || filled.particles < 0) return true;
    string_.set(p);
    const bool goes_on = walk(p - 1, filled);
    string_.reset(p);
    return goes_on;
  }

private:
  const StringSelection<Words>& selection_;
  const std::function<bool(const BitString<Words>&)>& visit_;
  std::vector<int> fewest_, most_;  ///< [orbitals + 1] electrons that so many of the lowest orbitals may hold
  BitString<Words> string_;
};

template <int Words>
std::vector<std::int8_t> levels_of(const std::vector<BitString<Words>>& strings,
                                   const BitString<Words>& reference) {
  std::vector<std::int8_t> levels;
  levels.reserve(strings.size());
  for (const auto& s : strings) levels.push_back(static_cast<std::int8_t>((s & ~reference).count()));
  return levels;
}

template <int Words>
std::vector<std::uint8_t> orbitals_of(const std::vector<BitString<Words>>& strings) {
  std::vector<std::uint8_t> orbitals;
  if (!strings.empty()) orbitals.reserve(strings.size() * static_cast<std::size_t>(strings[0].count()));
  for (const auto& s : strings) s.for_each([&](int p) { orbitals.push_back(static_cast<std::uint8_t>(p)); });
  return orbitals;
}

}  // namespace

template <int Words>
void visit_strings(const StringSelection<Words>& selection,
                   const std::function<bool(const BitString<Words>&)>& visit) {
  const int electrons = selection.reference.count();
  StringWalk<Words>(selection, visit)
      .walk(selection.num_orbitals - 1, {.electrons = electrons,
                                         .occupied = electrons,
                                         .level_holes = selection.max_level,
                                         .level_particles = selection.max_level,
                                         .holes = count_of(selection.max_holes),
                                         .particles = count_of(selection.max_particles)});
}

template <int Words>
std::vector<BitString<Words>> strings_within(const StringSelection<Words>& selection) {
  std::vector<BitString<Words>> strings;
  visit_strings<Words>(selection, [&](const BitString<Words>& s) {
    strings.push_back(s);
    return true;
  });
  return strings;
}

template <int Words>
struct StringTable<Words>::Doubles {
  std::once_flag made;
  Remainders<2> remainders;
};

template <class Key>
KeyIndex<Key>::KeyIndex(const std::vector<Key>& keys) {
  const std::size_t slots = std::bit_ceil(2 * keys.size() + 1);
  mask_ = slots - 1;
  slots_.assign(slots, -1);
  constexpr std::size_t worth_it = 100'000;
  std::atomic<bool> appears_twice{false};
  // Which of two keys has the first of their slots depends on the threads, what is found does not.
#pragma omp parallel for schedule(static) if (keys.size() > worth_it)
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::uint64_t at = mix(keys[i]) & mask_;; at = (at + 1) & mask_) {
      const std::atomic_ref<std::int32_t> slot(slots_[at]);
      std::int32_t found = slot.load(std::memory_order_relaxed);
      const auto own = static_cast<std::int32_t>(i);
      if (found < 0 && slot.compare_exchange_strong(found, own, std::memory_order_relaxed)) break;
      if (keys[static_cast<std::size_t>(found)] == keys[i]) {
        appears_twice = true;
        break;
      }
    }
  }
  if (appears_twice) throw DimensionError("KeyIndex: a key appears twice");
}

template <int Words>
StringTable<Words>::StringTable(const StringSelection<Words>& selection)
    : strings_(strings_within(selection)), index_(strings_), doubles_(std::make_shared<Doubles>()) {
  classify(orbitals_of(strings_), levels_of(strings_, selection.reference), selection.irreps,
           selection.class_by_irrep);
}

template <int Words>
StringTable<Words>::StringTable(std::vector<BitString<Words>> strings, std::vector<std::int8_t> levels,
                                std::span<const int> irreps, bool class_by_irrep)
    : strings_(std::move(strings)), index_(strings_), doubles_(std::make_shared<Doubles>()) {
  classify(orbitals_of(strings_), std::move(levels), {irreps.begin(), irreps.end()}, class_by_irrep);
}

template <int Words>
StringExcitations StringTable<Words>::find_singles() const {
  const Remainders<1> remainders(*this, strings_, false);
  StringExcitations result;
  result.offsets.resize(strings_.size() + 1);
  constexpr int chunk = 64;
  parallel_for(size(), chunk, [&](std::int64_t i) {
    std::int64_t found = 0;
    remainders.for_each_excitation(*this, static_cast<std::int32_t>(i),
                                   [&](const auto&, const auto&) { ++found; });
    result.offsets[i + 1] = found;
  });
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.links.resize(result.offsets.back());
  parallel_for(size(), chunk, [&](std::int64_t i) {
    StringExcitations::Link* link = result.links.data() + result.offsets[i];
    remainders.for_each_excitation(
        *this, static_cast<std::int32_t>(i), [&](const auto& from, const auto& to) {
          *link++ = {to.string,
                     ExcitationCode::single(from.orbitals[0], to.orbitals[0], from.negative != to.negative)};
        });
  });
  return result;
}

template <int Words>
StringExcitations StringTable<Words>::doubles(std::span<const std::int32_t> strings) const {
  std::call_once(doubles_->made, [&] { doubles_->remainders = Remainders<2>(*this, strings_, true); });
  const Remainders<2>& remainders = doubles_->remainders;
  StringExcitations result;
  result.offsets.reserve(strings.size() + 1);
  for (const std::int32_t i : strings) {
    remainders.for_each_excitation(*this, i, [&](const auto& from, const auto& to) {
      result.links.push_back(
          {to.string, ExcitationCode::twofold(from.orbitals[0], from.orbitals[1], to.orbitals[0],
                                              to.orbitals[1], from.negative != to.negative)});
    });
    result.offsets.push_back(std::ssize(result.links));
  }
  return result;
}

namespace {

/// Counts the strings of a selection that change certain open shells.
template <int Words>
void count_changing(const StringSelection<Words>& selection, unsigned changed,
                    std::vector<StringCount>& result) {
  // Over the orbitals treated so far: strings by holes and particles of the level, by those of the bounds, and
  // by the irrep of the excitation, to which a hole and a particle each contribute their label.
  const int most[] = {selection.max_level + 1, selection.max_level + 1, count_of(selection.max_holes) + 1,
                      count_of(selection.max_particles) + 1, 8};
  const auto place = [&](int h, int q, int holes, int particles, int irrep) {
    return static_cast<std::size_t>((((h * most[1] + q) * most[2] + holes) * most[3] + particles) * most[4] +
                                    irrep);
  };
  const auto for_each = [&](auto&& visit) {
    for (int h = 0; h < most[0]; ++h)
      for (int q = 0; q < most[1]; ++q)
        for (int holes = 0; holes < most[2]; ++holes)
          for (int particles = 0; particles < most[3]; ++particles)
            for (int irrep = 0; irrep < most[4]; ++irrep) visit(h, q, holes, particles, irrep);
  };
  std::vector<double> counts(place(most[0], 0, 0, 0, 0), 0.0);
  counts[0] = 1.0;
  unsigned shell = 1;  // bit of the next open shell
  for (int p = 0; p < selection.num_orbitals; ++p) {
    const bool in_reference = selection.reference.test(p);
    bool may_stay = true, may_change = is_active(selection, p);
    if (selection.open_shells.test(p)) {
      may_stay = (changed & shell) == 0;
      may_change = may_change && !may_stay;
      shell <<= 1U;
    }
    const bool may_be_empty = in_reference ? may_change : may_stay;
    const bool may_be_occupied = in_reference ? may_stay : may_change;
    const int label = selection.irreps[p];
    std::vector<double> next(counts.size(), 0.0);
    for_each([&](int h, int q, int holes, int particles, int irrep) {
      const double strings = counts[place(h, q, holes, particles, irrep)];
      if (strings == 0.0) return;
      const int left = in_reference ? h + 1 : h;
      const int missing = holds(selection.max_holes, p) ? holes + 1 : holes;
      const int moved = in_reference ? irrep ^ label : irrep;
      if (may_be_empty && left < most[0] && missing < most[2])
        next[place(left, q, missing, particles, moved)] += strings;
      const int arrived = in_reference ? q : q + 1;
      const int found = holds(selection.max_particles, p) ? particles + 1 : particles;
      const int to = in_reference ? irrep : irrep ^ label;
      if (may_be_occupied && arrived < most[1] && found < most[3])
        next[place(h, arrived, holes, found, to)] += strings;
    });
    counts = std::move(next);
  }
  const int reference_irrep = irrep_of(selection.reference, selection.irreps);
  for_each([&](int h, int q, int holes, int particles, int irrep) {
    const double strings = counts[place(h, q, holes, particles, irrep)];
    if (h == q && strings > 0.0)
      result.push_back({h, irrep ^ reference_irrep, holes, particles, changed, strings});
  });
}

}  // namespace

template <int Words>
std::vector<StringCount> count_strings(const StringSelection<Words>& selection) {
  std::vector<StringCount> result;
  const unsigned all = 1U << static_cast<unsigned>(selection.open_shells.count());
  for (unsigned changed = 0; changed < all; ++changed) {
    if (std::popcount(changed) <= 2 * selection.max_level) count_changing(selection, changed, result);
  }
  return result;
}

#define INSTANTIATE(W)                                                                                     \
  template void visit_strings(const StringSelection<W>&, const std::function<bool(const BitString<W>&)>&); \
  template std::vector<StringCount> count_strings(const StringSelection<W>&);                              \
  template std::vector<BitString<W>> strings_within(const StringSelection<W>&);                            \
  template class StringTable<W>;                                                                           \
  template class KeyIndex<BitString<W>>;                                                                   \
  template class KeyIndex<Determinant<W>>;                                                                 \
  template class KeyIndex<Configuration<W>>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
