// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "cisolve/analysis/spin.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/space/space.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {
namespace test_spin_rows {

ProductSpace<1> space_of(int orbitals, int alpha, int beta) {
  return ProductSpace<1>({.num_orbitals = orbitals,
                          .irreps = std::vector<int>(orbitals, 0),
                          .references = {{String::lowest(alpha), String::lowest(beta)}},
                          .excitation_level = 2 * orbitals,
                          .irrep = any_irrep});
}

/// Keeps the rows as a dense matrix, and checks their form.
class DenseSink final : public RowSink {
public:
  explicit DenseSink(std::int64_t size)
      : dense(static_cast<int>(size), static_cast<int>(size)), lengths(size) {}
  void row(const MatrixRow& row) override {
    lengths[row.index] = std::ssize(row.values);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      if (k > 0) {
        EXPECT_LT(row.columns[k - 1], row.columns[k]);
      }
      EXPECT_NE(row.values[k], 0.0);
      dense(static_cast<int>(row.index), row.columns[k]) = row.values[k];
    }
  }
  Matrix dense;
  std::vector<std::int64_t> lengths;
};

class SpinRows : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(SpinRows, AreTheElementsOfSSquared) {
  const auto space = space_of(5, GetParam().first, GetParam().second);
  const SpinRowSource<1> source(space);
  DenseSink sink(space.size());
  const std::int64_t middle = space.size() / 3;
  source.fill({middle, space.size()}, sink);  // any range, any order
  source.fill({0, middle}, sink);
  std::vector<std::int64_t> lengths(space.size());
  source.count({0, space.size()}, lengths);
  EXPECT_EQ(lengths, sink.lengths);
  for (int i = 0; i < sink.dense.rows(); ++i) {
    for (int j = 0; j < sink.dense.columns(); ++j) {
      EXPECT_EQ(sink.dense(i, j), s_squared_element(space.determinant(i), space.determinant(j)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Electrons, SpinRows,
                         testing::Values(std::pair(2, 2), std::pair(3, 2), std::pair(3, 1), std::pair(1, 3)));

TEST(Configurations, AreAveragedAndCounted) {
  for (const auto& [alpha, beta] : {std::pair(2, 2), std::pair(3, 1)}) {
    const auto space = space_of(4, alpha, beta);
    const Integrals integrals = random_integrals(4, 1, 0.0, 7);
    const std::vector<double> elements = diagonal(integrals, space);
    std::map<std::pair<String, String>, std::vector<double>> expected;
    for (std::int64_t row = 0; row < space.size(); ++row) {
      const auto d = space.determinant(row);
      expected[{d.alpha & d.beta, d.alpha ^ d.beta}].push_back(elements[row]);
    }
    const std::vector<double> averaged =
        average_over_configurations(space, integrals, RowMap::whole(space.size()), elements);
    std::vector<std::int64_t> counts(5, 0);
    for (const auto& [configuration, members] : expected) {
      ++counts[configuration.second.count()];
    }
    EXPECT_EQ(count_open_shells(space), counts);
    for (std::int64_t row = 0; row < space.size(); ++row) {
      const auto d = space.determinant(row);
      double mean = 0.0;
      const auto& members = expected[{d.alpha & d.beta, d.alpha ^ d.beta}];
      for (const double element : members) mean += element / static_cast<double>(members.size());
      EXPECT_NEAR(averaged[row], mean, 1e-13);
    }
  }
  // Four electrons in four orbitals: 6 closed, 12 with two open shells, 1 with four.
  EXPECT_EQ(count_open_shells(space_of(4, 2, 2)), (std::vector<std::int64_t>{6, 0, 12, 0, 1}));
}

struct SpinSpace {
  std::string name;
  int orbitals, alpha, beta, level, irrep;
};
void PrintTo(const SpinSpace& space, std::ostream* out) { *out << space.name; }

class StringSpinSpaces : public testing::TestWithParam<SpinSpace> {};

TEST_P(StringSpinSpaces, GiveTheProductWithTheRows) {
  const SpinSpace& s = GetParam();
  std::vector<int> irreps;
  for (int p = 0; p < s.orbitals; ++p) irreps.push_back(p * 5 % 4);
  const ProductSpace<1> space({.num_orbitals = s.orbitals,
                               .irreps = irreps,
                               .references = {{String::lowest(s.alpha), String::lowest(s.beta)}},
                               .excitation_level = s.level,
                               .irrep = s.irrep});
  ASSERT_GT(space.size(), 4);
  DenseSink sink(space.size());
  SpinRowSource<1>(space).fill({0, space.size()}, sink);
  std::vector<double> x(space.size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i + 1));
  StringSpin(space).multiply(x, y);
  for (int i = 0; i < sink.dense.rows(); ++i) {
    double expected = 0.0;
    for (int j = 0; j < sink.dense.columns(); ++j) expected += sink.dense(i, j) * x[j];
    EXPECT_NEAR(y[i], expected, 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Spaces, StringSpinSpaces,
                         testing::Values(SpinSpace{"full", 5, 3, 2, 10, any_irrep},
                                         SpinSpace{"full_of_one_irrep", 6, 3, 3, 12, 0},
                                         SpinSpace{"full_of_another_irrep", 6, 3, 2, 12, 3},
                                         SpinSpace{"doubles", 7, 3, 3, 2, 0},
                                         SpinSpace{"triples_of_all_irreps", 6, 3, 3, 3, any_irrep},
                                         SpinSpace{"open_shell_doubles", 6, 4, 2, 2, 1},
                                         SpinSpace{"no_beta_electron", 6, 3, 0, 3, any_irrep}),
                         [](const auto& tested) { return tested.param.name; });

TEST(SpinFunctions, AddUpToWeylsFormula) {
  EXPECT_EQ(num_spin_functions(4, 0), 2);
  EXPECT_EQ(num_spin_functions(4, 2), 3);
  EXPECT_EQ(num_spin_functions(4, 4), 1);
  EXPECT_EQ(num_spin_functions(3, 0), 0);
  EXPECT_EQ(num_spin_functions(2, 4), 0);
  EXPECT_EQ(num_spin_functions(14, 0), 429);
  // Weyl: (2S + 1) / (n + 1) C(n + 1, N/2 - S) C(n + 1, N/2 + S + 1) singlets of 4 electrons in 4 orbitals.
  EXPECT_EQ(6 * num_spin_functions(0, 0) + 12 * num_spin_functions(2, 0) + num_spin_functions(4, 0), 20);
}

}  // namespace test_spin_rows
}  // namespace cisolve
