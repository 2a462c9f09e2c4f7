// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/device_profile.hpp"
#include "cuda/hamiltonian/direct/excitations/excitation_lists.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_arrays.hpp"
#include "cuda/hamiltonian/direct/opposite/phase_limits.hpp"
#include "cuda/hamiltonian/direct/opposite/shape.hpp"
#include "cuda/hamiltonian/direct/task_list.hpp"

namespace cisolve::cuda::direct {

struct SameSpinPlan;

/// The opposite-spin part of rows whose t fits into shared memory, for some pairs at a time: everything of a direct
/// product that joins both spins, the diagonal aside; and their same-spin part.
struct OppositePlan {
  Shape shape;
  PhaseArrays<HostArray> arrays;
  GatherArrays<HostArray> gather;
  std::int64_t tasks_in_layout_1 = 0;  ///< of a rank they come first
  std::vector<RowCost> costs;          ///< of the blocks
  std::int64_t packs_size = 0;         ///< elements of the packs of all rows
  bool packed = false;                 ///< packs are made once and kept, else in every product

  /// Elements of the packs that are kept.
  std::int64_t kept_packs() const { return packed ? packs_size : 0; }
};

/// Makes an OppositePlan, block by block of y.
class OppositePlanner {
public:
  /// @param same_spin  gives up its segments to blocks whose rows are worked on here
  OppositePlanner(const DeviceProfile::OppositeCosts& costs, const Sources& sources, SameSpinPlan& same_spin,
                  ExcitationLists& lists, OppositePlan& plan)
      : costs_(costs), sources_(sources), same_spin_(same_spin), lists_(lists), plan_(plan) {}

  void add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns);

  /// @param most_pack_bytes  of packs that may be kept
  /// @param by_layout        tasks of layout 1 come first
  void finish(std::int64_t most_pack_bytes, bool by_layout);

private:
  double add_phases(const Side& side, int c, int d, const std::vector<Pattern>& patterns, Block& block);
  void add_phase(const Side& side, int d, const std::vector<Part>& parts);
  void share_out(Phase& phase) const;
  double tile_cost(const Item& item) const;
  std::int32_t list_same_spin(const Side& side, int c, int d);
  std::int64_t num_entry_groups() const { return std::ssize(plan_.gather.entries) / entry_group; }
  void add_entries(const std::vector<std::vector<std::uint32_t>>& places, std::uint32_t nothing);

  const DeviceProfile::OppositeCosts& costs_;
  const Sources& sources_;
  SameSpinPlan& same_spin_;
  ExcitationLists& lists_;
  OppositePlan& plan_;
  TaskList tasks_;
};

}  // namespace cisolve::cuda::direct
