// SPDX-License-Identifier: MIT
#include "tasks/ci/job/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/string_table.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/ci/job/cas_reference.hpp"
#include "tasks/ci/replacement.hpp"
#include "tasks/files/earlier_result.hpp"

namespace cisolve {
namespace {

using Det = Determinant<most_string_words>;

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

/// Configurations of the functions of an earlier space.
std::vector<WideConfiguration> configurations_of(const CiResult::Space& space, const EarlierResult& earlier) {
  std::vector<WideConfiguration> configurations;
  const FunctionView functions = functions_of(space);
  if (functions.kind == FunctionKind::csf) {
    const auto csfs = earlier.reading([&] { return csfs_of<most_string_words>(functions); });
    for (const auto& c : csfs.configurations) configurations.push_back(c);
  } else {
    for (const Det& d : determinants_of<most_string_words>(functions))
      configurations.push_back(configuration_of(d));
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
std::map<WideConfiguration, double> largest_weights(const std::vector<const EarlierRoot*>& roots,
                                                    const EarlierResult& earlier) {
  std::map<WideConfiguration, double> largest;
  std::map<const CiResult::Space*, std::vector<WideConfiguration>> by_space;
  for (const EarlierRoot* root : roots) {
    auto& configurations = by_space[root->space];
    if (configurations.empty()) configurations = configurations_of(*root->space, earlier);
    std::map<WideConfiguration, double> weights;
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

/// Determinants that roots are over, ascending; none of CSFs.
std::vector<Det> determinants_of_roots(const std::vector<const EarlierRoot*>& roots) {
  std::set<const CiResult::Space*> spaces;
  std::vector<Det> all;
  for (const EarlierRoot* root : roots) {
    const FunctionView functions = functions_of(*root->space);
    if (functions.kind == FunctionKind::csf || !spaces.insert(root->space).second) continue;
    std::ranges::copy(determinants_of<most_string_words>(functions), std::back_inserter(all));
  }
  std::ranges::sort(all);
  return all;
}

/// Every arrangement, with this job's Ms, of the leading configurations of an earlier result; with weight 0 its own
/// determinants where they have that Ms.
std::vector<Det> from_file(const FileReference& choice, const ReferenceProblem& problem) {
  const int electrons = problem.num_alpha + problem.num_beta;
  const EarlierResult earlier(choice.file, "space.reference", *problem.active, electrons);
  const std::vector<const EarlierRoot*> roots = chosen_roots(earlier, choice.roots);
  const auto weights = largest_weights(roots, earlier);

  std::vector<std::pair<double, WideConfiguration>> leading;
  for (const auto& [configuration, weight] : weights) {
    if (weight >= choice.weight) leading.emplace_back(-weight, configuration);
  }
  std::sort(leading.begin(), leading.end());
  std::vector<Det> references;
  const auto arrange = [&](int num_alpha) {
    for (const auto& [weight, configuration] : leading) {
      for_each_arrangement(configuration.doubly, configuration.singly, num_alpha,
                           [&](const Det& d) { references.push_back(d); });
    }
  };
  arrange(problem.num_alpha);
  if (choice.weight == 0.0 && !problem.occupations_only) {
    const std::vector<Det> own = determinants_of_roots(roots);
    const auto is_own = [&](const Det& d) { return std::ranges::binary_search(own, d); };
    if (std::ranges::any_of(references, is_own)) std::erase_if(references, std::not_fn(is_own));
  }
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

/// Every arrangement of a configuration with the Ms of the problem; over CSFs, one.
std::vector<Det> arrangements(const WideConfiguration& configuration, const ReferenceProblem& problem) {
  std::vector<Det> references;
  for_each_arrangement(configuration.doubly, configuration.singly, problem.num_alpha,
                       [&](const Det& d) { references.push_back(d); });
  if (problem.occupations_only) references.resize(1);
  return references;
}

/// Electrons per orbital: 2, 1, 0.
std::string occupation_text(const WideConfiguration& configuration, std::size_t num_orbitals) {
  std::string text(num_orbitals, '0');
  configuration.singly.for_each([&](int p) { text[p] = '1'; });
  configuration.doubly.for_each([&](int p) { text[p] = '2'; });
  return text;
}

Det first_determinant(const ReferenceProblem& problem) {
  return {WideString::lowest(problem.num_alpha), WideString::lowest(problem.num_beta)};
}

/// References that a search found: told by what they are of the first orbitals.
References found(const WideConfiguration& configuration, std::string_view how,
                 const ReferenceProblem& problem) {
  const WideConfiguration first = configuration_of(first_determinant(problem));
  if (configuration == first) return {arrangements(configuration, problem)};
  const auto text = [&](const WideConfiguration& c) { return occupation_text(c, problem.names.size()); };
  return {arrangements(configuration, problem),
          fmt::format("{} of the first orbitals, {}",
                      replacement_text(text(first), text(configuration), problem.names, true), how)};
}

/// The lowest configuration of the sector's irrep and spin that replacements of one or two electrons lead to: from the
/// first orbitals with as few open shells as possible, which symmetry does not prefer any component of a degenerate
/// state to, and from those with the spin. None if there is no such.
std::optional<WideConfiguration> lowest_of_sector(const ReferenceProblem& problem) {
  const ConfigurationEnergies energies(problem.integrals, problem.two_s);
  const ConfigurationWish wish = wish_of(problem);
  ConfigurationWish of_any_irrep = wish;
  of_any_irrep.irrep = any_irrep;
  std::optional<WideConfiguration> lowest;
  const auto search = [&](const WideConfiguration& start) {
    const auto first = lowest_replacement(energies, start, wish);
    if (!first) return;
    const WideConfiguration found = descend(energies, *first, wish);
    if (!lowest || energies(found) < energies(*lowest) - ConfigurationEnergies::tie) lowest = found;
  };
  for (const int two_s : {problem.num_electrons() % 2, problem.two_s}) {
    const auto start = first_orbitals(problem.num_electrons(), problem.integrals.num_orbitals, two_s);
    if (start) search(*start);
    if (start && !lowest) {
      // Too far from the first orbitals: perhaps not from the lowest.
      if (const auto of_spin = lowest_replacement(energies, *start, of_any_irrep))
        search(descend(energies, *of_spin, of_any_irrep));
    }
  }
  return lowest;
}

References aufbau_references(const ReferenceProblem& problem) {
  const auto first = first_orbitals(problem.num_electrons(), problem.integrals.num_orbitals, problem.two_s);
  const bool is_of_irrep = problem.irrep == any_irrep ||
                           (first && irrep_of(first->singly, problem.integrals.irreps) == problem.irrep);
  // Whether they keep the limits of a RAS is for the caller to say.
  const auto reference = first && is_of_irrep ? first : lowest_of_sector(problem);
  if (reference) return found(*reference, "the lowest of this irrep and spin", problem);
  return {{first_determinant(problem)}};
}

References lowest_references(const ReferenceProblem& problem) {
  const auto first = first_orbitals(problem.num_electrons(), problem.integrals.num_orbitals, problem.two_s);
  const ConfigurationWish wish = wish_of(problem);
  const bool is_start = first && wish.is_met(*first, problem.integrals);
  const auto reference =
      is_start ? std::optional(descend(ConfigurationEnergies(problem.integrals, problem.two_s), *first, wish))
               : lowest_of_sector(problem);
  if (reference) return found(*reference, "reached by replacements that lower the energy", problem);
  return {{first_determinant(problem)}};
}

}  // namespace

ConfigurationWish wish_of(const ReferenceProblem& problem) {
  return {.irrep = problem.irrep, .fewest_open = problem.two_s, .keeps_bounds = problem.keeps_bounds};
}

References make_references(const ReferenceChoice& choice, const ReferenceProblem& problem) {
  if (const auto* list = std::get_if<ListedReferences>(&choice)) return {listed(*list, problem)};
  if (const auto* cas = std::get_if<CasReference>(&choice)) return make_cas_references(*cas, problem);
  if (const auto* file = std::get_if<FileReference>(&choice)) return {from_file(*file, problem)};
  if (std::holds_alternative<LowestReference>(choice)) return lowest_references(problem);
  if (std::holds_alternative<AufbauReference>(choice)) return aufbau_references(problem);
  return {{first_determinant(problem)}};
}

}  // namespace cisolve
