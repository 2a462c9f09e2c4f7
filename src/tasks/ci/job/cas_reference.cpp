// SPDX-License-Identifier: MIT
#include "tasks/ci/job/cas_reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace {

/// Orbitals of the CAS, zero-based, and the doubly occupied ones below it.
struct CasOrbitals {
  std::vector<int> active;
  std::vector<int> doubly;
};

CasOrbitals cas_orbitals(const CasReference& cas, const ReferenceProblem& problem) {
  const int norb = problem.integrals.num_orbitals;
  const int outside = problem.num_alpha + problem.num_beta - cas.electrons;
  if (outside < 0 || outside % 2 != 0) {
    throw InputError(
        fmt::format("space.reference: a CAS of {} electrons leaves {} of {} outside; that must be an even "
                    "number that is not negative",
                    cas.electrons, outside, problem.num_alpha + problem.num_beta));
  }
  if (cas.num_orbitals > norb - outside / 2) {
    throw InputError(
        fmt::format("space.reference: a CAS of {} orbitals above {} doubly occupied ones needs more than "
                    "the {} active orbitals",
                    cas.num_orbitals, outside / 2, norb));
  }
  CasOrbitals result;
  std::vector<bool> in_cas(norb, false);
  for (const int p : cas.orbitals) {
    if (p < 1 || p > norb) {
      throw InputError(fmt::format("space.reference: orbital {} of the CAS is outside 1 .. {}", p, norb));
    }
    in_cas[p - 1] = true;
  }
  for (int p = 0; p < norb; ++p) {
    const bool chosen =
        cas.orbitals.empty() ? p >= outside / 2 && p < outside / 2 + cas.num_orbitals : in_cas[p];
    if (chosen) {
      result.active.push_back(p);
    } else if (std::ssize(result.doubly) < outside / 2) {
      result.doubly.push_back(p);
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

}  // namespace

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
  const CasOrbitals orbitals = cas_orbitals(choice, problem);
  const int doubly = static_cast<int>(orbitals.doubly.size());
  const int active = static_cast<int>(orbitals.active.size());
  if (choice.electrons > 2 * active) {
    throw InputError(fmt::format("space.reference: the {} electrons of the CAS do not fit its {} orbital{}",
                                 choice.electrons, active, active == 1 ? "" : "s"));
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
  WideString closed;
  for (const int p : orbitals.doubly) closed.set(p);
  const bool of_all = choice.irreps == CasReference::Irreps::all || problem.irrep == any_irrep;
  References references;
  for (const WideString& a : strings_in(orbitals.active, alpha)) {
    for (const WideString& b : strings_in(orbitals.active, beta)) {
      const int irrep =
          irrep_of(closed | a, problem.integrals.irreps) ^ irrep_of(closed | b, problem.integrals.irreps);
      if (of_all || irrep == problem.irrep) references.determinants.push_back({closed | a, closed | b});
    }
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
