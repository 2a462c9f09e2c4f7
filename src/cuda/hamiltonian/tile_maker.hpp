// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/link_lists.hpp"
#include "cuda/hamiltonian/task_list.hpp"

namespace cisolve::cuda::direct {

/// Makes a TiledPlan, block by block of y.
class TileMaker {
public:
  /// Chooses what a block of threads holds at a time, for all blocks of y that are tiled.
  /// @throws ResourceError if a string has more excitations than shared memory has room for
  TileMaker(const DirectConfig& config, const Sources& sources, std::span<const Side> sides, LinkLists& lists,
            TiledPlan& plan);

  void add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns);
  void finish() { plan_.tasks = tasks_.in_order(); }

private:
  void choose(const DirectConfig& config, std::int32_t wanted_pairs);
  std::int32_t walks_of(const Side& side, int d, std::size_t number, const Part& part);
  void add_tile(std::span<Entry> entries, const Part& part, std::int32_t first_column);

  const Sources& sources_;
  LinkLists& lists_;
  TiledPlan& plan_;
  TaskList tasks_;
  std::map<std::tuple<int, int, std::size_t, std::int32_t>, std::int32_t> walks_;
};

}  // namespace cisolve::cuda::direct
