// SPDX-License-Identifier: MIT
#include "tasks/flapw/shared_points.hpp"

#include <fmt/format.h>

#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/lapw_engine.hpp"
#include "cisolve/ranks/packet.hpp"

// What goes from process to process, where Packet finds it.
namespace cisolve::lapw {

template <class Packet>
void pass(Packet& packet, LineRecord& line) {
  packet(line.name, line.seconds, line.flops);
}

template <class Packet>
void pass(Packet& packet, Eigenstates& states) {
  packet(states.energies, states.residual_norms, states.scaled_residuals, states.converged, states.vectors,
         states.solver, states.iterations, states.interrupted, states.stagnated, states.overlap, states.notes,
         states.lines);
}

}  // namespace cisolve::lapw

namespace cisolve {

template <class Packet>
void pass(Packet& packet, SharedPoints& points) {
  packet(points.input, points.threads, points.on_device, points.pending);
}

/// But what is known before: k, and the numbers of waves and rows.
template <class Packet>
void pass(Packet& packet, FlapwPoint& point) {
  packet(point.status, point.algorithm, point.blocks, point.hpd_atoms, point.g, point.lines, point.gemm_rate,
         point.states, point.checked, point.check_error_h, point.check_error_s, point.seconds);
}

/// Of one that was not interrupted.
template <class Packet>
void pass(Packet& packet, MadePoint& made) {
  packet(made.found, made.warnings);
  bool has_matrices = made.matrices.has_value();
  packet(has_matrices);
  if (!has_matrices) return;
  if (!made.matrices) made.matrices.emplace();
  packet(made.matrices->n, made.matrices->h, made.matrices->s);
}

namespace {

/// Of what is large in a packet, and some more.
std::size_t bytes_of(const MadePoint& made) {
  constexpr std::size_t rest = std::size_t{1} << 16;
  const std::size_t matrices =
      made.matrices ? made.matrices->h.size_bytes() + made.matrices->s.size_bytes() : 0;
  return rest + made.found.states.vectors.size_bytes() + matrices;
}

std::vector<std::byte> packed(MadePoint& made) {
  PacketWriter packet;
  packet.reserve(bytes_of(made));
  pass(packet, made);
  return packet.take();
}

/// Returns when all have come here, without taking the cores from those that have not.
void wait_for_all(const Communicator& processes) {
  std::byte nothing{};
  for (int rank = 0; rank < processes.size(); ++rank) processes.broadcast_patiently({&nothing, 1}, rank);
}

/// The bytes of each other process, one after another, on the first.
/// @param mine  empty: none
void collect(const Communicator& processes, std::span<const std::byte> mine,
             const std::function<void(int rank, std::span<const std::byte> bytes)>& take) {
  const std::vector<std::size_t> sizes = all_values(processes, mine.size());
  for (int rank = 1; rank < processes.size(); ++rank) {
    const std::size_t size = sizes[static_cast<std::size_t>(rank)];
    if (size == 0) continue;
    std::vector<std::byte> room(processes.rank() == 0 ? size : 0);
    const Outgoing send{0, mine};
    const Incoming receive{rank, room};
    processes.exchange({&send, processes.rank() == rank ? std::size_t{1} : 0},
                       {&receive, processes.rank() == 0 ? std::size_t{1} : 0});
    if (processes.rank() == 0) take(rank, room);
  }
}

/// Tells the first process what the others were asked for.
void hear_others(const Communicator& processes, const TurnCalls& calls) {
  if (processes.size() == 1) return;
  const std::vector<Requests> requests = all_values(processes, calls.asked ? calls.asked() : Requests{});
  if (processes.rank() > 0 || !calls.hear) return;
  for (const Requests& one : std::span(requests).subspan(1)) {
    if (one != Requests{}) calls.hear(one);
  }
}

}  // namespace

SharedWork shared_work(SharedPoints points) {
  PacketWriter packet;
  pass(packet, points);
  return {.task = "flapw", .arguments = packet.take()};
}

void require_same_source(const Communicator& processes, const FlapwResult& planned) {
  const std::vector<std::uint64_t> hashes = all_values(processes, planned.source_hash);
  if (hashes[static_cast<std::size_t>(processes.rank())] != hashes.front())
    throw InputError(
        fmt::format("flapw.file: '{}' has another content here than for the first process", planned.source));
}

bool make_in_turns(const Communicator& processes, std::span<const int> pending, PointMaker& maker,
                   const TurnCalls& calls) {
  const auto size = static_cast<std::size_t>(processes.size()),
             rank = static_cast<std::size_t>(processes.rank());
  bool is_complete = true;
  for (std::size_t first = 0; first < pending.size(); first += size) {
    bool goes = rank > 0 || calls.goes_on();
    processes.broadcast_patiently(std::as_writable_bytes(std::span(&goes, 1)), 0);
    if (!goes) return false;
    std::vector<std::byte> mine;
    if (first + rank < pending.size()) {
      const int k = pending[first + rank];
      MadePoint made = maker.make(k);
      if (rank > 0)
        mine = packed(made);
      else if (made.interrupted)
        is_complete = false;
      else
        calls.keep(k, std::move(made));
    }
    wait_for_all(processes);
    collect(processes, mine, [&](int other, std::span<const std::byte> bytes) {
      const int k = pending[first + static_cast<std::size_t>(other)];
      MadePoint made{.found = maker.system().outset(k)};
      PacketReader packet(bytes);
      pass(packet, made);
      calls.keep(k, std::move(made));
    });
    hear_others(processes, calls);
  }
  return is_complete;
}

void serve_points(const SharedWork& work, const WorkPlace& place) {
  SharedPoints points;
  PacketReader packet(work.arguments);
  pass(packet, points);
  const ThreadScope threads(points.threads);
  // Its files are those of the working directory, by a name without a folder.
  const FlapwConfig config = read_flapw_config(parse_input(points.input, "input of the first process"));
  const FlapwSystem system(config);
  FlapwResult planned;
  system.describe(planned);
  require_same_source(place.processes, planned);
  if (points.on_device && place.devices.empty())
    throw SystemError("this process has fewer devices than it said");
  RunControl control;
  control.quiet = true;
  PointMaker maker(config, system, control, make_lapw_engine(place.devices.first(points.on_device ? 1 : 0)));
  make_in_turns(place.processes, points.pending, maker, {.asked = place.take_requests});
}

}  // namespace cisolve
