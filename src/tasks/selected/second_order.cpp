// SPDX-License-Identifier: MIT
#include "tasks/selected/second_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/selection/extrapolation.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "core/stopwatch.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

/// E2 by the sum that the input asks for.
SecondOrder sum_externals(const RunContext& context, const SelectedCi& list,
                          const Wavefunctions& wavefunctions) {
  const SelectionConfig& selection = *context.config.selection;
  ProgressLine progress(context.control, "Summing up the perturbation");
  const ExternalOptions options{.progress = progress.callback(), .stop = context.control.stop};
  if (selection.perturbation != SelectionConfig::Perturbation::semistochastic)
    return list.second_order(wavefunctions, options);
  SamplingConfig sampling;
  sampling.error = selection.perturbation_error;
  sampling.seed = selection.seed;
  SecondOrder found = list.estimate_second_order(wavefunctions, sampling, options);
  const double error = *std::ranges::max_element(found.energy_error);
  if (error > sampling.error) {
    context.warn(fmt::format(
        "selection.perturbation_error: {:.1e} hartree was asked for, {:.1e} was reached with {} samples",
        sampling.error, error, format_count(sampling.most_samples)));
  }
  return found;
}

/// Puts E2 into the last pass.
void record_second_order(CiResult::Selection& reached, const SecondOrder& found) {
  const std::size_t roots = reached.num_roots, first = reached.energy.size() - roots;
  for (std::size_t k = 0; k < std::min(roots, found.energy.size()); ++k) {
    reached.second_order[first + k] = found.energy[k];
    reached.second_order_error[first + k] = found.energy_error[k];
    reached.variance[first + k] = found.variance[k];
  }
  reached.externals.back() = found.externals;
}

namespace {

/// Passes of a root that have E2, in the order of growth.
std::vector<SelectedPoint> points_of(const CiResult::Selection& reached, std::size_t root) {
  std::vector<SelectedPoint> points;
  for (std::size_t at = root; at < reached.energy.size(); at += reached.num_roots) {
    if (!std::isnan(reached.second_order[at]))
      points.push_back({reached.energy[at], reached.second_order[at], reached.second_order_error[at]});
  }
  return points;
}

/// E2 of the last pass, where its roots are those of the sector to the last digits, none of them close to another, which
/// labels may have rotated; else none.
std::optional<SecondOrder> known_second_order(const CiResult::Selection& reached,
                                              std::span<const double> energies) {
  constexpr double same = 1e-9, apart = 1e-5;  // hartree
  const std::size_t roots = reached.num_roots, first = reached.energy.size() - roots;
  if (energies.size() != roots) return std::nullopt;
  SecondOrder known;
  known.externals = reached.externals.back();
  for (std::size_t k = 0; k < roots; ++k) {
    const bool is_close = k > 0 && energies[k] - energies[k - 1] < apart;
    if (is_close || std::isnan(reached.second_order[first + k]) ||
        !(std::abs(reached.energy[first + k] - energies[k]) < same))
      return std::nullopt;
    known.energy.push_back(reached.second_order[first + k]);
    known.energy_error.push_back(reached.second_order_error[first + k]);
    known.variance.push_back(reached.variance[first + k]);
  }
  return known;
}

/// A list that is not closed under spin flips may hold more of another spin than of the one that it began with.
void warn_of_spins(const RunContext& context, const CiResult::Sector& sector) {
  constexpr double visible = 0.1;  // hbar^2
  if (sector.space.spin_complete) return;
  for (std::size_t k = 0; k < sector.roots.size(); ++k) {
    const double s_squared = sector.roots[k].s_squared, s = 0.5 * (std::sqrt(1.0 + 4.0 * s_squared) - 1.0);
    const double nearest = 0.5 * std::round(2.0 * s);
    if (!(std::abs(s_squared - nearest * (nearest + 1.0)) > visible)) continue;
    context.warn(fmt::format(
        "selection: <S^2> of root {} is {:.2f}, that of no spin: the list is not closed under spin "
        "flips; states.multiplicity, or space.spin_complete = true, closes it",
        k + 1, s_squared));
  }
}

}  // namespace

void add_second_order(const RunContext& context, const SelectedCi& list, CiResult::Sector& sector) {
  if (context.config.selection->perturbation == SelectionConfig::Perturbation::none || sector.roots.empty())
    return;
  const Stopwatch summing;
  std::vector<double> energies;
  for (const Root& root : sector.roots) energies.push_back(root.energy);
  CiResult::Selection& reached = *sector.selection;
  Array<double> buffer;
  const auto known_before = known_second_order(reached, energies);
  const SecondOrder found =
      known_before ? *known_before
                   : sum_externals(context, list,
                                   {sector.vectors->view(0, sector.vectors->columns(), buffer), energies});
  if (found.intruders > 0) {
    context.warn(fmt::format(
        "selection: {} determinants outside of the list lie no higher than a root that they couple to, "
        "so that second-order perturbation theory says little; a longer list, or more roots, take "
        "them in",
        format_count(found.intruders)));
  }
  warn_of_spins(context, sector);
  const std::size_t known = std::min<std::size_t>(reached.num_roots, sector.roots.size());
  record_second_order(reached, found);
  for (std::size_t k = 0; k < known; ++k)
    reached.energy[reached.energy.size() - reached.num_roots + k] = energies[k];
  for (std::size_t k = 0; k < sector.roots.size(); ++k) {
    Root& root = sector.roots[k];
    root.second_order = found.energy[k];
    root.second_order_error = found.energy_error[k];
    root.variance = found.variance[k];
    if (k >= known) continue;
    if (found.externals == 0 && found.energy_error[k] == 0.0) {  // all that H connects is in the list
      root.extrapolated_energy = root.energy;
      root.extrapolated_error = 0.0;
    } else if (const auto limit = extrapolate(points_of(reached, k))) {
      root.extrapolated_energy = limit->energy;
      root.extrapolated_error = limit->error;
    }
  }
  context.result.timing.analysis += summing.seconds();
}

}  // namespace cisolve
