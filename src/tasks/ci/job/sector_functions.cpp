// SPDX-License-Identifier: MIT
#include "tasks/ci/job/sector_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/space/string_table.hpp"
#include "tasks/ci/job/cas_reference.hpp"
#include "tasks/ci/job/csf_job.hpp"
#include "tasks/ci/job/degeneracy.hpp"
#include "tasks/ci/job/followed_orbitals.hpp"
#include "tasks/ci/job/references.hpp"
#include "tasks/ci/replacement.hpp"

namespace cisolve {
namespace {

std::string reference_text(const Determinant<most_string_words>& d, int num_orbitals) {
  std::string text = occupation_text(d, num_orbitals);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

ReferenceProblem reference_problem(const CiConfig& config, const SectorChoice& sector, const CiJob& job,
                                   const ActiveElectrons& electrons) {
  ReferenceProblem problem{.integrals = job.active->integrals,
                           .num_alpha = electrons.alpha,
                           .num_beta = electrons.beta,
                           .irrep = any_irrep,
                           .two_s = job.multiplicity ? *job.multiplicity - 1 : std::abs(job.ms2),
                           .active = job.active.get(),
                           .occupations_only = config.basis == BasisChoice::csf,
                           .whole_cas = config.basis != BasisChoice::csf && config.excitation_level == 0,
                           .names = active_orbital_names(job),
                           .point_group = job.point_group,
                           .spinors = job.active->complex && job.active->complex->are_spinors};
  if (sector.irrep && *sector.irrep != "all") {
    problem.irrep = job.point_group.irrep_number(*sector.irrep) - 1;
  }
  if (config.max_holes || config.max_particles) {
    problem.keeps_bounds = [&selection = job.selection](const WideConfiguration& c) {
      return keeps_bounds(selection, {c.occupied(), c.doubly});
    };
  }
  return problem;
}

/// Files may hold their orbitals in any order.
void warn_of_lower_reference(const CiConfig& config, const ReferenceProblem& problem, CiJob& job) {
  const bool is_aufbau = std::holds_alternative<AufbauReference>(config.reference);
  if (!is_aufbau && !std::holds_alternative<FirstOrbitalsReference>(config.reference)) return;
  const Determinant<most_string_words>& first = job.selection.references.front();
  const WideConfiguration reference = configuration_of(first);
  ConfigurationWish wish{
      .irrep = problem.irrep, .fewest_open = std::abs(job.ms2), .keeps_bounds = problem.keeps_bounds};
  if (is_aufbau) wish.fewest_open = std::min(problem.two_s, reference.num_open());
  if (wish.irrep != any_irrep) wish.irrep = irrep_of(reference.singly, problem.integrals.irreps);
  const ConfigurationEnergies energies(problem.integrals, wish.fewest_open);
  const auto better = lowest_replacement(energies, reference, wish);
  if (!better || *better == reference) return;
  job.warnings.push_back(
      fmt::format("the {} reference {} is not the lowest: {} lies {:.4f} hartree below it; reference "
                  "= \"lowest\" uses the lowest",
                  is_aufbau ? "aufbau" : "first orbitals'", reference_text(first, job.num_orbitals()),
                  reference_text(first_arrangement(*better, problem.num_alpha), job.num_orbitals()),
                  energies(reference) - energies(*better)));
}

/// Sets of orbitals that the input chooses and that leave out what belongs to them by symmetry.
void warn_of_cuts(const CiConfig& config, const std::vector<int>& cas, const std::vector<std::string>& names,
                  CiJob& job) {
  const DegenerateShells shells = degenerate_shells(job.active->integrals);
  const auto warn_of = [&](std::string_view what, const std::vector<int>& orbitals) {
    std::string warning = cut_warning(what, shells, orbitals, names);
    if (!warning.empty()) job.warnings.push_back(std::move(warning));
  };
  const auto zero_based = [](std::vector<int> orbitals) {
    for (int& p : orbitals) --p;
    return orbitals;
  };
  warn_of("the CAS", cas);
  if (config.max_holes) warn_of("space.max_holes", zero_based(config.max_holes->orbitals));
  if (config.max_particles) warn_of("space.max_particles", zero_based(config.max_particles->orbitals));
}

void warn_of_followed_cas(const CiConfig& config, const ReferenceProblem& problem, CiJob& job) {
  const std::string& origin = config.chosen_before->origin;
  std::string warning;
  try {
    warning = followed_warning("the CAS", origin, job.cas_orbitals,
                               cas_orbitals(*config.cas_as_given, problem), problem.names);
  } catch (const InputError&) {
    warning = fmt::format(
        "the CAS is followed from {}: chosen anew, as space.reference has it, there is none", origin);
  }
  if (!warning.empty()) job.warnings.push_back(std::move(warning));
}

/// A state without references of its irrep is what excitations from other references make of it.
void warn_of_absent_irrep(const CiConfig& config, const ReferenceProblem& problem, CiJob& job) {
  if (job.cas_orbitals.empty() || problem.irrep == any_irrep) return;
  const int level = config.excitation_level;  // at 0 there is no such state, in full CI no other
  if (level == 0 || level == full_excitation || level >= max_excitation_level(job.selection)) return;
  const auto& irreps = problem.integrals.irreps;
  const bool is_there = std::ranges::any_of(job.selection.references, [&](const auto& d) {
    return (irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps)) == problem.irrep;
  });
  if (is_there) return;
  std::string names;
  for (const int p : job.cas_orbitals) names += (names.empty() ? "" : " ") + problem.names[p];
  job.warnings.push_back(fmt::format(
      "no determinant of the CAS in {} is of irrep {}: this sector's roots are excitations from references "
      "of other irreps, and come out too high; the CAS of such states has other orbitals, which "
      "space.reference takes by label or irrep",
      names, problem.point_group.irrep_name(problem.irrep + 1)));
}

/// Drops references that a limit of a RAS excludes, or all of them; gives their number.
std::int64_t drop_references_beyond_bounds(DeterminantSelection& selection) {
  auto& references = selection.references;
  if (!selection.cas)
    return std::erase_if(references, [&](const auto& d) { return !keeps_bounds(selection, d); });
  DeterminantSelection unbound = selection;
  unbound.max_holes = unbound.max_particles = std::nullopt;
  const double kept = count_references(selection);
  if (const auto first = first_reference(selection)) {
    references = {*first};
  } else {
    references.clear();
  }
  if (kept < 2.0) selection.cas.reset();  // a list of one
  constexpr double most = 1e18;
  return static_cast<std::int64_t>(std::min(count_references(unbound) - kept, most));
}

void settle_references(const CiConfig& config, const SectorChoice& sector, CiJob& job,
                       const ActiveElectrons& electrons) {
  const Integrals& v = job.active->integrals;
  const ReferenceProblem problem = reference_problem(config, sector, job, electrons);
  const bool restricted = !sector.irrep || *sector.irrep != "all";
  auto& selection = job.selection;
  selection.irrep = problem.irrep;
  References references = make_references(config.reference, problem);
  if (restricted && problem.irrep == any_irrep) {
    const auto& first = references.determinants.front();
    selection.irrep = irrep_of(first.alpha, v.irreps) ^ irrep_of(first.beta, v.irreps);
    if (std::holds_alternative<CasReference>(config.reference)) {
      // It may be of that irrep alone.
      ReferenceProblem of_irrep = problem;
      of_irrep.irrep = selection.irrep;
      references = make_references(config.reference, of_irrep);
    }
  }
  selection.references = std::move(references.determinants);
  job.reference_origin = std::move(references.origin);
  job.cas_orbitals = references.cas;
  warn_of_absent_irrep(config, problem, job);
  if (config.cas_as_given) warn_of_followed_cas(config, problem, job);
  warn_of_cuts(config, references.cas, problem.names, job);
  selection.cas = references.whole_cas;
  const std::int64_t removed = drop_references_beyond_bounds(selection);
  if (selection.references.empty()) {
    throw InputError(fmt::format("space.{}: none of the {} reference determinants keeps this limit",
                                 config.max_holes ? "max_holes" : "max_particles", removed));
  }
  const auto first = selection.references.front();
  job.reference_energy = matrix_element(v, first, first);
  warn_of_lower_reference(config, problem, job);
}

void settle_level(const CiConfig& config, CiJob& job) {
  auto& selection = job.selection;
  const int most = max_excitation_level(selection);
  const bool full = config.excitation_level == full_excitation || config.excitation_level >= most;
  selection.excitation_level = full ? most : config.excitation_level;
  // Only where it adds something: a space that is complete by itself needs no look at its determinants.
  if (job.active->integrals.is_unrestricted()) {
    job.spin_complete = false;  // nor is any space, but for that of full CI where both spins span one space
    if (config.spin_complete && config.spin_complete_given) {
      job.warnings.push_back(
          "space.spin_complete has no effect: alpha and beta electrons have orbitals of their own, and H and "
          "S^2 do not "
          "commute in a space of their determinants, whichever arrangements it has");
    }
    return;
  }
  if (config.selection) {  // what the list grows by is completed, whatever it begins with
    job.spin_complete = selection.spin_complete = config.spin_complete;
    return;
  }
  selection.spin_complete = config.spin_complete && !is_spin_complete(selection);
  job.spin_complete = is_spin_complete(selection);
  if (!job.spin_complete) {
    job.warnings.push_back(
        "a determinant space cut by excitation level from open-shell references is not spin-complete: <S^2> "
        "of its roots deviates from S (S + 1); spin_complete = true completes it");
    if (job.multiplicity) {
      job.warnings.push_back(
          "in a space that is not spin-complete S is approximate: the roots given are those whose <S^2> is "
          "nearest that of the multiplicity asked for");
    }
  }
}

/// The space of t-J: all determinants without a doubly occupied site, of which the first is named.
void settle_single_occupancy(const ActiveElectrons& electrons, CiJob& job) {
  Determinant<most_string_words> first;
  for (int p = 0; p < electrons.alpha; ++p) first.alpha.set(p);
  for (int p = 0; p < electrons.beta; ++p) first.beta.set(electrons.alpha + p);
  auto& selection = job.selection;
  selection.references = {first};
  selection.irrep = any_irrep;
  selection.excitation_level = 0;
  selection.single_occupancy = true;
  job.spin_complete = true;
  job.reference_energy = matrix_element(job.active->integrals, first, first);
}

}  // namespace

void settle_functions(const CiConfig& config, const SectorChoice& sector, const ActiveElectrons& electrons,
                      CiJob& job) {
  if (config.lattice && config.lattice->model.is_t_j()) return settle_single_occupancy(electrons, job);
  if (config.basis == BasisChoice::csf && std::holds_alternative<ListedReferences>(config.reference)) {
    settle_listed_configurations(config, sector, job);
  } else {
    settle_references(config, sector, job, electrons);
  }
  if (config.basis == BasisChoice::csf) {
    settle_csf(config, job);
  } else {
    settle_level(config, job);
  }
}

}  // namespace cisolve
