// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/sparse/row_shares.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/hamiltonian/ranked_matrix.hpp"
#include "cuda/sparse/formats.hpp"
#include "measured_ranks.hpp"

namespace cisolve::bench {
namespace {

/// A rank, its device current, and what it measures together with the others: all have the same figures.
class MeasuringMatrixRank {
public:
  MeasuringMatrixRank(const Communicator& ranks, const MatrixRanksProblem& problem,
                      const std::vector<std::int64_t>& first_rows, const RanksOptions& options,
                      const std::string& exchange, const Stopwatch& clock)
      : ranks_(ranks), problem_(problem), options_(options), clock_(clock), shares_{first_rows, ranks.rank()},
        map_(shares_.num_rows(), {{shares_.own().first, shares_.own().size()}}),
        vectors_(map_, options.columns) {
    result_.product = "RankedMatrix";
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
    if (ranks_.size() > 1) result_.rows = time_exchange();
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
    result_.tables_seconds = seconds_of([&] {
      RowsOfRank rows(problem_.matrix, shares_);
      matrix_ = std::make_unique<cuda::RankedMatrix>(rows, shares_, 0, *exchange_, stream_);
    });
    result_.table_bytes = std::ranges::max(all_values(ranks_, matrix_->bytes()));
  }

  void multiply() { matrix_->multiply(vectors_.x(), vectors_.y(), workspace_); }

  /// Compares a product with that of one device.
  void check(bool overlap) {
    matrix_->set_overlap(overlap);
    vectors_.spoil_y(stream_);
    multiply();
    result_.relative_error =
        std::max(result_.relative_error,
                 checked_error(ranks_, stream_, vectors_, problem_.y, options_, result_.exchange));
  }

  void time_products(bool overlap) {
    cisolve::bench::time_products(
        options_, *matrix_, overlap, [&] { return seconds_of([&] { multiply(); }); }, result_);
  }

  /// Of one column, where these are several of all together.
  ExchangeMeasurement time_exchange() {
    ExchangeMeasurement result;
    result.times = 1;
    result.bytes = options_.columns * std::ranges::max(all_values(ranks_, matrix_->received_bytes()));
    result.milliseconds = timed(
        options_, [&] { return seconds_of([&] { matrix_->exchange_alone(vectors_.x(), workspace_); }); });
    return result;
  }

  const Communicator& ranks_;
  const MatrixRanksProblem& problem_;
  const RanksOptions& options_;
  const Stopwatch& clock_;  ///< the same for all
  RowShares shares_;
  RowMap map_;
  cuda::Stream stream_;
  RankVectors vectors_;
  std::unique_ptr<cuda::DeviceExchange> exchange_;
  std::unique_ptr<cuda::RankedMatrix> matrix_;
  cuda::RankedMatrixWorkspace workspace_;
  RanksMeasurement result_;
};

}  // namespace

RanksMeasurement measure_one_matrix(MatrixRanksProblem& problem, const RanksOptions& options) {
  cuda::check(cudaSetDevice(0));
  const cuda::Stream stream;
  RanksMeasurement result;
  result.product = std::string(problem.matrix.format.name);
  const Stopwatch stopwatch;
  const RowMap map = RowMap::whole(problem.matrix.rows.num_rows());
  const auto matrix = cuda::upload(
      *problem.matrix.format.build(problem.matrix.rows, problem.matrix.lengths, problem.matrix.options, {}),
      stream);
  result.tables_seconds = stopwatch.seconds();
  result.table_bytes = matrix->bytes();
  RankVectors vectors(map, options.columns);
  cuda::SpmvWorkspace workspace;
  vectors.put_x(stream, problem.x);
  std::vector<double> samples;
  for (int k = -options.warm_ups; k < options.repeats; ++k) {
    stream.synchronize();
    const Stopwatch one;
    matrix->multiply(stream, vectors.x(), vectors.y(), workspace);
    stream.synchronize();
    if (k >= 0) samples.push_back(1e3 * one.seconds());
  }
  result.in_turns = spread_of(samples);
  vectors.get_whole_y(stream, problem.y);
  return result;
}

RanksMeasurement measure_matrix_ranks(const MatrixRanksProblem& problem, int num_ranks,
                                      const std::string& exchange, const RanksOptions& options) {
  require_exchange(exchange);
  const bool have_own_devices = num_ranks <= devices_for_ranks();
  const std::vector<std::int64_t> first_rows = cut_rows(problem.matrix.lengths, num_ranks);
  RanksMeasurement result;
  const Stopwatch clock;
  run_ranks(num_ranks, [&](const Communicator& ranks) {
    cuda::check(cudaSetDevice(have_own_devices ? ranks.rank() : 0));
    RanksMeasurement mine = MeasuringMatrixRank(ranks, problem, first_rows, options, exchange, clock)();
    if (ranks.rank() == 0) result = std::move(mine);
  });
  result.devices = have_own_devices ? num_ranks : 1;
  return result;
}

}  // namespace cisolve::bench
