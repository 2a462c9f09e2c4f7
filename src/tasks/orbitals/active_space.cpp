// SPDX-License-Identifier: MIT
#include "tasks/orbitals/active_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "tasks/ci/job/degeneracy.hpp"

namespace cisolve {
namespace {

/// Chooses the orbitals of a CAS among those that are not frozen: zero-based, ascending.
class ActiveSpaceChoice {
public:
  ActiveSpaceChoice(const CasReference& cas, const CiConfig& config, const IntegralSource& source,
                    std::span<const std::string> names)
      : cas_(cas), key_(config.orbitals->reference_key), source_(source), names_(names),
        in_order_(!config.orbitals_file.empty() || !config.molecule),
        core_(frozen_orbitals(config.frozen_core, source, false)) {
    const std::vector<int> virtuals = frozen_orbitals(config.frozen_virtual, source, true);
    for (int p = 0; p < source.num_orbitals; ++p) {
      const bool frozen = std::ranges::count(core_, p) + std::ranges::count(virtuals, p) > 0;
      if (!frozen) free_.push_back(p);
    }
    const int outside = source.num_electrons - 2 * static_cast<int>(core_.size()) - cas.electrons;
    if (outside < 0 || outside % 2 != 0) {
      throw InputError(
          fmt::format("{}: a CAS of {} electrons leaves {} of {} outside{}; that must be an even number that "
                      "is not negative",
                      key_, cas.electrons, outside, outside + cas.electrons,
                      core_.empty() ? "" : fmt::format(" and above {} frozen orbitals", core_.size())));
    }
    pairs_outside_ = outside / 2;
    if (!cas.inactive) return;
    const int given = std::accumulate(cas.inactive->begin(), cas.inactive->end(), 0);
    const int needed = (source.num_electrons - cas.electrons) / 2;
    if (given != needed)
      throw InputError(
          fmt::format("space.inactive: its sum is {}, but the {} electrons outside the CAS fill {}", given,
                      2 * needed, needed));
  }

  std::vector<int> active() const {
    std::vector<int> chosen = cas_.inactive             ? above_inactive()
                              : !cas_.per_irrep.empty() ? of_irreps()
                              : !cas_.labels.empty()    ? labelled()
                              : !cas_.orbitals.empty()  ? numbered()
                                                        : following();
    std::ranges::sort(chosen);
    if (std::ssize(free_) - std::ssize(chosen) < pairs_outside_) {
      refuse(fmt::format("a CAS of {} orbitals leaves room for {} doubly occupied ones, but {} are outside",
                         chosen.size(), free_.size() - chosen.size(), pairs_outside_));
    }
    return chosen;
  }

  /// The frozen core, and the lowest of the others outside the CAS.
  std::vector<int> inactive(const std::vector<int>& active) const {
    if (cas_.inactive) return first_of_irreps();
    std::vector<int> result = core_;
    for (const int p : free_) {
      if (std::ssize(result) == std::ssize(core_) + pairs_outside_) break;
      if (std::ranges::count(active, p) == 0) result.push_back(p);
    }
    std::ranges::sort(result);
    return result;
  }

  /// Makes orbitals of a limit, which count after freezing, count among the active ones.
  void renumber(const std::vector<int>& active, std::string_view key,
                std::optional<OccupationLimit>& limit) const {
    if (!limit) return;
    for (int& p : limit->orbitals) {
      if (p < 1 || p > std::ssize(free_))
        throw InputError(fmt::format("{}: orbital {} is outside 1 .. {}", key, p, free_.size()));
      const int orbital = free_[p - 1];
      const auto at = std::ranges::lower_bound(active, orbital);
      if (at == active.end() || *at != orbital) {
        std::string text;
        for (const int u : active)
          text += fmt::format(" {} ({})", std::ranges::lower_bound(free_, u) - free_.begin() + 1, names_[u]);
        throw InputError(
            fmt::format("{}: orbital {} ({}) is not in the CAS, which has{}", key, p, names_[orbital], text));
      }
      p = static_cast<int>(at - active.begin()) + 1;
    }
  }

private:
  [[noreturn]] void refuse(const std::string& why) const {
    constexpr int most_named = 24;
    std::string text;
    for (int k = 0; k < std::min<int>(most_named, static_cast<int>(free_.size())); ++k)
      text += " " + names_[free_[k]];
    throw InputError(fmt::format("{}: {}; the orbitals are{}{}", key_, why, text,
                                 std::ssize(free_) > most_named ? " ..." : ""));
  }

  std::vector<int> following() const {
    if (pairs_outside_ + cas_.num_orbitals > std::ssize(free_)) {
      refuse(
          fmt::format("a CAS of {} orbitals above {} doubly occupied ones needs more than the {} there are",
                      cas_.num_orbitals, pairs_outside_, free_.size()));
    }
    const auto first = free_.begin() + pairs_outside_;
    return {first, first + cas_.num_orbitals};
  }

  std::vector<int> numbered() const {
    std::vector<int> chosen;
    for (const int p : cas_.orbitals) {
      if (p < 1 || p > std::ssize(free_))
        refuse(fmt::format("orbital {} of the CAS is outside 1 .. {}", p, free_.size()));
      chosen.push_back(free_[p - 1]);
    }
    return chosen;
  }

  std::vector<int> labelled() const {
    std::vector<int> chosen;
    for (const std::string& label : cas_.labels) {
      const auto p = find_orbital(label, names_);
      const int orbital = p ? static_cast<int>(*p) : -1;
      if (std::ranges::count(free_, orbital) == 0)
        refuse(fmt::format("there is no orbital \"{}\" that is not frozen", label));
      if (std::ranges::count(chosen, orbital) != 0) refuse(fmt::format("the CAS names \"{}\" twice", label));
      chosen.push_back(orbital);
    }
    return chosen;
  }

  /// The orbitals of an irrep (zero-based) in their order.
  std::vector<int> of_irrep(int irrep) const {
    std::vector<int> found;
    for (int p = 0; p < source_.num_orbitals; ++p) {
      if (source_.orbital_irreps[p] == irrep) found.push_back(p);
    }
    return found;
  }

  /// The inactive ones, where they are given.
  std::vector<int> first_of_irreps() const {
    std::vector<int> result;
    for (int irrep = 0; irrep < std::ssize(*cas_.inactive); ++irrep) {
      const std::vector<int> all = of_irrep(irrep);
      const std::ptrdiff_t count = std::min<std::ptrdiff_t>((*cas_.inactive)[irrep], std::ssize(all));
      result.insert(result.end(), all.begin(), all.begin() + count);
    }
    std::ranges::sort(result);
    return result;
  }

  /// Those that follow the inactive ones in each irrep.
  std::vector<int> above_inactive() const {
    const std::vector<int> below = first_of_irreps();
    for (const int p : core_) {
      if (!std::ranges::binary_search(below, p))
        refuse(fmt::format("{} is frozen, but not one of the inactive orbitals", names_[p]));
    }
    std::vector<int> chosen;
    for (const auto& [irrep, count] : cas_.per_irrep) {
      const std::vector<int> all = of_irrep(irrep - 1);
      const int first = (*cas_.inactive)[irrep - 1];
      if (first + count > std::ssize(all)) {
        refuse(fmt::format("{} inactive and {} active orbitals of irrep {} are more than the {} there are",
                           first, count, source_.point_group.irrep_name(irrep), all.size()));
      }
      chosen.insert(chosen.end(), all.begin() + first, all.begin() + first + count);
    }
    for (const int p : chosen) {
      if (std::ranges::count(free_, p) == 0)
        refuse(fmt::format("{} is frozen, and cannot be active", names_[p]));
    }
    return chosen;
  }

  /// So many of each irrep: occupied ones from the highest down as the irreps have room, then the lowest empty ones.
  std::vector<int> of_irreps() const {
    const ScfOrbitals& scf = source_.molecule->scf.orbitals;
    std::vector<std::pair<double, int>> occupied, empty;
    for (const int p : free_) {  // orbitals of a file have no energies that say more than their order
      const double height = in_order_ ? static_cast<double>(p) : scf.energies[p];
      (scf.occupations[p] > 0 ? occupied : empty).emplace_back(height, p);
    }
    std::ranges::stable_sort(occupied, std::greater<>(), &std::pair<double, int>::first);
    std::ranges::stable_sort(empty, {}, &std::pair<double, int>::first);
    std::map<int, int> room = cas_.per_irrep;
    std::vector<int> chosen;
    const auto take = [&](int p) {
      const auto found = room.find(source_.orbital_irreps[p] + 1);
      if (found == room.end() || found->second == 0) return false;
      --found->second;
      chosen.push_back(p);
      return true;
    };
    auto missing = std::ssize(occupied) - pairs_outside_;
    for (const auto& [energy, p] : occupied) {
      if (missing > 0 && take(p)) --missing;
    }
    if (missing > 0) {
      refuse(
          fmt::format("a CAS of {} electrons needs {} of the occupied orbitals, but its irreps take {} fewer",
                      cas_.electrons, std::ssize(occupied) - pairs_outside_, missing));
    }
    for (const auto& [energy, p] : empty) take(p);
    for (const auto& [irrep, left] : room) {
      if (left > 0) {
        refuse(fmt::format(
            "the CAS asks for {} more orbitals of irrep {} than there are beside the doubly occupied ones",
            left, source_.point_group.irrep_name(irrep)));
      }
    }
    return chosen;
  }

  const CasReference& cas_;
  const std::string& key_;  ///< where the CAS is given
  const IntegralSource& source_;
  std::span<const std::string> names_;
  bool in_order_;                 ///< orbitals count in the order of their file
  std::vector<int> core_, free_;  ///< zero-based
  int pairs_outside_ = 0;
};

void require_multiplicities(const CiConfig& config, const CasReference& cas) {
  for (const int multiplicity : config.multiplicities) {
    const int unpaired = multiplicity - 1;
    if (unpaired <= cas.electrons && (cas.electrons + unpaired) / 2 <= cas.num_orbitals) continue;
    throw InputError(fmt::format(
        "states.multiplicity: {} electrons in {} active orbitals have no state of multiplicity {}",
        cas.electrons, cas.num_orbitals, multiplicity));
  }
}

std::vector<int> numbers_from_one(std::vector<int> orbitals) {
  for (int& p : orbitals) ++p;
  return orbitals;
}

void require_fixed(const CiConfig& config, const IntegralSource& source) {
  for (const int p : config.orbitals->fixed) {
    if (p <= source.num_orbitals) continue;
    throw InputError(
        fmt::format("{}: orbital {} is outside 1 .. {}", config.orbitals->fixed_key, p, source.num_orbitals));
  }
}

}  // namespace

CiConfig freeze_outside_active_space(const CiConfig& config, const IntegralSource& source,
                                     std::span<const std::string> names, std::vector<std::string>& warnings) {
  require_fixed(config, source);
  if (!is_active_space(config)) return config;
  const auto& cas = std::get<CasReference>(config.reference);
  require_multiplicities(config, cas);
  const ActiveSpaceChoice choice(cas, config, source, names);
  const std::vector<int> active = choice.active(), inactive = choice.inactive(active);
  std::vector<int> empty;
  for (int p = 0; p < source.num_orbitals; ++p) {
    if (std::ranges::count(active, p) + std::ranges::count(inactive, p) == 0) empty.push_back(p);
  }
  if (std::string cut = cut_warning("the CAS", source.shells, active, names); !cut.empty())
    warnings.push_back(std::move(cut));
  CiConfig result = config;
  result.frozen_core = numbers_from_one(inactive);
  result.frozen_virtual = numbers_from_one(empty);
  result.reference = CasReference{
      .electrons = cas.electrons, .num_orbitals = static_cast<int>(active.size()), .irreps = cas.irreps};
  result.cas_as_given.reset();
  choice.renumber(active, "space.max_holes.orbitals", result.max_holes);
  choice.renumber(active, "space.max_particles.orbitals", result.max_particles);
  return result;
}

}  // namespace cisolve
