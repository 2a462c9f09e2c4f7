// SPDX-License-Identifier: MIT
#include "tasks/ci/job/cas_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace {

/// Orbitals of the CAS, zero-based, and the full ones below it.
struct CasOrbitals {
  std::vector<int> active;
  std::vector<int> full;
};

/// The lowest occupation of all irreps, with as few open shells as can be.
WideConfiguration ground_configuration(const ReferenceProblem& problem,
                                       const ConfigurationEnergies& energies) {
  const auto first =
      first_orbitals(problem.num_electrons(), problem.integrals.num_orbitals, energies.two_s());
  return descend(energies, *first,
                 {.fewest_open = energies.two_s(),
                  .most_open = energies.two_s()});  // fewer electrons than two per orbital
}

/// Refuses the choice of orbitals, and says which there are.
[[noreturn]] void refuse_orbitals(const ReferenceProblem& problem, const std::string& why) {
  constexpr int most_empty = 12;  // that are named
  const ConfigurationEnergies energies(problem.integrals, problem.num_electrons() % 2);
  const WideString occupied = problem.spinors ? WideString::lowest(problem.num_electrons())
                                              : ground_configuration(problem, energies).occupied();
  std::string full, empty;
  int num_empty = 0;
  for (int p = 0; p < std::ssize(problem.names); ++p) {
    if (!occupied.test(p) && ++num_empty > most_empty) continue;
    (occupied.test(p) ? full : empty) += " " + problem.names[p];
  }
  throw InputError(fmt::format("space.reference: {}; the orbitals are{}, occupied, and{}{}, empty", why, full,
                               empty, num_empty > most_empty ? " ..." : ""));
}

/// Zero-based orbitals that numbers or labels name.
std::vector<bool> named_orbitals(const CasReference& cas, const ReferenceProblem& problem) {
  const int norb = problem.integrals.num_orbitals;
  std::vector<bool> in_cas(norb, false);
  for (const int p : cas.orbitals) {
    if (p < 1 || p > norb)
      refuse_orbitals(problem, fmt::format("orbital {} of the CAS is outside 1 .. {}", p, norb));
    in_cas[p - 1] = true;
  }
  for (const std::string& label : cas.labels) {
    if (!problem.point_group.is_known()) {
      throw InputError(
          fmt::format("space.reference: \"{}\" is a label, but the point group is not known; give "
                      "integrals.point_group, or numbers",
                      label));
    }
    const auto p = find_orbital(label, problem.names);
    if (!p) refuse_orbitals(problem, fmt::format("there is no active orbital \"{}\"", label));
    if (in_cas[*p]) refuse_orbitals(problem, fmt::format("the CAS names \"{}\" twice", label));
    in_cas[*p] = true;
  }
  return in_cas;
}

/// So many of each irrep: occupied ones from the highest down as the irreps have room, then the lowest empty ones.
CasOrbitals orbitals_of_irreps(const CasReference& cas, const ReferenceProblem& problem, int pairs_outside) {
  const ConfigurationEnergies energies(problem.integrals, problem.num_electrons() % 2);
  const WideConfiguration ground = ground_configuration(problem, energies);
  std::vector<std::pair<double, int>> occupied, empty;
  for (int p = 0; p < problem.integrals.num_orbitals; ++p) {
    (ground.occupation(p) > 0 ? occupied : empty).emplace_back(energies.of_orbital(p, ground), p);
  }
  std::ranges::sort(occupied, std::greater<>());
  std::ranges::sort(empty);
  std::map<int, int> room = cas.per_irrep;
  CasOrbitals result;
  const auto take = [&](int p) {
    const auto found = room.find(problem.integrals.irreps[p] + 1);
    if (found == room.end() || found->second == 0) return false;
    --found->second;
    result.active.push_back(p);
    return true;
  };
  auto missing = std::ssize(occupied) - pairs_outside;
  for (const auto& [energy, p] : occupied) {
    if (missing > 0 && take(p)) {
      --missing;
    } else {
      result.full.push_back(p);
    }
  }
  if (missing > 0) {
    refuse_orbitals(
        problem,
        fmt::format("a CAS of {} electrons needs {} of the occupied orbitals, but its irreps take {} fewer",
                    cas.electrons, std::ssize(occupied) - pairs_outside, missing));
  }
  for (const auto& [energy, p] : empty) take(p);
  for (const auto& [irrep, left] : room) {
    if (left > 0)
      refuse_orbitals(
          problem,
          fmt::format(
              "the CAS asks for {} more orbitals of irrep {} than there are beside the doubly occupied ones",
              left, problem.point_group.irrep_name(irrep)));
  }
  std::ranges::sort(result.active);
  return result;
}

CasOrbitals divide_orbitals(const CasReference& cas, const ReferenceProblem& problem) {
  const int norb = problem.integrals.num_orbitals;
  const int outside = problem.num_electrons() - cas.electrons;
  if (outside < 0 || outside % problem.most_in_orbital() != 0) {
    throw InputError(
        fmt::format("space.reference: a CAS of {} electrons leaves {} of {} outside; that must be {} "
                    "number that is not negative",
                    cas.electrons, outside, problem.num_electrons(), problem.spinors ? "a" : "an even"));
  }
  const int num_full = outside / problem.most_in_orbital();
  if (cas.num_orbitals > norb - num_full) {
    refuse_orbitals(problem, fmt::format("a CAS of {} orbitals above {} {}occupied ones needs more than "
                                         "the {} active orbitals",
                                         cas.num_orbitals, num_full, problem.spinors ? "" : "doubly ", norb));
  }
  if (!cas.per_irrep.empty()) {
    if (problem.spinors) refuse_orbitals(problem, "spinors have no irreps that a CAS could be counted by");
    return orbitals_of_irreps(cas, problem, num_full);
  }
  const std::vector<bool> in_cas = named_orbitals(cas, problem);
  const bool is_count = cas.orbitals.empty() && cas.labels.empty();
  CasOrbitals result;
  for (int p = 0; p < norb; ++p) {
    const bool chosen = is_count ? p >= num_full && p < num_full + cas.num_orbitals : in_cas[p];
    if (chosen) {
      result.active.push_back(p);
    } else if (std::ssize(result.full) < num_full) {
      result.full.push_back(p);
    }
  }
  return result;
}

std::string origin_text(const CasReference& cas, const std::vector<int>& orbitals,
                        const ReferenceProblem& problem) {
  std::string names;
  for (const int p : orbitals) names += (names.empty() ? "" : " ") + problem.names[p];
  return fmt::format("the first of a CAS of {} electron{} in {}, with determinants of {}", cas.electrons,
                     cas.electrons == 1 ? "" : "s", names,
                     cas.irreps == CasReference::Irreps::all ? "all irreps" : "the sector's irrep");
}

WideString string_of(std::span<const int> orbitals) {
  WideString s;
  for (const int p : orbitals) s.set(p);
  return s;
}

/// Spinors, of which each holds one electron, and all are in the alpha string.
std::vector<Determinant<most_string_words>> all_of_spinors(const CasOrbitals& cas, int electrons) {
  const WideString full = string_of(cas.full);
  std::vector<Determinant<most_string_words>> determinants;
  for (const WideString& s : strings_in(cas.active, electrons)) determinants.push_back({full | s, {}});
  return determinants;
}

/// None where there is none.
std::vector<Determinant<most_string_words>> first_of_cas(const ActiveSpace<most_string_words>& cas, int alpha,
                                                         int beta, const ReferenceProblem& problem) {
  std::vector<int> active;
  cas.active.for_each([&](int p) { active.push_back(p); });
  const std::span<const int> orbitals = active;
  const SpaceSelection<most_string_words> selection{
      .num_orbitals = problem.integrals.num_orbitals,
      .irreps = problem.integrals.irreps,
      .references = {{cas.doubly | string_of(orbitals.first(alpha)),
                      cas.doubly | string_of(orbitals.first(beta))}},
      .cas = cas};
  const auto first = first_reference(selection);
  if (!first) return {};
  return {*first};
}

std::vector<Determinant<most_string_words>> all_of_cas(const ActiveSpace<most_string_words>& cas,
                                                       const std::vector<int>& active, int alpha, int beta,
                                                       const ReferenceProblem& problem) {
  std::vector<Determinant<most_string_words>> determinants;
  const auto& irreps = problem.integrals.irreps;
  for (const WideString& a : strings_in(active, alpha)) {
    for (const WideString& b : strings_in(active, beta)) {
      const Determinant<most_string_words> d{cas.doubly | a, cas.doubly | b};
      const int irrep = irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps);
      if (cas.irrep == any_irrep || irrep == cas.irrep) determinants.push_back(d);
    }
  }
  return determinants;
}

}  // namespace

std::vector<int> cas_orbitals(const CasReference& cas, const ReferenceProblem& problem) {
  return divide_orbitals(cas, problem).active;
}

std::vector<WideString> strings_in(const std::vector<int>& orbitals, int electrons) {
  std::vector<WideString> strings;
  std::vector<int> taken(orbitals.size(), 0);
  std::fill_n(taken.begin(), electrons, 1);
  do {
    WideString s;
    for (std::size_t k = 0; k < orbitals.size(); ++k) {
      if (taken[k] != 0) s.set(orbitals[k]);
    }
    strings.push_back(s);
  } while (std::prev_permutation(taken.begin(), taken.end()));
  std::sort(strings.begin(), strings.end());
  return strings;
}

References make_cas_references(const CasReference& choice, const ReferenceProblem& problem) {
  const CasOrbitals orbitals = divide_orbitals(choice, problem);
  const int doubly = static_cast<int>(orbitals.full.size());
  const int active = static_cast<int>(orbitals.active.size());
  if (choice.electrons > problem.most_in_orbital() * active) {
    throw InputError(fmt::format("space.reference: the {} electrons of the CAS do not fit its {} orbital{}",
                                 choice.electrons, active, active == 1 ? "" : "s"));
  }
  if (problem.spinors) {
    return {.determinants = all_of_spinors(orbitals, choice.electrons),
            .origin = origin_text(choice, orbitals.active, problem),
            .cas = orbitals.active};
  }
  int alpha = problem.num_alpha - doubly;
  int beta = problem.num_beta - doubly;
  if (std::min(alpha, beta) < 0 || std::max(alpha, beta) > active) {
    if (!problem.occupations_only) {
      throw EmptySpaceError(fmt::format("space.reference: {} electrons in {} orbitals cannot have ms2 = {}",
                                        choice.electrons, active, problem.num_alpha - problem.num_beta));
    }
    beta = choice.electrons / 2;  // every occupation has a determinant of the lowest Ms
    alpha = choice.electrons - beta;
  }
  const bool of_all = choice.irreps == CasReference::Irreps::all || problem.irrep == any_irrep;
  const ActiveSpace<most_string_words> cas{string_of(orbitals.full), string_of(orbitals.active),
                                           of_all ? any_irrep : problem.irrep};
  References references;
  if (problem.whole_cas) {
    references.whole_cas = cas;
    references.determinants = first_of_cas(cas, alpha, beta, problem);
  } else {
    references.determinants = all_of_cas(cas, orbitals.active, alpha, beta, problem);
  }
  if (references.determinants.empty()) {
    throw EmptySpaceError(
        fmt::format("space.reference: the CAS has no {} of the irrep that states.irrep asks for; irreps = "
                    "\"all\" takes those of other irreps, too",
                    problem.occupations_only ? "configuration" : "determinant"));
  }
  references.origin = origin_text(choice, orbitals.active, problem);
  references.cas = orbitals.active;
  return references;
}

}  // namespace cisolve
