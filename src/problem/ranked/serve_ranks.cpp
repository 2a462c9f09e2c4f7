// SPDX-License-Identifier: MIT
#include "cisolve/problem/serve_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cisolve/core/thread_scope.hpp"
#include "problem/devices.hpp"
#include "problem/ranked/device_share.hpp"
#include "problem/ranked/orders.hpp"
#include "problem/ranked/ranked_finder.hpp"

namespace cisolve {
namespace {

/// What a process has for a root finder.
struct ProcessShare {
  std::int64_t memory = 0;        ///< of the host, bytes
  std::int64_t devices = 0;       ///< that are its own
  std::int64_t device_bytes = 0;  ///< free on the first of them, or its part of that
};

/// The devices of this process, the first with the memory that is free for it. All processes call it together.
std::vector<Device> own_devices(const Communicator& processes) {
  const std::vector<Device> visible = find_devices();
  std::vector<DeviceId> ids;
  for (const Device& one : visible) ids.push_back(one.id);
  const DeviceShare share =
      share_of_devices(gather_all<DeviceId>(processes, ids), static_cast<std::size_t>(processes.rank()));
  std::vector<Device> own;
  for (const std::size_t k : share.devices) own.push_back(visible[k]);
  if (!own.empty()) own.front().free_bytes = free_memory(own.front()) / share.sharers;
  return own;
}

/// What all processes have, by rank. They call it together.
/// @param[out] devices  of this process, if they are asked for
std::vector<ProcessShare> survey(const Communicator& processes, const NodePlace& node,
                                 const SurveyOrder& asked, std::vector<Device>& devices) {
  ProcessShare share;
  if (asked.memory) share.memory = usual_memory() / node.processes;
  if (asked.devices) devices = own_devices(processes);
  share.devices = std::ssize(devices);
  if (!devices.empty()) share.device_bytes = devices.front().free_bytes;
  return all_values(processes, share);
}

/// A problem that the first process has, too, and what this one has of its root finder.
class ServedFinder {
public:
  /// @param devices  of this process
  ServedFinder(const Communicator& processes, const std::vector<Device>& devices, PlannedProblem planned)
      : threads_(planned.threads), problem_(make_basis(planned.basis, usual_memory()), planned.threshold) {
    const bool on_device = planned.on_device;
    planned.basis = {};  // which may be a long list
    finder_ = std::make_unique<RankedFinder>(problem_, plan(processes, devices, std::move(planned)),
                                             on_device ? device_shares() : host_shares());
  }

  RankedFinder& operator*() const { return *finder_; }
  int threads() const { return threads_; }

private:
  Plan plan(const Communicator& processes, const std::vector<Device>& devices, PlannedProblem planned) {
    Placement placement;
    placement.ranks = planned.ranks;
    placement.processes = &processes;
    placement.on_device = planned.on_device;
    placement.solver = planned.solver;
    if (planned.on_device) {
      const auto here = static_cast<std::size_t>(planned.ranks / processes.size());
      if (devices.size() < here) throw SystemError("this process has fewer devices than it said");
      for (std::size_t k = 0; k < here; ++k) placement.ordinals.push_back(devices[k].ordinal);
    }
    if (planned.matrix) return stored_plan(std::move(placement), std::move(planned));
    return direct_plan(std::move(placement), std::move(planned));
  }

  Plan direct_plan(Placement placement, PlannedProblem planned) const {
    DirectPlan plan;
    plan.placement = std::move(placement);
    plan.product = std::make_unique<DirectProduct>(*problem_.basis->as_product(), *problem_.tables,
                                                   std::span<const double>(), planned.parity);
    plan.with_packs = planned.with_packs;
    plan.most_strip_bytes = planned.most_strip_bytes;
    plan.spin = std::move(planned.spin);
    plan.keeps_spin = planned.keeps_spin;
    return plan;
  }

  Plan stored_plan(Placement placement, PlannedProblem planned) {
    problem_.spin = std::move(planned.spin);
    StoredPlan plan;
    plan.placement = std::move(placement);
    plan.placement.device_bytes = planned.matrix->device_bytes;
    plan.placement.matrix_bytes = planned.matrix->matrix_bytes;
    plan.rows = problem_.basis->make_rows(*problem_.tables);
    plan.format = find_storage_format(planned.matrix->format);
    plan.format_options = planned.matrix->options;
    plan.first_rows = std::move(planned.matrix->first_rows);
    if (problem_.spin) plan.spin_rows = problem_.basis->s_squared_rows();
    return plan;
  }

  int threads_;
  Problem problem_;
  std::unique_ptr<RankedFinder> finder_;
};

/// Does as the first process says.
class Server {
public:
  Server(const Communicator& processes, const ServeConfig& config) : processes_(processes), config_(config) {}

  /// @return false at the end
  bool obey(std::span<const std::byte> bytes) {
    PacketReader packet(bytes);
    const auto order = packet.get<Order>();
    const auto number = packet.get<FinderNumber>();
    switch (order) {
      case Order::survey:
        survey(processes_, config_.node, packet.get<SurveyOrder>(), devices_);
        return true;
      case Order::make:
        make(number, packet.get<MakeOrder>().planned);
        return true;
      case Order::drop:
        finders_.erase(number);
        return true;
      case Order::keep:
        keep(*finders_.at(number), packet.get<KeepOrder>());
        return true;
      case Order::kept:
        show_kept(packet.get<KeptOrder>());
        return true;
      case Order::work:
        work(packet.get<WorkOrder>().work);
        return true;
      case Order::end:
        return false;
      default:
        const ServedFinder& finder = finders_.at(number);
        const ThreadScope threads(finder.threads());
        use(*finder, order, packet);
        return true;
    }
  }

private:
  void make(FinderNumber number, PlannedProblem planned) {
    const ThreadScope threads(planned.threads);
    finders_.try_emplace(number, processes_, devices_, std::move(planned));
  }

  void work(const SharedWork& work) const {
    if (!config_.do_work) throw SystemError("this process does no work of tasks");
    config_.do_work(work, {processes_, devices_, config_.take_requests});
  }

  void keep(const RankedFinder& finder, const KeepOrder& order) {
    kept_.emplace(order.number, finder.keep(order.id, order.columns));
  }

  void show_kept(const KeptOrder& order) {
    const KeptRows& kept = kept_.at(order.number);
    switch (order.what) {
      case KeptOrder::What::read:
        return kept.read(processes_, order.column, order.first_row, order.count, {});
      case KeptOrder::What::gather:
        return kept.gather(processes_, order.column, order.rows, {});
      case KeptOrder::What::overlaps:
        kept.overlaps(processes_);
        return;
      case KeptOrder::What::heaviest:
        kept.heaviest(processes_, order.column, order.count);
        return;
      case KeptOrder::What::drop:
        kept_.erase(order.number);
        return;
    }
  }

  void use(RankedFinder& finder, Order order, PacketReader& packet) const {
    if (order == Order::project_on_spin) return finder.project_on_spin();
    if (order == Order::solve) return solve(finder, packet.get<SolveOrder>());
    if (order == Order::forget) return finder.forget(packet.get<ForgetOrder>().id);
    if (order == Order::read) {
      const auto read = packet.get<ReadOrder>();
      return finder.read(read.id, read.column, read.first_row, read.count, {});
    }
    if (order == Order::multiply) return finder.multiply({}, packet.get<MultiplyOrder>().columns, {});
    if (order == Order::residual_norms) {
      const auto norms = packet.get<ResidualOrder>();
      finder.residual_norms({.id = norms.id}, norms.energies);
    } else if (order == Order::probe) {
      const auto probe = packet.get<ProbeOrder>();
      std::vector<double> nowhere;
      finder.probe({.id = probe.id}, probe.count, probe.lowest, probe.highest, probe.most_products, nowhere);
    } else if (order == Order::resolve_spins) {
      const auto resolve = packet.get<ResolveOrder>();
      std::vector<bool> rotated;
      finder.resolve_spins(resolve.id, resolve.energies, resolve.config, rotated);
    } else if (order == Order::leading) {
      const auto leading = packet.get<LeadingOrder>();
      finder.leading(leading.id, leading.column, leading.most, leading.minimum_weight);
    } else if (order == Order::spin_densities) {
      const auto densities = packet.get<DensitiesOrder>();
      finder.spin_densities(densities.id, densities.columns, densities.pairs);
    } else if (order == Order::expectation) {
      const auto expectation = packet.get<ExpectationOrder>();
      finder.expectation(expectation.rows, expectation.coefficients);
    } else if (order == Order::lowest_rows) {
      finder.lowest_rows(packet.get<LowestOrder>().config);
    } else {
      throw SystemError("the first process gives an order that this one does not know");
    }
  }

  void solve(RankedFinder& finder, SolveOrder order) const {
    if (order.is_observed) order.search.observer = [](const SearchState&) { return SolverAction::proceed; };
    finder.solve(order.search, order.num_start, order.start, order.id, config_.take_requests);
  }

  const Communicator& processes_;
  const ServeConfig& config_;
  std::vector<Device> devices_;  ///< of this process, as it said when it was asked last
  std::map<FinderNumber, ServedFinder> finders_;
  std::map<std::uint64_t, KeptRows> kept_;  ///< of vectors that the first process has not dropped
};

}  // namespace

ServedRanks::~ServedRanks() {
  try {
    OrderGiver{&processes_}(EndOrder{});
  } catch (const Error&) {
    processes_.fail();  // whoever reports that ends all
  }
}

Resources ServedRanks::resources(Resources own, bool memory_given) const {
  const bool has_devices = !own.devices.empty() && own.devices.front().ordinal != Device::not_here;
  const SurveyOrder asked{.memory = !memory_given, .devices = has_devices};
  std::vector<Device> devices;
  const OrderGiver give(&processes_);
  const std::vector<ProcessShare> shares = give.or_fail([&] {
    give(asked);
    return survey(processes_, node_, asked, devices);
  });
  ProcessShare least = shares.front();
  for (const ProcessShare& one : shares) {
    least.memory = std::min(least.memory, one.memory);
    least.devices = std::min(least.devices, one.devices);
    least.device_bytes = std::min(least.device_bytes, one.device_bytes);
  }
  if (asked.memory) own.memory = least.memory;
  own.processes = &processes_;
  if (!has_devices) return own;
  own.devices = std::move(devices);
  own.devices.resize(static_cast<std::size_t>(least.devices));
  if (!own.devices.empty()) own.devices.front().free_bytes = least.device_bytes;
  return own;
}

const Communicator& ServedRanks::begin(SharedWork work) const {
  OrderGiver{&processes_}(WorkOrder{std::move(work)});
  return processes_;
}

void serve_ranks(const Communicator& processes, const ServeConfig& config) {
  Server server(processes, config);
  while (server.obey(next_order(processes))) {
  }
}

}  // namespace cisolve
