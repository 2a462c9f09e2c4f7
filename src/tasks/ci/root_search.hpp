// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/root_finder.hpp"
#include "tasks/ci/found_roots.hpp"
#include "tasks/ci/sector.hpp"
#include "tasks/files/checkpoint_writer.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

/// Looks at a search after each iteration: prints it, stops it if that is asked for, and decides whether a checkpoint
/// is due: at the configured interval, when asked for, at the last iteration, and when stopped.
class SearchObserver {
public:
  /// @param header  of the checkpoints, without what belongs to a search
  /// @param rows    of the vectors
  /// @param buffer  bytes that a checkpoint may take while the solver goes on
  SearchObserver(const RunContext& context, const SectorContext& start, CheckpointHeader header,
                 std::int64_t rows, std::int64_t buffer);

  SolverAction operator()(const SearchState& state);

  /// Waits for what is being written, and begins anew for another search.
  void finish();

private:
  void write(const SearchState& state);

  const RunContext& context_;
  CheckpointHeader header_;
  std::int64_t rows_;
  CheckpointWriter writer_;
  Stopwatch since_last_;
  int iterations_ = 0;
};

/// Seeks the roots of a sector until there are enough of the spin asked for, or no more: searches again among more
/// roots, or within the spin, where others came first.
class RootSearch {
public:
  RootSearch(const RunContext& context, const SectorContext& start, const CiJob& job, const Basis& basis,
             RootFinder& finder, CiResult::Sector& sector);

  /// Fills solver and states of the sector.
  /// @param buffer  bytes of host memory that checkpoints may take while the solver goes on
  SolverStatus operator()(std::int64_t buffer);

private:
  std::string describe_start() const;
  Search first_search() const;
  SolverStatus take(LabelledRoots found, const std::vector<std::size_t>& kept, int sought);
  void search_again(LabelledRoots found, const std::vector<std::size_t>& kept, Search& search);
  bool is_enough(const LabelledRoots& found, const std::vector<std::size_t>& kept, int sought) const;

  const RunContext& context_;
  const SectorContext& start_;
  const CiJob& job_;
  const Basis& basis_;
  RootFinder& finder_;
  CiResult::Sector& sector_;
  FoundRoots roots_;
  int wanted_;
  Array<double> previous_;  ///< what a further search starts from
};

}  // namespace cisolve
