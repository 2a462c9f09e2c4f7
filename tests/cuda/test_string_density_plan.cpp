// SPDX-License-Identifier: MIT
// Plans of density matrices on a device, which are made without one: what the kernels do with them, in plain loops.
#include "cuda/analysis/string_density_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/density_parts.hpp"
#include "cisolve/core/error.hpp"
#include "cuda/density_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve::cuda {
namespace test_string_density_plan {

using test::density_rounding;
using test::largest_difference;

double with_sign(double value, std::uint32_t code) { return (code & 1U) != 0 ? -value : value; }

/// The loops of the kernels, one thread after another.
class Followed {
public:
  Followed(const StringDensityPlan& plan, const double* x, const double* y)
      : plan_(plan), a_(plan.arrays), x_(x), y_(y),
        partial_(static_cast<std::size_t>(plan.num_partials), std::numeric_limits<double>::quiet_NaN()) {}

  SpinDensity operator()() {
    for (std::size_t k = 0; k < a_.alpha_tasks.size(); ++k)
      put(static_cast<std::int64_t>(k), sum(a_.alpha_tasks[k]));
    for (const BetaTask& task : a_.beta_tasks) add(task);
    const int n = plan_.num_orbitals;
    SpinDensity density{Matrix(n, n), Matrix(n, n)};
    std::int64_t next = 0;  // every partial sum belongs to one element
    for (std::size_t k = 0; k < plan_.elements.size(); ++k) {
      const auto& [is_beta, p, q] = plan_.elements[k];
      EXPECT_GE(p, q);
      EXPECT_EQ(a_.sums[k].first, next);
      next = a_.sums[k].last;
      for (std::int64_t at = a_.sums[k].first; at < next; ++at)
        (is_beta ? density.beta : density.alpha)(p, q) += partial_[static_cast<std::size_t>(at)];
    }
    EXPECT_EQ(next, plan_.num_partials);
    return density;
  }

private:
  void put(std::int64_t at, double value) {
    EXPECT_TRUE(std::isnan(partial_.at(static_cast<std::size_t>(at)))) << "two tasks make one partial sum";
    partial_[static_cast<std::size_t>(at)] = value;
  }

  std::int64_t row_of(const direct::PieceRows& rows, std::int32_t j) const {
    return rows.row + (rows.gather < 0 ? j : a_.places.at(static_cast<std::size_t>(rows.gather + j)));
  }
  const direct::PieceRows& rows_at(std::int64_t at) const {
    return a_.piece_rows.at(static_cast<std::size_t>(at));
  }

  double sum(const AlphaTask& task) const {
    EXPECT_LT(task.first, task.last);
    EXPECT_LE(task.lanes, alpha_threads);
    EXPECT_EQ(alpha_threads % task.lanes, 0);
    double result = 0.0;
    for (std::int32_t thread = 0; thread < alpha_threads; ++thread) {
      for (std::int64_t k = task.first + thread / task.lanes; k < task.last;
           k += alpha_threads / task.lanes) {
        const AlphaLink link = a_.alpha_links.at(static_cast<std::size_t>(k));
        const direct::PieceRows& to = rows_at(task.to_rows + (link.target_code >> 1U));
        const direct::PieceRows& from = rows_at(task.from_rows + link.source);
        for (std::int32_t j = thread % task.lanes; j < task.size; j += task.lanes)
          result += with_sign(x_[row_of(to, j)] * y_[row_of(from, j)], link.target_code);
      }
    }
    return result;
  }

  std::vector<double> tile(std::int32_t first, std::int32_t last, std::int32_t size, std::int32_t string,
                           const double* x) const {
    std::vector<double> result(static_cast<std::size_t>(size), std::numeric_limits<double>::quiet_NaN());
    for (std::int32_t k = first; k < last; ++k) {
      const TilePart& part = a_.tile_parts.at(static_cast<std::size_t>(k));
      const direct::PieceRows& rows = rows_at(part.rows + string);
      for (std::int32_t j = 0; j < part.size; ++j)
        result.at(static_cast<std::size_t>(part.position + j)) = x[row_of(rows, part.first + j)];
    }
    return result;
  }

  void add(const BetaTask& task) {
    const TilePair& pair = a_.tile_pairs.at(static_cast<std::size_t>(task.pair));
    const std::int64_t both = std::int64_t{pair.to_size} + pair.from_size;
    EXPECT_LE(both, plan_.doubles_of_two);
    EXPECT_LE(pair.to_first == pair.from_first ? pair.to_size : both, plan_.doubles_of_one);
    std::vector<double> sums(static_cast<std::size_t>(pair.last_group - pair.first_group));
    for (std::int32_t string = task.first; string < task.last; ++string) {
      const auto to = tile(pair.to_first, pair.to_last, pair.to_size, string, x_);
      const auto from = tile(pair.from_first, pair.from_last, pair.from_size, string, y_);
      for (std::int64_t k = pair.first_group; k < pair.last_group; ++k) {
        const BetaGroup& group = a_.beta_groups.at(static_cast<std::size_t>(k));
        for (std::int64_t at = group.first; at < group.last; ++at) {
          const std::uint32_t link = a_.beta_links.at(static_cast<std::size_t>(at));
          sums[static_cast<std::size_t>(k - pair.first_group)] +=
              to.at(link >> 1U & (most_tile_strings - 1U)) * with_sign(from.at(link >> 16U), link);
        }
      }
    }
    for (std::int64_t k = pair.first_group; k < pair.last_group; ++k) {
      put(a_.beta_groups[static_cast<std::size_t>(k)].partial + task.number,
          sums[static_cast<std::size_t>(k - pair.first_group)]);
    }
  }

  const StringDensityPlan& plan_;
  const StringDensityArrays<direct::HostArray>& a_;
  const double *x_, *y_;
  std::vector<double> partial_;
};

void expect_densities_of_host(const StringProduct& space, const std::string& what) {
  constexpr int count = 2;
  const std::size_t n = static_cast<std::size_t>(space.size());
  const auto vectors = test::random_unit_vectors(n, count, 5);
  const StringVectors all{space, vectors, count};
  const SpinDensities expected = string_spin_densities(all, all);
  for (const StringDensityConfig& config : test::density_configs()) {
    const StringDensityPlan plan(space, config);
    ASSERT_EQ(plan.num_rows, space.size());
    SpinDensities found(count, count, {});
    for (int l = 0; l < count; ++l) {
      for (int k = 0; k < count; ++k) {
        const double *x = vectors.data() + static_cast<std::size_t>(k) * n,
                     *y = vectors.data() + static_cast<std::size_t>(l) * n;
        found(k, l) = Followed(plan, x, y)();
      }
    }
    complete_from_lower(found);
    EXPECT_LT(largest_difference(found, expected), density_rounding)
        << what << ", tiles of " << config.most_tile_strings;
  }
}

TEST(StringDensityPlans, GiveTheDensitiesOfTheHost) {
  int number = 0;
  for (const test::SpaceShape& shape : test::density_spaces()) {
    const ProductSpace<1> space(shape.selection(shape.integrals()));
    expect_densities_of_host(space, "space " + std::to_string(number++));
  }
}

TEST(StringDensityPlans, GiveThemInMoreOrbitalsThanAWordHas) {
  expect_densities_of_host(ProductSpace<2>(test::many_orbitals()), "70 orbitals");
}

TEST(StringDensityPlans, GiveThemWhereAListIsFoundToBeMadeOfBlocks) {
  auto selection = test::SpaceShape{.orbitals = 8, .alpha = 3, .beta = 3, .level = 2}.selection(Integrals(8));
  selection.references.push_back({selection.references[0].alpha.moved(2, 4), selection.references[0].beta});
  const auto space = make_space(selection);
  ASSERT_NE(space->as_product(), nullptr);
  expect_densities_of_host(*space->as_product(), "two references");
}

/// Some list of a piece is not in the order of the space, or its tests would prove nothing of it.
TEST(StringDensityPlans, OfBoundedSpacesGather) {
  bool gathers = false;
  for (const test::SpaceShape& shape : test::density_spaces()) {
    const StringDensityPlan plan{ProductSpace<1>(shape.selection(shape.integrals()))};
    for (const direct::PieceRows& rows : plan.arrays.piece_rows) gathers = gathers || rows.gather >= 0;
  }
  EXPECT_TRUE(gathers);
}

TEST(StringDensityPlans, ThatWouldListTooMuchAreRefused) {
  const test::SpaceShape shape{.orbitals = 8, .alpha = 4, .beta = 4};
  const ProductSpace<1> space(shape.selection(shape.integrals()));
  StringDensityConfig config;
  config.most_entries = 1000;  // of 2240 raising excitations
  EXPECT_THROW(StringDensityPlan(space, config), ResourceError);
}

}  // namespace test_string_density_plan
}  // namespace cisolve::cuda
