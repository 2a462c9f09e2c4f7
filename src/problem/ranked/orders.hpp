// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/problem/serve_ranks.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/packet.hpp"
#include "problem/finder_steps.hpp"
#include "problem/ranked/plan_packet.hpp"

namespace cisolve {

/// What the first process tells the others to do with it; its arguments are the struct of this name below.
enum class Order : int {
  survey,
  make,
  drop,
  project_on_spin,
  solve,
  read,
  forget,
  multiply,
  residual_norms,
  probe,
  resolve_spins,
  leading,
  spin_densities,
  expectation,
  lowest_rows,
  keep,
  kept,
  work,
  end
};

// Arguments of orders, by the members of RankedFinder; vectors go by another way.

struct SurveyOrder {
  static constexpr Order order = Order::survey;
  bool memory = false, devices = false;  ///< whether they are asked for
};

struct MakeOrder {
  static constexpr Order order = Order::make;
  PlannedProblem planned;
};

struct DropOrder {
  static constexpr Order order = Order::drop;
};

struct ProjectOrder {
  static constexpr Order order = Order::project_on_spin;
};

struct SolveOrder {
  static constexpr Order order = Order::solve;
  int id = 0, num_start = 0;
  Search search;  ///< without start vectors and observer
  bool is_observed = false;
  ModelStart start;
};

struct ReadOrder {
  static constexpr Order order = Order::read;
  int id = 0, column = 0;
  std::int64_t first_row = 0, count = 0;
};

struct ForgetOrder {
  static constexpr Order order = Order::forget;
  int id = 0;
};

struct MultiplyOrder {
  static constexpr Order order = Order::multiply;
  int columns = 0;
};

struct ResidualOrder {
  static constexpr Order order = Order::residual_norms;
  int id = 0;  ///< of vectors that were found; 0: they are given
  std::vector<double> energies;
};

struct ResolveOrder {
  static constexpr Order order = Order::resolve_spins;
  int id = 0;
  std::vector<double> energies;
  ClusterConfig config;
};

struct LeadingOrder {
  static constexpr Order order = Order::leading;
  int id = 0, column = 0, most = 0;
  double minimum_weight = 0.0;
};

struct DensitiesOrder {
  static constexpr Order order = Order::spin_densities;
  int id = 0;
  std::vector<int> columns;
  bool pairs = false;
};

struct ProbeOrder {
  static constexpr Order order = Order::probe;
  int id = 0, count = 0;  ///< id 0: so many vectors are given
  double lowest = 0.0, highest = 0.0;
  std::int64_t most_products = 0;
};

struct ExpectationOrder {
  static constexpr Order order = Order::expectation;
  std::vector<std::int64_t> rows;
  std::vector<double> coefficients;
};

struct LowestOrder {
  static constexpr Order order = Order::lowest_rows;
  ModelRowsConfig config;
};

struct KeepOrder {
  static constexpr Order order = Order::keep;
  int id = 0;
  std::vector<int> columns;
  std::uint64_t number = 0;  ///< of what is kept, by which KeptOrder names it
};

/// Arguments by the members of KeptRows. It is for no root finder.
struct KeptOrder {
  static constexpr Order order = Order::kept;
  enum class What : int { read, gather, overlaps, heaviest, drop };
  std::uint64_t number = 0;
  What what = What::drop;
  int column = 0;
  std::int64_t first_row = 0, count = 0;
  std::vector<std::int64_t> rows = {};
};

/// Work that a task shares, see SharedWork. It is for no root finder.
struct WorkOrder {
  static constexpr Order order = Order::work;
  SharedWork work;
};

struct EndOrder {
  static constexpr Order order = Order::end;
};

template <class Packet>
void pass(Packet& packet, MakeOrder& make) {
  packet(make.planned);
}

template <class Packet>
void pass(Packet& packet, ModelStart& start) {
  packet(start.model.rows, start.model.energies, start.model.vectors, start.coefficients);
}

template <class Packet>
void pass(Packet& packet, SolveOrder& solve) {
  Search& search = solve.search;
  packet(solve.id, solve.num_start, search.num_roots, search.tolerance, search.max_iterations,
         search.continues, search.add_model_space, search.history, solve.is_observed, solve.start);
}

template <class Packet>
void pass(Packet& packet, ResidualOrder& norms) {
  packet(norms.id, norms.energies);
}

template <class Packet>
void pass(Packet& packet, ResolveOrder& resolve) {
  packet(resolve.id, resolve.energies, resolve.config);
}

template <class Packet>
void pass(Packet& packet, ExpectationOrder& expectation) {
  packet(expectation.rows, expectation.coefficients);
}

template <class Packet>
void pass(Packet& packet, DensitiesOrder& densities) {
  packet(densities.id, densities.columns, densities.pairs);
}

template <class Packet>
void pass(Packet& packet, KeepOrder& keep) {
  packet(keep.id, keep.columns, keep.number);
}

template <class Packet>
void pass(Packet& packet, KeptOrder& kept) {
  packet(kept.number, kept.what, kept.column, kept.first_row, kept.count, kept.rows);
}

template <class Packet>
void pass(Packet& packet, SharedWork& work) {
  packet(work.task, work.arguments);
}

template <class Packet>
void pass(Packet& packet, WorkOrder& order) {
  packet(order.work);
}

/// Which root finder an order is for.
using FinderNumber = std::uintptr_t;

/// Tells other processes, where there are any.
class OrderGiver {
public:
  /// @param processes  null: there is one; must outlive this object
  explicit OrderGiver(const Communicator* processes) : processes_(processes) {}

  /// @param finder  none of SurveyOrder, KeptOrder and EndOrder
  /// @throws SystemError  the transport has failed
  /// @throws RankFailed   work that the others shared has failed
  template <class Arguments>
  void operator()(const Arguments& arguments, FinderNumber finder = 0) const {
    if (processes_ == nullptr) return;
    PacketWriter packet;
    packet(Arguments::order, finder, arguments);
    send(packet.take());
  }

  /// work(); where it throws, nothing more is told the others: they may wait for what will not come.
  template <class Work>
  auto or_fail(const Work& work) const {
    try {
      return work();
    } catch (...) {
      if (processes_ != nullptr) processes_->fail();
      throw;
    }
  }

private:
  void send(std::vector<std::byte> bytes) const {
    std::size_t size = bytes.size();
    processes_->broadcast_patiently(std::as_writable_bytes(std::span(&size, 1)), 0);
    processes_->broadcast(bytes, 0);
  }

  const Communicator* processes_;
};

/// Waits for the next order, without taking the cores from whom it waits for.
inline std::vector<std::byte> next_order(const Communicator& processes) {
  std::size_t size = 0;
  processes.broadcast_patiently(std::as_writable_bytes(std::span(&size, 1)), 0);
  std::vector<std::byte> bytes(size);
  processes.broadcast(bytes, 0);
  return bytes;
}

}  // namespace cisolve
