// SPDX-License-Identifier: MIT
#include "cisolve/selection/externals.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "selection/external_sweep.hpp"
#include "selection/interleaved.hpp"
#include "selection/strongest.hpp"

namespace cisolve {
namespace {

/// What one unit, or a chunk of them, brings.
struct UnitSums {
  std::vector<double> energy, variance;  ///< [roots]
  std::int64_t externals = 0, contributions = 0, intruders = 0;

  explicit UnitSums(int roots = 0) : energy(roots, 0.0), variance(roots, 0.0) {}

  void add(const UnitSums& other) {
    for (std::size_t k = 0; k < energy.size(); ++k) {
      energy[k] += other.energy[k];
      variance[k] += other.variance[k];
    }
    externals += other.externals;
    contributions += other.contributions;
    intruders += other.intruders;
  }
};

/// Runs body(unit number among `count`, rank of the thread).
template <class Body>
void for_each_unit(std::int64_t count, int chunk, const ExternalOptions& options, const Body& body) {
  std::atomic<std::int64_t> done{0};
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  parallel_for(chunks, 1, [&](std::int64_t c) {
    if (options.stop.stop_requested()) throw Interrupted("stopped in a sum over external determinants");
    body(c, omp_get_thread_num());
    const std::int64_t ended = ++done;
    if (options.progress && omp_get_thread_num() == 0)
      options.progress(static_cast<double>(ended) / static_cast<double>(chunks));
  });
}

constexpr int units_per_chunk = 16;

}  // namespace

template <int Words>
ExternalSpace<Words>::ExternalSpace(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                                    const SameSpinMoves& beta_moves,
                                    std::span<const Determinant<Words>> determinants,
                                    std::int64_t most_numbered)
    : sweep_(std::make_unique<ExternalSweep<Words>>(tables, alpha_moves, beta_moves, determinants,
                                                    most_numbered)) {}

template <int Words>
ExternalSpace<Words>::~ExternalSpace() = default;

template <int Words>
ExternalSpace<Words>::ExternalSpace(ExternalSpace&&) noexcept = default;

namespace {

/// Sums of one unit; visit(determinant, H_aa, sums) sees each external.
template <class Sweep, class Visit>
UnitSums sums_of_unit(const Sweep& sweep, std::int64_t unit, std::span<const double> coefficients,
                      std::span<const double> energies, typename Sweep::Scratch& scratch,
                      const Visit& visit) {
  const int roots = static_cast<int>(energies.size());
  UnitSums sums(roots);
  scratch.contributions = 0;
  sweep.fill(unit, coefficients, roots, scratch);
  sums.contributions = scratch.contributions;
  sweep.for_each_external(scratch, [&](const auto& determinant, double diagonal, std::span<const double> h) {
    for (std::size_t k = 0; k < energies.size(); ++k) {
      const double square = h[k] * h[k];
      sums.variance[k] += square;
      if (square > 0.0) sums.energy[k] += square / (energies[k] - diagonal);
      if (square > 0.0 && energies[k] >= diagonal) ++sums.intruders;
    }
    ++sums.externals;
    visit(determinant, diagonal, h);
  });
  return sums;
}

SecondOrder result_of(const UnitSums& total) {
  SecondOrder result;
  result.energy = total.energy;
  result.energy_error.assign(total.energy.size(), 0.0);
  result.variance = total.variance;
  result.externals = total.externals;
  result.contributions = total.contributions;
  result.intruders = total.intruders;
  return result;
}

/// Sums over all units; visit(rank of the thread, determinant, H_aa, sums).
template <class Sweep, class Visit>
SecondOrder sum_all(const Sweep& sweep, const Wavefunctions& wavefunctions, const ExternalOptions& options,
                    const Visit& visit) {
  const int roots = static_cast<int>(wavefunctions.energies.size());
  const std::vector<double> coefficients = interleaved(wavefunctions, sweep.num_determinants());
  std::vector<std::unique_ptr<typename Sweep::Scratch>> scratch(omp_get_max_threads());
  const std::int64_t units = sweep.num_units();
  std::vector<UnitSums> parts((units + units_per_chunk - 1) / units_per_chunk);
  for_each_unit(units, units_per_chunk, options, [&](std::int64_t chunk, int rank) {
    auto& own = scratch[rank];
    if (!own) own = std::make_unique<typename Sweep::Scratch>(sweep, roots);
    UnitSums sums(roots);
    for (std::int64_t u = chunk * units_per_chunk; u < std::min(units, (chunk + 1) * units_per_chunk); ++u) {
      sums.add(sums_of_unit(
          sweep, u, coefficients, wavefunctions.energies, *own,
          [&](const auto& d, double diagonal, std::span<const double> h) { visit(rank, d, diagonal, h); }));
    }
    parts[chunk] = std::move(sums);
  });
  UnitSums total(roots);
  for (const UnitSums& part : parts) total.add(part);
  return result_of(total);
}

}  // namespace

template <int Words>
SecondOrder ExternalSpace<Words>::sum(const Wavefunctions& wavefunctions,
                                      const ExternalOptions& options) const {
  return sum_all(*sweep_, wavefunctions, options, [](int, const auto&, double, std::span<const double>) {});
}

template <int Words>
SecondOrder ExternalSpace<Words>::sum(const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                                      std::vector<External<Words>>& chosen,
                                      const ExternalOptions& options) const {
  std::vector<Strongest<Words>> found(omp_get_max_threads(), Strongest<Words>(choice.threshold, choice.most));
  const std::span<const double> energies = wavefunctions.energies;
  const SecondOrder result =
      sum_all(*sweep_, wavefunctions, options,
              [&](int rank, const Determinant<Words>& d, double diagonal, std::span<const double> h) {
                double measure = 0.0;
                for (std::size_t k = 0; k < energies.size(); ++k) {
                  const double gap = std::abs(energies[k] - diagonal);
                  const double own =
                      choice.measure == ExternalMeasure::amplitude ? std::abs(h[k]) / gap : h[k] * h[k] / gap;
                  if (h[k] != 0.0) measure = std::max(measure, own);
                }
                found[rank].add({d, measure});
              });
  chosen = strongest_of(std::move(found));
  return result;
}

template <int Words>
SecondOrder ExternalSpace<Words>::estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                           const ExternalOptions& options) const {
  const std::span<const double> energies = wavefunctions.energies;
  const int roots = static_cast<int>(energies.size());
  const std::vector<double> coefficients = interleaved(wavefunctions, sweep_->num_determinants());
  const std::vector<double> weights = sweep_->weights(coefficients, roots);
  std::array<UnitSample::Population, 2> populations;
  for (std::int64_t unit = 0; unit < std::ssize(weights); ++unit) {
    auto& population = populations[static_cast<std::size_t>(sweep_->kind(unit))];
    population.weight += weights[unit];
    ++population.count;
  }
  UnitSample sample(config, populations, static_cast<std::size_t>(roots));
  std::vector<std::unique_ptr<typename ExternalSweep<Words>::Scratch>> scratch(omp_get_max_threads());
  UnitSums total(roots);
  do {
    std::vector<std::int64_t> units;
    std::vector<double> draws;
    for (std::int64_t unit = 0; unit < std::ssize(weights); ++unit) {
      const double draw = sample.draw(sweep_->kind(unit), mix(sweep_->string(unit)));
      if (!sample.takes(sweep_->kind(unit), weights[unit], draw)) continue;
      units.push_back(unit);
      draws.push_back(draw);
    }
    std::vector<UnitSums> sums(units.size());
    for_each_unit(std::ssize(units), 1, options, [&](std::int64_t at, int rank) {
      auto& own = scratch[rank];
      if (!own) own = std::make_unique<typename ExternalSweep<Words>::Scratch>(*sweep_, roots);
      sums[at] = sums_of_unit(*sweep_, units[at], coefficients, energies, *own,
                              [](const auto&, double, std::span<const double>) {});
    });
    for (std::size_t at = 0; at < units.size(); ++at) {
      sample.add(sweep_->kind(units[at]), weights[units[at]], draws[at], sums[at].energy, sums[at].variance);
      total.add(sums[at]);
    }
  } while (sample.end_stage());
  SecondOrder result = result_of(total);
  result.energy = sample.energy();
  result.energy_error = sample.error();
  result.variance = sample.variance();
  return result;
}

#define INSTANTIATE(W) template class ExternalSpace<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
