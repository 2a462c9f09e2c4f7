// SPDX-License-Identifier: MIT
#include "tasks/ci/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/files/earlier_result.hpp"

namespace cisolve {
namespace {

constexpr std::string_view key = "solver.guess";

/// Roots of the spin that the sector asks for; all, if it asks for none.
std::vector<const EarlierRoot*> roots_of_spin(const EarlierResult& earlier, const CiJob& job) {
  constexpr double nearest = 1.0;  // multiplicities of one number of electrons are 2 apart
  std::vector<const EarlierRoot*> roots;
  for (const EarlierRoot& root : earlier.roots()) {
    const bool fits =
        !job.multiplicity || std::abs(multiplicity_of(root.s_squared) - *job.multiplicity) <= nearest;
    if (fits) roots.push_back(&root);
  }
  return roots;
}

std::vector<double> project(const EarlierResult& earlier, const CiJob& job, const Basis& basis) {
  const std::size_t n = basis.size();
  const std::vector<const EarlierRoot*> roots = roots_of_spin(earlier, job);
  std::vector<double> parts(n * roots.size(), 0.0);
  std::vector<bool> done(roots.size(), false);
  for (std::size_t first = 0; first < roots.size(); ++first) {
    if (done[first]) continue;
    // All roots over the same functions at once.
    std::vector<std::size_t> together;
    std::vector<std::span<const double>> vectors;
    for (std::size_t k = first; k < roots.size(); ++k) {
      if (roots[k]->space != roots[first]->space) continue;
      together.push_back(k);
      vectors.push_back(roots[k]->vector);
      done[k] = true;
    }
    const std::vector<double> projected =
        earlier.reading([&] { return basis.project(functions_of(*roots[first]->space), vectors); });
    if (projected.empty()) continue;
    for (std::size_t k = 0; k < together.size(); ++k) {
      const auto part = std::span(projected).subspan(k * n, n);
      std::ranges::copy(part, parts.begin() + static_cast<std::ptrdiff_t>(together[k] * n));
    }
  }
  return normalised_parts(parts, basis.size());
}

}  // namespace

std::vector<double> read_guess(const CiConfig& config, const CiJob& job, const Basis& basis) {
  return project(EarlierResult(*config.guess, key, *job.active, job.num_electrons), job, basis);
}

void require_guess(const CiConfig& config, std::span<const CiJob* const> jobs) {
  if (!config.guess || jobs.empty()) return;
  const CiJob& any = *jobs.front();
  const EarlierResult earlier(*config.guess, key, *any.active, any.num_electrons);
  bool serves = false, has_space = false;
  std::string sectors;
  for (const CiJob* job : jobs) {
    sectors += (sectors.empty() ? "" : "; ") + sector_name(*job);
    std::unique_ptr<Basis> basis;
    try {
      basis = make_job_basis(config, *job);
    } catch (const EmptySpaceError&) {
      continue;  // The run says so in its place.
    }
    has_space = true;
    const std::int64_t found = std::ssize(project(earlier, *job, *basis)) / basis->size();
    require_followed(config, *job, *basis, found, config.guess->string());
    serves = serves || found > 0;
  }
  if (serves || !has_space) return;
  throw InputError(fmt::format("{}: no root of {} has a part in the space of {}; it holds {}", key,
                               config.guess->string(), sectors, earlier.contents(any.point_group)));
}

void require_followed(const CiConfig& config, const CiJob& job, const Basis& basis, std::int64_t found,
                      const std::string& source) {
  if (!config.follow || found >= std::min<std::int64_t>(config.count, basis.size())) return;
  throw InputError(
      fmt::format("solver.follow: {} roots are asked for, but {} of {} have a part in the space of {}",
                  config.count, found, source, sector_name(job)));
}

std::vector<double> normalised_parts(std::span<const double> columns, std::int64_t dimension) {
  constexpr double least_part = 1e-6;  // norm of what is more than rounding
  const std::size_t n = dimension;
  std::vector<double> parts;
  for (std::size_t first = 0; first < columns.size(); first += n) {
    const auto part = columns.subspan(first, n);
    const double norm = std::sqrt(std::inner_product(part.begin(), part.end(), part.begin(), 0.0));
    if (norm < least_part) continue;
    std::ranges::transform(part, std::back_inserter(parts), [&](double c) { return c / norm; });
  }
  return parts;
}

}  // namespace cisolve
