// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cuda/hamiltonian/direct_config.hpp"
#include "ranks_benchmark.hpp"

namespace cisolve::bench {

/// Shares of what ranks, or nodes of several, have of x; of all of them.
struct Reach {
  double most = 0.0, mean = 0.0;
};

/// Of the rows of x those whose alpha strings a rank, or the ranks of a node together, has or reaches by a single excitation:
/// what it must have of x.
/// @param together  ranks of a node
Reach reach_of(const DirectTables& tables, int ranks, int together);

/// What a rank would have, and what comes to it for a product with a vector, bytes.
struct PlannedRank {
  int rank = 0;
  std::int64_t rows = 0, slabs = 0;
  std::int64_t row_tasks = 0;    ///< rows of y, once for each block of threads
  std::int64_t excitations = 0;  ///< of own strings, in the lists of opposite-spin sums
  double cost = 0.0;             ///< of its rows, multiplications of opposite-spin sums
  std::int64_t tables = 0, workspace = 0,
               x = 0;     ///< on the device; `x`: of the workspace, x whole or two strips
  std::int64_t plan = 0;  ///< on the host
  std::int64_t rows_received = 0, columns_received = 0;
  double seconds = 0.0;  ///< to plan
};

/// What all ranks would do.
struct PlannedRanks {
  int number = 1;          ///< of ranks
  double cost = 0.0;       ///< multiplications of opposite-spin sums of all ranks
  double imbalance = 1.0;  ///< of the rank that has most, over the mean
  double same_spin = 0.0;  ///< multiplications of same-spin sums
  int strips = 0;
  std::string_view why_whole;  ///< why there are none although asked for; else empty
  Reach of_rank, of_node;
  std::vector<PlannedRank> ranks;  ///< the first, which has most, one in the middle, the last
};

/// Plans some of so many ranks of a product, `together` of which share a node.
/// @param config  by which every class is projected: the product may lack lists of same-spin doubles
/// @throws InputError if a class cannot be
PlannedRanks plan_ranks(const StringProduct& space, const DirectProduct& product, int ranks, int together,
                        const cuda::DirectConfig& config);

/// @return exit status
/// @throws InputError as plan_ranks, if there is no such card, and if the job's H cannot be applied string by string
int run_ranks_plan(const RanksCommand& command);

}  // namespace cisolve::bench
