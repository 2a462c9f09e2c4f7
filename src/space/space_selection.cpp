// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/single_occupancy.hpp"
#include "space/selection_rules.hpp"

namespace cisolve {
namespace {

/// With more open shells, a space that is completed in spin is listed: their patterns are too many to be counted.
constexpr int most_completed_shells = 8;

}  // namespace

template <int Words>
void check_selection(const SpaceSelection<Words>& selection) {
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
  if (selection.single_occupancy) {
    if (selection.irrep != any_irrep || selection.max_holes || selection.max_particles || selection.cas)
      throw DimensionError("space: single occupancy goes with any irrep, without bounds and without a CAS");
    if (selection.num_orbitals > 64)
      throw DimensionError("space: single occupancy needs 64 orbitals or fewer");
  }
  if (!selection.cas) return;
  const auto& [alpha, beta] = selection.references[0];
  const auto& [doubly, active, irrep] = *selection.cas;
  const bool is_in = ((alpha | beta) & ~(doubly | active)).count() == 0 &&
                     (doubly & (active | ~(alpha & beta))).count() == 0;
  if (!is_in || selection.references.size() > 1 || selection.excitation_level > 0)
    throw DimensionError("space: a CAS needs one reference, which is in it, and level 0");
}

template <int Words>
const ActiveSpace<Words>& cas_of(const SpaceSelection<Words>& selection) {
  check_selection(selection);
  if (!selection.cas) throw DimensionError("space: the references are no complete active space");
  return *selection.cas;
}

template <int Words>
int max_excitation_level(const SpaceSelection<Words>& selection) {
  if (selection.single_occupancy) return 0;
  return max_level(selection.references[0].alpha.count(), selection.num_orbitals) +
         max_level(selection.references[0].beta.count(), selection.num_orbitals);
}

template <int Words>
std::vector<double> count_determinants(const SpaceSelection<Words>& selection) {
  check_selection(selection);
  const Determinant<Words>& reference = selection.references[0];
  if (selection.single_occupancy) {
    const int n = selection.num_orbitals, electrons = reference.alpha.count();
    return {static_cast<double>(num_strings(n, electrons)) *
            static_cast<double>(num_strings(n - electrons, reference.beta.count()))};
  }
  const auto alpha = count_strings(strings_of(selection, reference.alpha));
  const auto beta = count_strings(strings_of(selection, reference.beta));
  std::vector<double> counts(count_levels(selection), 0.0);
  for (const StringCount& a : alpha) {
    for (const StringCount& b : beta) {
      if (may_meet(selection, a, b)) counts[selection.cas ? 0 : a.level + b.level] += a.strings * b.strings;
    }
  }
  return counts;
}

namespace {

/// The references of a CAS, as a space.
template <int Words>
SpaceSelection<Words> references_of(const SpaceSelection<Words>& selection) {
  SpaceSelection<Words> references = selection;
  references.irrep = cas_of(selection).irrep;
  return references;
}

}  // namespace

template <int Words>
double count_references(const SpaceSelection<Words>& selection) {
  return count_determinants(references_of(selection))[0];
}

template <int Words>
std::optional<Determinant<Words>> first_reference(const SpaceSelection<Words>& selection) {
  const SpaceSelection<Words> references = references_of(selection);
  const BitString<Words>&alpha = selection.references[0].alpha, &beta = selection.references[0].beta;
  std::optional<Determinant<Words>> first;
  if (count_determinants(references)[0] == 0.0) return first;
  const std::vector<StringCount> partners = count_strings(strings_of(references, beta));
  visit_strings<Words>(strings_of(references, alpha), [&](const BitString<Words>& a) {
    const StringCount kind = kind_of(references, a, alpha);
    const auto meets = [&](const StringCount& other) { return may_meet(references, kind, other); };
    if (std::ranges::none_of(partners, meets)) return true;
    visit_strings<Words>(strings_of(references, beta), [&](const BitString<Words>& b) {
      if (meets(kind_of(references, b, beta))) first = {a, b};
      return !first;
    });
    return false;
  });
  return first;
}

template <int Words>
bool is_product(const SpaceSelection<Words>& selection) {
  check_selection(selection);
  if (selection.single_occupancy) return false;
  const bool full = selection.excitation_level >= max_excitation_level(selection);
  if (selection.cas && !full) return false;
  if (selection.references.size() > 1 && (!full || has_effective_bounds(selection))) return false;
  const Determinant<Words>& reference = selection.references[0];
  if (full || !selection.spin_complete) return true;
  const BitString<Words> closed = reference.alpha & reference.beta;
  const bool of_one_spin = closed == reference.alpha || closed == reference.beta;
  return of_one_spin && (reference.alpha ^ reference.beta).count() <= most_completed_shells;
}

#define INSTANTIATE(W)                                                              \
  template void check_selection(const SpaceSelection<W>&);                          \
  template const ActiveSpace<W>& cas_of(const SpaceSelection<W>&);                  \
  template double count_references(const SpaceSelection<W>&);                       \
  template std::optional<Determinant<W>> first_reference(const SpaceSelection<W>&); \
  template int max_excitation_level(const SpaceSelection<W>&);                      \
  template std::vector<double> count_determinants(const SpaceSelection<W>&);        \
  template bool is_product(const SpaceSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
