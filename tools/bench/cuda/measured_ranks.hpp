// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/rows.hpp"
#include "core/stopwatch.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/ranks/make_exchange.hpp"
#include "cuda/ranks/nccl_exchange.hpp"
#include "cuda/ranks/peer_exchange.hpp"
#include "cuda/ranks/staged_exchange.hpp"
#include "ranks_benchmark.hpp"

// What measurements of ranks have in common.

namespace cisolve::bench {

inline std::unique_ptr<cuda::DeviceExchange> make_named_exchange(const std::string& way,
                                                                 const Communicator& ranks) {
  if (way == "nccl") return cuda::make_nccl_exchange(ranks);
  if (way == "peer") return std::make_unique<cuda::PeerExchange>(ranks);
  if (way == "staged") return std::make_unique<cuda::StagedExchange>(ranks);
  return cuda::make_exchange(ranks);
}

/// @throws InputError if this build has not that way between devices
inline void require_exchange(const std::string& way) {
  if (way == "nccl" && !cuda::has_nccl()) throw InputError("--exchange nccl: this build has no NCCL");
}

/// x and y of a rank on its device.
class RankVectors {
public:
  RankVectors(const RowMap& map, int columns)
      : map_(map), columns_(columns), own_(static_cast<std::size_t>(map.local_rows())),
        x_(own_.size() * static_cast<std::size_t>(columns)), y_(x_.size()) {}

  cuda::ConstDeviceView x() const { return {x_.data(), map_.local_rows(), columns_, map_.local_rows()}; }
  cuda::DeviceView y() { return {y_.data(), map_.local_rows(), columns_, map_.local_rows()}; }

  /// @param all  [columns][rows] of whole vectors
  void put_x(const cuda::Stream& stream, std::span<const double> all) {
    for (int k = 0; k < columns_; ++k) {
      take_rows(map_, column(all, k), own_);
      transfer_.upload(stream, own_.data(), x_.data() + own_.size() * static_cast<std::size_t>(k),
                       own_bytes());
    }
    transfer_.finish();
  }
  void spoil_y(const cuda::Stream& stream) {
    cuda::check(cudaMemsetAsync(y_.data(), 0xff, y_.size_bytes(), stream.get()));
  }
  /// Own rows of a column of y.
  std::span<const double> get_y(const cuda::Stream& stream, int k) {
    transfer_.download(stream, y_.data() + own_.size() * static_cast<std::size_t>(k), own_.data(),
                       own_bytes());
    return own_;
  }
  void get_whole_y(const cuda::Stream& stream, std::vector<double>& all) {
    all.resize(y_.size());
    transfer_.download(stream, y_.data(), all.data(), y_.size_bytes());
  }

  const RowMap& map() const { return map_; }
  std::span<const double> column(std::span<const double> all, int k) const {
    const auto rows = static_cast<std::size_t>(map_.rows());
    return all.subspan(rows * static_cast<std::size_t>(k), rows);
  }

private:
  std::size_t own_bytes() const { return own_.size() * sizeof(double); }

  const RowMap& map_;
  int columns_;
  std::vector<double> own_;
  cuda::DeviceArray<double> x_, y_;
  cuda::HostTransfer transfer_;
};

/// Seconds from when the first rank begins to when the last has done it.
/// @param clock  the same for all
template <class Work>
double seconds_of(const Communicator& ranks, const cuda::Stream& stream, const Stopwatch& clock,
                  const Work& work) {
  struct Interval {
    double begin, end;
  } mine{};
  stream.synchronize();
  ranks.barrier();
  mine.begin = clock.seconds();
  work();
  stream.synchronize();
  mine.end = clock.seconds();
  const auto all = all_values(ranks, mine);
  return std::ranges::max_element(all, {}, &Interval::end)->end -
         std::ranges::min_element(all, {}, &Interval::begin)->begin;
}

/// |y - expected| / |expected| of all ranks, the largest of the columns.
/// @param expected  [columns][rows] of whole vectors
/// @throws Error if it is too large
inline double checked_error(const Communicator& ranks, const cuda::Stream& stream, RankVectors& vectors,
                            std::span<const double> expected, const RanksOptions& options,
                            const std::string& exchange) {
  std::vector<double> own(static_cast<std::size_t>(vectors.map().local_rows()));
  double largest = 0.0;
  for (int k = 0; k < options.columns; ++k) {
    const std::span<const double> y = vectors.get_y(stream, k);
    take_rows(vectors.map(), vectors.column(expected, k), own);
    std::array<double, 2> squares{};  // of the difference, of what is expected
    for (std::size_t i = 0; i < y.size(); ++i) {
      squares[0] += (y[i] - own[i]) * (y[i] - own[i]);
      squares[1] += own[i] * own[i];
    }
    sum(ranks, squares);
    const double error = std::sqrt(squares[0] / squares[1]);
    if (!(error <= options.error_limit)) {
      throw Error(fmt::format("the product of {} ranks by {} is {:.1e} from that of one device", ranks.size(),
                              exchange, error));
    }
    largest = std::max(largest, error);
  }
  return largest;
}

/// Spread of the milliseconds of work, after warm-ups.
/// @param seconds  what work() took, of the slowest rank
template <class Seconds>
Spread timed(const RanksOptions& options, const Seconds& seconds) {
  std::vector<double> samples;
  for (int k = -options.warm_ups; k < options.repeats; ++k) {
    const double milliseconds = 1e3 * seconds();
    if (k >= 0) samples.push_back(milliseconds);
  }
  return spread_of(samples);
}

/// Products with transfers hidden, where that is wanted, and in turns: one after the other, so that they see the same
/// state of the devices.
/// @param product  set_overlap(overlaps)
/// @param seconds  of a product, of the slowest rank
template <class Product, class Seconds>
void time_products(const RanksOptions& options, Product& product, bool overlap, const Seconds& seconds,
                   RanksMeasurement& result) {
  std::vector<double> overlapped, in_turns;
  for (int k = -options.warm_ups; k < options.repeats; ++k) {
    const auto time = [&](bool overlaps, std::vector<double>& samples) {
      product.set_overlap(overlaps);
      const double milliseconds = 1e3 * seconds();
      if (k >= 0) samples.push_back(milliseconds);
    };
    if (overlap) time(true, overlapped);
    time(false, in_turns);
  }
  if (overlap) result.overlapped = spread_of(overlapped);
  result.in_turns = spread_of(in_turns);
}

}  // namespace cisolve::bench
