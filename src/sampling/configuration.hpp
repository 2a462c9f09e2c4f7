// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/sampling/trial_state.hpp"

namespace cisolve::sampling {

/// What one step of a chain does.
enum class MoveKind { null, hop_up, hop_down, exchange };

/// A hop of an electron to a free slot of its spin, or the exchange of an up and a down electron, each of which goes to
/// the slot that is the other's site.
struct Move {
  MoveKind kind = MoveKind::null;
  int up = -1;         ///< electron
  int up_slot = -1;    ///< where it goes, among the sites without an up electron
  int down = -1;       ///< electron
  int down_slot = -1;  ///< where it goes, among the sites without a down electron
};

/// Where the electrons of one spin are. Electrons and free sites keep their numbers: the slot of the site that an electron
/// goes to becomes that of the site that it left.
class SpinPlaces {
public:
  SpinPlaces(int sites, int electrons);

  /// @param occupied  sites of the electrons, all different; the free ones ascend
  void set(std::span<const int> occupied);
  /// @return false if these are not all sites, each once
  bool set(std::span<const int> occupied, std::span<const int> free);

  const std::vector<int>& occupied() const { return occupied_; }
  const std::vector<int>& free() const { return free_; }
  /// Electron at a site, or ~slot if there is none.
  int at(int site) const { return at_[site]; }
  bool has(int site) const { return at_[site] >= 0; }
  void move(int electron, int slot) {
    const int from = occupied_[electron], to = free_[slot];
    occupied_[electron] = to;
    free_[slot] = from;
    at_[to] = electron;
    at_[from] = ~slot;
  }

private:
  std::vector<int> occupied_, free_, at_;
};

/// Electrons on sites.
struct Configuration {
  SpinPlaces up, down;
  int double_occupancies = 0;

  Configuration(int sites, ElectronNumbers electrons)
      : up(sites, electrons.up), down(sites, electrons.down) {}

  void set(std::span<const int> up_sites, std::span<const int> down_sites);
  void count_double_occupancies();

  /// By how much a move changes the number of doubly occupied sites. Exchanges are between singly occupied ones.
  int change_of_double_occupancies(const Move& move) const {
    const auto change = [](const SpinPlaces& own, const SpinPlaces& other, int electron, int slot) {
      return static_cast<int>(other.has(own.free()[slot])) -
             static_cast<int>(other.has(own.occupied()[electron]));
    };
    if (move.kind == MoveKind::hop_up) return change(up, down, move.up, move.up_slot);
    if (move.kind == MoveKind::hop_down) return change(down, up, move.down, move.down_slot);
    return 0;
  }

  void apply(const Move& move) {
    double_occupancies += change_of_double_occupancies(move);
    if (move.up >= 0) up.move(move.up, move.up_slot);
    if (move.down >= 0) down.move(move.down, move.down_slot);
  }
};

}  // namespace cisolve::sampling
