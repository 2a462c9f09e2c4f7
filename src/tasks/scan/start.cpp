// SPDX-License-Identifier: MIT
#include "tasks/scan/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cisolve/molecule/one_electron.hpp"
#include "cisolve/space/bit_string.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/ci/guess.hpp"

namespace cisolve {
namespace {

/// The active orbital here that continues each active orbital of the earlier point.
struct OrbitalMatch {
  std::vector<int> here;        ///< zero-based
  std::vector<double> overlap;  ///< from -1 to 1

  bool keeps_order() const { return std::is_sorted(here.begin(), here.end()); }
};

/// Pairs orbitals of the same irrep, the largest overlap first.
/// @param overlap  of active orbitals, [here x earlier]
OrbitalMatch match_orbitals(const Matrix& overlap, const std::vector<std::int32_t>& irreps_here,
                            const std::vector<std::int32_t>& irreps_earlier) {
  const int n = overlap.rows();
  struct Pair {
    int here, earlier;
  };
  std::vector<Pair> pairs;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      if (irreps_here[p] == irreps_earlier[q]) pairs.push_back({p, q});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) {
    return std::abs(overlap(a.here, a.earlier)) > std::abs(overlap(b.here, b.earlier));
  });
  OrbitalMatch match{std::vector<int>(n, -1), std::vector<double>(n)};
  std::vector<bool> taken(n);
  for (const auto& [here, earlier] : pairs) {
    const std::size_t q = earlier;
    if (match.here[q] >= 0 || taken[here]) continue;
    match.here[q] = here;
    match.overlap[q] = overlap(here, earlier);
    taken[here] = true;
  }
  return match;
}

/// A string of the earlier point in the orbitals here.
struct CarriedString {
  WideString string;
  double factor = 1.0;  ///< product of the overlaps, with the sign of the new order of creators
};

CarriedString carry_string(const WideString& string, const OrbitalMatch& match) {
  CarriedString carried;
  string.for_each([&](int q) {
    const int p = match.here[q];
    // Creators of lower orbitals stand to the left: count those that this one has to pass.
    if (carried.string.count_between(p, most_string_orbitals) % 2 != 0) carried.factor = -carried.factor;
    carried.factor *= match.overlap[q];
    carried.string.set(p);
  });
  return carried;
}

/// Functions of an earlier space in the orbitals here, with what becomes of each coefficient.
struct CarriedSpace {
  CiResult::Space space;
  std::vector<double> factors;
};

CarriedSpace carry_determinants(CiResult::Space space, const OrbitalMatch& match) {
  const auto hash = [](const WideString& string) { return mix(string); };
  std::unordered_map<WideString, CarriedString, decltype(hash)> known;
  const auto carry = [&](std::uint64_t* words) {
    WideString string;
    std::copy_n(words, space.words, string.words.begin());
    const auto [at, is_new] = known.try_emplace(string);
    if (is_new) at->second = carry_string(string, match);
    std::copy_n(at->second.string.words.begin(), space.words, words);
    return at->second.factor;
  };
  std::vector<double> factors(space.dimension);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::size_t first = i * static_cast<std::size_t>(space.words);
    factors[i] = carry(&space.alpha[first]) * carry(&space.beta[first]);
  }
  return {std::move(space), std::move(factors)};
}

/// Only where the orbitals keep their order: coupling depends on it.
CarriedSpace carry_csfs(CiResult::Space space, const OrbitalMatch& match) {
  const std::size_t n = match.here.size();
  std::vector<double> factors(space.dimension, 1.0);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t p = 0; p < n; ++p) {
      const std::uint8_t step = space.steps[i * n + p];
      if (step == 1 || step == 2) factors[i] *= match.overlap[p];
      if (step == 3) factors[i] *= match.overlap[p] * match.overlap[p];
    }
  }
  return {std::move(space), std::move(factors)};
}

/// Roots that keep more than half of themselves, with the signs of the new orbitals; and the least that is kept.
struct CarriedRoots {
  std::vector<double> vectors;
  std::vector<int> numbers;  ///< at the earlier point, from 0
  double least = 1.0;
};

CarriedRoots carry_roots(const VectorSource& vectors, const std::vector<double>& factors) {
  constexpr double least_kept = 0.5;  // of the norm squared: less is no better than the model space's guess
  CarriedRoots carried;
  const std::size_t n = factors.size();
  Array<double> buffer;
  for (int k = 0; k < vectors.columns(); ++k) {
    const auto c = vectors.view(k, 1, buffer);
    double kept = 0.0;  // overlap with the same function of the orbitals here, were they those
    for (std::size_t i = 0; i < n; ++i) kept += c[i] * c[i] * std::abs(factors[i]);
    kept *= kept;
    if (kept < least_kept) continue;
    carried.least = std::min(carried.least, kept);
    carried.numbers.push_back(k);
    for (std::size_t i = 0; i < n; ++i) carried.vectors.push_back(std::copysign(c[i], c[i] * factors[i]));
  }
  return carried;
}

/// @param orbitals  of the SCF, or optimised
template <class Orbitals>
Matrix coefficients_of(const Orbitals& orbitals) {
  const std::size_t functions = orbitals.num_functions;
  Matrix c(orbitals.num_functions, static_cast<int>(orbitals.coefficients.size() / functions));
  std::copy(orbitals.coefficients.begin(), orbitals.coefficients.end(), c.data());
  return c;
}

OrbitalMatch same_numbers(std::size_t n) {
  OrbitalMatch match{{}, std::vector<double>(n, 1.0)};
  for (std::size_t p = 0; p < n; ++p) match.here.push_back(static_cast<int>(p));
  return match;
}

/// Overlap of active orbitals; every one here has a partner, or there is no match.
std::optional<OrbitalMatch> match_active(const CiConfig& config, const CiJob& job, const CiResult& here,
                                         const EarlierPoint& earlier) {
  const CiResult::System& system = earlier.result.system;
  const std::size_t n = here.system.active_orbitals.size();
  if (system.active_orbitals.size() != n) return std::nullopt;
  auto irreps_here = here.system.orbital_irreps, irreps_earlier = system.orbital_irreps;
  if (!job.molecule || !earlier.result.molecule) {
    return irreps_here == irreps_earlier ? std::optional(same_numbers(n)) : std::nullopt;
  }
  const Matrix c = earlier.result.orbitals ? coefficients_of(*earlier.result.orbitals)
                                           : coefficients_of(*earlier.result.molecule);
  const MoleculeConfig& a = *config.molecule;
  const MoleculeConfig& b = *earlier.config->molecule;
  if (a.basis.num_functions != b.basis.num_functions || c.rows() != b.basis.num_functions)
    return std::nullopt;
  const Matrix all = carried_overlap({a.basis, a.frame.geometry, job.molecule->scf.orbitals.coefficients},
                                     {b.basis, b.frame.geometry, c});
  Matrix active(static_cast<int>(n), static_cast<int>(n));
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q < n; ++q) {
      active(static_cast<int>(p), static_cast<int>(q)) =
          all(here.system.active_orbitals[p] - 1, system.active_orbitals[q] - 1);
    }
  }
  std::sort(irreps_here.begin(), irreps_here.end());
  std::sort(irreps_earlier.begin(), irreps_earlier.end());
  if (irreps_here != irreps_earlier) return std::nullopt;
  return match_orbitals(active, here.system.orbital_irreps, system.orbital_irreps);
}

/// The earlier point's part of the same irrep and spin; null: it had none.
const CiResult::Sector* same_sector(const CiResult& earlier, const CiResult::Sector& sector) {
  if (earlier.sectors.size() == 1)
    return &earlier.sectors.front();  // its file does not name the multiplicity
  const auto found = std::ranges::find_if(earlier.sectors, [&](const CiResult::Sector& other) {
    return other.irrep == sector.irrep && other.multiplicity == sector.multiplicity &&
           other.ms2 == sector.ms2;
  });
  return found == earlier.sectors.end() ? nullptr : &*found;
}

/// Roots of the earlier point over the functions here.
struct CarriedVectors {
  std::string why_none;                    ///< if there are none
  std::vector<double> vectors;             ///< [functions x roots]; of any norm
  std::vector<int> numbers;                ///< of the roots there, from 0
  const CiResult::Sector* from = nullptr;  ///< their sector
  double least = 1.0;                      ///< as of CarriedRoots
};

/// What an earlier point has of a sector here, its determinants or CSFs in the orbitals here.
struct CarriedSector {
  std::string why_none;                    ///< if there is nothing
  const CiResult::Sector* from = nullptr;  ///< there
  CarriedSpace space;
};

CarriedSector carry_sector(const CiConfig& config, const EarlierPoint& earlier, const CiResult& here,
                           const CiResult::Sector& sector, const CiJob& job) {
  CarriedSector carried;
  const auto none = [&](std::string why) {
    carried.why_none = std::move(why);
    return carried;
  };
  carried.from = same_sector(earlier.result, sector);
  if (carried.from == nullptr || !carried.from->vectors)
    return none(fmt::format("point {} left no vectors", earlier.number));
  const CiResult::Space& space = carried.from->space;
  if (carried.from->vectors->rows() != space.dimension)
    return none(fmt::format("the vectors of point {} are complex", earlier.number));
  if (space.basis != sector.space.basis || earlier.result.system.n_electrons != here.system.n_electrons ||
      space.irrep != sector.space.irrep) {
    return none(fmt::format("point {} has states of another kind", earlier.number));
  }
  const auto match = match_active(config, job, here, earlier);
  if (!match) return none(fmt::format("point {} has other orbitals", earlier.number));
  const bool csfs = space.basis == "csf";
  if (csfs && !match->keeps_order()) {
    return none(fmt::format("orbitals change places after point {}, and CSFs do not follow", earlier.number));
  }
  carried.space = csfs ? carry_csfs(space, *match) : carry_determinants(space, *match);
  return carried;
}

CarriedVectors carry(const CiConfig& config, const EarlierPoint& earlier, const CiResult& here,
                     const CiResult::Sector& sector, const Basis& basis, const CiJob& job) {
  const CarriedSector there = carry_sector(config, earlier, here, sector, job);
  CarriedVectors carried;
  carried.from = there.from;
  carried.why_none = there.why_none;
  if (!there.why_none.empty()) return carried;
  CarriedRoots roots = carry_roots(*carried.from->vectors, there.space.factors);
  const std::size_t n = there.space.factors.size();
  std::vector<std::span<const double>> parts;
  for (std::size_t k = 0; k < roots.numbers.size(); ++k)
    parts.push_back(std::span(roots.vectors).subspan(k * n, n));
  if (!parts.empty()) carried.vectors = basis.project(functions_of(there.space.space), parts);
  if (carried.vectors.empty()) {
    carried.why_none = fmt::format("too little of point {} is kept", earlier.number);
    return carried;
  }
  carried.numbers = std::move(roots.numbers);
  carried.least = roots.least;
  return carried;
}

/// The determinants of largest coefficients in any root, no more than wanted, in their order. Where configurations are
/// complete they come whole.
std::vector<std::size_t> strongest_of(const CiResult::Space& space, const CarriedRoots& roots,
                                      std::size_t wanted) {
  const std::size_t size = space.dimension, words = static_cast<std::size_t>(space.words);
  std::vector<double> largest(size, 0.0);
  for (std::size_t at = 0; at < roots.vectors.size(); ++at)
    largest[at % size] = std::max(largest[at % size], std::abs(roots.vectors[at]));
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::vector<std::uint64_t>, std::size_t> places;
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t group = groups.size();
    if (space.spin_complete) {
      std::vector<std::uint64_t> configuration;
      for (std::size_t w = i * words; w < (i + 1) * words; ++w) {
        configuration.push_back(space.alpha[w] & space.beta[w]);
        configuration.push_back(space.alpha[w] ^ space.beta[w]);
      }
      group = places.emplace(std::move(configuration), groups.size()).first->second;
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(i);
  }
  const auto strength = [&](const std::vector<std::size_t>& group) {
    double most = 0.0;
    for (const std::size_t i : group) most = std::max(most, largest[i]);
    return most;
  };
  std::ranges::stable_sort(groups, std::greater<>(), strength);
  std::vector<std::size_t> numbers;
  for (const std::vector<std::size_t>& group : groups) {
    if (numbers.size() + group.size() > wanted) break;
    numbers.insert(numbers.end(), group.begin(), group.end());
  }
  std::ranges::sort(numbers);
  return numbers;
}

/// References come first in a list.
StartList list_of(const CarriedSpace& there, const CarriedRoots& roots,
                  const std::vector<std::size_t>& chosen, const CiJob& job) {
  const std::size_t words = static_cast<std::size_t>(there.space.words), n = there.factors.size();
  using Key = std::vector<std::uint64_t>;
  const auto key_of = [&](const auto* alpha, const auto* beta) {
    Key key(alpha, alpha + words);
    key.insert(key.end(), beta, beta + words);
    return key;
  };
  std::map<Key, std::size_t> places;  // of references in the list
  for (const auto& d : job.selection.references)
    places.emplace(key_of(d.alpha.words.data(), d.beta.words.data()), places.size());
  std::vector<Key> keys(places.size());
  for (const auto& [key, place] : places) keys[place] = key;
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> from(keys.size(), nowhere);  // of each determinant, where it is there
  for (const std::size_t i : chosen) {
    Key key = key_of(&there.space.alpha[i * words], &there.space.beta[i * words]);
    if (const auto found = places.find(key); found != places.end()) {
      from[found->second] = i;
    } else {
      keys.push_back(std::move(key));
      from.push_back(i);
    }
  }
  auto list = std::make_shared<CheckpointSelection>();
  list->words = there.space.words;
  const auto half = static_cast<std::ptrdiff_t>(words);
  for (const Key& key : keys) {
    list->list.alpha.insert(list->list.alpha.end(), key.begin(), key.begin() + half);
    list->list.beta.insert(list->list.beta.end(), key.begin() + half, key.end());
  }
  StartList start;
  for (std::size_t k = 0; k < roots.numbers.size(); ++k) {
    for (const std::size_t i : from) start.vectors.push_back(i == nowhere ? 0.0 : roots.vectors[k * n + i]);
  }
  start.list = std::move(list);
  return start;
}

StartVectors start_from(const CarriedVectors& carried, const EarlierPoint& earlier, const Basis& basis) {
  StartVectors start;
  if (carried.why_none.empty()) start.vectors = normalised_parts(carried.vectors, basis.size());
  const auto found = std::ssize(start.vectors) / basis.size();
  if (found == 0) {
    const std::string little = fmt::format("too little of point {} is kept", earlier.number);
    start.description = "nothing carried over: " + (carried.why_none.empty() ? little : carried.why_none);
    return start;
  }
  start.description = fmt::format("{} of {} roots of point {}, of which {:.1f} % or more is kept", found,
                                  carried.from->vectors->columns(), earlier.number, 100.0 * carried.least);
  return start;
}

/// Squares of the overlaps of roots with carried ones, [roots x carried].
Matrix shares_of(const CiResult::Sector& sector, const CarriedVectors& carried) {
  const auto count = static_cast<int>(carried.numbers.size());
  const std::size_t n = carried.vectors.size() / carried.numbers.size();
  Matrix shares(static_cast<int>(sector.roots.size()), count);
  Array<double> buffer;
  for (int root = 0; root < shares.rows(); ++root) {
    const auto c = sector.vectors->view(root, 1, buffer);
    for (int k = 0; k < count; ++k) {
      const auto part = std::span(carried.vectors).subspan(static_cast<std::size_t>(k) * n, n);
      const double norm = std::inner_product(part.begin(), part.end(), part.begin(), 0.0);
      const double overlap = std::inner_product(part.begin(), part.end(), c.begin(), 0.0);
      shares(root, k) = norm > 0.0 ? overlap * overlap / norm : 0.0;
    }
  }
  return shares;
}

/// Row and column of the largest element.
std::pair<int, int> largest_of(const Matrix& matrix) {
  std::pair<int, int> at;
  for (int i = 0; i < matrix.rows(); ++i) {
    for (int j = 0; j < matrix.columns(); ++j) {
      if (matrix(i, j) > matrix(at.first, at.second)) at = {i, j};
    }
  }
  return at;
}

}  // namespace

std::shared_ptr<const ScfOrbitals> carried_orbitals(const CiResult& result) {
  if (!result.molecule) return nullptr;
  ScfOrbitals orbitals;
  orbitals.coefficients = coefficients_of(*result.molecule);
  orbitals.energies = result.molecule->orbital_energies;
  for (const std::int32_t irrep : result.molecule->orbital_irreps) orbitals.irreps.push_back(irrep - 1);
  orbitals.occupations.assign(result.molecule->occupations.begin(), result.molecule->occupations.end());
  return std::make_shared<const ScfOrbitals>(std::move(orbitals));
}

std::shared_ptr<const ChosenOrbitals> chosen_orbitals(const EarlierPoint& earlier,
                                                      std::shared_ptr<const ScfOrbitals> orbitals) {
  if (orbitals == nullptr) return nullptr;
  const auto from_zero = [](const std::vector<std::int32_t>& numbers) {
    std::vector<int> result;
    for (const std::int32_t p : numbers) result.push_back(p - 1);
    return result;
  };
  const CiResult::System& system = earlier.result.system;
  // Files of earlier versions do not say which of the frozen orbitals are the core.
  if (std::ssize(system.core_orbitals) != system.n_frozen_core) return nullptr;
  ChosenOrbitals chosen{.origin = fmt::format("point {}", earlier.number),
                        .molecule = &*earlier.config->molecule,
                        .orbitals = std::move(orbitals),
                        .core = from_zero(system.core_orbitals),
                        .virtuals = {},
                        .cas = from_zero(system.cas_orbitals),
                        .max_holes = from_zero(system.max_holes_orbitals),
                        .max_particles = from_zero(system.max_particles_orbitals)};
  for (int p = 0; p < chosen.orbitals->coefficients.columns(); ++p) {
    const bool is_active = std::ranges::find(system.active_orbitals, p + 1) != system.active_orbitals.end();
    const bool is_left_out =
        std::ranges::find(system.left_out_orbitals, p + 1) != system.left_out_orbitals.end();
    if (!is_active && !is_left_out && std::ranges::find(chosen.core, p) == chosen.core.end())
      chosen.virtuals.push_back(p);
  }
  return std::make_shared<const ChosenOrbitals>(std::move(chosen));
}

std::shared_ptr<const EarlierOrbitals> optimised_orbitals(const EarlierPoint& earlier) {
  if (!earlier.result.orbitals) return nullptr;
  const CiResult::System& system = earlier.result.system;
  EarlierOrbitals found{.molecule = &*earlier.config->molecule,
                        .orbitals = {coefficients_of(*earlier.result.orbitals), {}, {}},
                        .origin = fmt::format("point {}", earlier.number)};
  ClassifiedOrbitals& orbitals = found.orbitals;
  for (const std::int32_t irrep : earlier.result.orbitals->irreps) orbitals.irreps.push_back(irrep - 1);
  orbitals.classes.assign(orbitals.irreps.size(), OrbitalClass::empty);
  for (const std::int32_t p : system.core_orbitals) orbitals.classes[p - 1] = OrbitalClass::inactive;
  for (const std::int32_t p : system.active_orbitals) orbitals.classes[p - 1] = OrbitalClass::active;
  orbitals.subspaces.assign(orbitals.irreps.size(), 0);
  for (const std::int32_t p : system.max_holes_orbitals)
    orbitals.subspaces[p - 1] |= EarlierOrbitals::with_holes;
  for (const std::int32_t p : system.max_particles_orbitals)
    orbitals.subspaces[p - 1] |= EarlierOrbitals::with_particles;
  return std::make_shared<const EarlierOrbitals>(std::move(found));
}

StartVectorSource carried_vectors(const CiConfig& config, const EarlierPoint& earlier) {
  return [&config, &earlier](const CiResult& here, const CiResult::Sector& sector, const Basis& basis,
                             const CiJob& job) {
    return start_from(carry(config, earlier, here, sector, basis, job), earlier, basis);
  };
}

StartListSource carried_lists(const CiConfig& config, const EarlierPoint& earlier) {
  return [&config, &earlier](const CiResult& here, const CiResult::Sector& sector, const CiJob& job) {
    constexpr std::size_t share = 4;  // of which one is taken: two doublings make up for what has changed
    const auto none = [&](std::string why) {
      StartList start;
      start.description = "nothing carried over: " + std::move(why);
      return start;
    };
    if (job.selection.cas || job.selection.excitation_level > 0)
      return none("the space is more than its references");
    const CarriedSector there = carry_sector(config, earlier, here, sector, job);
    if (!there.why_none.empty()) return none(there.why_none);
    const CarriedRoots roots = carry_roots(*there.from->vectors, there.space.factors);
    if (std::ssize(roots.numbers) < there.from->vectors->columns())
      return none(fmt::format("too little of point {} is kept", earlier.number));
    const std::size_t n = there.space.factors.size();
    StartList start = list_of(there.space, roots, strongest_of(there.space.space, roots, n / share), job);
    start.description = fmt::format("strongest quarter of point {}'s list", earlier.number);
    return start;
  };
}

SectorObserver continued_states(const CiConfig& config, const EarlierPoint& earlier,
                                std::function<void(std::string)> warn) {
  return [&config, &earlier, warn = std::move(warn)](const CiResult& here, CiResult::Sector& sector,
                                                     const Basis& basis, const CiJob& job) {
    constexpr double certain = 0.5;  // of a state: no other root has as much
    const CarriedVectors carried = carry(config, earlier, here, sector, basis, job);
    if (!carried.why_none.empty()) return;
    Matrix shares = shares_of(sector, carried);
    for (int pair = 0; pair < std::min(shares.rows(), shares.columns()); ++pair) {
      const auto [root, k] = largest_of(shares);
      const double share = shares(root, k);
      const int state = carried.from->roots[carried.numbers[k]].state;
      sector.roots[root].state = state;
      if (state > 0 && share < certain) {
        warn(fmt::format("state {} goes on in a root that has {:.0f} % of it: smaller steps say more", state,
                         100.0 * share));
      }
      for (int i = 0; i < shares.rows(); ++i) shares(i, k) = -1.0;
      for (int j = 0; j < shares.columns(); ++j) shares(root, j) = -1.0;
    }
  };
}

}  // namespace cisolve
