// SPDX-License-Identifier: MIT
// Determinants outside of a basis, by their definition over the matrix of full CI.
#include "cisolve/problem/external_determinants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_external_determinants {

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// Water over determinants up to an excitation level, all irreps.
std::unique_ptr<Basis> water(int level) {
  const FcidumpFile dump = read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump", {});
  const int pairs = dump.num_electrons / 2;
  DeterminantSelection selection;
  selection.num_orbitals = dump.integrals.num_orbitals;
  selection.irreps = dump.integrals.irreps;
  selection.references = {{WideString::lowest(pairs), WideString::lowest(pairs)}};
  selection.excitation_level = level;
  selection.irrep = any_irrep;
  BasisDefinition definition;
  definition.integrals = std::make_shared<const Integrals>(dump.integrals);
  definition.functions = selection;
  return make_basis(definition, gib);
}

class Externals : public testing::Test {
protected:
  Externals() : full_(water(10)), inside_(water(1)), tables_(*inside_->definition().integrals, 0.0) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(full_->size()));
    std::iota(all.begin(), all.end(), 0);
    h_ = full_->dense_block(all);
    const FunctionList list = inside_->list(false);
    rows_ = full_->find(list.alpha, list.beta);
    for (const std::int64_t row : all) {
      if (std::ranges::find(rows_, row) == rows_.end()) outside_.push_back(row);
    }
    vectors_ = test::random_vector(2 * rows_.size(), 5);
  }

  /// H between an external and the k-th function inside.
  double element(std::int64_t external, std::size_t k) const {
    return h_(static_cast<int>(external), static_cast<int>(rows_[k]));
  }
  std::vector<std::int64_t> rows_of(const ExternalDeterminants& found) const {
    return full_->find(found.alpha, found.beta);
  }

  std::unique_ptr<Basis> full_, inside_;
  IntegralTables tables_;
  Matrix h_;
  std::vector<std::int64_t> rows_, outside_;
  std::vector<double> vectors_;  ///< [inside x 2]
};

TEST_F(Externals, AreConnectedByWhatIsLargeEnough) {
  for (const double epsilon : {1e-8, 1e-2, 5e-2}) {
    std::set<std::int64_t> expected;
    for (const std::int64_t a : outside_) {
      for (std::size_t i = 0; i < vectors_.size(); ++i) {
        if (std::abs(element(a, i % rows_.size()) * vectors_[i]) > epsilon) expected.insert(a);
      }
    }
    const ExternalDeterminants found = connected_determinants(*inside_, tables_, vectors_, epsilon);
    const std::vector<std::int64_t> rows = rows_of(found);
    EXPECT_EQ(found.size, std::ssize(expected)) << epsilon;
    EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()), expected) << epsilon;
  }
}

TEST_F(Externals, BringWhatTheSecondOrderSays) {
  const std::vector<double> energies = {-75.5, -75.2};
  std::vector<double> e2(2, 0.0), measures;
  for (const std::int64_t a : outside_) {
    double largest = 0.0;
    for (std::size_t k = 0; k < 2; ++k) {
      double coupling = 0.0;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        coupling += element(a, i) * vectors_[k * rows_.size() + i];
      const double contribution =
          coupling * coupling / (energies[k] - h_(static_cast<int>(a), static_cast<int>(a)));
      e2[k] += contribution;
      largest = std::max(largest, std::abs(contribution));
    }
    measures.push_back(largest);
  }
  std::ranges::sort(measures, std::greater<>());
  ExternalDeterminants chosen;
  const SecondOrder sum =
      sum_over_externals(*inside_, tables_, {vectors_, energies}, {.threshold = 0.0, .most = 5}, chosen);
  ASSERT_EQ(chosen.size, 5);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(sum.energy[k], e2[k], 1e-10);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(chosen.measures[i], measures[i], 1e-10);
  for (const std::int64_t row : rows_of(chosen))
    EXPECT_TRUE(std::ranges::find(outside_, row) != outside_.end());
  const SecondOrder alone = sum_over_externals(*inside_, tables_, {vectors_, energies}, {.most = 0}, chosen);
  EXPECT_EQ(alone.energy, sum.energy);
  EXPECT_EQ(chosen.size, 0);
  const SecondOrder sampled =
      estimate_over_externals(*inside_, tables_, {vectors_, energies}, {.error = 1e-3});
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(sampled.energy[k], e2[k], std::max(5.0 * sampled.energy_error[k], 1e-10));
}

TEST_F(Externals, WantWhatGoesWithTheBasis) {
  EXPECT_THROW((void)connected_determinants(*inside_, tables_, {}, 0.1), DimensionError);
  EXPECT_THROW((void)connected_determinants(*inside_, tables_, std::span(vectors_).first(3), 0.1),
               DimensionError);
  const Integrals fewer(4);
  const IntegralTables other(fewer, 0.0);
  EXPECT_THROW((void)connected_determinants(*inside_, other, vectors_, 0.1), DimensionError);
}

}  // namespace test_external_determinants
}  // namespace cisolve
