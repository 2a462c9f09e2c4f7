// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <optional>

#include "cisolve/space/space.hpp"

// What a selection of determinants out of one reference says of their strings.

namespace cisolve {

/// @throws DimensionError if a selection contradicts itself
template <int Words>
void check_selection(const SpaceSelection<Words>& selection);

/// @throws DimensionError if a selection has no CAS, or contradicts itself
template <int Words>
const ActiveSpace<Words>& cas_of(const SpaceSelection<Words>& selection);

/// The reference's open shells, all of one spin, if the space is completed in spin and that adds anything. Then it has
/// the determinants whose configurations have no more than excitation_level electrons moved, and the level of one
/// exceeds that by the open shells which have taken the other spin: those are changed in both of its strings.
template <int Words>
BitString<Words> completed_shells(const SpaceSelection<Words>& selection) {
  if (!selection.spin_complete || selection.excitation_level >= max_excitation_level(selection)) return {};
  return selection.references[0].alpha ^ selection.references[0].beta;
}

template <int Words>
bool has_completed_shells(const SpaceSelection<Words>& selection) {
  return completed_shells(selection).count() > 0;
}

/// Levels that a space may have.
template <int Words>
int count_levels(const SpaceSelection<Words>& selection) {
  const int flips = std::min(selection.excitation_level, completed_shells(selection).count());
  return std::min(selection.excitation_level + flips, max_excitation_level(selection)) + 1;
}

/// Largest level of one spin's strings.
inline int max_level(int num_electrons, int num_orbitals) {
  return std::min(num_electrons, num_orbitals - num_electrons);
}

template <int Words>
StringSelection<Words> strings_of(const SpaceSelection<Words>& selection, const BitString<Words>& reference) {
  const auto& cas = selection.cas;
  const int most = cas ? max_level((reference & cas->active).count(), cas->active.count())
                       : max_level(reference.count(), selection.num_orbitals);
  return {.num_orbitals = selection.num_orbitals,
          .reference = reference,
          .max_level = cas ? most : std::min(selection.excitation_level, most),
          .irreps = selection.irreps,
          .class_by_irrep = selection.irrep != any_irrep,
          .open_shells = completed_shells(selection),
          .max_holes = selection.max_holes,
          .max_particles = selection.max_particles,
          .active = cas ? std::optional(cas->active) : std::nullopt};
}

/// Whether the space has determinants made of strings such as these.
template <int Words>
bool may_meet(const SpaceSelection<Words>& selection, const StringCount& alpha, const StringCount& beta) {
  const int moved = alpha.level + beta.level - std::popcount(alpha.changed & beta.changed);
  if (!selection.cas && moved > selection.excitation_level) return false;
  if (selection.irrep != any_irrep && (alpha.irrep ^ beta.irrep) != selection.irrep) return false;
  if (selection.max_holes && alpha.holes + beta.holes > selection.max_holes->count) return false;
  return !selection.max_particles || alpha.particles + beta.particles <= selection.max_particles->count;
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

/// What may_meet asks of one string.
/// @param reference  of its spin
template <int Words>
StringCount kind_of(const SpaceSelection<Words>& selection, const BitString<Words>& s,
                    const BitString<Words>& reference) {
  return {.level = (s & ~reference).count(),
          .irrep = irrep_of(s, selection.irreps),
          .holes = holes_in(selection.max_holes, s),
          .particles = electrons_in(selection.max_particles, s),
          .changed = changed_shells(s, reference, completed_shells(selection)),
          .strings = 1.0};
}

/// What a bound leaves to one spin if the other uses up so much.
template <int Words>
int left_of(const std::optional<OccupationBound<Words>>& bound, int used) {
  return bound ? std::min(bound->count - used, bound->orbitals.count()) : 0;
}

}  // namespace cisolve
