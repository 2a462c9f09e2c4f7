// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spinor_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/space/string_table.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "hamiltonian/random_complex_integrals.hpp"
#include "hamiltonian/random_integrals.hpp"
#include "hamiltonian/spinor_strings.hpp"

namespace cisolve {
namespace test_spinor_rows {

using test::first_spinors;
using test::random_complex_integrals;
using test::strings_in;
using test::table_of;

/// A determinant times a factor, under the hands of creators and annihilators.
struct Term {
  String string;
  double sign = 1.0;

  void annihilate(int p) {
    if (!string.test(p)) sign = 0.0;
    pass(p);
    string.reset(p);
  }
  void create(int p) {
    if (string.test(p)) sign = 0.0;
    pass(p);
    string.set(p);
  }
  /// By the creators of the orbitals below.
  void pass(int p) {
    if ((string & String::lowest(p)).count() % 2 != 0) sign = -sign;
  }
};

/// H |ket> by H = E + sum h_pq p+ q + 1/2 sum (pq|rs) p+ r+ s q.
std::map<String, Complex> by_operators(const ComplexIntegrals& v, const String& ket) {
  std::map<String, Complex> result;
  const int n = v.num_orbitals;
  result[ket] += v.core_energy;
  const auto add = [&](const Term& term, const Complex& factor) {
    if (term.sign != 0.0) result[term.string] += term.sign * factor;
  };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      Term one{ket};
      one.annihilate(q);
      one.create(p);
      add(one, v.h(p, q));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          Term two{ket};
          two.annihilate(q);
          two.annihilate(s);
          two.create(r);
          two.create(p);
          add(two, 0.5 * v.eri(p, q, r, s));
        }
      }
    }
  }
  return result;
}

// Sums of 30 terms of size 1 or so.
constexpr double rounding = 1e-13;

TEST(SpinorMatrixElement, IsWhatOperatorsGive) {
  for (const int electrons : {1, 2, 3, 5}) {
    const ComplexIntegrals v = random_complex_integrals(5, true, 0.0, 7);
    const auto strings = strings_in<1>(first_spinors(5), electrons);
    for (const String& ket : strings) {
      auto expected = by_operators(v, ket);
      for (const String& bra : strings)
        EXPECT_LE(std::abs(spinor_matrix_element(v, bra, ket) - expected[bra]), rounding);
    }
  }
}

TEST(SpinorMatrixElement, VanishesBetweenNumbersOfElectrons) {
  const ComplexIntegrals v = random_complex_integrals(4, true, 0.0, 7);
  EXPECT_EQ(spinor_matrix_element(v, String::lowest(2), String::lowest(3)), 0.0);
}

TEST(SpinorMatrixElement, OfSpatialOrbitalsHasTheirPhase) {
  const Integrals real = random_integrals(4, 1, 0.0, 3);
  ComplexIntegrals spatial(4, false);
  spatial.core_energy = real.core_energy;
  for (int p = 0; p < 4; ++p) {
    for (int q = 0; q < 4; ++q) {
      spatial.h(p, q) = real.h(p, q);
      for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 4; ++s) spatial.eri(p, q, r, s) = real.eri(p, q, r, s);
      }
    }
  }
  const ComplexIntegrals v = as_spinors(spatial);
  const auto alpha = strings_in<1>(first_spinors(4), 2), beta = strings_in<1>(first_spinors(4), 3);
  const auto joined = [](const Determinant<1>& d) {
    return String{{d.alpha.words[0] | d.beta.words[0] << 4}};
  };
  std::vector<Determinant<1>> determinants;
  for (const String& a : alpha) {
    for (const String& b : beta) determinants.push_back({a, b});
  }
  for (const auto& bra : determinants) {
    for (const auto& ket : determinants) {
      const Complex element = spinor_matrix_element(v, joined(bra), joined(ket));
      EXPECT_NEAR(element.real(), matrix_element(real, bra, ket), rounding);
      EXPECT_EQ(element.imag(), 0.0);
    }
  }
}

/// Every element of the rows against the definition, and that those left out are at most the threshold.
template <int Words>
void expect_definition(const ComplexIntegrals& v, const std::vector<BitString<Words>>& strings,
                       double threshold) {
  const StringTable<Words> table = table_of(strings, v.num_orbitals);
  const SpinorRows rows(table, v, threshold);
  const ComplexCsrMatrix a = build_csr(rows);
  const std::vector<double> diagonal_elements = diagonal(rows);
  ASSERT_EQ(a.num_rows, std::ssize(strings));
  for (std::size_t i = 0; i < strings.size(); ++i) {
    std::vector<Complex> row(strings.size());
    for (std::int64_t at = a.offsets[i]; at < a.offsets[i + 1]; ++at) {
      if (at > a.offsets[i]) {
        ASSERT_LT(a.columns[at - 1], a.columns[at]);
      }
      ASSERT_GT(std::abs(a.values[at]), threshold);
      row[a.columns[at]] = a.values[at];
    }
    for (std::size_t j = 0; j < strings.size(); ++j) {
      const Complex expected = spinor_matrix_element(v, strings[i], strings[j]);
      const double limit = row[j] == 0.0 ? threshold + rounding : rounding;
      ASSERT_LE(std::abs(row[j] - expected), limit) << i << ' ' << j;
    }
    EXPECT_EQ(diagonal_elements[i], spinor_matrix_element(v, strings[i], strings[i]).real());
  }
}

TEST(SpinorRows, AreTheDefinition) {
  for (const int electrons : {0, 1, 2, 3, 4, 7}) {
    const ComplexIntegrals v = random_complex_integrals(7, true, 0.3, 11);
    expect_definition(v, strings_in<1>(first_spinors(7), electrons), 0.0);
  }
}

TEST(SpinorRows, OfAnyListAreTheDefinition) {
  const ComplexIntegrals v = random_complex_integrals(8, true, 0.3, 12);
  auto strings = strings_in<1>(first_spinors(8), 4);
  std::vector<String> some;
  for (std::size_t i = 0; i < strings.size(); i += 1 + i % 3) some.push_back(strings[i]);
  expect_definition(v, some, 0.0);
}

TEST(SpinorRows, LeaveOutWhatIsSmall) {
  const ComplexIntegrals v = random_complex_integrals(6, true, 0.0, 13);
  expect_definition(v, strings_in<1>(first_spinors(6), 3), 0.8);
}

// Integrals of a few spinors, on both sides of the border between two words.
TEST(SpinorRows, TakeStringsOfSeveralWords) {
  const std::vector<int> spinors = {0, 1, 31, 40, 63, 64, 65};
  const ComplexIntegrals few = random_complex_integrals(7, true, 0.2, 14);
  ComplexIntegrals v(66, true);
  v.core_energy = few.core_energy;
  for (int p = 0; p < 7; ++p) {
    for (int q = 0; q < 7; ++q) {
      v.h(spinors[p], spinors[q]) = few.h(p, q);
      for (int r = 0; r < 7; ++r) {
        for (int s = 0; s < 7; ++s)
          v.eri(spinors[p], spinors[q], spinors[r], spinors[s]) = few.eri(p, q, r, s);
      }
    }
  }
  expect_definition(v, strings_in<2>(spinors, 3), 0.0);
  expect_definition(v, strings_in<4>(spinors, 3), 0.0);
}

TEST(SpinorRows, AreHermitianToTheLastBit) {
  const ComplexIntegrals v = random_complex_integrals(8, true, 0.2, 15);
  const auto table = table_of(strings_in<1>(first_spinors(8), 4), 8);
  const SpinorRows rows(table, v);
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.num_rows()));
  std::iota(all.begin(), all.end(), 0);
  const BasicMatrix<Complex> h = dense_block(rows, all);
  for (int i = 0; i < h.rows(); ++i) {
    for (int j = 0; j < h.columns(); ++j) ASSERT_EQ(h(i, j), std::conj(h(j, i)));
  }
}

/// Remembers what it is given.
struct RememberingSink final : ComplexRowSink {
  void row(const BasicMatrixRow<Complex>& row) override {
    indices.push_back(row.index);
    columns.emplace_back(row.columns.begin(), row.columns.end());
    values.emplace_back(row.values.begin(), row.values.end());
  }
  std::vector<std::int64_t> indices;
  std::vector<std::vector<ColumnIndex>> columns;
  std::vector<std::vector<Complex>> values;
};

TEST(SpinorRows, OfAnyRangeAreThoseOfAll) {
  const ComplexIntegrals v = random_complex_integrals(7, true, 0.3, 16);
  const auto table = table_of(strings_in<1>(first_spinors(7), 3), 7);
  const SpinorRows rows(table, v);
  RememberingSink all;
  rows.fill({0, rows.num_rows()}, all);
  for (const RowRange range : {RowRange{0, 0}, RowRange{3, 4}, RowRange{5, 35}, RowRange{15, 33}}) {
    RememberingSink some;
    rows.fill(range, some);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(range.size()));
    rows.count(range, lengths);
    ASSERT_EQ(std::ssize(some.indices), range.size());
    for (std::int64_t k = 0; k < range.size(); ++k) {
      EXPECT_EQ(some.indices[k], range.first + k);
      EXPECT_EQ(some.columns[k], all.columns[range.first + k]);
      EXPECT_EQ(some.values[k], all.values[range.first + k]);
      EXPECT_EQ(lengths[k], std::ssize(some.columns[k]));
    }
  }
}

TEST(SpinorRows, RefuseWhatDoesNotFit) {
  const auto table = table_of(strings_in<1>(first_spinors(4), 2), 4);
  EXPECT_THROW(SpinorRows(table, ComplexIntegrals(4, false)), DimensionError);
  EXPECT_THROW(SpinorRows(table, ComplexIntegrals(6, true)), DimensionError);
  EXPECT_THROW(SpinorRows(table, ComplexIntegrals(4, true), -1.0), DimensionError);
  const ComplexIntegrals v(4, true);
  const SpinorRows rows(table, v);
  EXPECT_THROW(dense_block(rows, std::vector<std::int64_t>{6}), DimensionError);
  const std::vector<int> irreps = {0, 1, 0, 1};
  const StringTable<1> with_irreps(strings_in<1>(first_spinors(4), 2), std::vector<std::int8_t>(6, 0), irreps,
                                   true);
  EXPECT_THROW(SpinorRows(with_irreps, v), DimensionError);
}

}  // namespace test_spinor_rows
}  // namespace cisolve
