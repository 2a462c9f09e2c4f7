// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/tasks/report.hpp"
#include "tasks/integral_source.hpp"
#include "tasks/references.hpp"

namespace cisolve {
namespace {

/// Zero-based orbitals to freeze at one end.
std::vector<int> frozen(const FrozenOrbitals& wanted, const IntegralSource& source, bool at_the_end) {
  std::vector<int> orbitals;
  const int num_orbitals = source.num_orbitals;
  const bool cores = std::holds_alternative<NobleGasCores>(wanted);
  const FrozenOrbitals choice = cores ? FrozenOrbitals(source.noble_gas_core) : wanted;
  if (const auto* count = std::get_if<int>(&choice)) {
    orbitals.resize(static_cast<std::size_t>(std::min(*count, num_orbitals)));
    std::iota(orbitals.begin(), orbitals.end(),
              at_the_end ? num_orbitals - static_cast<int>(orbitals.size()) : 0);
  } else {
    for (const int p : std::get<std::vector<int>>(choice)) orbitals.push_back(p - 1);
  }
  return orbitals;
}

/// 2 Ms of all electrons by the chain states.ms2, states.multiplicity, the header.
int settle_ms2(const CiConfig& config, const IntegralSource& file, int electrons,
               std::vector<std::string>& warnings) {
  const bool odd = electrons % 2 != 0;
  if (config.multiplicity && (*config.multiplicity % 2 == 0) != odd) {
    throw InputError(
        fmt::format("states.multiplicity: {} electrons cannot have multiplicity {}; it must be {}", electrons,
                    *config.multiplicity, odd ? "even" : "odd"));
  }
  if (config.ms2) {
    if ((*config.ms2 % 2 != 0) != odd) {
      throw InputError(fmt::format("states.ms2: {} electrons cannot have ms2 = {}; it must be {}", electrons,
                                   *config.ms2, odd ? "odd" : "even"));
    }
    if (config.multiplicity && std::abs(*config.ms2) > *config.multiplicity - 1) {
      throw InputError(fmt::format("states.ms2: multiplicity {} has no component with ms2 = {}; at most {}",
                                   *config.multiplicity, *config.ms2, *config.multiplicity - 1));
    }
    return *config.ms2;
  }
  if (config.multiplicity) return *config.multiplicity - 1;
  if ((file.ms2 % 2 != 0) == odd) return file.ms2;
  // The header's spin belongs to another number of electrons (or it gave none): the lowest that fits.
  const int ms2 = odd ? 1 : 0;
  if (config.electrons && file.ms2_given) {
    warnings.push_back(
        fmt::format("{} electrons cannot have the header's MS2 = {}; ms2 = {} is used (set states.ms2 or "
                    "states.multiplicity to choose)",
                    electrons, file.ms2, ms2));
  }
  return ms2;
}

struct Electrons {
  int alpha;
  int beta;
};

/// Active electrons of each spin.
Electrons settle_electrons(const CiConfig& config, int electrons, int ms2, int num_orbitals, int core,
                           int active) {
  const char* key = config.ms2 ? "states.ms2" : config.multiplicity ? "states.multiplicity" : "states.ms2";
  if (electrons < 1 || electrons > 2 * num_orbitals) {
    throw InputError(fmt::format("integrals.electrons: {} electrons do not fit {} orbitals; use 1 to {}",
                                 electrons, num_orbitals, 2 * num_orbitals));
  }
  if (std::abs(ms2) > electrons || (electrons + std::abs(ms2)) / 2 > num_orbitals) {
    throw InputError(fmt::format("{}: {} electrons in {} orbitals cannot have ms2 = {} (multiplicity {})",
                                 key, electrons, num_orbitals, ms2, std::abs(ms2) + 1));
  }
  const int alpha = (electrons + ms2) / 2 - core;
  const int beta = (electrons - ms2) / 2 - core;
  if (alpha < 0 || beta < 0) {
    throw InputError(fmt::format("space.frozen_core: {} frozen orbitals, but only {} are doubly occupied",
                                 core, (electrons - std::abs(ms2)) / 2));
  }
  if (alpha + beta == 0) {
    throw InputError(
        fmt::format("space.frozen_core: {} frozen orbitals leave no electron to correlate", core));
  }
  if (std::max(alpha, beta) > active) {
    throw InputError(
        fmt::format("space.frozen_virtual: {} electrons of one spin do not fit the {} orbitals left",
                    std::max(alpha, beta), active));
  }
  return {alpha, beta};
}

std::string reference_text(const Determinant<string_words>& d, int num_orbitals) {
  std::string text = occupation_text(d, num_orbitals);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

void settle_references(const CiConfig& config, CiJob& job, const Electrons& electrons) {
  const Integrals& v = job.active.integrals;
  int wanted = any_irrep;
  const bool restricted = !config.irrep || *config.irrep != "all";
  if (config.irrep && restricted) wanted = job.point_group.irrep_number(*config.irrep) - 1;
  ReferenceProblem problem{v, electrons.alpha, electrons.beta, wanted};
  auto& selection = job.selection;
  selection.references = make_references(config.reference, problem);
  if (restricted && wanted == any_irrep) {
    wanted = irrep_of(selection.references.front().alpha, v.irreps) ^
             irrep_of(selection.references.front().beta, v.irreps);
    // A CAS holds the determinants of the wanted irrep only, named or not.
    if (std::holds_alternative<CasReference>(config.reference)) {
      problem.irrep = wanted;
      selection.references = make_references(config.reference, problem);
      problem.irrep = any_irrep;
    }
  }
  const auto first = selection.references.front();
  selection.irrep = wanted;
  job.reference_energy = matrix_element(v, first, first);

  if (std::holds_alternative<AufbauReference>(config.reference)) {
    const auto better = best_replacement(problem, first);
    if (better != first) {
      job.warnings.push_back(
          fmt::format("the aufbau reference {} is not the lowest: {} lies {:.4f} hartree below it; "
                      "reference = \"lowest\" uses the lowest",
                      reference_text(first, job.num_orbitals()), reference_text(better, job.num_orbitals()),
                      job.reference_energy - matrix_element(v, better, better)));
    }
  }
}

using References = std::vector<Determinant<string_words>>;

bool all_closed_shell(const References& references) {
  return std::all_of(references.begin(), references.end(), [](const auto& d) { return d.alpha == d.beta; });
}

/// True if every configuration comes with all arrangements of its open-shell spins.
bool closed_under_spin_flips(const References& references) {
  std::map<std::pair<String, String>, double> arrangements;  // by doubly and singly occupied orbitals
  for (const auto& d : references) arrangements[{d.alpha & d.beta, d.alpha ^ d.beta}] += 1.0;
  const int ms2 = references.front().alpha.count() - references.front().beta.count();
  return std::all_of(arrangements.begin(), arrangements.end(), [&](const auto& entry) {
    const int open = entry.first.second.count();
    double all = 1.0;  // binomial(open, alpha electrons among them)
    for (int k = 1; k <= (open + ms2) / 2; ++k) all = all * (open - k + 1) / k;
    return std::round(all) == entry.second;
  });
}

void settle_level(const CiConfig& config, CiJob& job) {
  auto& selection = job.selection;
  const int most = max_excitation_level(selection);
  const bool full = config.excitation_level == full_excitation || config.excitation_level >= most;
  selection.excitation_level = full ? most : config.excitation_level;
  job.spin_complete = full || (selection.excitation_level == 0 ? closed_under_spin_flips(selection.references)
                                                               : all_closed_shell(selection.references));
  if (!job.spin_complete) {
    job.warnings.push_back(
        "a determinant space cut by excitation level from open-shell references is not "
        "spin-complete: <S^2> of its roots deviates from S (S + 1); spin_complete = true will complete it "
        "(not in this version)");
  }
}

/// The largest excitation level whose space fits, for the message.
std::string what_would_fit(const CiJob& job, double most) {
  SpaceSelection<string_words> smaller = job.selection;
  while (smaller.excitation_level > 0) {
    --smaller.excitation_level;
    const auto counts = count_determinants(smaller);
    const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (rows <= most) {
      return fmt::format("excitation_level = {} has {} determinants and would fit", smaller.excitation_level,
                         format_count(static_cast<std::int64_t>(rows)));
    }
  }
  return "no excitation level would fit; freeze orbitals or restrict the irrep";
}

}  // namespace

std::int64_t memory_limit(const CiConfig& config) {
  constexpr double share_of_free = 0.8;  // leaves room for the file cache and other programs
  return config.memory > 0
             ? config.memory
             : static_cast<std::int64_t>(share_of_free * static_cast<double>(available_memory()));
}

CiJob prepare_job(const CiConfig& config, const JobMonitor& monitor) {
  CiJob job;
  const IntegralSource source = open_integrals(config, monitor);
  job.point_group = source.point_group;
  job.molecule = source.molecule;
  job.warnings = source.warnings;

  const int in_file = source.num_orbitals;
  const auto core = frozen(config.frozen_core, source, false);
  const auto virtuals = frozen(config.frozen_virtual, source, true);
  const int electrons = source.num_electrons;
  job.ms2 = settle_ms2(config, source, electrons, job.warnings);
  job.num_frozen_core = static_cast<int>(core.size());
  job.num_frozen_virtual = static_cast<int>(virtuals.size());
  const int active = in_file - job.num_frozen_core - job.num_frozen_virtual;
  const Electrons split = settle_electrons(config, electrons, job.ms2, in_file, job.num_frozen_core, active);
  job.num_electrons = split.alpha + split.beta;
  if (active > String::max_orbitals) {
    const std::string from = config.molecule ? "molecule.basis" : config.integrals_file.string();
    throw InputError(fmt::format(
        "{}: {} active orbitals are more than the {} that this version can handle; freeze some by "
        "space.frozen_core or space.frozen_virtual",
        from, active, String::max_orbitals));
  }
  job.active = source.activate(core, virtuals);
  job.integrals_hash = hash(job.active.integrals);
  job.selection.num_orbitals = active;
  job.selection.irreps = job.active.integrals.irreps;
  settle_references(config, job, split);
  settle_level(config, job);
  return job;
}

std::unique_ptr<Space<string_words>> build_space(const CiJob& job, std::int64_t memory) {
  const auto counts = count_determinants(job.selection);
  // Several references share determinants: so many at most, and never more than full CI.
  SpaceSelection<string_words> full = job.selection;
  full.excitation_level = max_excitation_level(full);
  const auto full_counts = count_determinants(full);
  const double rows = std::min(std::accumulate(counts.begin(), counts.end(), 0.0) *
                                   static_cast<double>(job.selection.references.size()),
                               std::accumulate(full_counts.begin(), full_counts.end(), 0.0));
  const std::string irrep = job.selection.irrep == any_irrep
                                ? std::string("any irrep")
                                : "irrep " + job.point_group.irrep_name(job.selection.irrep + 1);
  // A few vectors and the diagonal are the least that any solver needs.
  constexpr double bytes_per_row = 8.0 * 16;
  const double most = std::min(static_cast<double>(memory) / bytes_per_row,
                               static_cast<double>(std::numeric_limits<std::int32_t>::max()) - 1.0);
  if (rows > most) {
    throw ResourceError(fmt::format(
        "the space of {}{} determinants ({}) needs at least {} for its vectors, but {} may be used "
        "(run.memory) and a "
        "stored matrix has fewer than 2^31 rows; {}",
        job.selection.references.size() > 1 ? "at most " : "",
        rows < 1e15 ? format_count(static_cast<std::int64_t>(rows)) : fmt::format("{:.3g}", rows), irrep,
        rows < 1e15 ? format_bytes(static_cast<std::int64_t>(rows * bytes_per_row)) : "more than 1 PiB",
        format_bytes(memory), what_would_fit(job, most)));
  }
  auto space = make_space(job.selection);
  if (space->size() == 0) {
    throw InputError(
        fmt::format("states.irrep: the space holds no determinant of {} with ms2 = {}; ask for another irrep "
                    "or a higher space.excitation_level",
                    irrep, job.ms2));
  }
  return space;
}

}  // namespace cisolve
