// SPDX-License-Identifier: MIT
#include "tasks/vmc/state.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

template <class T>
Hdf5Shape list_shape(const std::vector<T>& values) {
  return {values.size()};
}

/// Passes the arrays of a state to a visitor, by name: what is written is what is read.
template <class Sums, class Visit>
void for_each_sum(Sums& sums, const Visit& visit) {
  visit("kinetic", sums.kinetic);
  visit("exchange", sums.exchange);
  visit("double_occupancy", sums.double_occupancy);
  visit("density", sums.density);
  visit("n_n", sums.n_n);
  visit("sz_sz", sums.sz_sz);
  visit("s_s", sums.s_s);
  visit("hop_up", sums.hop_up);
  visit("hop_down", sums.hop_down);
  visit("drift", sums.drift);
  visit("accepted", sums.accepted);
  visit("stuck", sums.stuck);
}

template <class State, class Visit>
void for_each_optimised(State& state, const Visit& visit) {
  visit("next_parameters", state.next_parameters);
  visit("parameters", state.parameters);
  visit("energy", state.energy);
  visit("energy_error", state.energy_error);
  visit("forces", state.forces);
  visit("force_errors", state.force_errors);
  visit("overlap", state.overlap);
  visit("step_norm", state.step_norm);
  visit("step_scale", state.step_scale);
  visit("left_out", state.left_out);
  visit("at_bound", state.at_bound);
}

template <class State, class Visit>
void for_each_of_series(State& state, const Visit& visit) {
  visit("values", state.values);
  visit("pending", state.pending);
  visit("firsts", state.firsts);
  visit("sums", state.sums);
  visit("squares", state.squares);
}

struct Writer {
  Hdf5Group& group;

  template <class T>
  void operator()(const char* name, const std::vector<T>& values) const {
    group.write<T>(name, values, list_shape(values), {.description = "to go on from"});
  }
};

struct Reader {
  const Hdf5Group& group;

  template <class T>
  void operator()(const char* name, std::vector<T>& values) const {
    values = group.read<T>(name).values;
  }
};

constexpr std::size_t numbers_of_counts = 7;

std::vector<std::int64_t> flat(const std::vector<StepCounts>& counts) {
  std::vector<std::int64_t> numbers;
  for (const StepCounts& c : counts) {
    numbers.insert(numbers.end(), {c.hops_proposed, c.hops_accepted, c.exchanges_proposed,
                                   c.exchanges_accepted, c.null, c.rejected_as_non_finite, c.recomputations});
  }
  return numbers;
}

std::vector<StepCounts> counts_of(const std::vector<std::int64_t>& numbers) {
  std::vector<StepCounts> counts;
  for (std::size_t k = 0; k + numbers_of_counts <= numbers.size(); k += numbers_of_counts) {
    counts.push_back({numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3], numbers[k + 4],
                      numbers[k + 5], numbers[k + 6]});
  }
  return counts;
}

void write_chains(Hdf5Group group, const ChainStates& chains) {
  group.write_attribute("chains", chains.chains);
  const auto count = static_cast<std::uint64_t>(chains.chains);
  group.write<std::int32_t>(
      "places", chains.places, {count, chains.places.size() / count},
      {.description = "sites of up electrons by number, then free ones by slot, then the same of "
                      "down electrons"},
      Hdf5Packing::compressed);
  group.write<std::uint64_t>("steps", chains.steps, {count}, {.description = "taken so far"});
  group.write<std::int32_t>("rebuild_interval", chains.rebuild_interval, {count}, {.description = "sweeps"});
  group.write<std::int64_t>(
      "counts", flat(chains.counts), {count, numbers_of_counts},
      {.description = "hops proposed, accepted, exchanges proposed, accepted, null, rejected as "
                      "non-finite, recomputations"});
}

ChainStates read_chains(const Hdf5Group& group) {
  ChainStates chains;
  chains.chains = group.read_attribute<int>("chains");
  if (chains.chains < 1) throw InputError("group '" + group.name() + "' is damaged: it has no chains");
  const auto count = static_cast<std::uint64_t>(chains.chains);
  chains.places = group.read<std::int32_t>("places").values;
  chains.steps = group.read<std::uint64_t>("steps", {count});
  chains.rebuild_interval = group.read<std::int32_t>("rebuild_interval", {count});
  chains.counts = counts_of(group.read<std::int64_t>("counts", {count, numbers_of_counts}));
  return chains;
}

}  // namespace

std::vector<double> bonds_that_are_listed(const LatticeModel& model) {
  std::vector<double> numbers;
  if (!model.cluster.is_graph()) return numbers;
  for (const LatticeBond& bond : model.bonds) {
    numbers.insert(numbers.end(), {static_cast<double>(bond.pair.i), static_cast<double>(bond.pair.j), bond.t,
                                   bond.j, bond.v});
  }
  return numbers;
}

void write_state(Hdf5Group& parent, const VmcState& state) {
  Hdf5Group group = parent.create_group("state");
  group.write_attribute("phase", static_cast<std::int32_t>(state.phase));
  group.write_attribute("sweeps_done", state.sweeps_done);
  group.write_attribute("seconds", state.seconds);
  group.write_attribute("steps", state.steps);
  group.write<double>(
      "trial", state.trial, list_shape(state.trial),
      {.description = "delta, mu, t2, t3, gutzwiller, jastrow and spin_jastrow of the state that "
                      "is sampled"});
  group.write<double>("equilibration", state.equilibration, list_shape(state.equilibration),
                      {.description = "energies before the first measurement, mean of all chains"});
  group.write<double>("bonds", state.bonds, list_shape(state.bonds),
                      {.description = "of a graph: sites from 0, t, J, V of each"});
  write_chains(group.create_group("chains"), state.chains);
  if (state.optimisation) {
    Hdf5Group optimisation = group.create_group("optimisation");
    for_each_optimised(*state.optimisation, Writer{optimisation});
  }
  Hdf5Group sums = group.create_group("sums");
  sums.write_attribute("energies", state.sums.energies);
  sums.write_attribute("correlations", state.sums.correlations);
  for_each_sum(state.sums, Writer{sums});
  Hdf5Group energies = group.create_group("energies");
  energies.write_attribute("chains", state.energies.chains);
  energies.write_attribute("measurements", state.energies.measurements);
  energies.write_attribute("averaged", state.energies.averaged);
  for_each_of_series(state.energies, Writer{energies});
}

VmcState read_state(const Hdf5Group& parent) {
  const Hdf5Group group = parent.open_group("state");
  VmcState state;
  const auto phase = group.read_attribute<std::int32_t>("phase");
  if (phase < 0 || phase > 2) throw InputError("group '" + group.name() + "' is damaged: it names no phase");
  state.phase = static_cast<VmcState::Phase>(phase);
  state.sweeps_done = group.read_attribute<std::int64_t>("sweeps_done");
  state.seconds = group.read_attribute<double>("seconds");
  state.steps = group.read_attribute<std::int64_t>("steps");
  state.trial = group.read<double>("trial").values;
  state.equilibration = group.read<double>("equilibration").values;
  state.bonds = group.read<double>("bonds").values;
  state.chains = read_chains(group.open_group("chains"));
  if (group.contains("optimisation")) {
    const Hdf5Group optimisation = group.open_group("optimisation");
    for_each_optimised(state.optimisation.emplace(), Reader{optimisation});
  }
  const Hdf5Group sums = group.open_group("sums");
  state.sums.energies = sums.read_attribute<std::int64_t>("energies");
  state.sums.correlations = sums.read_attribute<std::int64_t>("correlations");
  for_each_sum(state.sums, Reader{sums});
  const Hdf5Group energies = group.open_group("energies");
  state.energies.chains = energies.read_attribute<int>("chains");
  state.energies.measurements = energies.read_attribute<std::int64_t>("measurements");
  state.energies.averaged = energies.read_attribute<std::int64_t>("averaged");
  for_each_of_series(state.energies, Reader{energies});
  return state;
}

std::uint64_t bytes_of(const VmcState& state) {
  std::uint64_t numbers =
      state.chains.places.size() / 2 + 10 * state.chains.steps.size() + state.equilibration.size();
  const auto add = [&](const char*, const auto& values) { numbers += values.size(); };
  for_each_sum(state.sums, add);
  for_each_of_series(state.energies, add);
  if (state.optimisation) for_each_optimised(*state.optimisation, add);
  constexpr std::uint64_t of_groups = 128 * 1024;
  return of_groups + 8 * numbers;
}

void write_vmc_checkpoint(const std::filesystem::path& file, const VmcState& state,
                          const std::string& resolved) {
  AtomicFile atomic(file, bytes_of(state) + resolved.size());
  Hdf5File hdf5 = Hdf5File::create(atomic.temporary(), file);
  Hdf5Group root = hdf5.root();
  write_stamp(root, {checkpoint_format, checkpoint_format_version, build_info::version, utc_timestamp()});
  Hdf5Group group = root.create_group("vmc");
  group.write_string("resolved", resolved, {.description = "the input with every default filled in (TOML)"});
  write_state(group, state);
  hdf5.close();
  atomic.sync();
  atomic.verify();
  atomic.commit();
}

FoundState read_vmc_state(const std::filesystem::path& file) {
  if (std::error_code ignored; !std::filesystem::exists(file, ignored))
    throw InputError(fmt::format("'{}' is not there: there is nothing to go on from", file.string()));
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group root = hdf5.root();
  if (!root.contains("vmc"))
    throw InputError(fmt::format("'{}' is not of variational Monte Carlo", file.string()));
  const bool is_result = format_of(file) == result_format;
  read_stamp(root,
             is_result ? FileStamp{result_format, result_format_version, {}, {}}
                       : FileStamp{checkpoint_format, checkpoint_format_version, {}, {}},
             file);
  FoundState found;
  found.file = file;
  found.resolved = is_result ? root.open_group("input").read_string("resolved")
                             : root.open_group("vmc").read_string("resolved");
  const Hdf5Group group = root.open_group("vmc");
  if (!group.contains("state"))
    throw InputError(fmt::format("'{}' holds nothing to go on from: no chain walked", file.string()));
  found.state = read_state(group);
  return found;
}

}  // namespace cisolve
