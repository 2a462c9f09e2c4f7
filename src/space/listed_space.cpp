// SPDX-License-Identifier: MIT
// Spaces out of several references, with bounds on holes and particles, or completed in spin.
#include <omp.h>

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/single_occupancy.hpp"
#include "space/listed_space.hpp"
#include "space/selection_rules.hpp"

namespace cisolve {
namespace {

constexpr std::int8_t not_reached = std::numeric_limits<std::int8_t>::max();

template <int Words>
int excitation_degree(const Determinant<Words>& to, const Determinant<Words>& from) {
  return (to.alpha & ~from.alpha).count() + (to.beta & ~from.beta).count();
}

/// Electrons of one string in the orbitals of the bounds.
struct BoundCounts {
  std::int16_t in_holes = 0;
  std::int16_t in_particles = 0;
};

/// Generates a selection run by run: for each alpha string its beta strings, with their levels.
template <int Words>
class Generator {
public:
  explicit Generator(const SpaceSelection<Words>& selection)
      : selection_(selection),
        levels_(std::min(selection.excitation_level, max_excitation_level(selection)) + 1) {
    collect_references();
    alpha_ = strings_around(alpha_references_);
    beta_ = strings_around(beta_references_);
    describe(alpha_, alpha_counts_, alpha_irreps_);
    describe(beta_, beta_counts_, beta_irreps_);
    list_betas();
    counts_.assign(alpha_.size() * static_cast<std::size_t>(levels_), 0);
    for_each_alpha(
        [&](std::size_t a, const std::vector<std::int32_t>& betas, const std::vector<std::int8_t>& level) {
          for (const std::int32_t b : betas) ++count(a, level[b]);
        });
  }

  std::vector<std::int64_t> level_counts() const {
    std::vector<std::int64_t> totals(levels_, 0);
    for (std::size_t a = 0; a < alpha_.size(); ++a) {
      for (int level = 0; level < levels_; ++level) totals[level] += count(a, level);
    }
    return totals;
  }

  /// All determinants, by level, alpha string, beta string.
  std::vector<Determinant<Words>> determinants() const {
    std::vector<std::int64_t> offsets(counts_.size());
    std::int64_t rows = 0;
    for (int level = 0; level < levels_; ++level) {
      for (std::size_t a = 0; a < alpha_.size(); ++a) {
        offsets[index(a, level)] = rows;
        rows += count(a, level);
      }
    }
    std::vector<Determinant<Words>> all(rows);
    for_each_alpha(
        [&](std::size_t a, const std::vector<std::int32_t>& betas, const std::vector<std::int8_t>& level) {
          for (const std::int32_t b : betas) {
            const std::size_t at = b;
            all[offsets[index(a, level[at])]++] = {alpha_[a], beta_[at]};
          }
        });
    return all;
  }

private:
  std::size_t index(std::size_t alpha, int level) const {
    return alpha * static_cast<std::size_t>(levels_) + static_cast<std::size_t>(level);
  }
  std::int64_t& count(std::size_t alpha, int level) { return counts_[index(alpha, level)]; }
  const std::int64_t& count(std::size_t alpha, int level) const { return counts_[index(alpha, level)]; }

  void collect_references() {
    const auto distinct = [&](BitString<Words> Determinant<Words>::*spin) {
      std::vector<BitString<Words>> strings;
      for (const auto& d : selection_.references) strings.push_back(d.*spin);
      std::sort(strings.begin(), strings.end());
      strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
      return strings;
    };
    alpha_references_ = distinct(&Determinant<Words>::alpha);
    beta_references_ = distinct(&Determinant<Words>::beta);
    partners_.resize(beta_references_.size());
    for (const auto& d : selection_.references) {
      const auto at = std::lower_bound(beta_references_.begin(), beta_references_.end(), d.beta);
      partners_[at - beta_references_.begin()].push_back(d.alpha);
    }
  }

  /// All strings that any of the references reaches and no bound excludes by itself, ascending.
  std::vector<BitString<Words>> strings_around(const std::vector<BitString<Words>>& references) const {
    std::vector<BitString<Words>> all;
    for (const BitString<Words>& reference : references) {
      const int electrons = reference.count();
      const int most = std::min({levels_ - 1, electrons, selection_.num_orbitals - electrons});
      const auto reached = strings_within<Words>({.num_orbitals = selection_.num_orbitals,
                                                  .reference = reference,
                                                  .max_level = most,
                                                  .irreps = selection_.irreps,
                                                  .max_holes = selection_.max_holes,
                                                  .max_particles = selection_.max_particles});
      std::vector<BitString<Words>> merged;
      merged.reserve(all.size() + reached.size());
      std::set_union(all.begin(), all.end(), reached.begin(), reached.end(), std::back_inserter(merged));
      all = std::move(merged);
    }
    return all;
  }

  BoundCounts bound_counts(const BitString<Words>& s) const {
    BoundCounts counts;
    if (selection_.max_holes)
      counts.in_holes = static_cast<std::int16_t>((s & selection_.max_holes->orbitals).count());
    if (selection_.max_particles) {
      counts.in_particles = static_cast<std::int16_t>((s & selection_.max_particles->orbitals).count());
    }
    return counts;
  }

  void describe(const std::vector<BitString<Words>>& strings, std::vector<BoundCounts>& counts,
                std::vector<std::int8_t>& irreps) const {
    for (const BitString<Words>& s : strings) {
      counts.push_back(bound_counts(s));
      irreps.push_back(static_cast<std::int8_t>(irrep_of(s, selection_.irreps)));
    }
  }

  // betas_[(reference * levels + level) * 8 + irrep]: numbers of the beta strings at that distance
  void list_betas() {
    betas_.resize(beta_references_.size() * static_cast<std::size_t>(levels_) * 8);
    parallel_for(std::ssize(beta_references_), 1, [&](std::int64_t reference) {
      const std::size_t r = reference;
      for (std::size_t b = 0; b < beta_.size(); ++b) {
        const int level = (beta_[b] & ~beta_references_[r]).count();
        if (level >= levels_) continue;
        const int irrep = selection_.irrep == any_irrep ? 0 : beta_irreps_[b];
        betas_[betas_index(r, level, irrep)].push_back(static_cast<std::int32_t>(b));
      }
    });
  }

  std::size_t betas_index(std::size_t reference, int level, int irrep) const {
    return (reference * static_cast<std::size_t>(levels_) + static_cast<std::size_t>(level)) * 8 +
           static_cast<std::size_t>(irrep);
  }

  bool keeps_bounds(const BoundCounts& a, const BoundCounts& b) const {
    const auto& holes = selection_.max_holes;
    const auto& particles = selection_.max_particles;
    return (!holes || 2 * holes->orbitals.count() - a.in_holes - b.in_holes <= holes->count) &&
           (!particles || a.in_particles + b.in_particles <= particles->count);
  }

  /// visit(alpha number, its beta numbers ascending, level of each beta string), from several threads.
  template <class Visit>
  void for_each_alpha(const Visit& visit) const {
    struct Buffer {
      std::vector<std::int8_t> level;
      std::vector<std::int32_t> betas;
    };
    std::vector<Buffer> buffers(omp_get_max_threads());
    parallel_for(std::ssize(alpha_), 16, [&](std::int64_t number) {
      const std::size_t a = number;
      Buffer& buffer = buffers[omp_get_thread_num()];
      buffer.level.resize(beta_.size(), not_reached);
      collect(a, buffer.level, buffer.betas);
      std::sort(buffer.betas.begin(), buffer.betas.end());
      visit(a, buffer.betas, buffer.level);
      for (const std::int32_t b : buffer.betas) buffer.level[b] = not_reached;
      buffer.betas.clear();
    });
  }

  void collect(std::size_t a, std::vector<std::int8_t>& level_of, std::vector<std::int32_t>& found) const {
    const int irrep = selection_.irrep == any_irrep ? 0 : selection_.irrep ^ alpha_irreps_[a];
    for (std::size_t r = 0; r < beta_references_.size(); ++r) {
      int alpha_level = levels_;
      for (const BitString<Words>& partner : partners_[r]) {
        alpha_level = std::min(alpha_level, (alpha_[a] & ~partner).count());
      }
      for (int level = alpha_level; level < levels_; ++level) {
        for (const std::int32_t b : betas_[betas_index(r, level - alpha_level, irrep)]) {
          std::int8_t& known = level_of[b];
          if (known <= level) continue;
          if (known == not_reached) {
            if (!keeps_bounds(alpha_counts_[a], beta_counts_[b])) continue;
            found.push_back(b);
          }
          known = static_cast<std::int8_t>(level);
        }
      }
    }
  }

  const SpaceSelection<Words>& selection_;
  int levels_;
  std::vector<BitString<Words>> alpha_references_, beta_references_;
  std::vector<std::vector<BitString<Words>>> partners_;  // alpha strings beside each beta reference
  std::vector<BitString<Words>> alpha_, beta_;
  std::vector<BoundCounts> alpha_counts_, beta_counts_;
  std::vector<std::int8_t> alpha_irreps_, beta_irreps_;
  std::vector<std::vector<std::int32_t>> betas_;
  std::vector<std::int64_t> counts_;
};

/// The determinants of a CAS, ascending.
template <int Words>
std::vector<Determinant<Words>> cas_determinants(const SpaceSelection<Words>& selection) {
  const Determinant<Words>& first = selection.references[0];
  const std::vector<BitString<Words>> betas = strings_within(strings_of(selection, first.beta));
  std::vector<Determinant<Words>> all;
  for (const BitString<Words>& alpha : strings_within(strings_of(selection, first.alpha))) {
    const StringCount kind = kind_of(selection, alpha, first.alpha);
    for (const BitString<Words>& beta : betas) {
      if (may_meet(selection, kind, kind_of(selection, beta, first.beta))) all.push_back({alpha, beta});
    }
  }
  return all;
}

/// The references of the irrep that keep the bounds, ascending, each once: all of a space without excitations, which a
/// generator would look for beside each other.
template <int Words>
std::vector<Determinant<Words>> kept_references(const SpaceSelection<Words>& selection) {
  if (selection.cas) return cas_determinants(selection);
  std::vector<Determinant<Words>> kept;
  for (const Determinant<Words>& d : selection.references) {
    const int irrep = irrep_of(d.alpha, selection.irreps) ^ irrep_of(d.beta, selection.irreps);
    if ((selection.irrep == any_irrep || selection.irrep == irrep) && keeps_bounds(selection, d))
      kept.push_back(d);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

/// Determinants beyond those given that belong to the same configurations, with their levels.
template <int Words>
std::vector<std::pair<int, Determinant<Words>>> missing_arrangements(
    const SpaceSelection<Words>& selection, const std::vector<Determinant<Words>>& given) {
  std::vector<Determinant<Words>> configurations = given;  // (closed shells, open shells)
  for (auto& d : configurations) d = {d.alpha & d.beta, d.alpha ^ d.beta};
  std::sort(configurations.begin(), configurations.end());
  configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
  const KeyIndex<Determinant<Words>> index(given);
  const int num_alpha = selection.references[0].alpha.count();

  constexpr std::int64_t chunk = 256;
  const std::int64_t chunks = (std::ssize(configurations) + chunk - 1) / chunk;
  std::vector<std::vector<std::pair<int, Determinant<Words>>>> parts(chunks);
  parallel_for(chunks, 1, [&](std::int64_t c) {
    auto& part = parts[c];
    const auto last = std::min((c + 1) * chunk, std::int64_t{std::ssize(configurations)});
    for (std::int64_t k = c * chunk; k < last; ++k) {
      const auto& [closed, open] = configurations[k];
      for_each_arrangement(closed, open, num_alpha, [&](const Determinant<Words>& d) {
        if (index.find(given, d) >= 0) return;
        int level = std::numeric_limits<int>::max();
        for (const auto& reference : selection.references)
          level = std::min(level, excitation_degree(d, reference));
        part.emplace_back(level, d);
      });
    }
  });
  std::vector<std::pair<int, Determinant<Words>>> missing;
  for (const auto& part : parts) missing.insert(missing.end(), part.begin(), part.end());
  return missing;
}

/// Adds the missing arrangements at their places, by level.
template <int Words>
void complete(const SpaceSelection<Words>& selection, std::vector<Determinant<Words>>& determinants,
              std::vector<std::int64_t>& level_counts) {
  auto missing = missing_arrangements(selection, determinants);
  if (missing.empty()) return;
  std::sort(missing.begin(), missing.end());
  level_counts.resize(std::max(level_counts.size(), static_cast<std::size_t>(missing.back().first) + 1), 0);
  std::vector<Determinant<Words>> all;
  all.reserve(determinants.size() + missing.size());
  auto old = determinants.begin();
  auto added = missing.begin();
  for (std::size_t level = 0; level < level_counts.size(); ++level) {
    const auto old_end = old + level_counts[level];
    while (old != old_end || (added != missing.end() && added->first == static_cast<int>(level))) {
      const bool has_added = added != missing.end() && added->first == static_cast<int>(level);
      if (old != old_end && (!has_added || *old < added->second)) {
        all.push_back(*old++);
      } else {
        all.push_back((added++)->second);
        ++level_counts[level];
      }
    }
  }
  determinants = std::move(all);
}

}  // namespace

template <int Words>
std::vector<std::int64_t> count_listed(const SpaceSelection<Words>& selection) {
  if (selection.single_occupancy) return {SingleOccupancySpace<Words>(selection).size()};
  if (selection.excitation_level == 0) return {std::ssize(kept_references(selection))};
  return Generator<Words>(selection).level_counts();
}

template <int Words>
ListedDeterminants<Words> list_determinants(const SpaceSelection<Words>& selection) {
  if (selection.references.empty()) throw DimensionError("space: no reference determinant");
  ListedDeterminants<Words> listed;
  auto& determinants = listed.determinants;  // no structured binding: clang 14 lets no lambda refer to one
  auto& level_counts = listed.level_counts;
  if (selection.excitation_level == 0) {
    determinants = kept_references(selection);
    level_counts = {std::ssize(determinants)};
  } else {
    const Generator<Words> generator(selection);
    level_counts = generator.level_counts();
    determinants = generator.determinants();
  }
  // Level 0 is the references; they come in the order of the input.
  const std::int64_t num_references = level_counts[0];
  auto references = selection.references;
  std::erase_if(references, [&](const Determinant<Words>& d) {
    return !std::binary_search(determinants.begin(), determinants.begin() + num_references, d);
  });
  if (selection.spin_complete) complete(selection, determinants, level_counts);
  // A CAS of twelve orbitals has half a million of them.
  const std::vector<Determinant<Words>> ascending(determinants.begin(),
                                                  determinants.begin() + num_references);
  std::vector<bool> is_written(ascending.size());
  std::int64_t written = 0;
  for (const Determinant<Words>& reference : references) {
    const std::size_t at = std::ranges::lower_bound(ascending, reference) - ascending.begin();
    if (is_written[at]) continue;  // named twice
    is_written[at] = true;
    determinants[written++] = reference;
  }
  while (level_counts.size() > 1 && level_counts.back() == 0) level_counts.pop_back();
  return listed;
}

template <int Words>
std::unique_ptr<ListSpace<Words>> make_list(const SpaceSelection<Words>& selection,
                                            ListedDeterminants<Words> listed) {
  const std::int64_t num_references = listed.level_counts[0];
  return std::make_unique<ListSpace<Words>>(std::move(listed.determinants), selection.num_orbitals,
                                            selection.irrep, num_references, std::move(listed.level_counts));
}

#define INSTANTIATE(W)                                                        \
  template std::vector<std::int64_t> count_listed(const SpaceSelection<W>&);  \
  template ListedDeterminants<W> list_determinants(const SpaceSelection<W>&); \
  template std::unique_ptr<ListSpace<W>> make_list(const SpaceSelection<W>&, ListedDeterminants<W>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
