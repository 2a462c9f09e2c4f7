// SPDX-License-Identifier: MIT
#include "tasks/vmc/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "tasks/files/deciding_lines.hpp"
#include "tasks/vmc/engine.hpp"
#include "tasks/vmc/trial_numbers.hpp"

namespace cisolve {
namespace {

// "sweeps" and "target_error" only say for how long.
constexpr DecidingLines deciding_lines{
    {"lattice", "vmc", "optimisation", "states"}, "vmc", {"sweeps", "target_error"}};

void require_same_run(const FoundState& found, const VmcConfig& config) {
  const auto there = deciding_lines.of(found.resolved), here = deciding_lines.of(config.resolved_text);
  const auto [a, b] = std::ranges::mismatch(there, here);
  if (a == there.end() && b == here.end()) return;
  throw InputError(fmt::format("--restart: '{}' is of another calculation: there \"{}\", here \"{}\"",
                               found.file.string(), a == there.end() ? "nothing" : *a,
                               b == here.end() ? "nothing" : *b));
}

/// Whether the places of each chain are all sites, once for either spin.
bool are_places(const std::vector<std::int32_t>& places, std::size_t chains, std::size_t sites) {
  if (places.size() != 2 * chains * sites) return false;
  std::vector<std::int32_t> row(sites);
  for (auto first = places.begin(); first != places.end(); first += static_cast<std::ptrdiff_t>(sites)) {
    std::copy_n(first, sites, row.begin());
    std::ranges::sort(row);
    for (std::size_t k = 0; k < sites; ++k) {
      if (row[k] != static_cast<std::int32_t>(k)) return false;
    }
  }
  return true;
}

bool have_lengths(const Measured::Sums& sums, std::size_t chains, std::size_t displacements) {
  const auto are = [](std::size_t length, const auto&... arrays) {
    return ((arrays.size() == length) && ...);
  };
  return are(chains, sums.kinetic, sums.exchange, sums.double_occupancy, sums.density, sums.drift,
             sums.accepted, sums.stuck) &&
         are(chains * displacements, sums.n_n, sums.sz_sz, sums.s_s, sums.hop_up, sums.hop_down);
}

/// Whether what was measured is what so many sweeps measure.
bool is_of_its_sweeps(const VmcState& state, const VmcConfig& config) {
  using Phase = VmcState::Phase;
  const auto every = [](std::int64_t sweeps, std::int64_t interval) {
    return interval > 0 ? sweeps / interval : 0;
  };
  const std::int64_t measured = state.phase == Phase::measurement ? state.sweeps_done : 0;
  const std::int64_t before = state.phase == Phase::optimisation    ? 0
                              : state.phase == Phase::equilibration ? state.sweeps_done
                                                                    : config.equilibration;
  const std::int64_t energies = every(measured, config.measure_interval);
  return state.sweeps_done >= 0 && before <= config.equilibration &&
         state.energies.measurements == energies && state.sums.energies == energies &&
         state.sums.correlations == every(measured, config.correlation_interval) &&
         std::ssize(state.equilibration) == every(before, config.measure_interval);
}

/// Files have seals, so that this finds what was written wrong rather than what was damaged afterwards.
void require_whole(const FoundState& found, const VmcConfig& config) {
  const VmcState& state = found.state;
  const auto chains = static_cast<std::size_t>(config.chains);
  const auto require = [&](bool holds, std::string_view what) {
    if (!holds) throw InputError(fmt::format("--restart: '{}' is damaged: {}", found.file.string(), what));
  };
  require(state.chains.chains == config.chains && state.energies.chains == config.chains,
          fmt::format("it does not have the {} chains of its input", config.chains));
  require(are_places(state.chains.places, chains, static_cast<std::size_t>(config.sites())),
          "the places of a chain are no configuration");
  require(state.trial.size() == numbers_of(config.trial).size(), "its trial state has other parameters");
  require(std::ranges::all_of(state.chains.rebuild_interval, [](int sweeps) { return sweeps >= 1; }),
          "a chain is never recomputed");
  require(have_lengths(state.sums, chains, static_cast<std::size_t>(measured_displacements(config))),
          "its sums are not those of its chains");
  require(is_of_its_sweeps(state, config), "it has not measured what its sweeps measure");
  require(state.optimisation.has_value() == !config.optimise.empty() &&
              (!state.optimisation || state.optimisation->next_parameters.size() == config.optimise.size()),
          "its optimisation is not that of its input");
  try {
    static_cast<void>(ChainSeries(state.energies));
    if (state.optimisation) {
      static_cast<void>(Reconfiguration(*state.optimisation, config.sites(), config.optimisation.step,
                                        config.optimisation.convergence));
    }
  } catch (const DimensionError& error) {
    require(false, error.what());
  }
}

}  // namespace

FoundState find_state(const VmcConfig& config, const RunOptions& options) {
  std::filesystem::path file = options.checkpoint.value_or(config.checkpoint_file);
  std::error_code ignored;
  if (!options.checkpoint && !std::filesystem::exists(file, ignored)) {
    if (!std::filesystem::exists(config.output_file, ignored))
      throw InputError(
          fmt::format("--restart: there is neither the checkpoint '{}' nor the result '{}' to go on from",
                      file.string(), config.output_file.string()));
    file = config.output_file;
  }
  FoundState found = read_vmc_state(file);
  require_same_run(found, config);
  if (found.state.bonds != bonds_that_are_listed(config.lattice.model))
    throw InputError(
        fmt::format("--restart: '{}' is of another calculation: lattice.bonds_file has other "
                    "bonds now",
                    file.string()));
  require_whole(found, config);
  return found;
}

}  // namespace cisolve
