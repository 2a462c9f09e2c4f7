// SPDX-License-Identifier: MIT
#include "tasks/ci/job/left_out.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <variant>

#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/space/bit_string.hpp"

namespace cisolve {
namespace {

/// Electrons that an orbital holds.
int most_in_orbital(const IntegralSource& source) { return source.spinors ? 1 : 2; }

/// How many of the first orbitals the references can occupy.
class NeededOrbitals {
public:
  NeededOrbitals(const CiConfig& config, const IntegralSource& source, std::span<const int> frozen,
                 std::span<const std::string> names)
      : config_(config), source_(source), names_(names) {
    for (int p = 0; p < source.num_orbitals; ++p) {
      if (std::ranges::find(frozen, p) == frozen.end()) free_.push_back(p);
    }
  }

  /// Numbers of those that are not frozen, ascending.
  const std::vector<int>& free() const { return free_; }

  /// None: all, or it is not known.
  std::optional<int> count(int num_electrons) const {
    auto needed =
        std::visit([&](const auto& reference) { return of(reference, num_electrons); }, config_.reference);
    for (const auto* limit : {&config_.max_holes, &config_.max_particles}) {
      if (!needed || !*limit) continue;
      for (const int p : (*limit)->orbitals) needed = std::max(*needed, p);
    }
    return needed;
  }

private:
  /// References that are searched for among the orbitals of an SCF, which are sorted.
  template <class Searched>
  std::optional<int> of(const Searched& /*reference*/, int num_electrons) const {
    constexpr int room = 32;  // empty orbitals that the lowest configuration of an irrep and a spin may take
    if (!source_.molecule) return std::nullopt;
    int unpaired = std::max(std::abs(source_.ms2), std::abs(config_.ms2.value_or(0)));
    for (const int multiplicity : config_.multiplicities) unpaired = std::max(unpaired, multiplicity - 1);
    return (num_electrons + unpaired + 1) / 2 + room;
  }

  std::optional<int> of(const FileReference& /*reference*/, int /*num_electrons*/) const {
    return std::nullopt;
  }

  std::optional<int> of(const ListedReferences& listed, int /*num_electrons*/) const {
    std::size_t longest = 0;
    for (const std::string& occupation : listed.occupations) longest = std::max(longest, occupation.size());
    return static_cast<int>(longest);
  }

  std::optional<int> of(const CasReference& cas, int num_electrons) const {
    if (cas.inactive || cas.electrons > num_electrons) return std::nullopt;
    const int outside = (num_electrons - cas.electrons) / most_in_orbital(source_);
    if (!cas.per_irrep.empty()) return of_irreps(cas, outside);
    int needed = outside + cas.num_orbitals;
    for (const int p : cas.orbitals) needed = std::max(needed, p);
    for (const std::string& label : cas.labels) {
      const auto orbital = find_orbital(label, names_);
      if (!orbital) return std::nullopt;  // refused later
      const auto at = std::ranges::lower_bound(free_, static_cast<int>(*orbital));
      needed = std::max(needed, static_cast<int>(at - free_.begin()) + 1);
    }
    return needed;
  }

  /// The occupied ones, and of each irrep so many beyond them, with some to choose from: open shells sort them otherwise
  /// than the SCF does.
  std::optional<int> of_irreps(const CasReference& cas, int outside) const {
    constexpr int spare = 4;
    if (!source_.molecule) return std::nullopt;
    const std::vector<int>& occupations = source_.molecule->scf.orbitals.occupations;
    int needed = outside + cas.num_orbitals;
    for (const auto& [irrep, count] : cas.per_irrep) {
      int missing = count + spare;
      for (std::size_t k = 0; k < free_.size() && missing > 0; ++k) {
        const auto p = static_cast<std::size_t>(free_[k]);
        if (source_.orbital_irreps[p] != irrep - 1 || occupations[p] > 0) continue;
        --missing;
        needed = std::max(needed, static_cast<int>(k) + 1);
      }
    }
    return needed;
  }

  const CiConfig& config_;
  const IntegralSource& source_;
  std::span<const std::string> names_;
  std::vector<int> free_;
};

}  // namespace

std::vector<int> orbitals_left_out(const CiConfig& config, const IntegralSource& source,
                                   std::span<const int> frozen, std::span<const std::string> names) {
  if (config.excitation_level != 0 || config.orbitals || config.keep_orbitals) return {};
  const NeededOrbitals needed(config, source, frozen, names);
  const int num_core = static_cast<int>(frozen_orbitals(config.frozen_core, source, false).size());
  const auto count = needed.count(source.num_electrons - most_in_orbital(source) * num_core);
  if (!count) return {};
  const std::vector<int>& free = needed.free();
  const auto kept = static_cast<std::size_t>(std::max(*count, BitString<1>::max_orbitals));
  if (kept >= free.size()) return {};
  return {free.begin() + static_cast<std::ptrdiff_t>(kept), free.end()};
}

}  // namespace cisolve
