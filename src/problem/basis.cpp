// SPDX-License-Identifier: MIT
#include "cisolve/problem/basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "cisolve/core/number_text.hpp"
#include "cisolve/integrals/complex_integrals.hpp"
#include "problem/complex_basis.hpp"
#include "problem/planners.hpp"

namespace cisolve {
namespace {

std::string count_text(double count) {
  return count < 1e15 ? format_count(static_cast<std::int64_t>(count)) : fmt::format("{:.3g}", count);
}

std::string bytes_text(double bytes) {
  return bytes < 1e15 ? format_bytes(static_cast<std::int64_t>(bytes)) : "more than 1 PiB";
}

/// Functions before anything of that length is generated, or a bound to them.
struct Count {
  double rows = 0.0;
  bool is_bound = false;
};

/// Rows that a stored matrix, and a list that it goes with, may have.
double most_listed_rows(std::int64_t memory) {
  return std::min(static_cast<double>(memory) / least_bytes_per_row,
                  static_cast<double>(std::numeric_limits<std::int32_t>::max()) - 1.0);
}

/// Whether a space is made of strings that are there at once, without a list of its determinants.
bool is_made_of_strings(const DeterminantSelection& selection) {
  return selection.cas || is_product(selection);
}

/// Strings of one spin out of one reference string.
double count_strings_of(const DeterminantSelection& selection, const WideString& reference) {
  double strings = 0.0;
  const auto& cas = selection.cas;
  const int most = std::min(reference.count(), selection.num_orbitals - reference.count());
  for (const StringCount& count : count_strings<most_string_words>({.num_orbitals = selection.num_orbitals,
                                  .reference = reference,
                                  .max_level = cas ? most : std::min(selection.excitation_level, most),
                                  .irreps = selection.irreps,
                                  .max_holes = selection.max_holes,
                                  .max_particles = selection.max_particles,
                                  .active = cas ? std::optional(cas->active) : std::nullopt})) {
    strings += count.strings;
  }
  return strings;
}

/// Strings that a space tabulates, at most.
double count_tabulated_strings(const DeterminantSelection& selection) {
  double strings = 0.0;
  std::set<std::pair<bool, WideString>> seen;
  const auto add = [&](const Determinant<most_string_words>& d) {
    for (const auto& [is_alpha, s] : {std::pair(true, d.alpha), {false, d.beta}}) {
      if (seen.insert({is_alpha, s}).second) strings += count_strings_of(selection, s);
    }
  };
  if (is_made_of_strings(selection)) {
    add(selection.references.front());
  } else {
    for (const auto& d : selection.references) add(d);
  }
  return strings;
}

/// Blocks of strings take memory by strings. Whether the solver's vectors fit is for the plan to say, but wherever
/// they are, the diagonal and a root are on the host.
void require_room_for_blocks(const BasisDefinition& definition, std::int64_t memory) {
  const auto& selection = std::get<DeterminantSelection>(definition.functions);
  constexpr double of_string = 64.0;  // bits, irrep, level, place in a hash table
  constexpr double of_run = 12.0;     // first row and list
  constexpr double of_row = 2.0 * 8.0;
  constexpr double most_strings = std::numeric_limits<std::int32_t>::max();
  const auto room = static_cast<double>(memory);
  const double strings = count_tabulated_strings(selection);
  const double bytes = strings * (of_string + of_run * (selection.excitation_level + 1));
  const auto counts = count_determinants(selection);
  const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (bytes <= room && strings < most_strings && rows * of_row <= room) return;
  throw DoesNotFit(DoesNotFit::Limit::host_memory,
                   fmt::format("the space of {} determinants ({}) needs at least {} for strings, diagonal "
                               "and a root, but {} may be used",
                               count_text(rows), definition.irrep_text(), bytes_text(bytes + rows * of_row),
                               format_bytes(memory)),
                   smaller_determinant_space(definition, of_row, std::min(room, rows * of_row)));
}

void require_room_for_list(const BasisDefinition& definition, std::int64_t memory) {
  const auto& selection = std::get<DeterminantSelection>(definition.functions);
  constexpr double bytes_per_string = 32.0;
  const bool are_references = selection.excitation_level == 0;
  Count count{are_references ? 0.0 : count_tabulated_strings(selection), true};
  if (count.rows * bytes_per_string <= static_cast<double>(memory)) {
    const auto counts = count_listed(selection);
    count = {static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})), false};
  }
  if (!count.is_bound && count.rows <= most_listed_rows(memory)) return;
  const std::string smaller =
      selection.single_occupancy
          ? "fewer sites, or fewer holes or electrons, make it smaller"
          : fmt::format("a lower excitation_level, fewer references{} or frozen orbitals make it smaller",
                        selection.spin_complete ? ", spin_complete = false" : "");
  throw DoesNotFit(
      DoesNotFit::Limit::host_memory,
      fmt::format("the space of {}{} determinants ({}) needs at least {} for its vectors, but {} may be used "
                  "and a stored matrix has fewer than 2^31 rows",
                  count.is_bound ? "more than " : "", count_text(count.rows), definition.irrep_text(),
                  bytes_text(count.rows * least_bytes_per_row), format_bytes(memory)),
      smaller);
}

/// Matrix elements of complex integrals are those of spinors: two of each orbital that both spins share.
void require_room_for_spinors(const ComplexIntegrals& integrals, std::int64_t memory) {
  const int num_spinors = (integrals.are_spinors ? 1 : 2) * integrals.num_orbitals;
  const double pairs = static_cast<double>(num_spinors) * num_spinors;
  const double bytes = pairs * (pairs + 1.0) / 2.0 * sizeof(Complex);
  if (bytes <= static_cast<double>(memory)) return;
  throw DoesNotFit(DoesNotFit::Limit::host_memory,
                   fmt::format("the complex integrals over {} spinors take {}, but {} may be used",
                               num_spinors, bytes_text(bytes), format_bytes(memory)),
                   "frozen orbitals, and virtual ones left out, make them fewer");
}

void require_room_for_csfs(const BasisDefinition& definition, std::int64_t memory, int num_roots) {
  const auto& selection = std::get<CsfSelection>(definition.functions);
  const double rows = most_csfs(selection);
  if (rows <= most_listed_rows(memory)) return;
  const bool is_bound = selection.references.size() > 1 || !selection.bounds.empty();
  throw DoesNotFit(
      DoesNotFit::Limit::host_memory,
      fmt::format("the space of {}{} CSFs ({}, multiplicity {}) needs at least {} for its vectors, but {} "
                  "may be used and a stored matrix has fewer than 2^31 rows",
                  is_bound ? "at most " : "", count_text(rows), definition.irrep_text(), selection.two_s + 1,
                  bytes_text(rows * least_bytes_per_row), format_bytes(memory)),
      smaller_csf_space(definition, {.solver = {.num_roots = num_roots}}, {.memory = memory, .devices = {}}));
}

using References = std::vector<Determinant<most_string_words>>;

bool all_closed_shell(const References& references) {
  return std::ranges::all_of(references, [](const auto& d) { return d.alpha == d.beta; });
}

/// True if every configuration comes with all arrangements of its open-shell spins.
bool closed_under_spin_flips(const References& references) {
  std::map<std::pair<WideString, WideString>, double> arrangements;  // by doubly and singly occupied orbitals
  for (const auto& d : references) arrangements[{d.alpha & d.beta, d.alpha ^ d.beta}] += 1.0;
  const int ms2 = references.front().alpha.count() - references.front().beta.count();
  return std::ranges::all_of(arrangements, [&](const auto& entry) {
    const int open = entry.first.second.count();
    double all = 1.0;  // binomial(open, alpha electrons among them)
    for (int k = 1; k <= (open + ms2) / 2; ++k) all = all * (open - k + 1) / k;
    return std::round(all) == entry.second;
  });
}

}  // namespace

bool is_spin_complete(const DeterminantSelection& selection) {
  if (selection.spin_complete || selection.cas || selection.single_occupancy) return true;
  if (selection.excitation_level >= max_excitation_level(selection)) return true;
  return selection.excitation_level == 0 ? closed_under_spin_flips(selection.references)
                                         : all_closed_shell(selection.references);
}

std::string BasisDefinition::irrep_text() const {
  const int irrep = std::visit([](const auto& selection) { return selection.irrep; }, functions);
  return irrep == any_irrep ? std::string("any irrep") : "irrep " + point_group.irrep_name(irrep + 1);
}

BasisDefinition Basis::definition_over(std::shared_ptr<const Integrals> integrals,
                                       std::optional<int> multiplicity) const {
  const Integrals& own = *definition_.integrals;
  if (integrals->num_orbitals != own.num_orbitals || integrals->irreps != own.irreps)
    throw DimensionError("Basis: the same functions need integrals of the same orbitals");
  BasisDefinition definition = definition_;
  definition.integrals = std::move(integrals);
  definition.multiplicity = multiplicity;
  return definition;
}

std::vector<std::int64_t> Basis::find(std::span<const std::uint64_t>, std::span<const std::uint64_t>) const {
  throw DimensionError("Basis: determinants are looked for among functions that are none");
}

LowestRows Basis::lowest_rows(const RowMap&, std::span<const double>, const ModelRowsConfig&) const {
  throw DimensionError("Basis: lowest rows of ranks are those of determinants");
}

std::vector<std::int64_t> Basis::model_rows(const LowestRows&, const ModelRowsConfig&) const {
  throw DimensionError("Basis: lowest rows of ranks are those of determinants");
}

std::vector<LeadingConfiguration> Basis::leading(std::span<const double> vector, int most,
                                                 double minimum_weight) const {
  std::vector<LeadingConfiguration> found;
  for (const auto& [row, c] : leading_determinants(vector, most, minimum_weight)) {
    found.push_back({text_of(row), c, c * c});
  }
  return found;
}

SiteCorrelations Basis::site_correlations(std::span<const double> vector, const Matrix& coefficients,
                                          std::int64_t max_bytes) const {
  return cisolve::site_correlations(spin_densities(vector, 1, {*this, vector, 1})(0, 0),
                                    two_particle_density(vector, max_bytes), coefficients);
}

void require_room(const BasisDefinition& definition, std::int64_t memory, int num_roots) {
  if (definition.complex != nullptr) require_room_for_spinors(*definition.complex, memory);
  const auto* selection = std::get_if<DeterminantSelection>(&definition.functions);
  if (selection == nullptr) return require_room_for_csfs(definition, memory, num_roots);
  return is_made_of_strings(*selection) ? require_room_for_blocks(definition, memory)
                                        : require_room_for_list(definition, memory);
}

std::unique_ptr<Basis> make_basis(const BasisDefinition& definition, std::int64_t memory, int num_roots) {
  require_room(definition, memory, num_roots);
  if (definition.complex != nullptr) {
    BasisDefinition real = definition;
    real.complex = nullptr;
    return make_complex_basis(definition, make_basis(real, memory, num_roots));
  }
  return std::visit(
      [&](const auto& selection) {
        return with_string_words(selection.num_orbitals, [&]<int Words>() {
          const auto narrow = with_words<Words>(selection);
          if constexpr (std::is_same_v<decltype(narrow), const SpaceSelection<Words>>)
            return make_basis(definition, make_space(narrow));
          else
            return make_basis(definition, std::make_unique<ConfigurationSpace<Words>>(narrow));
        });
      },
      definition.functions);
}

}  // namespace cisolve
