// SPDX-License-Identifier: MIT
#include "tasks/ci/job/followed_orbitals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "cisolve/molecule/one_electron.hpp"

namespace cisolve {
namespace {

/// Finds the orbitals here that continue sets of orbitals of another geometry.
class Follower {
public:
  Follower(const ChosenOrbitals& before, const MoleculeConfig& molecule, const ScfOrbitals& here)
      : before_(*before.orbitals), here_(here),
        overlap_(carried_overlap(
            {molecule.basis, molecule.frame.geometry, here.coefficients},
            {before.molecule->basis, before.molecule->frame.geometry, before.orbitals->coefficients})) {}

  /// A set, ascending, and how much of its orbitals was in the earlier one.
  struct Set {
    std::vector<int> orbitals;
    double least_share = 1.0;
    int least = -1;  ///< the orbital that has it
  };

  /// None where there are not as many orbitals of the kinds here.
  /// @param outside          orbitals that are not available
  /// @param same_occupation  occupied and empty ones apart
  std::optional<Set> continued(const std::vector<int>& earlier, const std::vector<int>& outside,
                               bool same_occupation) const {
    std::vector<bool> taken(here_.irreps.size(), false);
    for (const int p : outside) taken[p] = true;
    Set set;
    std::vector<int> left = earlier;
    while (!left.empty()) {
      const auto like_first = [&, q = left.front()](int other) {
        return alike(before_, q, before_, other, same_occupation);
      };
      std::vector<int> group, rest;
      std::ranges::partition_copy(left, std::back_inserter(group), std::back_inserter(rest), like_first);
      if (!take(group, earlier, same_occupation, taken, set)) return std::nullopt;
      left = std::move(rest);
    }
    std::ranges::sort(set.orbitals);
    return set;
  }

  /// A CAS, which goes on to hold as many of the occupied orbitals: the others stay doubly occupied.
  std::optional<Set> continued_cas(const std::vector<int>& earlier, const std::vector<int>& outside) const {
    const auto occupied = [](const std::vector<int>& orbitals, const ScfOrbitals& of) {
      return std::ranges::count_if(orbitals, [&](int p) { return of.occupations[p] > 0; });
    };
    const std::optional<Set> set = continued(earlier, outside, false);
    if (set && occupied(set->orbitals, here_) == occupied(earlier, before_)) return set;
    return continued(earlier, outside, true);
  }

private:
  static bool alike(const ScfOrbitals& a, int p, const ScfOrbitals& b, int q, bool same_occupation) {
    return a.irreps[p] == b.irreps[q] &&
           (!same_occupation || (a.occupations[p] > 0) == (b.occupations[q] > 0));
  }

  /// As many as the group has, the largest share in the set first. @returns whether there are that many
  bool take(const std::vector<int>& group, const std::vector<int>& earlier, bool same_occupation,
            std::vector<bool>& taken, Set& set) const {
    std::vector<std::pair<double, int>> candidates;
    for (int p = 0; p < std::ssize(here_.irreps); ++p) {
      if (taken[p] || !alike(here_, p, before_, group.front(), same_occupation)) continue;
      double share = 0.0;
      for (const int q : earlier) share += overlap_(p, q) * overlap_(p, q);
      candidates.emplace_back(share, p);
    }
    if (candidates.size() < group.size()) return false;
    std::ranges::stable_sort(candidates, std::greater<>(), &std::pair<double, int>::first);
    candidates.resize(group.size());
    for (const auto& [share, p] : candidates) {
      taken[p] = true;
      set.orbitals.push_back(p);
      if (share < set.least_share) std::tie(set.least_share, set.least) = std::pair(share, p);
    }
    return true;
  }

  const ScfOrbitals& before_;
  const ScfOrbitals& here_;
  Matrix overlap_;  ///< [here x before]
};

std::vector<int> from_one(std::vector<int> orbitals) {
  for (int& p : orbitals) ++p;
  return orbitals;
}

std::string names_of(const std::vector<int>& orbitals, std::span<const std::string> names) {
  std::string text;
  for (const int p : orbitals) text += (text.empty() ? "" : " ") + names[p];
  return text;
}

}  // namespace

CiConfig follow_orbitals(const CiConfig& config, const ScfOrbitals& here, std::span<const std::string> names,
                         std::vector<std::string>& warnings) {
  CiConfig result = config;
  if (config.chosen_before == nullptr) return result;
  const ChosenOrbitals& before = *config.chosen_before;
  if (before.molecule->basis.num_functions != config.molecule->basis.num_functions) return result;
  const Follower follower(before, *config.molecule, here);
  /// Says what there is to say of a set; false: it is chosen anew.
  const auto judge = [&](std::string_view what, const std::optional<Follower::Set>& set) {
    constexpr double half = 0.5;
    if (!set) {
      warnings.push_back(
          fmt::format("{} cannot be followed from {}, since the SCF occupies the irreps otherwise "
                      "here: it is chosen anew",
                      what, before.origin));
    } else if (set->least_share < half) {
      warnings.push_back(fmt::format(
          "{} is followed from {}, but {} has only {:.0f} % of itself among the orbitals chosen there", what,
          before.origin, names[set->least], 100.0 * set->least_share));
    }
    return set.has_value();
  };
  const auto core = follower.continued(before.core, {}, true);
  const auto virtuals = follower.continued(before.virtuals, {}, true);
  const bool keeps_core = judge("the frozen core", core);
  if (!judge("the set of frozen virtuals", virtuals) || !keeps_core) return result;
  result.frozen_core = from_one(core->orbitals);
  result.frozen_virtual = from_one(virtuals->orbitals);
  std::vector<int> frozen = core->orbitals;
  frozen.insert(frozen.end(), virtuals->orbitals.begin(), virtuals->orbitals.end());
  const auto active_numbers = [&](const Follower::Set& set) {
    std::vector<int> numbers;
    for (const int p : set.orbitals)
      numbers.push_back(p + 1 -
                        static_cast<int>(std::ranges::count_if(frozen, [&](int f) { return f < p; })));
    return numbers;
  };
  if (auto* cas = std::get_if<CasReference>(&result.reference); cas != nullptr && !before.cas.empty()) {
    const auto set = follower.continued_cas(before.cas, frozen);
    if (judge("the CAS", set)) {
      result.cas_as_given = *cas;
      *cas = {cas->electrons, static_cast<int>(before.cas.size()), active_numbers(*set), cas->irreps};
    }
  }
  const auto follow_limit = [&](std::string_view what, const std::vector<int>& earlier,
                                std::optional<OccupationLimit>& limit) {
    if (!limit || earlier.empty()) return;
    const auto set = follower.continued(earlier, frozen, false);
    if (judge(what, set)) limit->orbitals = active_numbers(*set);
  };
  follow_limit("space.max_holes", before.max_holes, result.max_holes);
  follow_limit("space.max_particles", before.max_particles, result.max_particles);
  return result;
}

std::string followed_warning(std::string_view what, std::string_view origin, std::vector<int> followed,
                             std::vector<int> anew, std::span<const std::string> names) {
  std::ranges::sort(followed);
  std::ranges::sort(anew);
  std::vector<int> kept, others;
  std::ranges::set_difference(followed, anew, std::back_inserter(kept));
  std::ranges::set_difference(anew, followed, std::back_inserter(others));
  if (kept.empty() && others.empty()) return "";
  return fmt::format("{} is followed from {}: it has {}, where choosing anew would take {}", what, origin,
                     names_of(kept, names), names_of(others, names));
}

}  // namespace cisolve
