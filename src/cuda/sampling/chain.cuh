// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/sampling/measure.hpp"
#include "cuda/sampling/rebuild.hpp"
#include "cuda/sampling/walk.cuh"

// A group of threads walks with one chain.

namespace cisolve::cuda::sampling {

/// The table of pairs made anew; all threads get max|T - T_new| / max|T_new|. Out of line: it is seldom called, and needs
/// many registers.
template <class Group>
__device__ __noinline__ double remake_pairs(Group group, const Setup& setup, PlacesView at, Scratch scratch,
                                            double* t, int stride, double* shared) {
  const PairSource source{setup.walk, setup.trial, at};
  solve(group, source, scratch, shared);
  Drift drift;
  store_table(group, source, scratch, t, stride, drift);
  drift.difference = group.largest(drift.difference, shared);
  drift.largest = group.largest(drift.largest, shared);
  return drift.value();
}

/// The same of the tables of a sea.
template <class Group>
__device__ __noinline__ double remake_sea(Group group, const Setup& setup, PlacesView at, Scratch scratch,
                                          double* up, int up_stride, double* down, int down_stride,
                                          double* shared) {
  Drift drift;
  const SeaSource of_up{setup.walk, setup.trial, at.up, setup.walk.up};
  solve(group, of_up, scratch, shared);
  store_table(group, of_up, scratch, up, up_stride, drift);
  const SeaSource of_down{setup.walk, setup.trial, at.down, setup.walk.down};
  solve(group, of_down, scratch, shared);
  store_table(group, of_down, scratch, down, down_stride, drift);
  drift.difference = group.largest(drift.difference, shared);
  drift.largest = group.largest(drift.largest, shared);
  return drift.value();
}

template <class Group, class Table>
__device__ double remake(const Group& group, const Setup& setup, const PlacesView& at, const Scratch& scratch,
                         PairWalker<Table>& walker, double* shared) {
  walker.settle(group);
  return remake_pairs(group, setup, at, scratch, walker.table.t, walker.table.row_stride(), shared);
}

template <class Group, class Table>
__device__ double remake(const Group& group, const Setup& setup, const PlacesView& at, const Scratch& scratch,
                         SeaWalker<Table>& walker, double* shared) {
  return remake_sea(group, setup, at, scratch, walker.up.t, walker.up.row_stride(), walker.down.t,
                    walker.down.row_stride(), shared);
}

/// Adds the correlations of a configuration to those of its chain. Out of line as it is not measured each sweep.
template <class Group, class Places, class Walker>
__device__ __noinline__ void measure_correlations(Group group, const Setup& setup, Places at, Walker walker,
                                                  double* sums) {
  const std::ptrdiff_t places = setup.correlations.places;
  add_correlations(group, setup.walk, setup.correlations, at, walker, sums, places * setup.chains.count);
}

/// Adds the log-derivatives of a configuration and their products to those of its chain. Out of line likewise.
template <class Group, class Walker>
__device__ __noinline__ void measure_derivatives(Group group, const Setup& setup, SumsView sums,
                                                 PlacesView at, Walker walker, int chain,
                                                 int double_occupancies, double energy, double* shared) {
  const int parameters = setup.trial.num_parameters;
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(chain) * parameters;
  double* o = sums.derivatives_now + first;
  for (int a = 0; a < parameters; ++a) {
    const double value = log_derivative(group, setup.walk, setup.trial, at, walker, setup.trial.parameters[a],
                                        double_occupancies, shared);
    if (group.is_first()) o[a] = value;
  }
  group.sync();
  for (int a = group.rank(); a < parameters; a += Group::size) {
    sums.derivative[first + a] += o[a];
    sums.derivative_energy[first + a] = fma(o[a], energy, sums.derivative_energy[first + a]);
  }
  double* products = sums.derivative_product + first * parameters;
  for (int ab = group.rank(); ab < parameters * parameters; ab += Group::size)
    products[ab] = fma(o[ab / parameters], o[ab % parameters], products[ab]);
  group.sync();  // before it is written again
}

/// One chain, whose state is in shared memory, by the threads of a group.
template <class Group, class Places, class Walker, class Proposals>
class ChainWalk {
public:
  __device__ ChainWalk(const Setup& setup, const BlockOrder& order, const SumsView& sums,
                       const Scratch& scratch, ChainMemory& memory, const Places& at, Walker& walker,
                       int chain)
      : setup_(setup), order_(order), sums_(sums), scratch_(scratch), memory_(memory), at_(at),
        walker_(walker), chain_(chain), proposals_(memory.steps) {}

  /// Sweeps `first` + 1 to `last` of the block. All threads begin and end together.
  __device__ void advance(int first, int last) {
    std::uint64_t end = memory_.steps;
    for (int done = first + 1; done <= last; ++done) {
      end += static_cast<std::uint64_t>(setup_.walk.sites);
      sweep(end);
      measure(done);
      const int interval = memory_.rebuild_interval;
      group_.sync();  // before it may change
      if (done % interval == 0 || done == order_.sweeps) remake_with_drift();
    }
    walker_.settle(group_);
    if (group_.is_first()) {
      memory_.steps = end;
      proposals_.tally.add_to(memory_.counts);
    }
    group_.sync();
  }

private:
  /// Steps before `end`.
  __device__ void sweep(std::uint64_t end) {
    const std::uint32_t number = setup_.chains.first + static_cast<std::uint32_t>(chain_);
    for (;;) {
      if (Proposals::is_mine(group_)) proposals_.find(setup_.walk, at_, walker_, memory_, number, end);
      group_.sync();
      const EventKind kind = memory_.event.kind;
      if (kind == EventKind::none) break;
      if (kind != EventKind::non_finite || is_accepted_anew()) accept();
      group_.sync();
    }
    group_.sync();
  }

  /// Of a ratio that was no number: by a table made anew.
  __device__ bool is_accepted_anew() {
    remake(group_, setup_, at_, scratch_, walker_, memory_.reductions);
    if (group_.is_first()) {
      Event& event = memory_.event;
      ++memory_.counts.recomputations;
      event.ratios = walker_.ratios(setup_.walk, event.move);
      event.kind = judge(setup_.walk, at_, event.move, event.ratios.value, event.u);
      if (event.kind == EventKind::non_finite) ++memory_.counts.rejected_as_non_finite;
    }
    group_.sync();
    return memory_.event.kind == EventKind::accepted;
  }

  __device__ void accept() {
    const Event& event = memory_.event;
    const bool is_small = fabs(event.ratios.value) < smallest_safe_ratio;
    if (!is_small) walker_.update(group_, setup_.walk, event);
    move_fields(group_, setup_.walk, at_, event.move);
    if (group_.is_first()) {
      ++(event.move.kind == MoveKind::exchange ? memory_.counts.exchanges_accepted
                                               : memory_.counts.hops_accepted);
      if (!setup_.walk.is_t_j)
        memory_.double_occupancies += change_of_double_occupancies(setup_.walk, at_, event.move);
      apply(setup_.walk, at_, event.move);
    }
    if (!is_small) return;
    group_.sync();
    remake(group_, setup_, at_, scratch_, walker_, memory_.reductions);
    if (group_.is_first()) ++memory_.counts.recomputations;
  }

  __device__ void remake_with_drift() {
    const double drift = remake(group_, setup_, at_, scratch_, walker_, memory_.reductions);
    if (group_.is_first()) {
      memory_.drift = fmax(memory_.drift, drift);
      if (drift > setup_.drift_tolerance) memory_.rebuild_interval = max(1, memory_.rebuild_interval / 2);
    }
    group_.sync();
  }

  __device__ void measure(int done) {
    const std::int64_t number = order_.first_sweep + done;
    if (order_.energy_interval > 0 && number % order_.energy_interval == 0)
      measure_energy(static_cast<int>(number / order_.energy_interval -
                                      order_.first_sweep / order_.energy_interval - 1));
    if (order_.correlation_interval > 0 && number % order_.correlation_interval == 0) {
      walker_.settle(group_);
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(chain_) * setup_.correlations.places;
      measure_correlations(group_, setup_, at_, walker_.settled(), sums_.correlations + first);
    }
  }

  __device__ void measure_energy(int measurement) {
    const EnergyParts parts =
        local_energy(group_, setup_.walk, setup_.bonds, at_, walker_, memory_.reductions);
    const double doubles = memory_.double_occupancies;
    const double energy = parts.kinetic + parts.exchange + setup_.bonds.u * doubles + parts.density;
    if (group_.is_first()) {
      sums_.energy[static_cast<std::ptrdiff_t>(chain_) * sums_.energies_per_chain + measurement] = energy;
      const double values[num_parts] = {parts.kinetic, parts.exchange, doubles, parts.density};
#pragma unroll
      for (int part = 0; part < num_parts; ++part) {
        memory_.parts[part] += values[part];
        memory_.parts[num_parts + part] = fma(values[part], values[part], memory_.parts[num_parts + part]);
      }
    }
    if (!order_.with_derivatives) return;
    walker_.settle(group_);
    measure_derivatives(group_, setup_, sums_, at_, walker_.settled(), chain_, memory_.double_occupancies,
                        energy, memory_.reductions);
  }

  const Setup& setup_;
  const BlockOrder& order_;
  const SumsView& sums_;
  Scratch scratch_;
  ChainMemory& memory_;
  Places at_;
  Walker& walker_;
  int chain_;
  Group group_ = {};
  Proposals proposals_;
};

}  // namespace cisolve::cuda::sampling
