// SPDX-License-Identifier: MIT
#include "tasks/vmc/shared_chains.hpp"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/chain_engine.hpp"
#include "cisolve/ranks/packet.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "tasks/vmc/trial_numbers.hpp"

namespace cisolve {

// What goes from process to process, where Packet finds it.

template <class Packet>
void pass(Packet& packet, ChainStates& states) {
  packet(states.first_chain, states.chains, states.places, states.steps, states.rebuild_interval,
         states.counts);
}

template <class Packet>
void pass(Packet& packet, BlockSums& sums) {
  packet(sums.chains, sums.energies_per_chain, sums.correlations_per_chain, sums.parameters,
         sums.displacements, sums.energy, sums.kinetic, sums.exchange, sums.double_occupancy, sums.density);
  packet(sums.kinetic_squared, sums.exchange_squared, sums.double_occupancy_squared, sums.density_squared,
         sums.derivative, sums.derivative_energy, sums.derivative_product);
  packet(sums.n_n, sums.sz_sz, sums.s_s, sums.hop_up, sums.hop_down, sums.drift, sums.accepted);
}

namespace {

enum class Order : std::int32_t { advance, states, set_trial, end };

/// What comes next.
struct Command {
  Order order = Order::end;
  BlockPlan plan;                  ///< advance
  std::vector<double> parameters;  ///< set_trial: numbers_of
};

template <class Packet>
void pass(Packet& packet, Command& command) {
  packet(command.order, command.plan.sweeps, command.plan.first_sweep, command.plan.energy_interval,
         command.plan.correlation_interval, command.plan.with_derivatives, command.parameters);
}

/// What the others begin with.
struct Beginning {
  std::string input;  ///< resolved
  int threads = 1;
  bool on_device = false;
  std::vector<double> parameters;  ///< of the state that is sampled now
  bool has_states = false;
  ChainStates states;
};

template <class Packet>
void pass(Packet& packet, Beginning& beginning) {
  packet(beginning.input, beginning.threads, beginning.on_device, beginning.parameters, beginning.has_states);
  pass(packet, beginning.states);
}

template <class T>
std::vector<std::byte> packed(T value) {
  PacketWriter packet;
  pass(packet, value);
  return packet.take();
}

template <class T>
T unpacked(std::span<const std::byte> bytes) {
  PacketReader packet(bytes);
  T value;
  pass(packet, value);
  return value;
}

/// What the first process has, on all; those who wait leave it the cores.
std::vector<std::byte> told(const Communicator& processes, std::vector<std::byte> bytes) {
  std::size_t size = bytes.size();
  processes.broadcast_patiently(std::as_writable_bytes(std::span(&size, 1)), 0);
  bytes.resize(size);
  processes.broadcast_patiently(bytes, 0);
  return bytes;
}

/// Bytes of all processes, on the first.
std::vector<std::vector<std::byte>> collected(const Communicator& processes,
                                              const std::vector<std::byte>& mine) {
  return gather_at<std::byte>(processes, mine, 0);
}

/// First chain of a process; of one past the last the number of all.
int first_chain(int chains, int processes, int rank) {
  return static_cast<int>((std::int64_t{chains} * rank + processes - 1) / processes);
}

TrialState state_of(const VmcConfig& config, const std::vector<double>& numbers) {
  TrialParameters p = config.trial;
  set_numbers(numbers, p);
  return make_trial_state(config.lattice.model, config.electrons, p, config.optimise);
}

/// A range of the chains of a state.
ChainStates part_of(const ChainStates& all, int first, int last) {
  ChainStates part{.first_chain = all.first_chain + static_cast<std::uint32_t>(first),
                   .chains = last - first};
  const auto width = all.places.size() / static_cast<std::size_t>(all.chains);
  const auto slice = [&](const auto& from, std::size_t each) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(first) * each);
    return std::vector(begin,
                       begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(last - first) * each));
  };
  part.places = slice(all.places, width);
  part.steps = slice(all.steps, 1);
  part.rebuild_interval = slice(all.rebuild_interval, 1);
  part.counts = slice(all.counts, 1);
  return part;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

/// Chains after those that are there.
void append(ChainStates& all, const ChainStates& part) {
  all.chains += part.chains;
  append(all.places, part.places);
  append(all.steps, part.steps);
  append(all.rebuild_interval, part.rebuild_interval);
  append(all.counts, part.counts);
}

void append(BlockSums& all, const BlockSums& part) {
  all.chains += part.chains;
  for (std::vector<double> BlockSums::*member :
       {&BlockSums::energy, &BlockSums::kinetic, &BlockSums::exchange, &BlockSums::double_occupancy,
        &BlockSums::density, &BlockSums::kinetic_squared, &BlockSums::exchange_squared,
        &BlockSums::double_occupancy_squared, &BlockSums::density_squared, &BlockSums::derivative,
        &BlockSums::derivative_energy, &BlockSums::derivative_product, &BlockSums::n_n, &BlockSums::sz_sz,
        &BlockSums::s_s, &BlockSums::hop_up, &BlockSums::hop_down, &BlockSums::drift})
    append(all.*member, part.*member);
  append(all.accepted, part.accepted);
}

/// The chains of this process.
std::unique_ptr<ChainEngine> own_chains(const VmcConfig& config, const TrialState& trial,
                                        const ChainStates* states, std::span<const Device> devices,
                                        const Communicator& processes) {
  const int first = first_chain(config.chains, processes.size(), processes.rank());
  const int last = first_chain(config.chains, processes.size(), processes.rank() + 1);
  if (first == last) return nullptr;
  const LatticeModel& model = config.lattice.model;
  if (states != nullptr)
    return make_chain_engine(model, trial, config.walk, part_of(*states, first, last), devices);
  return make_chain_engine(model, trial, config.walk, static_cast<std::uint32_t>(first), last - first,
                           devices);
}

/// On the first process: tells the others, does its part, and puts together what all have.
class SharedChains final : public ChainEngine {
public:
  SharedChains(const Communicator& processes, std::unique_ptr<ChainEngine> own,
               std::function<void(const Requests&)> hear)
      : processes_(processes), own_(std::move(own)), hear_(std::move(hear)) {}
  ~SharedChains() override {
    try {
      tell({.order = Order::end, .plan = {}, .parameters = {}});
    } catch (...) {  // they have gone already
    }
  }
  SharedChains(const SharedChains&) = delete;
  SharedChains& operator=(const SharedChains&) = delete;

  void advance_block(const BlockPlan& plan, BlockSums& sums) override {
    guarded([&] {
      tell({.order = Order::advance, .plan = plan, .parameters = {}});
      own_->advance_block(plan, sums);
      for_each_other([&](const std::vector<std::byte>& bytes) { append(sums, unpacked<BlockSums>(bytes)); });
      const std::vector<Requests> requests = all_values(processes_, Requests{});
      for (const Requests& one : requests) {
        if (hear_ && one != Requests{}) hear_(one);
      }
    });
  }

  ChainStates states() const override {
    ChainStates all;
    guarded([&] {
      tell({.order = Order::states, .plan = {}, .parameters = {}});
      all = own_->states();
      for_each_other([&](const std::vector<std::byte>& bytes) { append(all, unpacked<ChainStates>(bytes)); });
    });
    return all;
  }

  void set_states(const ChainStates&) override { throw DimensionError("shared chains begin where they are"); }

  void set_trial(const TrialState& trial) override {
    guarded([&] {
      tell({.order = Order::set_trial, .plan = {}, .parameters = numbers_of(trial.parameters)});
      own_->set_trial(trial);
    });
  }

private:
  void tell(const Command& command) const { told(processes_, packed(command)); }

  /// Those who wait for what will not come are told so.
  template <class Work>
  void guarded(const Work& work) const {
    try {
      work();
    } catch (...) {
      processes_.fail();
      throw;
    }
  }

  template <class Take>
  void for_each_other(const Take& take) const {
    const auto all = collected(processes_, {});
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (!all[rank].empty()) take(all[rank]);
    }
  }

  const Communicator& processes_;
  std::unique_ptr<ChainEngine> own_;
  std::function<void(const Requests&)> hear_;
};

}  // namespace

std::unique_ptr<ChainEngine> share_chains(const VmcConfig& config, const TrialState& trial,
                                          const ChainStates* states, std::span<const Device> devices,
                                          const ChainSharing& sharing) {
  Beginning beginning{.input = config.resolved_text,
                      .threads = omp_get_max_threads(),
                      .on_device = sharing.on_device,
                      .parameters = numbers_of(trial.parameters),
                      .has_states = states != nullptr,
                      .states = {}};
  if (states != nullptr) beginning.states = *states;
  const Communicator& processes =
      sharing.served.begin({.task = "vmc", .arguments = packed(std::move(beginning))});
  try {
    auto own = own_chains(config, trial, states, devices.first(sharing.on_device ? 1 : 0), processes);
    return std::make_unique<SharedChains>(processes, std::move(own), sharing.hear);
  } catch (...) {
    processes.fail();
    throw;
  }
}

void serve_chains(const SharedWork& work, const WorkPlace& place) {
  const auto beginning = unpacked<Beginning>(work.arguments);
  const ThreadScope threads(beginning.threads);
  // Its files are those of the working directory, by a name without a folder.
  const VmcConfig config = read_vmc_config(parse_input(beginning.input, "input of the first process"));
  if (beginning.on_device && place.devices.empty())
    throw SystemError("this process has fewer devices than it said");
  const Communicator& processes = place.processes;
  const auto own = own_chains(config, state_of(config, beginning.parameters),
                              beginning.has_states ? &beginning.states : nullptr,
                              place.devices.first(beginning.on_device ? 1 : 0), processes);
  BlockSums sums;
  while (true) {
    const auto command = unpacked<Command>(told(processes, {}));
    switch (command.order) {
      case Order::advance:
        if (own) own->advance_block(command.plan, sums);
        collected(processes, own ? packed(sums) : std::vector<std::byte>());
        all_values(processes, place.take_requests ? place.take_requests() : Requests{});
        break;
      case Order::states:
        collected(processes, own ? packed(own->states()) : std::vector<std::byte>());
        break;
      case Order::set_trial:
        if (own) own->set_trial(state_of(config, command.parameters));
        break;
      case Order::end:
        return;
    }
  }
}

}  // namespace cisolve
