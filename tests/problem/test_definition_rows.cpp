// SPDX-License-Identifier: MIT
#include "cisolve/problem/definition_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "problem/certified_water.hpp"

namespace cisolve::test {
namespace test_definition_rows {

class DefinitionRowsOf : public CertificateOf {};

class DenseSink final : public RowSink {
public:
  explicit DenseSink(int n) : matrix(n, n) {}
  void row(const MatrixRow& row) override {
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      matrix(static_cast<int>(row.index), row.columns[k]) = row.values[k];
  }
  Matrix matrix;
};

Matrix matrix_of(const RowSource& source) {
  DenseSink sink(static_cast<int>(source.num_rows()));
  source.fill({0, source.num_rows()}, sink);
  return sink.matrix;
}

/// A row as [functions].
std::vector<double> row_of(const std::vector<DefinitionRows::Element>& elements, std::int64_t functions) {
  std::vector<double> row(static_cast<std::size_t>(functions), 0.0);
  for (const auto& element : elements) row[element.column] += element.value;
  return row;
}

/// Rows are <row|A|function> = sum over functions i of <row|i> A(i, function), for what `get` gives.
template <class Get>
void expect_rows(const DefinitionRows& rows, const Matrix& expected, Get&& get) {
  constexpr double rounding = 1e-12;  // sums of some tens of terms of up to 100 hartree
  const int n = expected.rows();
  ASSERT_EQ(rows.size(), n);
  std::vector<DefinitionRows::Element> elements, unit;
  for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
    get(i, elements);
    rows.unit_row(i, unit);
    const std::vector<double> row = row_of(elements, n);
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (const auto& part : unit) sum += part.value * expected(static_cast<int>(part.column), j);
      ASSERT_NEAR(row[j], sum, rounding) << i << " " << j;
    }
  }
}

void expect_rows(const DefinitionRows& rows, const Matrix& expected) {
  expect_rows(rows, expected, [&](std::int64_t row, auto& elements) { rows.hamiltonian_row(row, elements); });
}

TEST_P(DefinitionRowsOf, RowsAreThoseOfTheMatrix) {
  expect_rows(*rows(), matrix_of(*problem_.basis->make_rows(*problem_.tables)));
}

TEST_P(DefinitionRowsOf, RowsLeaveOutWhatTheThresholdDoes) {
  constexpr double threshold = 0.02;
  const IntegralTables tables(file_.integrals, threshold);
  const Matrix expected = matrix_of(*problem_.basis->make_rows(tables));
  expect_rows(*rows(threshold), expected);
}

TEST_P(DefinitionRowsOf, SpinRowsAreThoseOfSSquared) {
  const auto n = static_cast<int>(summary_.dimension);
  std::vector<std::int64_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  const Matrix expected = problem_.basis->s_squared_block(all);
  for (const double threshold : {0.0, 0.02}) {
    const auto definition = rows(threshold);
    expect_rows(*definition, expected,
                [&](std::int64_t row, auto& elements) { definition->spin_row(row, elements); });
  }
}

TEST_P(DefinitionRowsOf, RowsTogetherAreAsLongAsStates) {
  // sum over rows of <i|row><row|j> is <i|j>; each function has a row that it is the largest part of.
  const auto n = static_cast<int>(summary_.dimension);
  const auto definition = rows();
  Matrix sum(n, n);
  std::vector<double> largest(n, 0.0), of_row(n, 0.0);
  std::vector<DefinitionRows::Element> unit;
  for (std::int64_t row = 0; row < definition->num_rows(); ++row) {
    definition->unit_row(row, unit);
    for (const auto& left : unit) {
      const auto i = static_cast<int>(left.column);
      largest[i] = std::max(largest[i], std::abs(left.value));
      if (definition->row_of(i) == row) of_row[i] = std::abs(left.value);
      for (const auto& right : unit) sum(i, static_cast<int>(right.column)) += left.value * right.value;
    }
  }
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(of_row[i], largest[i]);
    for (int j = 0; j < n; ++j) ASSERT_NEAR(sum(i, j), i == j ? 1.0 : 0.0, 1e-14);
  }
}

TEST_P(DefinitionRowsOf, DamagedFunctionsAreRefused) {
  FunctionList damaged = list_;
  if (GetParam() == FunctionKind::csf) {
    damaged.steps.back() = 7;
  } else {
    damaged.alpha.back() ^= std::uint64_t{1} << 40;
  }
  EXPECT_THROW(make_definition_rows(file_.integrals, summary_, damaged), InputError);
  BasisSummary longer = summary_;
  ++longer.dimension;
  EXPECT_THROW(make_definition_rows(file_.integrals, longer, list_), InputError);
}

TEST_P(DefinitionRowsOf, FunctionsThatAreThereTwiceAreRefused) {
  // (1, 1) / sqrt(2) over a function twice has the residual 0, with twice its energy.
  FunctionList twice = list_;
  if (GetParam() == FunctionKind::csf) {
    const std::ptrdiff_t orbitals = file_.integrals.num_orbitals;
    std::copy_n(twice.steps.begin(), orbitals, twice.steps.end() - orbitals);
  } else {
    twice.alpha.back() = twice.alpha.front();
    twice.beta.back() = twice.beta.front();
  }
  EXPECT_THROW(make_definition_rows(file_.integrals, summary_, twice), InputError);
}

INSTANTIATE_TEST_SUITE_P(Bases, DefinitionRowsOf,
                         testing::Values(FunctionKind::determinant, FunctionKind::csf), [](const auto& kind) {
                           return kind.param == FunctionKind::csf ? "Csfs" : "Determinants";
                         });

TEST(DefinitionRows, BlocksGiveTheRowsOfTheList) {
  const FcidumpFile file = water();
  const Problem problem(
      make_basis(singles_and_doubles(file.integrals, FunctionKind::determinant), roomy.memory));
  const BasisSummary summary = problem.basis->summary();
  const FunctionList list = problem.basis->list(false), blocks = problem.basis->list(true);
  ASSERT_FALSE(blocks.blocks.run_alpha.empty());
  const auto of_list = make_definition_rows(file.integrals, summary, list);
  const auto of_blocks = make_definition_rows(file.integrals, summary, blocks);
  std::vector<DefinitionRows::Element> first, second;
  std::vector<std::int8_t> irreps(summary.dimension), irreps_of_blocks(summary.dimension);
  of_list->irreps(0, irreps);
  of_blocks->irreps(0, irreps_of_blocks);
  EXPECT_EQ(irreps, irreps_of_blocks);
  const auto by_column = [](const auto& a, const auto& b) { return a.column < b.column; };
  for (std::int64_t row = 0; row < summary.dimension; ++row) {
    of_list->hamiltonian_row(row, first);
    of_blocks->hamiltonian_row(row, second);
    ASSERT_EQ(first.size(), second.size());
    std::ranges::sort(first, by_column);
    std::ranges::sort(second, by_column);
    for (std::size_t k = 0; k < first.size(); ++k) {
      ASSERT_EQ(first[k].column, second[k].column);
      ASSERT_EQ(first[k].value, second[k].value);
    }
  }
}

TEST(DefinitionRows, BlocksWithADeterminantTwiceAreRefused) {
  const FcidumpFile file = water();
  const Problem problem(
      make_basis(singles_and_doubles(file.integrals, FunctionKind::determinant), roomy.memory));
  FunctionList blocks = problem.basis->list(true);
  const std::vector<std::int64_t>& offsets = blocks.blocks.list_offsets;
  const auto of_many = std::ranges::adjacent_find(
      offsets, [](std::int64_t first, std::int64_t last) { return last - first > 1; });
  ASSERT_NE(of_many, offsets.end());
  std::int32_t* members = blocks.blocks.list_members.data() + *of_many;
  members[1] = members[0];
  EXPECT_THROW(make_definition_rows(file.integrals, problem.basis->summary(), blocks), InputError);
}

}  // namespace test_definition_rows
}  // namespace cisolve::test
