// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "core/stopwatch.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/hamiltonian/ranked_direct_product.hpp"
#include "measured_ranks.hpp"
#include "ranks_benchmark.hpp"

namespace cisolve::bench {
namespace {

using Exchanged = cuda::RankedDirectProduct::Exchanged;

double median_of(std::vector<double> samples) { return spread_of(std::move(samples)).median; }

/// A rank, its device current, and what it measures together with the others: all have the same figures.
class MeasuringRank {
public:
  MeasuringRank(const Communicator& ranks, const RanksProblem& problem, const RanksOptions& options,
                const std::string& exchange, const Stopwatch& clock)
      : ranks_(ranks), problem_(problem), options_(options),
        clock_(clock), shares_{ranks.size(), ranks.rank()},
        map_(rows_of(problem.space, problem.direct.product.tables().blocks, shares_)),
        vectors_(map_, problem.columns) {
    result_.product = "RankedDirectProduct";
    result_.ranks = ranks.size();
    set_up(exchange);
    vectors_.put_x(stream_, problem.x);
  }

  RanksMeasurement operator()() {
    // Those of one rank are the same.
    const bool overlap = options_.overlap && ranks_.size() > 1;
    if (overlap) check(true);
    check(false);
    time_products(overlap);
    if (ranks_.size() > 1) {
      result_.rows = time_exchange(Exchanged::rows);
      result_.columns = time_exchange(Exchanged::columns);
    }
    if (overlap) result_.overlapped_stages = time_stages(true);
    result_.in_turns_stages = time_stages(false);
    stream_.synchronize();
    ranks_.barrier();  // Nobody frees what another may still copy from.
    return result_;
  }

private:
  template <class Work>
  double seconds_of(const Work& work) const {
    return cisolve::bench::seconds_of(ranks_, stream_, clock_, work);
  }

  void set_up(const std::string& exchange) {
    result_.exchange_seconds = seconds_of([&] { exchange_ = make_named_exchange(exchange, ranks_); });
    if (ranks_.size() > 1) result_.exchange = exchange_->name();
    const JobProduct& direct = problem_.direct;
    std::optional<cuda::PlannedDirectProduct> planned;
    auto config = cuda::DirectConfig::for_device();
    config.most_strip_bytes = options_.strip_mib << 20;
    result_.plan_seconds = seconds_of([&] { planned.emplace(direct.product, config, shares_); });
    if (!planned->why_whole().empty())
      throw InputError(fmt::format("ranks: --strips is not possible: {}", planned->why_whole()));
    std::vector<double> diagonal(static_cast<std::size_t>(map_.local_rows()));
    take_rows(map_, direct.product.diagonal(), diagonal);
    result_.tables_seconds = seconds_of([&] {
      product_ =
          std::make_unique<cuda::RankedDirectProduct>(std::move(*planned), diagonal, *exchange_, stream_);
    });
    result_.table_bytes = std::ranges::max(all_values(ranks_, product_->bytes()));
    result_.workspace_bytes = std::ranges::max(all_values(ranks_, product_->workspace_bytes()));
  }

  void multiply() { product_->multiply(vectors_.x(), vectors_.y(), workspace_); }

  /// Compares a product with that of one device.
  void check(bool overlap) {
    product_->set_overlap(overlap);
    vectors_.spoil_y(stream_);
    multiply();
    result_.relative_error =
        std::max(result_.relative_error,
                 checked_error(ranks_, stream_, vectors_, problem_.y, options_, result_.exchange));
  }

  void time_products(bool overlap) {
    cisolve::bench::time_products(
        options_, *product_, overlap, [&] { return seconds_of([&] { multiply(); }); }, result_);
  }

  ExchangeMeasurement time_exchange(Exchanged what) {
    ExchangeMeasurement result;
    result.times = product_->exchanges(what);
    if (result.times == 0) return result;
    result.bytes = std::ranges::max(all_values(ranks_, product_->received_bytes(what)));
    result.milliseconds =
        timed(options_, [&] { return seconds_of([&] { product_->exchange_alone(what, workspace_); }); });
    return result;
  }

  /// Of all ranks.
  std::vector<StageTimes> time_stages(bool overlap) {
    constexpr std::size_t count = cuda::RankedStages::count;
    std::array<std::vector<double>, count> stages;
    std::vector<double> sums;
    cuda::RankedStages events;
    product_->set_overlap(overlap);
    product_->set_stages(&events);
    for (int k = 0; k < options_.repeats; ++k) {
      seconds_of([&] { multiply(); });
      const std::array<double, count> milliseconds = events.milliseconds();
      double sum = 0.0;
      for (std::size_t stage = 0; stage < count; ++stage) {
        stages[stage].push_back(milliseconds[stage]);
        if (!cuda::is_transfer(static_cast<cuda::RankedStage>(stage))) sum += milliseconds[stage];
      }
      sums.push_back(sum);
    }
    product_->set_stages(nullptr);
    std::array<double, count + 1> mine{};
    std::ranges::transform(stages, mine.begin(), median_of);
    mine.back() = median_of(sums);
    std::vector<StageTimes> result;
    for (const auto& rank : all_values(ranks_, mine))
      result.push_back({.stages = {rank.begin(), rank.end() - 1}, .sums = rank.back()});
    return result;
  }

  const Communicator& ranks_;
  const RanksProblem& problem_;
  const RanksOptions& options_;
  const Stopwatch& clock_;  ///< the same for all
  StringShares shares_;
  RowMap map_;
  cuda::Stream stream_;
  RankVectors vectors_;
  std::unique_ptr<cuda::DeviceExchange> exchange_;
  std::unique_ptr<cuda::RankedDirectProduct> product_;
  cuda::DirectWorkspace workspace_;
  RanksMeasurement result_;
};

}  // namespace

int devices_for_ranks() {
  const auto devices = static_cast<int>(cuda::visible_devices().size());
  if (devices == 0) throw InputError("ranks: there is no CUDA device");
  return devices;
}

RanksMeasurement measure_one_device(RanksProblem& problem, const RanksOptions& options) {
  cuda::check(cudaSetDevice(0));
  const cuda::Stream stream;
  const cisolve::DirectProduct& host = problem.direct.product;
  RanksMeasurement result;
  result.product = "DirectProduct";
  Stopwatch stopwatch;
  cuda::PlannedDirectProduct planned(host, cuda::DirectConfig::for_device());
  result.plan_seconds = std::exchange(stopwatch, {}).seconds();
  const cuda::DirectProduct product(std::move(planned), stream);
  stream.synchronize();
  result.tables_seconds = stopwatch.seconds();
  result.table_bytes = product.bytes();
  result.workspace_bytes = product.workspace_bytes();
  const RowMap map = RowMap::whole(host.size());
  RankVectors vectors(map, problem.columns);
  cuda::DirectWorkspace workspace;
  vectors.put_x(stream, problem.x);
  std::vector<double> samples;
  for (int k = -options.warm_ups; k < options.repeats; ++k) {
    stream.synchronize();
    const Stopwatch one;
    product.multiply(vectors.x(), vectors.y(), workspace);
    stream.synchronize();
    if (k >= 0) samples.push_back(1e3 * one.seconds());
  }
  result.in_turns = spread_of(samples);
  vectors.get_whole_y(stream, problem.y);
  return result;
}

RanksMeasurement measure_ranks(const RanksProblem& problem, int num_ranks, const std::string& exchange,
                               const RanksOptions& options) {
  require_exchange(exchange);
  const bool have_own_devices = num_ranks <= devices_for_ranks();
  RanksMeasurement result;
  const Stopwatch clock;
  run_ranks(num_ranks, [&](const Communicator& ranks) {
    cuda::check(cudaSetDevice(have_own_devices ? ranks.rank() : 0));
    RanksMeasurement mine = MeasuringRank(ranks, problem, options, exchange, clock)();
    if (ranks.rank() == 0) result = std::move(mine);
  });
  result.devices = have_own_devices ? num_ranks : 1;
  return result;
}

}  // namespace cisolve::bench
