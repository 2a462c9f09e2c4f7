// SPDX-License-Identifier: MIT
// Vectors whose rows are shared out among ranks, here threads, none of which holds all.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/solver/davidson.hpp"
#include "solver/davidson_impl.hpp"
#include "solver/generalised_problems.hpp"
#include "solver/ranked_operator.hpp"

namespace cisolve {
namespace test_davidson_ranks {

using test::Dealt;
using test::Dense;
using test::RankedHost;
using Metric = test::MetricKind;
using Complex = std::complex<double>;

static_assert(VectorBackend<RankedHost<double>> && VectorBackend<RankedHost<Complex>>);

/// Numbers of ranks, one of which may have no row. Sizes of problems are no multiples of them.
std::vector<Dealt> deals(std::int64_t rows) {
  return {{.rows = rows, .dealt = 1, .empty = 0},
          {.rows = rows, .dealt = 2, .empty = 0},
          {.rows = rows, .dealt = 2, .empty = 1},
          {.rows = rows, .dealt = 3, .empty = 0},
          {.rows = rows, .dealt = 7, .empty = 0}};
}

template <class Scalar>
struct Found {
  std::vector<SolverStatus> status;           ///< of each rank
  std::vector<std::vector<double>> energies;  ///< likewise
  Dense<Scalar> vectors;                      ///< put together
};

/// The solver on each rank, from the unit vector of a row in the middle.
template <class Scalar>
Found<Scalar> solve(const test::BasicDenseOperator<Scalar>& whole, const Dealt& deal,
                    const DavidsonConfig& config, const std::vector<std::int64_t>& model_rows) {
  Found<Scalar> found;
  found.status.resize(deal.ranks());
  found.energies.resize(deal.ranks());
  found.vectors.resize(deal.rows, config.num_roots);
  run_ranks(deal.ranks(), [&](const Communicator& ranks) {
    const RowMap map = deal.map(ranks.rank());
    const RankedHost<Scalar> backend(ranks, map);
    const test::RankedOperator<Scalar> h(backend, whole);
    auto start = backend.allocate(map.local_rows(), 1);
    backend.fill(start.view(), Scalar(0.0));
    BasicMatrix<Scalar> one(1, 1);
    one(0, 0) = 1.0;
    backend.scatter(one, backend.make_indices(std::vector<std::int64_t>{deal.rows / 2}), start.view());
    const auto result = davidson<RankedHost<Scalar>>(backend, h, std::as_const(start).view(),
                                                     make_model_space(h, model_rows), config);
    const std::size_t rank = ranks.rank();
    found.status[rank] = result.status;
    found.energies[rank] = result.energies;
    const auto own = result.vectors.view();
    for (int k = 0; k < std::min(own.columns, config.num_roots); ++k) {
      for (std::int64_t i = 0; i < own.rows; ++i) found.vectors(map.global(i), k) = own.column(k)[i];
    }
  });
  return found;
}

/// The same roots as one rank finds, to 1e-12: convergence leaves |residual|^2 / gap = 1e-16, sums in another order
/// the rounding of about a hundred terms.
template <class Scalar>
void expect_roots_of_one_rank(Metric metric) {
  for (const auto& [size, model_rows] : {std::pair{20, 0}, std::pair{121, 0}, std::pair{121, 17}}) {
    const auto whole = test::problem<Scalar>(test::ci_like_matrix<Scalar>(size, 3), metric);
    DavidsonConfig config;
    config.num_roots = 3;
    config.max_subspace = 14;  // Restarts.
    config.tolerance = 1e-8;
    config.max_iterations = 300;
    std::vector<std::int64_t> rows(model_rows);
    std::iota(rows.begin(), rows.end(), 0);
    const auto expected = test::solve(whole, config, {size / 2}, make_model_space(whole, rows));
    ASSERT_EQ(expected.status, SolverStatus::converged);
    for (const Dealt& deal : deals(size)) {
      SCOPED_TRACE(std::to_string(size) + " rows on " + std::to_string(deal.dealt) + " + " +
                   std::to_string(deal.empty) + " ranks");
      const Found<Scalar> found = solve(whole, deal, config, rows);
      for (std::size_t rank = 0; rank < found.status.size(); ++rank) {
        EXPECT_EQ(found.status[rank], SolverStatus::converged);
        EXPECT_EQ(found.energies[rank], found.energies[0]) << "to the last bit";
      }
      EXPECT_EQ(solve(whole, deal, config, rows).energies[0], found.energies[0]) << "again, to the last bit";
      ASSERT_EQ(std::ssize(found.energies[0]), config.num_roots);
      for (int k = 0; k < config.num_roots; ++k) {
        const double energy = found.energies[0][k];
        EXPECT_NEAR(energy, expected.energies[k], 1e-12);
        const auto x = found.vectors.col(k);
        const Dense<Scalar> sx =
            metric == Metric::none ? Dense<Scalar>(x) : Dense<Scalar>(whole.metric()->matrix() * x);
        EXPECT_LE((whole.matrix() * x - energy * sx).norm(), config.tolerance + 1e-12);
      }
    }
  }
}

TEST(DavidsonRanks, FindTheRootsOfOne) { expect_roots_of_one_rank<double>(Metric::none); }
TEST(DavidsonRanks, FindTheRootsOfOneWithAMetric) {
  expect_roots_of_one_rank<double>(Metric::well_conditioned);
}
TEST(DavidsonRanks, FindComplexRootsOfOneWithAMetric) {
  expect_roots_of_one_rank<Complex>(Metric::well_conditioned);
}

}  // namespace test_davidson_ranks
}  // namespace cisolve
