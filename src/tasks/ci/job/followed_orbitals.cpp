// SPDX-License-Identifier: MIT
#include "tasks/ci/job/followed_orbitals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
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

  /// @param outside  orbitals that are not available
  Set continued(const std::vector<int>& earlier, const std::vector<int>& outside) const {
    std::vector<bool> taken(here_.irreps.size(), false);
    for (const int p : outside) taken[p] = true;
    Set set;
    std::vector<int> left = earlier, missing;
    // Where the SCF occupies the irreps otherwise, what is left is looked for in the whole irrep.
    for (const bool same_occupation : {true, false}) {
      while (!left.empty()) {
        const auto like_first = [&, q = left.front()](int other) {
          return alike(before_, q, before_, other, same_occupation);
        };
        std::vector<int> group, rest;
        std::ranges::partition_copy(left, std::back_inserter(group), std::back_inserter(rest), like_first);
        const std::size_t found = take(group, earlier, same_occupation, taken, set);
        missing.insert(missing.end(), group.begin() + static_cast<std::ptrdiff_t>(found), group.end());
        left = std::move(rest);
      }
      left = std::exchange(missing, {});
    }
    std::ranges::sort(set.orbitals);
    return set;
  }

private:
  static bool alike(const ScfOrbitals& a, int p, const ScfOrbitals& b, int q, bool same_occupation) {
    return a.irreps[p] == b.irreps[q] &&
           (!same_occupation || (a.occupations[p] > 0) == (b.occupations[q] > 0));
  }

  /// As many as the group has, the largest share in the set first. @returns how many there were
  std::size_t take(const std::vector<int>& group, const std::vector<int>& earlier, bool same_occupation,
                   std::vector<bool>& taken, Set& set) const {
    std::vector<std::pair<double, int>> candidates;
    for (int p = 0; p < std::ssize(here_.irreps); ++p) {
      if (taken[p] || !alike(here_, p, before_, group.front(), same_occupation)) continue;
      double share = 0.0;
      for (const int q : earlier) share += overlap_(p, q) * overlap_(p, q);
      candidates.emplace_back(share, p);
    }
    std::ranges::stable_sort(candidates, std::greater<>(), &std::pair<double, int>::first);
    candidates.resize(std::min(candidates.size(), group.size()));
    for (const auto& [share, p] : candidates) {
      taken[p] = true;
      set.orbitals.push_back(p);
      if (share < set.least_share) std::tie(set.least_share, set.least) = std::pair(share, p);
    }
    return candidates.size();
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
  const auto follow = [&](std::string_view what, const std::vector<int>& earlier,
                          const std::vector<int>& outside) {
    constexpr double half = 0.5;
    const Follower::Set set = follower.continued(earlier, outside);
    if (set.least_share < half) {
      warnings.push_back(
          fmt::format("{} is followed from {}, but {} has only {:.0f} % of itself among the orbitals chosen "
                      "there; points nearer to each other make the choice sure",
                      what, before.origin, names[set.least], 100.0 * set.least_share));
    }
    return set.orbitals;
  };
  const std::vector<int> core = follow("the frozen core", before.core, {});
  std::vector<int> frozen = follow("the set of frozen virtuals", before.virtuals, core);
  result.frozen_virtual = from_one(frozen);
  result.frozen_core = from_one(core);
  frozen.insert(frozen.end(), core.begin(), core.end());
  const auto active_numbers = [&](std::string_view what, const std::vector<int>& earlier) {
    std::vector<int> numbers = from_one(follow(what, earlier, frozen));
    for (int& p : numbers) p -= static_cast<int>(std::ranges::count_if(frozen, [&](int f) { return f < p; }));
    return numbers;
  };
  if (auto* cas = std::get_if<CasReference>(&result.reference); cas != nullptr && !before.cas.empty()) {
    result.cas_as_given = *cas;
    *cas = {cas->electrons, static_cast<int>(before.cas.size()), active_numbers("the CAS", before.cas),
            cas->irreps};
  }
  if (result.max_holes && !before.max_holes.empty())
    result.max_holes->orbitals = active_numbers("space.max_holes", before.max_holes);
  if (result.max_particles && !before.max_particles.empty())
    result.max_particles->orbitals = active_numbers("space.max_particles", before.max_particles);
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
