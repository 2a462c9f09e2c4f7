// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/space/string_product.hpp"
#include "cisolve/sparse/row_shares.hpp"
#include "job.hpp"
#include "spmv_benchmark.hpp"

namespace cisolve::bench {

struct RanksOptions {
  std::vector<int> gpus;                          ///< numbers of ranks; none: 1, 2, 4, ... up to all devices
  std::vector<std::string> exchanges = {"auto"};  ///< auto, nccl, peer, staged
  bool overlap = true;                            ///< time also products whose transfers hide behind sums
  int columns = 1;                                ///< vectors per product
  std::int64_t strip_mib = 0;  ///< x is gathered in strips of at most so many MiB; 0: whole
  int warm_ups = 2;
  int repeats = 11;
  double error_limit = 1e-12;  ///< |y - y of one device| / |y of one device| above this: an error
};

/// What ranks would do that needn't be there.
struct RanksPlanOptions {
  std::vector<int> ranks;  ///< how many, one number after the other
  int gpus_per_node = 8;   ///< ranks of a node
  std::string profile = "H200";
};

struct RanksCommand {
  JobOptions job;
  RanksOptions options;
  bool plan_only = false;
  RanksPlanOptions plan;
  std::string format = "direct";     ///< or one that stores H
  std::optional<SpinParity> parity;  ///< of direct products; none: as the job has it
  std::string json_file;
};

CLI::App* add_ranks(CLI::App& app, RanksCommand& command);

/// @return exit status
/// @throws InputError if H is to be applied string by string and cannot be, or there is no device
int run_ranks_command(const RanksCommand& command);

/// Milliseconds that a rank needed for stages of a vector, medians.
struct StageTimes {
  std::vector<double> stages;  ///< as cuda::ranked_stage_names
  double sums = 0.0;           ///< without those in which it waits for others
};

/// An exchange of one kind of a vector, by itself.
struct ExchangeMeasurement {
  int times = 0;           ///< in a product of one vector
  std::int64_t bytes = 0;  ///< that come to a device each time, where the most do
  Spread milliseconds;     ///< each time

  double gigabytes_per_second() const { return static_cast<double>(bytes) / (milliseconds.median * 1e6); }
};

/// One way to multiply. Times are from when the first rank begins to when the last has ended; sizes those of the rank that
/// has the most.
struct RanksMeasurement {
  std::string product;   ///< DirectProduct or RankedDirectProduct; a storage format, or RankedMatrix
  std::string exchange;  ///< as cuda::DeviceExchange::name has it; empty: none
  int ranks = 1;
  int devices = 1;  ///< that they have together
  double relative_error = 0.0;
  std::optional<Spread> overlapped;  ///< milliseconds of a product
  std::optional<Spread> in_turns;    ///< the same, transfers and sums one after the other
  ExchangeMeasurement rows, columns;
  std::vector<StageTimes> overlapped_stages, in_turns_stages;               ///< by rank
  double exchange_seconds = 0.0, plan_seconds = 0.0, tables_seconds = 0.0;  ///< to set up
  std::int64_t table_bytes = 0, workspace_bytes = 0;

  const Spread& best() const { return overlapped ? *overlapped : *in_turns; }

  /// Time of sums of the slowest rank over the mean; 1 if there are no ranks.
  double imbalance() const;
};

/// H of a job, x, and y = H x by the product of one device.
struct RanksProblem {
  const StringProduct& space;
  const JobProduct& direct;
  int columns;
  std::vector<double> x, y;  ///< [columns][rows]
};

/// H of a job that is stored, x, and y = H x by the product of one device.
struct MatrixRanksProblem {
  RowsToStore matrix;
  std::vector<double> x, y;  ///< [columns][rows]
};

/// Devices that are there.
/// @throws InputError if there are none, or this build has no CUDA
int devices_for_ranks();

/// DirectProduct on the first device; gives `problem` its y. Only in builds with CUDA.
RanksMeasurement measure_one_device(RanksProblem& problem, const RanksOptions& options);

/// RankedDirectProduct by so many threads, each with a device, or if there are not so many all with the first.
/// Only in builds with CUDA.
/// @param exchange  one of RanksOptions
/// @throws Error if y is too far from problem.y; InputError if there is no such exchange here
RanksMeasurement measure_ranks(const RanksProblem& problem, int num_ranks, const std::string& exchange,
                               const RanksOptions& options);

/// The same of a stored matrix, by the program without ranks and by RankedMatrix.
RanksMeasurement measure_one_matrix(MatrixRanksProblem& problem, const RanksOptions& options);
RanksMeasurement measure_matrix_ranks(const MatrixRanksProblem& problem, int num_ranks,
                                      const std::string& exchange, const RanksOptions& options);

}  // namespace cisolve::bench
