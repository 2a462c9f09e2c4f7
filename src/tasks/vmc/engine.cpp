// SPDX-License-Identifier: MIT
#include "tasks/vmc/engine.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/problem/chain_engine.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/sampling/series.hpp"
#include "tasks/run/machine.hpp"
#include "tasks/vmc/shared_chains.hpp"

namespace cisolve {
namespace {

/// A chain alone is slower on a device than on a core: there must be many of them.
bool is_worth_it(const VmcConfig& config, const std::vector<Device>& devices) {
  constexpr int fewest_chains = 128;
  return !devices.empty() && (config.device == DeviceChoice::cuda || config.chains >= fewest_chains);
}

/// Devices that chains are expected to walk sooner on than on the host's threads: of several processes one for each.
std::vector<Device> devices_for(const VmcConfig& config, const ServedRanks* served) {
  MachineKeys keys{config.device, config.gpus, config.memory};
  if (served != nullptr) {
    if (config.gpus > 1)
      throw InputError(fmt::format(
          "run.gpus: {} were asked for, but of several processes with [vmc] each takes one; start "
          "as many processes as there are GPUs, or one alone",
          config.gpus));
    keys.gpus = 1;
  }
  require_consistent(keys);
  if (config.device == DeviceChoice::cpu && served == nullptr) return {};
  Resources resources = resources_of(keys);
  if (served != nullptr) resources = served->resources(resources, config.memory > 0);
  std::vector<Device> devices = std::move(resources.devices);
  if (!is_worth_it(config, devices)) return {};
  const auto most = static_cast<std::size_t>(config.gpus > 0 && served == nullptr ? config.gpus : 1);
  if (devices.size() > most) devices.resize(most);
  return devices;
}

std::string name_of(const std::vector<Device>& devices) {
  if (devices.empty()) return cpu_name();
  return devices.size() == 1 ? devices.front().name
                             : fmt::format("{} x {}", devices.size(), devices.front().name);
}

}  // namespace

std::string expected_device(const VmcConfig& config) {
  if (config.device == DeviceChoice::cpu) return cpu_name();
  const std::vector<Device> devices = devices_here();
  return is_worth_it(config, devices) ? devices.front().name : cpu_name();
}

std::unique_ptr<VmcEngine> make_engine(const VmcConfig& config, const TrialState& trial,
                                       const ChainStates* states, const RunControl& control) {
  const ServedRanks* served =
      control.served != nullptr && control.served->others() > 0 ? control.served : nullptr;
  const std::vector<Device> devices = devices_for(config, served);
  const LatticeModel& model = config.lattice.model;
  if (served != nullptr) {
    return std::make_unique<VmcEngine>(
        share_chains(config, trial, states, devices, {*served, !devices.empty(), control.hear}),
        fmt::format("{}, in each of {} processes", name_of(devices), served->others() + 1));
  }
  return std::make_unique<VmcEngine>(
      states != nullptr ? make_chain_engine(model, trial, config.walk, *states, devices)
                        : make_chain_engine(model, trial, config.walk, 0, config.chains, devices),
      name_of(devices));
}

int measured_displacements(const VmcConfig& config) {
  return config.correlation_interval > 0 ? displacements_of(config.lattice.model.cluster) : 0;
}

VmcMemory require_room(const VmcConfig& config, const OtherMachine& machine) {
  const TrialState trial =
      make_trial_state(config.lattice.model, config.electrons, config.trial, config.optimise);
  VmcMemory memory;
  memory.limit = config.memory > 0 ? config.memory : usual_memory();
  constexpr std::int64_t of_number = 8, correlations = 5, copies = 3;  // sums, a block's, those of the file
  memory.of_chain = host_bytes_per_chain(config.lattice.model, trial) +
                    copies * correlations * of_number * measured_displacements(config);
  const auto parameters = static_cast<std::int64_t>(trial.varied.size());
  memory.of_chain += copies * of_number * parameters * (parameters + 2);
  memory.of_thread = host_bytes_per_thread(config.lattice.model, trial);
  // A block's energies; those of an optimisation are of every sweep.
  const std::int64_t longest =
      std::max({config.sweeps, config.equilibration, std::int64_t{config.optimisation.sweeps}});
  memory.of_chain += of_number * (std::min<std::int64_t>(config.walk.block, longest) /
                                  (config.optimise.empty() ? config.measure_interval : 1));
  const std::int64_t measurements = config.sweeps / config.measure_interval;
  constexpr std::int64_t most_series = 2 * ChainSeries::default_limit;
  const std::int64_t series = 2 * of_number * measurements;  // of a chain; of all no more than that
  const std::int64_t threads = memory.of_thread * omp_get_max_threads();
  const std::int64_t history =
      parameters > 0 ? copies * of_number * config.optimisation.iterations * parameters * (parameters + 4)
                     : 0;
  const std::int64_t once = threads + history;
  memory.all = once + std::min(most_series, series * config.chains) + memory.of_chain * config.chains;
  static_cast<void>(machine);
  if (memory.all <= memory.limit) return memory;
  if (memory.all - history <= memory.limit) {
    const std::int64_t room = memory.limit - (memory.all - history);
    throw DoesNotFit(
        DoesNotFit::Limit::host_memory,
        fmt::format("optimisation.iterations: what is kept of {} iterations takes {}, but {} may be used",
                    config.optimisation.iterations, format_bytes(history), format_bytes(room)),
        fmt::format("at most {} fit", room / (history / config.optimisation.iterations)));
  }
  const std::int64_t left = memory.limit - once;
  const std::int64_t most =
      std::max(left / (memory.of_chain + series), (left - most_series) / memory.of_chain);
  throw DoesNotFit(
      DoesNotFit::Limit::host_memory,
      fmt::format("vmc.chains: {} chains of {} take {}, but {} may be used", config.chains,
                  format_bytes(memory.of_chain), format_bytes(memory.all), format_bytes(memory.limit)),
      most >= 2 ? fmt::format("at most {} fit", most) : "a smaller lattice is needed");
}

}  // namespace cisolve
