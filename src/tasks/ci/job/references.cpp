// SPDX-License-Identifier: MIT
#include "tasks/ci/job/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/space.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/files/earlier_result.hpp"

namespace cisolve {
namespace {

using Det = Determinant<most_string_words>;

constexpr double energy_tie = 1e-8;  // hartree; orbitals that symmetry makes equal differ by rounding

/// All strings of `electrons` in the given orbitals, ascending.
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

/// The determinants of one occupation string: several if it has '1's.
std::vector<Det> parse_occupation(const std::string& text, const ReferenceProblem& problem) {
  if (std::ssize(text) > problem.integrals.num_orbitals) {
    throw InputError(fmt::format("space.reference: \"{}\" has {} orbitals, but there are {} active ones",
                                 text, text.size(), problem.integrals.num_orbitals));
  }
  Det fixed;
  std::vector<int> either;
  for (int p = 0; p < static_cast<int>(text.size()); ++p) {
    switch (text[p]) {
      case '2':
        fixed.alpha.set(p);
        fixed.beta.set(p);
        break;
      case 'u':
        fixed.alpha.set(p);
        break;
      case 'd':
        fixed.beta.set(p);
        break;
      case '1':
        either.push_back(p);
        break;
      case '0':
        break;
      default:
        throw InputError(fmt::format("space.reference: '{}' in \"{}\" is no occupation; use 2, 0, u, d or 1",
                                     text[p], text));
    }
  }
  const int electrons = fixed.alpha.count() + fixed.beta.count() + static_cast<int>(either.size());
  if (electrons != problem.num_alpha + problem.num_beta) {
    throw InputError(fmt::format("space.reference: \"{}\" holds {} electrons, but there are {} active ones",
                                 text, electrons, problem.num_alpha + problem.num_beta));
  }
  const int more_alpha = problem.num_alpha - fixed.alpha.count();
  if (more_alpha < 0 || more_alpha > std::ssize(either)) {
    const int fixed_ms2 = fixed.alpha.count() - fixed.beta.count();
    const int open = static_cast<int>(either.size());
    const int ms2 = problem.num_alpha - problem.num_beta;
    const int nearest = std::clamp(ms2, fixed_ms2 - open, fixed_ms2 + open);
    throw InputError(
        fmt::format("space.reference: \"{}\" has no determinant with ms2 = {}, but one with ms2 = {}; "
                    "set states.ms2 = {}, or space.basis = \"csf\"",
                    text, ms2, nearest, nearest));
  }
  WideString all;
  for (const int p : either) all.set(p);
  std::vector<Det> determinants;
  for (const WideString& alpha : strings_in(either, more_alpha)) {
    determinants.push_back({fixed.alpha | alpha, fixed.beta | (all & ~alpha)});
  }
  return determinants;
}

std::vector<Det> listed(const ListedReferences& choice, const ReferenceProblem& problem) {
  std::vector<Det> references;
  std::set<Det> seen;
  for (const std::string& text : choice.occupations) {
    for (const Det& d : parse_occupation(text, problem)) {
      if (seen.insert(d).second) references.push_back(d);
    }
  }
  return references;
}

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

std::vector<Det> cas(const CasReference& choice, const ReferenceProblem& problem) {
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
      throw InputError(fmt::format("space.reference: {} electrons in {} orbitals cannot have ms2 = {}",
                                   choice.electrons, active, problem.num_alpha - problem.num_beta));
    }
    beta = choice.electrons / 2;  // every occupation has a determinant of the lowest Ms
    alpha = choice.electrons - beta;
  }
  WideString closed;
  for (const int p : orbitals.doubly) closed.set(p);
  std::vector<Det> references;
  for (const WideString& a : strings_in(orbitals.active, alpha)) {
    for (const WideString& b : strings_in(orbitals.active, beta)) {
      const int irrep =
          irrep_of(closed | a, problem.integrals.irreps) ^ irrep_of(closed | b, problem.integrals.irreps);
      if (problem.irrep == any_irrep || irrep == problem.irrep)
        references.push_back({closed | a, closed | b});
    }
  }
  if (references.empty()) {
    throw InputError(fmt::format("space.reference: the CAS has no {} of the irrep that states.irrep asks for",
                                 problem.occupations_only ? "configuration" : "determinant"));
  }
  return references;
}

using Configuration = std::pair<WideString, WideString>;  // closed shells, open shells

/// Configurations of the functions of an earlier space.
std::vector<Configuration> configurations_of(const CiResult::Space& space, const EarlierResult& earlier) {
  std::vector<Configuration> configurations;
  const FunctionView functions = functions_of(space);
  if (functions.kind == FunctionKind::csf) {
    const auto csfs = earlier.reading([&] { return csfs_of<most_string_words>(functions); });
    for (const auto& c : csfs.configurations) configurations.emplace_back(c.doubly, c.singly);
  } else {
    for (const Det& d : determinants_of<most_string_words>(functions))
      configurations.emplace_back(d.alpha & d.beta, d.alpha ^ d.beta);
  }
  return configurations;
}

/// The roots that space.reference.roots names; all, if it names none.
std::vector<const EarlierRoot*> chosen_roots(const EarlierResult& earlier, const std::vector<int>& numbers) {
  std::vector<const EarlierRoot*> roots;
  const auto& all = earlier.roots();
  if (numbers.empty()) {
    for (const EarlierRoot& root : all) roots.push_back(&root);
  }
  for (const int number : numbers) {
    if (number > std::ssize(all)) {
      throw InputError(
          fmt::format("space.reference.roots: root {} is asked for, but the file has {} with a vector ({})",
                      number, all.size(), earlier.name()));
    }
    roots.push_back(&all[number - 1]);
  }
  return roots;
}

/// Largest weight of each configuration in any of the roots.
std::map<Configuration, double> largest_weights(const std::vector<const EarlierRoot*>& roots,
                                                const EarlierResult& earlier) {
  std::map<Configuration, double> largest;
  std::map<const CiResult::Space*, std::vector<Configuration>> by_space;
  for (const EarlierRoot* root : roots) {
    auto& configurations = by_space[root->space];
    if (configurations.empty()) configurations = configurations_of(*root->space, earlier);
    std::map<Configuration, double> weights;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      weights[configurations[i]] += root->vector[i] * root->vector[i];
    }
    for (const auto& [configuration, weight] : weights) {
      double& most = largest[configuration];
      most = std::max(most, weight);
    }
  }
  return largest;
}

/// Every arrangement, with this job's Ms, of the leading configurations of an earlier result.
std::vector<Det> from_file(const FileReference& choice, const ReferenceProblem& problem) {
  const int electrons = problem.num_alpha + problem.num_beta;
  const EarlierResult earlier(choice.file, "space.reference", *problem.active, electrons);
  const auto weights = largest_weights(chosen_roots(earlier, choice.roots), earlier);

  std::vector<std::pair<double, Configuration>> leading;
  for (const auto& [configuration, weight] : weights) {
    if (weight >= choice.weight) leading.emplace_back(-weight, configuration);
  }
  std::sort(leading.begin(), leading.end());
  std::vector<Det> references;
  const auto arrange = [&](int num_alpha) {
    for (const auto& [weight, configuration] : leading) {
      for_each_arrangement(configuration.first, configuration.second, num_alpha,
                           [&](const Det& d) { references.push_back(d); });
    }
  };
  arrange(problem.num_alpha);
  if (references.empty() && problem.occupations_only) arrange((electrons + 1) / 2);
  if (references.empty()) {
    throw InputError(fmt::format(
        "{} has no configuration of weight {} or more{}; its largest weight is {:.4f}", earlier.name(),
        choice.weight,
        problem.occupations_only ? "" : fmt::format(" with ms2 = {}", problem.num_alpha - problem.num_beta),
        std::max_element(weights.begin(), weights.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->second));
  }
  return references;
}

Det aufbau(const ReferenceProblem& problem) {
  return {WideString::lowest(problem.num_alpha), WideString::lowest(problem.num_beta)};
}

Det lowest(const ReferenceProblem& problem) {
  Det current = aufbau(problem);
  while (true) {
    const Det better = best_replacement(problem, current);
    if (better == current) return current;
    current = better;
  }
}

}  // namespace

std::vector<Det> make_references(const ReferenceChoice& choice, const ReferenceProblem& problem) {
  if (const auto* list = std::get_if<ListedReferences>(&choice)) return listed(*list, problem);
  if (const auto* active = std::get_if<CasReference>(&choice)) return cas(*active, problem);
  if (const auto* file = std::get_if<FileReference>(&choice)) return from_file(*file, problem);
  if (std::holds_alternative<LowestReference>(choice)) return {lowest(problem)};
  return {aufbau(problem)};
}

Det best_replacement(const ReferenceProblem& problem, const Det& start) {
  const Integrals& v = problem.integrals;
  const IntegralTables tables(v, 0.0);
  struct Candidate {
    WideString string;
    int irrep;
    int level;
    double energy;
  };
  const auto replacements = [&](const WideString& s) {
    std::vector<Candidate> all;
    const auto add = [&](const WideString& t, int level) {
      all.push_back({t, irrep_of(t, v.irreps), level, tables.string_energy(OrbitalList::occupied(t))});
    };
    add(s, 0);
    for_each_single(s, v.num_orbitals, [&](const WideString& t, int, int, bool) { add(t, 1); });
    for_each_double(s, v.num_orbitals, [&](const WideString& t, int, int, int, int, bool) { add(t, 2); });
    return all;
  };
  const auto alphas = replacements(start.alpha);
  const auto betas = replacements(start.beta);
  const int irrep = alphas[0].irrep ^ betas[0].irrep;

  // visit(determinant, energy), the start first.
  std::vector<double> coulomb(v.num_orbitals);
  const auto for_each_candidate = [&](auto&& visit) {
    for (const Candidate& a : alphas) {
      std::fill(coulomb.begin(), coulomb.end(), 0.0);
      a.string.for_each([&](int p) {
        for (int r = 0; r < v.num_orbitals; ++r) coulomb[r] += v.eri(p, p, r, r);
      });
      for (const Candidate& b : betas) {
        if (a.level + b.level > 2) break;  // they ascend
        if (problem.irrep != any_irrep && (a.irrep ^ b.irrep) != irrep) continue;
        double energy = a.energy + b.energy;
        b.string.for_each([&](int r) { energy += coulomb[r]; });
        visit(Det{a.string, b.string}, energy);
      }
    }
  };
  double lowest_energy = std::numeric_limits<double>::max();
  for_each_candidate([&](const Det&, double energy) { lowest_energy = std::min(lowest_energy, energy); });
  std::optional<Det> best;
  for_each_candidate([&](const Det& d, double energy) {
    if (energy > lowest_energy + energy_tie || best == start) return;
    if (!best || d == start || d < *best) best = d;
  });
  return *best;
}

}  // namespace cisolve
