// SPDX-License-Identifier: MIT
#include "space/configuration_walk.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// How far the occupations chosen so far are from a reference.
struct Track {
  std::int32_t reference;
  int lost;    ///< electrons that the reference has more
  int gained;  ///< and fewer
};

/// A walk over the orbitals that chooses their occupations one after the other and leaves a branch as soon
/// as it can hold nothing of the selection.
template <int Words>
class Walk {
public:
  explicit Walk(const ConfigurationSelection<Words>& selection)
      : s_(selection), electrons_(selection.references[0].num_electrons()),
        tracks_(selection.num_orbitals + 1) {
    prepare_irreps();
    now_.in_bounds.assign(selection.bounds.size(), 0);
    for (std::size_t r = 0; r < selection.references.size(); ++r)
      tracks_[0].push_back({static_cast<std::int32_t>(r), 0, 0});
  }

  /// The occupations of the orbitals before one, and the references that they can still be reached from.
  struct Branch {
    Configuration<Words> chosen;
    int placed = 0;
    int open = 0;
    int irrep = 0;
    std::vector<int> in_bounds;
    std::vector<Track> tracks;
  };

  /// The branches there are at an orbital.
  std::vector<Branch> branches(int orbital) {
    std::vector<Branch> found;
    walk(0, orbital, [&](const std::vector<Track>& tracks) {
      found.push_back(now_);
      found.back().tracks = tracks;
    });
    return found;
  }

  /// The configurations of a branch at an orbital.
  std::vector<RankedConfiguration<Words>> follow(const Branch& branch, int orbital) {
    now_ = branch;
    tracks_[orbital] = branch.tracks;
    std::vector<RankedConfiguration<Words>> found;
    walk(orbital, s_.num_orbitals, [&](const std::vector<Track>& tracks) {
      if (within_bounds()) found.push_back(ranked(tracks));
    });
    found.shrink_to_fit();  // all branches are held at a time
    return found;
  }

private:
  /// Which irreps the orbitals from each one on can contribute.
  void prepare_irreps() {
    reachable_.assign(s_.num_orbitals + 1, 1);
    for (int p = s_.num_orbitals; p-- > 0;) {
      const auto after = reachable_[p + 1];
      std::uint32_t here = after;
      for (int g = 0; g < 8; ++g) {
        if ((after >> g & 1U) != 0) here |= 1U << (g ^ s_.irreps[p]);
      }
      reachable_[p] = here;
    }
  }

  template <class Visit>
  void walk(int p, int last, const Visit& visit) {
    const int left = s_.num_orbitals - p;
    if (now_.placed > electrons_ || now_.placed + 2 * left < electrons_) return;
    if (now_.open + left < s_.two_s) return;
    if (s_.irrep != any_irrep && (reachable_[p] >> (now_.irrep ^ s_.irrep) & 1U) == 0) {
      return;
    }
    const std::vector<Track>& tracks = tracks_[p];
    if (p == last) return visit(tracks);
    std::vector<Track>& next = tracks_[p + 1];
    for (int occupation = 0; occupation <= 2; ++occupation) {
      next.clear();
      for (const Track& track : tracks) {
        const int change = occupation - s_.references[track.reference].occupation(p);
        const Track moved{track.reference, track.lost - std::min(change, 0),
                          track.gained + std::max(change, 0)};
        if (std::max(moved.lost, moved.gained) <= s_.excitation_level) next.push_back(moved);
      }
      if (next.empty() || !put(p, occupation)) continue;
      walk(p + 1, last, visit);
      take_back(p, occupation);
    }
  }

  /// False if a bound would be exceeded; then nothing has changed.
  bool put(int p, int occupation) {
    for (std::size_t b = 0; b < s_.bounds.size(); ++b) {
      if (s_.bounds[b].orbitals.test(p) && now_.in_bounds[b] + occupation > s_.bounds[b].most) return false;
    }
    for (std::size_t b = 0; b < s_.bounds.size(); ++b) {
      if (s_.bounds[b].orbitals.test(p)) now_.in_bounds[b] += occupation;
    }
    now_.placed += occupation;
    if (occupation == 1) {
      now_.chosen.singly.set(p);
      ++now_.open;
      now_.irrep ^= s_.irreps[p];
    } else if (occupation == 2) {
      now_.chosen.doubly.set(p);
    }
    return true;
  }

  void take_back(int p, int occupation) {
    for (std::size_t b = 0; b < s_.bounds.size(); ++b) {
      if (s_.bounds[b].orbitals.test(p)) now_.in_bounds[b] -= occupation;
    }
    now_.placed -= occupation;
    if (occupation == 1) {
      now_.chosen.singly.reset(p);
      --now_.open;
      now_.irrep ^= s_.irreps[p];
    } else if (occupation == 2) {
      now_.chosen.doubly.reset(p);
    }
  }

  bool within_bounds() const {
    for (std::size_t b = 0; b < s_.bounds.size(); ++b) {
      if (now_.in_bounds[b] < s_.bounds[b].fewest) return false;
    }
    return true;
  }

  RankedConfiguration<Words> ranked(const std::vector<Track>& tracks) const {
    RankedConfiguration<Words> result{static_cast<std::int32_t>(s_.references.size()),
                                      std::numeric_limits<std::int32_t>::max(), now_.chosen};
    for (const Track& track : tracks) {
      result.level = std::min(result.level, track.lost);
      if (track.lost == 0) result.reference = std::min(result.reference, track.reference);
    }
    return result;
  }

  const ConfigurationSelection<Words>& s_;
  int electrons_;
  std::vector<std::uint32_t> reachable_;    ///< [orbitals + 1], bit g: irrep g can come from here on
  Branch now_;                              ///< but for its tracks, which are
  std::vector<std::vector<Track>> tracks_;  ///< [orbitals + 1], at each orbital on the way
};

/// Sorts pieces in parallel, then merges neighbours until one is left.
template <int Words>
void sort_in_parallel(std::vector<RankedConfiguration<Words>>& list) {
  constexpr std::int64_t pieces = 32;
  const auto less = [](const auto& a, const auto& b) { return a.key() < b.key(); };
  const auto begin_of = [&](std::int64_t piece) { return list.begin() + std::ssize(list) * piece / pieces; };
  parallel_for(pieces, 1, [&](std::int64_t k) { std::sort(begin_of(k), begin_of(k + 1), less); });
  for (std::int64_t width = 1; width < pieces; width *= 2) {
    parallel_for(pieces / (2 * width), 1, [&](std::int64_t k) {
      const std::int64_t first = 2 * k * width;
      std::inplace_merge(begin_of(first), begin_of(first + width), begin_of(first + 2 * width), less);
    });
  }
}

}  // namespace

template <int Words>
std::vector<RankedConfiguration<Words>> generate_configurations(
    const ConfigurationSelection<Words>& selection) {
  constexpr int orbitals_to_part = 6;  // at most 3^6 branches, a few hundred of very different sizes
  const int orbital = std::min(orbitals_to_part, selection.num_orbitals);
  const auto branches = Walk<Words>(selection).branches(orbital);
  std::vector<std::vector<RankedConfiguration<Words>>> parts(branches.size());
  parallel_for(std::ssize(branches), 1, [&](std::int64_t k) {
    const std::size_t at = k;
    parts[at] = Walk<Words>(selection).follow(branches[at], orbital);
  });
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::vector<RankedConfiguration<Words>> all;
  all.reserve(size);
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  sort_in_parallel(all);
  return all;
}

#define INSTANTIATE(W) \
  template std::vector<RankedConfiguration<W>> generate_configurations(const ConfigurationSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
