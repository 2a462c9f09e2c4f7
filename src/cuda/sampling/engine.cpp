// SPDX-License-Identifier: MIT
#include "cuda/sampling/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <future>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/sampling/block_sums.hpp"
#include "cuda/sampling/device_engine.hpp"

namespace cisolve::cuda::sampling {
namespace {

// Starts that the host draws at a time: it makes tables of them.
constexpr int starts_at_a_time = 512;

void append(ChainStates& all, const ChainStates& more) {
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  all.chains += more.chains;
  add(all.places, more.places);
  add(all.steps, more.steps);
  add(all.rebuild_interval, more.rebuild_interval);
  add(all.counts, more.counts);
}

/// Some of the chains.
ChainStates part_of(const ChainStates& all, int first, int count) {
  const auto part = [&](const auto& array, auto& to) {
    const auto each = array.size() / static_cast<std::size_t>(all.chains);
    const auto begin = array.begin() + static_cast<std::ptrdiff_t>(each) * first;
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(each) * count);
  };
  ChainStates states{.first_chain = all.first_chain + static_cast<std::uint32_t>(first), .chains = count};
  part(all.places, states.places);
  part(all.steps, states.steps);
  part(all.rebuild_interval, states.rebuild_interval);
  part(all.counts, states.counts);
  return states;
}

/// Chains in ranges of several devices, each of which a thread of the host works with.
class SeveralDevices final : public ChainEngine {
public:
  SeveralDevices(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
                 const ChainStates& states, std::span<const int> ordinals, const DeviceEngineConfig& device)
      : first_chain_(states.first_chain), chains_(states.chains) {
    const int devices = std::min(static_cast<int>(ordinals.size()), states.chains);
    for (int k = 0; k <= devices; ++k)
      begins_.push_back(static_cast<int>(std::int64_t{states.chains} * k / devices));
    engines_.resize(static_cast<std::size_t>(devices));
    on_each([&](std::size_t k) {
      engines_[k] = make_engine_on(ordinals[k], model, trial, config, range(states, k), device);
    });
  }

  void advance_block(const BlockPlan& plan, BlockSums& sums) override {
    parts_.resize(engines_.size());
    on_each([&](std::size_t k) { engines_[k]->advance_block(plan, parts_[k]); });
    sums = parts_.front();
    for (std::size_t k = 1; k < parts_.size(); ++k) sampling::append(sums, parts_[k]);
  }

  ChainStates states() const override {
    ChainStates all{.first_chain = first_chain_};
    for (const auto& engine : engines_) append(all, engine->states());
    return all;
  }

  void set_states(const ChainStates& states) override {
    if (states.first_chain != first_chain_ || states.chains != chains_)
      throw DimensionError("set_states: the states are of other chains");
    on_each([&](std::size_t k) { engines_[k]->set_states(range(states, k)); });
  }

  void set_trial(const TrialState& trial) override {
    on_each([&](std::size_t k) { engines_[k]->set_trial(trial); });
  }

private:
  ChainStates range(const ChainStates& states, std::size_t k) const {
    return part_of(states, begins_[k], begins_[k + 1] - begins_[k]);
  }

  /// The first of the exceptions is thrown when all are done.
  template <class Body>
  void on_each(const Body& body) {
    std::vector<std::future<void>> others;
    for (std::size_t k = 0; k < engines_.size(); ++k)
      others.push_back(std::async(std::launch::async, [&body, k] { body(k); }));
    for (auto& other : others) other.wait();
    for (auto& other : others) other.get();
  }

  std::uint32_t first_chain_;
  int chains_;
  std::vector<int> begins_;
  std::vector<std::unique_ptr<ChainEngine>> engines_;
  std::vector<BlockSums> parts_;
};

}  // namespace

std::unique_ptr<ChainEngine> make_device_engine(const LatticeModel& model, const TrialState& trial,
                                                const WalkConfig& config, const ChainStates& states,
                                                std::span<const int> ordinals,
                                                const DeviceEngineConfig& device) {
  if (ordinals.empty()) throw DimensionError("make_device_engine: no devices");
  if (states.chains < 1) throw DimensionError("make_device_engine: no chains");
  // The host knows what is wrong with the numbers of a configuration.
  static_cast<void>(make_host_engine(model, trial, config, part_of(states, 0, 1)));
  if (ordinals.size() == 1) return make_engine_on(ordinals[0], model, trial, config, states, device);
  return std::make_unique<SeveralDevices>(model, trial, config, states, ordinals, device);
}

std::unique_ptr<ChainEngine> make_device_engine(const LatticeModel& model, const TrialState& trial,
                                                const WalkConfig& config, std::uint32_t first_chain,
                                                int chains, std::span<const int> ordinals,
                                                const DeviceEngineConfig& device) {
  if (chains < 1) throw DimensionError("make_device_engine: no chains");
  ChainStates starts{.first_chain = first_chain};
  for (int first = 0; first < chains; first += starts_at_a_time) {
    const int count = std::min(starts_at_a_time, chains - first);
    append(starts,
           make_host_engine(model, trial, config, first_chain + static_cast<std::uint32_t>(first), count)
               ->states());
  }
  return make_device_engine(model, trial, config, starts, ordinals, device);
}

}  // namespace cisolve::cuda::sampling
