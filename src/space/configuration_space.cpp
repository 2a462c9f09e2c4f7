// SPDX-License-Identifier: MIT
#include "cisolve/space/configuration_space.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "space/configuration_walk.hpp"

namespace cisolve {
namespace {

template <int Words>
void check(const ConfigurationSelection<Words>& selection) {
  if (selection.references.empty()) throw DimensionError("configuration space: no reference");
  if (selection.irreps.size() != static_cast<std::size_t>(selection.num_orbitals)) {
    throw DimensionError("configuration space: one irrep label per orbital is needed");
  }
  if (selection.num_orbitals > BitString<Words>::max_orbitals) {
    throw DimensionError("configuration space: more orbitals than a string has bits");
  }
  for (const Configuration<Words>& c : selection.references) {
    if (c.num_electrons() != selection.references[0].num_electrons()) {
      throw DimensionError("configuration space: references differ in their numbers of electrons");
    }
  }
  if (selection.two_s < 0 || (selection.references[0].num_electrons() - selection.two_s) % 2 != 0) {
    throw DimensionError("configuration space: the electrons cannot have this spin");
  }
}

template <int Words>
const ConfigurationSelection<Words>& checked(const ConfigurationSelection<Words>& selection) {
  check(selection);
  return selection;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

}  // namespace

template <int Words>
int max_excitation_level(const Configuration<Words>& reference, int num_orbitals) {
  return std::min(reference.num_electrons(), 2 * num_orbitals - reference.num_electrons());
}

std::uint64_t CsfCounts::at_level(int level, int irrep) const {
  const auto& counts = csfs[level];
  if (irrep != any_irrep) return counts[irrep];
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum = saturating_add(sum, count);
  return sum;
}

template <int Words>
CsfCounts count_csfs(const ConfigurationSelection<Words>& selection) {
  check(selection);
  if (selection.references.size() != 1 || !selection.bounds.empty()) {
    throw DimensionError("count_csfs: one reference without bounds is needed");
  }
  const Configuration<Words>& reference = selection.references[0];
  const int max_level =
      std::min(selection.excitation_level, max_excitation_level(reference, selection.num_orbitals));
  const auto levels = static_cast<std::size_t>(max_level) + 1;
  const int max_open = std::min(selection.num_orbitals, reference.num_open() + 2 * max_level);
  const auto opens = static_cast<std::size_t>(max_open) + 1;
  // patterns[lost][gained][open shells][irrep] over the orbitals treated so far
  const auto at = [&](std::size_t lost, std::size_t gained, std::size_t open) {
    return (lost * levels + gained) * opens + open;
  };
  std::vector<std::array<std::uint64_t, 8>> patterns(levels * levels * opens);
  patterns[0][0] = 1;
  for (int p = 0; p < selection.num_orbitals; ++p) {
    std::vector<std::array<std::uint64_t, 8>> next(patterns.size());
    const std::size_t label = selection.irreps[p];
    for (int occupation = 0; occupation <= 2; ++occupation) {
      const int change = occupation - reference.occupation(p);
      const std::size_t loss = std::max(-change, 0);
      const std::size_t gain = std::max(change, 0);
      const std::size_t opened = occupation == 1 ? 1 : 0;
      for (std::size_t lost = 0; lost + loss < levels; ++lost) {
        for (std::size_t gained = 0; gained + gain < levels; ++gained) {
          for (std::size_t open = 0; open + opened < opens; ++open) {
            const auto& from = patterns[at(lost, gained, open)];
            auto& to = next[at(lost + loss, gained + gain, open + opened)];
            for (std::size_t g = 0; g < 8; ++g) {
              auto& sum = to[g ^ (opened * label)];
              sum = saturating_add(sum, from[g]);
            }
          }
        }
      }
    }
    patterns = std::move(next);
  }
  const SpinCouplings couplings(selection.two_s, max_open);
  CsfCounts counts;
  for (std::size_t level = 0; level < levels; ++level) {
    auto& configurations = counts.configurations.emplace_back();
    auto& csfs = counts.csfs.emplace_back();
    for (std::size_t open = 0; open < opens; ++open) {
      const auto per_configuration = static_cast<std::uint64_t>(couplings.count(static_cast<int>(open)));
      if (per_configuration == 0) continue;
      for (std::size_t g = 0; g < 8; ++g) {
        const std::uint64_t found = patterns[at(level, level, open)][g];
        configurations[g] = saturating_add(configurations[g], found);
        csfs[g] = saturating_add(csfs[g], saturating_multiply(found, per_configuration));
      }
    }
  }
  return counts;
}

template <int Words>
ConfigurationSpace<Words>::ConfigurationSpace(ConfigurationSelection<Words> selection)
    : selection_(std::move(selection)),
      couplings_(checked(selection_).two_s,
                 std::min(selection_.num_orbitals, selection_.references[0].num_electrons())) {
  std::vector<RankedConfiguration<Words>> ranked = generate_configurations(selection_);
  const auto past_last = static_cast<std::int32_t>(selection_.references.size());
  configurations_.reserve(ranked.size());
  offsets_.reserve(ranked.size() + 1);
  offsets_.push_back(0);
  for (const RankedConfiguration<Words>& next : ranked) {
    const std::int64_t csfs = couplings_.count(next.configuration.num_open());
    if (next.reference < past_last) ++num_references_;
    configurations_.push_back(next.configuration);
    offsets_.push_back(offsets_.back() + csfs);
    const std::size_t level = next.level;
    if (level >= level_counts_.size()) level_counts_.resize(level + 1, 0);
    level_counts_[level] += csfs;
  }
  ranked = {};  // the index takes its place
  index_ = KeyIndex<Configuration<Words>>(configurations_);
}

template <int Words>
std::int32_t ConfigurationSpace<Words>::configuration_of_row(std::int64_t row) const {
  return static_cast<std::int32_t>(std::upper_bound(offsets_.begin(), offsets_.end(), row) -
                                   offsets_.begin() - 1);
}

template <int Words>
std::int64_t ConfigurationSpace<Words>::bytes() const {
  // Configuration and offset, and at most four slots of the index.
  constexpr std::int64_t per_configuration = sizeof(Configuration<Words>) + 8 + 4 * 4;
  return per_configuration * num_configurations();
}

template <int Words>
std::int64_t ConfigurationSpace<Words>::peak_bytes() const {
  // Parts that have grown to twice their size beside the whole that they are put together to, and what the
  // heap keeps: 89 bytes were seen for 5,222,264 configurations of one word.
  constexpr std::int64_t per_configuration = 4 * sizeof(RankedConfiguration<Words>);
  return per_configuration * num_configurations();
}

template <int Words>
std::uint64_t ConfigurationSpace<Words>::fingerprint() const {
  Hasher hasher;
  hasher.add("csf");
  hasher.add(std::int64_t{selection_.two_s});
  for (const Configuration<Words>& c : configurations_) hasher.add(mix(c));
  return hasher.digest();
}

template <int Words>
std::vector<std::uint8_t> ConfigurationSpace<Words>::steps(std::int64_t first, std::int64_t count) const {
  const std::size_t norb = num_orbitals();
  std::vector<std::uint8_t> result(static_cast<std::size_t>(count) * norb, 0);
  std::vector<SpinStep> path;
  std::int32_t i = count > 0 ? configuration_of_row(first) : 0;
  for (std::int64_t k = 0; k < count; ++k) {
    while (first + k >= offset(i + 1)) ++i;
    const Configuration<Words>& c = configuration(i);
    path.resize(c.num_open());
    couplings_.steps(first + k - offset(i), path);
    std::uint8_t* row = &result[static_cast<std::size_t>(k) * norb];
    c.doubly.for_each([&](int p) { row[p] = 3; });
    std::size_t shell = 0;
    c.singly.for_each([&](int p) { row[p] = static_cast<std::uint8_t>(path[shell++]); });
  }
  return result;
}

#define INSTANTIATE(W)                                             \
  template class ConfigurationSpace<W>;                            \
  template int max_excitation_level(const Configuration<W>&, int); \
  template CsfCounts count_csfs(const ConfigurationSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
