// SPDX-License-Identifier: MIT
// Generates the determinants of a job, once it is known that they fit.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/report/report.hpp"

namespace cisolve {
namespace {

/// Determinants before anything of that length is generated, or a bound to them.
struct Count {
  double rows = 0.0;
  bool is_bound = false;
};

/// Strings that a listed space tabulates, at most.
double count_listed_strings(const SpaceSelection<string_words>& selection) {
  double strings = 0.0;
  std::set<std::pair<bool, String>> seen;
  for (const auto& d : selection.references) {
    for (const auto& [is_alpha, s] : {std::pair(true, d.alpha), {false, d.beta}}) {
      if (!seen.insert({is_alpha, s}).second) continue;
      for (const StringCount& count :
           count_strings<string_words>({.num_orbitals = selection.num_orbitals,
           .reference = s,
           .max_level = std::min({selection.excitation_level, s.count(), selection.num_orbitals - s.count()}),
           .irreps = selection.irreps,
           .max_holes = selection.max_holes,
           .max_particles = selection.max_particles})) {
        strings += count.strings;
      }
    }
  }
  return strings;
}

Count count_space(const SpaceSelection<string_words>& selection, double memory) {
  if (!is_product(selection)) {
    constexpr double bytes_per_string = 32.0;
    const double strings = count_listed_strings(selection);
    if (strings * bytes_per_string > memory) return {strings, true};
    const auto counts = count_listed(selection);
    return {static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})), false};
  }
  const auto counts = count_determinants(selection);
  return {std::accumulate(counts.begin(), counts.end(), 0.0), false};
}

/// The largest excitation level whose space fits, for the message.
std::string what_would_fit(const CiJob& job, double most) {
  if (!is_product(job.selection))
    return "a lower excitation_level, fewer references or frozen orbitals make it smaller";
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

std::unique_ptr<Space<string_words>> build_space(const CiJob& job, std::int64_t memory) {
  const auto [rows, is_bound] = count_space(job.selection, static_cast<double>(memory));
  const std::string irrep = job.selection.irrep == any_irrep
                                ? std::string("any irrep")
                                : "irrep " + job.point_group.irrep_name(job.selection.irrep + 1);
  // A few vectors and the diagonal are the least that any solver needs.
  constexpr double bytes_per_row = 8.0 * 16;
  const double most = std::min(static_cast<double>(memory) / bytes_per_row,
                               static_cast<double>(std::numeric_limits<std::int32_t>::max()) - 1.0);
  if (is_bound || rows > most) {
    throw ResourceError(fmt::format(
        "the space of {}{} determinants ({}) needs at least {} for its vectors, but {} may be used "
        "(run.memory) and a "
        "stored matrix has fewer than 2^31 rows; {}",
        is_bound ? "more than " : "",
        rows < 1e15 ? format_count(static_cast<std::int64_t>(rows)) : fmt::format("{:.3g}", rows), irrep,
        rows < 1e15 ? format_bytes(static_cast<std::int64_t>(rows * bytes_per_row)) : "more than 1 PiB",
        format_bytes(memory), what_would_fit(job, most)));
  }
  auto space = make_space(job.selection);
  if (space->size() == 0) {
    throw EmptySpaceError(
        fmt::format("states.irrep: the space holds no determinant of {} with ms2 = {}; ask for another "
                    "irrep or a higher space.excitation_level",
                    irrep, job.ms2));
  }
  return space;
}

}  // namespace cisolve
