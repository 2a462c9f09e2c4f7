// SPDX-License-Identifier: MIT
#include "cuda/sampling/device_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_scope.hpp"
#include "cuda/sampling/block_sums.hpp"
#include "cuda/sampling/kernels.hpp"
#include "cuda/sampling/setup.hpp"
#include "sampling/configuration.hpp"

namespace cisolve::cuda::sampling {
namespace {

using cisolve::sampling::Configuration;
using cisolve::sampling::SpinPlaces;

template <class T>
void upload(const Stream& stream, const std::vector<T>& host, DeviceArray<T>& device) {
  check(cudaMemcpyAsync(device.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice,
                        stream.get()));
}

template <class T>
void download(const Stream& stream, const DeviceArray<T>& device, std::vector<T>& host) {
  check(cudaMemcpyAsync(host.data(), device.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost,
                        stream.get()));
}

/// What kernels keep of a chain's places.
void put_places(const Configuration& at, Site* to) {
  const auto put = [&](const std::vector<int>& sites) {
    to = std::ranges::transform(sites, to, [](int site) { return static_cast<Site>(site); }).out;
  };
  for (const SpinPlaces* places : {&at.up, &at.down}) {
    put(places->occupied());
    put(places->free());
  }
  for (const SpinPlaces* places : {&at.up, &at.down}) {
    const int sites = static_cast<int>(places->occupied().size() + places->free().size());
    for (int site = 0; site < sites; ++site) *to++ = static_cast<Site>(places->at(site));
  }
}

/// Shared memory of a block, and of one of three blocks on a multiprocessor, bytes.
constexpr std::size_t most_shared = 220 << 10, third_of_shared = 74 << 10;

/// Ranks that a delayed table collects: 16 where three chains are on a multiprocessor then, else as many as fit.
int ranks_for(const TrialState& trial) {
  const bool has_fields = !trial.jastrow.is_empty();
  for (const int ranks : {16, 12}) {
    if (delayed_bytes(trial.sites, has_fields, ranks) <= third_of_shared) return ranks;
  }
  for (const int ranks : {16, 12, 8, 4}) {
    if (delayed_bytes(trial.sites, has_fields, ranks) <= most_shared) return ranks;
  }
  return 0;
}

int ranks_of(const TrialState& trial, const DeviceEngineConfig& device) {
  return device.ranks > 0 ? device.ranks : ranks_for(trial);
}

std::unique_ptr<WalkKernel> kernel_for(EngineKind kind, const TrialState& trial,
                                       const DeviceEngineConfig& device) {
  if (trial.is_sea() && kind != EngineKind::plain)
    throw DimensionError("a fermi-sea walks by the plain kernel only");
  switch (kind) {
    case EngineKind::small:
      if (trial.sites > 32) throw DimensionError("small tables have up to 32 sites");
      return small_kernel();
    case EngineKind::shared:
      return shared_kernel(trial.sites);
    case EngineKind::delayed:
      return delayed_kernel(device.threads > 0 ? device.threads : 128,
                            delayed_bytes(trial.sites, !trial.jastrow.is_empty(), ranks_of(trial, device)));
    default:
      return plain_kernel(trial.is_sea());
  }
}

class DeviceEngine final : public ChainEngine {
public:
  DeviceEngine(int ordinal, const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
               const ChainStates& states, const DeviceEngineConfig& device)
      : ordinal_(ordinal), scope_(ordinal), model_(model), config_(config), trial_(trial), device_(device),
        kind_(device.kind == EngineKind::automatic ? kind_for(trial) : device.kind),
        kernel_(kernel_for(kind_, trial, device)), first_chain_(states.first_chain), chains_(states.chains) {
    if (chains_ < 1) throw DimensionError("make_device_engine: no chains");
    const auto chains = static_cast<std::size_t>(chains_), sites = static_cast<std::size_t>(model.sites());
    table_size_ = kernel_->table_doubles(walk_of(model, trial));
    // Rows of tables begin at multiples of 64 bytes where they are in device memory.
    table_size_ = (table_size_ + 7) / 8 * 8;
    tables_ = DeviceArray<double>(chains * static_cast<std::size_t>(table_size_));
    check(cudaMemsetAsync(tables_.data(), 0, tables_.size_bytes(), stream_.get()));
    places_ = DeviceArray<Site>(chains * 4 * sites);
    records_on_device_ = DeviceArray<ChainRecord>(chains);
    records_.resize(chains);
    next_ = DeviceArray<std::int32_t>(1);
    finished_ = DeviceArray<std::int32_t>(chains);
    prepare();
    set_states_here(states);
    scope_.leave();
  }

  ~DeviceEngine() override {
    try {
      scope_.enter(ordinal_);
    } catch (const Error&) {
      return;  // the driver is gone, and what it had
    }
  }

  void advance_block(const BlockPlan& plan, BlockSums& sums) override {
    const DeviceScope scope(ordinal_);
    const SumsShape shape(plan, chains_, static_cast<int>(trial_.varied.size()), setup_.correlations.places);
    const SumsView view = sums_.prepare(stream_, shape);
    if (plan.sweeps > 0) walk(plan, view);
    sums_.download(stream_, shape, sums);
    const std::vector<ChainRecord> before = records_;
    if (plan.sweeps > 0) download(stream_, records_on_device_, records_);
    stream_.synchronize();
    sums.accepted.resize(records_.size());
    for (std::size_t c = 0; c < records_.size(); ++c)
      sums.accepted[c] = records_[c].counts.accepted() - before[c].counts.accepted();
  }

  ChainStates states() const override {
    const DeviceScope scope(ordinal_);
    ChainStates states{.first_chain = first_chain_, .chains = chains_};
    std::vector<Site> places(places_.size());
    download(stream_, places_, places);
    stream_.synchronize();
    const std::size_t sites = static_cast<std::size_t>(model_.sites());
    for (std::size_t c = 0; c < records_.size(); ++c) {
      const Site* of_chain = places.data() + c * 4 * sites;
      states.places.insert(states.places.end(), of_chain, of_chain + 2 * sites);
      states.steps.push_back(records_[c].steps);
      states.rebuild_interval.push_back(records_[c].rebuild_interval);
      states.counts.push_back(records_[c].counts);
    }
    return states;
  }

  void set_states(const ChainStates& states) override {
    const DeviceScope scope(ordinal_);
    set_states_here(states);
  }

  void set_trial(const TrialState& trial) override {
    if (trial.electrons != trial_.electrons || trial.is_sea() != trial_.is_sea() ||
        trial.sites != trial_.sites)
      throw DimensionError("set_trial: a state of other electrons or another kind");
    const DeviceScope scope(ordinal_);
    trial_ = trial;
    prepare();
    DeviceArray<double> on_device(records_.size());
    launch_conditions(stream_, setup_, on_device.data());
    std::vector<double> conditions(records_.size());
    download(stream_, on_device, conditions);
    stream_.synchronize();
    // Where the new state vanishes nothing could be told from its table.
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      if (!(conditions[c] >= config_.start_rcond)) draw_start_of(c);
    }
    launch_rebuild(stream_, setup_, kind_);
    stream_.synchronize();
  }

private:
  /// A DeviceScope while members are made or go.
  class MemberScope {
  public:
    explicit MemberScope(int ordinal) { enter(ordinal); }
    void enter(int ordinal) { scope_ = std::make_unique<DeviceScope>(ordinal); }
    void leave() { scope_.reset(); }

  private:
    std::unique_ptr<DeviceScope> scope_;
  };

  /// All that depends on the trial state but the tables.
  void prepare() {
    arrays_ = std::make_unique<SetupArrays>(model_, trial_, config_, stream_);
    arrays_->put_into(setup_);
    setup_.drift_tolerance = config_.drift_tolerance;
    setup_.ranks = ranks_of(trial_, device_);
    setup_.chains = {.count = chains_,
                     .first = first_chain_,
                     .places = places_.data(),
                     .tables = tables_.data(),
                     .table_size = table_size_,
                     .records = records_on_device_.data()};
    const int order = largest_order(trial_), sites = model_.sites();
    const int groups = std::max(kernel_->groups(setup_), rebuild_groups(chains_));
    const auto size = ScratchPool::doubles_for(order, sites);
    const auto count = static_cast<std::size_t>(groups);
    const auto doubles = count * static_cast<std::size_t>(size),
               rows = count * static_cast<std::size_t>(ScratchPool::padded(order));
    if (scratch_.size() < doubles || scratch_rows_.size() < rows) {
      grow(scratch_, doubles);
      grow(scratch_rows_, rows);
      check(cudaMemsetAsync(scratch_.data(), 0, scratch_.size_bytes(), stream_.get()));
    }
    setup_.scratch = {scratch_.data(), scratch_rows_.data(), size, order, sites};
  }

  void walk(const BlockPlan& plan, const SumsView& view) {
    check(cudaMemsetAsync(next_.data(), 0, next_.size_bytes(), stream_.get()));
    check(cudaMemsetAsync(finished_.data(), 0, finished_.size_bytes(), stream_.get()));
    const BlockOrder order{.sweeps = plan.sweeps,
                           .first_sweep = plan.first_sweep,
                           .energy_interval = plan.energy_interval,
                           .correlation_interval = plan.correlation_interval,
                           .with_derivatives = plan.with_derivatives};
    const SegmentQueue queue{next_.data(), finished_.data(),
                             (plan.sweeps + segment_sweeps - 1) / segment_sweeps};
    kernel_->launch(stream_, setup_, order, view, queue);
  }

  void set_states_here(const ChainStates& states) {
    const std::size_t chains = records_.size(), sites = static_cast<std::size_t>(model_.sites());
    if (states.first_chain != first_chain_ || states.chains != chains_ ||
        states.places.size() != 2 * sites * chains || states.steps.size() != chains ||
        states.rebuild_interval.size() != chains || states.counts.size() != chains)
      throw DimensionError("set_states: the states are of other chains");
    std::vector<ChainRecord> records(chains);
    std::vector<Site> all(places_.size());
    std::span<const int> places(states.places);
    Configuration at(model_.sites(), trial_.electrons);
    for (std::size_t c = 0; c < chains; ++c) {
      for (SpinPlaces* of_spin : {&at.up, &at.down}) {
        const std::size_t electrons = of_spin->occupied().size();
        if (!of_spin->set(places.first(electrons), places.subspan(electrons, sites - electrons)))
          throw DimensionError("set_states: the places of a chain are no configuration");
        places = places.subspan(sites);
      }
      at.count_double_occupancies();
      put_places(at, all.data() + c * 4 * sites);
      records[c] = {states.steps[c], states.rebuild_interval[c], at.double_occupancies, states.counts[c]};
    }
    records_ = std::move(records);
    upload(stream_, all, places_);
    upload(stream_, records_, records_on_device_);
    launch_rebuild(stream_, setup_, kind_);
    stream_.synchronize();
  }

  /// To the start that the host draws for this trial state.
  void draw_start_of(std::size_t c) {
    const auto number = first_chain_ + static_cast<std::uint32_t>(c);
    const ChainStates start = make_host_engine(model_, trial_, config_, number, 1)->states();
    const std::size_t sites = static_cast<std::size_t>(model_.sites());
    const std::span<const int> places(start.places);
    const auto up = static_cast<std::size_t>(trial_.electrons.up),
               down = static_cast<std::size_t>(trial_.electrons.down);
    Configuration at(model_.sites(), trial_.electrons);
    at.up.set(places.first(up), places.subspan(up, sites - up));
    at.down.set(places.subspan(sites, down), places.subspan(sites + down));
    at.count_double_occupancies();
    std::vector<Site> of_chain(4 * sites);
    put_places(at, of_chain.data());
    records_[c].double_occupancies = at.double_occupancies;
    check(cudaMemcpy(places_.data() + c * of_chain.size(), of_chain.data(), of_chain.size() * sizeof(Site),
                     cudaMemcpyHostToDevice));
    check(
        cudaMemcpy(records_on_device_.data() + c, &records_[c], sizeof(ChainRecord), cudaMemcpyHostToDevice));
  }

  int ordinal_;
  MemberScope scope_;
  LatticeModel model_;
  WalkConfig config_;
  TrialState trial_;
  DeviceEngineConfig device_;
  EngineKind kind_;
  Stream stream_;
  std::unique_ptr<WalkKernel> kernel_;
  std::uint32_t first_chain_;
  int chains_;
  std::int64_t table_size_ = 0;  ///< doubles
  DeviceArray<double> tables_, scratch_;
  DeviceArray<std::int32_t> scratch_rows_, next_, finished_;
  DeviceArray<Site> places_;
  DeviceArray<ChainRecord> records_on_device_;
  std::vector<ChainRecord> records_;
  std::unique_ptr<SetupArrays> arrays_;
  Setup setup_ = {};
  DeviceSums sums_;
};

}  // namespace

EngineKind kind_for(const TrialState& trial) {
  if (trial.is_sea()) return EngineKind::plain;
  if (trial.sites <= 32) return EngineKind::small;
  if (trial.sites <= 160) return EngineKind::shared;
  return ranks_for(trial) > 0 ? EngineKind::delayed : EngineKind::plain;
}

std::int64_t device_bytes_per_chain(const LatticeModel& model, const TrialState& trial, int sweeps) {
  const auto table = kernel_for(kind_for(trial), trial, {})->table_doubles(walk_of(model, trial));
  const std::int64_t parameters = static_cast<std::int64_t>(trial.varied.size());
  const std::int64_t sums = sweeps + 2 * num_parts + 1 + parameters * (parameters + 3) +
                            5 * std::int64_t{displacements_of(model.cluster)};
  return (table + 8 + sums) * static_cast<std::int64_t>(sizeof(double)) +
         4 * std::int64_t{model.sites()} * static_cast<std::int64_t>(sizeof(Site)) +
         static_cast<std::int64_t>(sizeof(ChainRecord) + sizeof(std::int32_t));
}

std::int64_t device_bytes_of_engine(const TrialState& trial, int chains) {
  // As many chains as are on a device together, if there are as many; a warp for each of the small ones.
  constexpr std::int64_t most_together = 2112;
  const std::int64_t groups =
      std::min<std::int64_t>(chains, trial.sites <= 32 ? most_together * 2 : most_together / 4);
  return groups * ScratchPool::doubles_for(largest_order(trial), trial.sites) *
         static_cast<std::int64_t>(sizeof(double));
}

std::unique_ptr<ChainEngine> make_engine_on(int ordinal, const LatticeModel& model, const TrialState& trial,
                                            const WalkConfig& config, const ChainStates& states,
                                            const DeviceEngineConfig& device) {
  return std::make_unique<DeviceEngine>(ordinal, model, trial, config, states, device);
}

}  // namespace cisolve::cuda::sampling
