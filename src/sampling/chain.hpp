// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "cisolve/sampling/philox.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "sampling/configuration.hpp"
#include "sampling/projection.hpp"

// The Markov chain: what a step proposes and whether it is taken, the same whatever works out the ratios.

namespace cisolve::sampling {

// Ratios below this leave a table without the digits that the next one needs: it is made anew.
inline constexpr double smallest_safe_ratio = 1e-6;

/// What proposals depend on besides the configuration.
struct WalkRules {
  /// @throws InputError where a fraction is not from 0 to 1
  WalkRules(const LatticeModel& model, const TrialState& trial, const WalkConfig& config);

  bool is_t_j = false;
  int sites = 0;
  ElectronNumbers electrons = {};
  std::uint64_t near_below = 0;      ///< of 2^32: share of proposals to a neighbour
  std::uint64_t exchange_below = 0;  ///< of 2^32: share that are exchanges; Hubbard
  int directions = 0;
  std::vector<int> neighbours = {};  ///< [sites x directions], -1: none
};

/// Random words of one step.
struct StepWords {
  std::uint32_t w0 = 0, w1 = 0, w2 = 0, w3 = 0;
};

inline StepWords step_words(std::uint64_t seed, std::uint32_t chain, std::uint64_t step) {
  const PhiloxBlock block =
      philox({{static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), chain, 0}},
             philox_key(seed));
  return {block[0], block[1], block[2], block[3]};
}

/// The move that two random words propose; a null move where the target is missing or forbidden. Proposals are as
/// probable as their reversals.
inline Move propose(const WalkRules& rules, const Configuration& at, std::uint32_t w0, std::uint32_t w1) {
  constexpr std::uint64_t low_word = 0xFFFFFFFF;
  const std::uint64_t a = std::uint64_t{w0} * static_cast<std::uint64_t>(rules.electrons.total());
  const int number = static_cast<int>(a >> 32);
  const bool is_up = number < rules.electrons.up;
  const SpinPlaces& own = is_up ? at.up : at.down;
  const SpinPlaces& other = is_up ? at.down : at.up;
  const int electron = is_up ? number : number - rules.electrons.up;
  const int from = own.occupied()[electron];
  const bool is_near = (a & low_word) < rules.near_below;
  const auto choices =
      static_cast<std::uint64_t>(is_near ? rules.directions : static_cast<int>(own.free().size()));
  const std::uint64_t b = std::uint64_t{w1} * choices;
  const int choice = static_cast<int>(b >> 32);
  if (choices == 0) return {};
  int slot = choice;
  if (is_near) {
    const int target =
        rules.neighbours[static_cast<std::size_t>(from) * static_cast<std::size_t>(rules.directions) +
                         static_cast<std::size_t>(choice)];
    if (target < 0 || own.has(target)) return {};
    slot = ~own.at(target);
  }
  const int to = own.free()[slot];
  const int other_electron = other.at(to);
  bool is_exchange = other_electron >= 0;
  if (!rules.is_t_j) {
    const bool is_wanted = (b & low_word) < rules.exchange_below;
    if (is_wanted && (!is_exchange || other.has(from))) return {};
    is_exchange = is_wanted;
  }
  if (!is_exchange)
    return is_up ? Move{.kind = MoveKind::hop_up, .up = electron, .up_slot = slot}
                 : Move{.kind = MoveKind::hop_down, .down = electron, .down_slot = slot};
  const int other_slot = ~other.at(from);
  return is_up ? Move{MoveKind::exchange, electron, slot, other_electron, other_slot}
               : Move{MoveKind::exchange, other_electron, other_slot, electron, slot};
}

/// What became of one step.
struct StepRecord {
  Move move = {};
  double u = 0.0;
  double ratio = 0.0;  ///< of the determinants
  bool is_accepted = false;
};

/// One step of a chain.
/// @tparam Walker  ratio(at, move), update(at, move), which is followed by at.apply(move), and rebuild(at)
/// @param projection  of this configuration
template <class Walker>
inline StepRecord take_step(const WalkRules& rules, const StepWords& words, Configuration& at, Walker& walker,
                            Projection& projection, StepCounts& counts) {
  StepRecord step{.move = propose(rules, at, words.w0, words.w1), .u = unit_interval(words.w2, words.w3)};
  if (step.move.kind == MoveKind::null) {
    ++counts.null;
    return step;
  }
  const bool is_exchange = step.move.kind == MoveKind::exchange;
  ++(is_exchange ? counts.exchanges_proposed : counts.hops_proposed);
  step.ratio = walker.ratio(at, step.move);
  if (!std::isfinite(step.ratio)) {
    walker.rebuild(at);
    ++counts.recomputations;
    step.ratio = walker.ratio(at, step.move);
    if (!std::isfinite(step.ratio)) {
      ++counts.rejected_as_non_finite;
      return step;
    }
  }
  const double factor = step.ratio * projection.ratio(at, step.move);
  step.is_accepted = step.u < factor * factor;
  if (!step.is_accepted) return step;
  projection.update(at, step.move);
  ++(is_exchange ? counts.exchanges_accepted : counts.hops_accepted);
  if (std::abs(step.ratio) < smallest_safe_ratio) {
    at.apply(step.move);
    walker.rebuild(at);
    ++counts.recomputations;
  } else {
    walker.update(at, step.move);
    at.apply(step.move);
  }
  return step;
}

/// Sites of attempt number `attempt` at a start, before it is known whether psi vanishes there.
void draw_start(const WalkRules& rules, std::uint64_t seed, std::uint32_t chain, std::uint32_t attempt,
                Configuration& at);

}  // namespace cisolve::sampling
