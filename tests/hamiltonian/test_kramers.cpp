// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/kramers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <complex>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/spinor_rows.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "hamiltonian/random_complex_integrals.hpp"
#include "hamiltonian/spinor_strings.hpp"

namespace cisolve {
namespace test_kramers {

using test::full_table;
using test::random_complex_integrals;

// Of the integrals of the files, which come from orbitals converged to some 1e-11, and of sums of them.
constexpr double file_error = 1e-10;
// Elements below are taken as zeros of those files.
constexpr double file_zero = 1e-12;
// Sums of 50 terms of size 1 or so.
constexpr double rounding = 1e-13;

ComplexIntegrals read_spinors(const std::string& file) {
  return read_fcidump(std::string(CISOLVE_TEST_DATA) + "/complex/" + file).complex.value();
}

Eigen::MatrixXcd dense(const ComplexRowSource& rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.num_rows()));
  std::iota(all.begin(), all.end(), 0);
  const BasicMatrix<Complex> block = dense_block(rows, all);
  return Eigen::Map<const Eigen::MatrixXcd>(block.data(), block.rows(), block.columns());
}

/// Columns are the functions of the pairs: d, Td of an odd number of electrons, else (d + Td) / sqrt(2) and i (d - Td) /
/// sqrt(2), or d.
Eigen::MatrixXcd adapted_functions(const KramersPairs& pairs, std::int64_t n) {
  Eigen::MatrixXcd u = Eigen::MatrixXcd::Zero(n, n);
  Eigen::Index column = 0;
  for (const KramersPairs::Pair& pair : pairs.pairs()) {
    const double sign = pairs.place(pair.second).negative ? -1.0 : 1.0;
    if (pair.first == pair.second) {
      u(pair.first, column++) = 1.0;
    } else if (pairs.has_odd_electrons()) {
      u(pair.first, column++) = 1.0;
      u(pair.second, column++) = sign;
    } else {
      const double half = std::sqrt(0.5);
      u(pair.first, column) = half;
      u(pair.second, column++) = sign * half;
      u(pair.first, column) = Complex(0.0, half);
      u(pair.second, column++) = Complex(0.0, -sign * half);
    }
  }
  EXPECT_EQ(column, n);
  return u;
}

Eigen::MatrixXcd dense_blocks(const QuaternionCsrMatrix& a) {
  Eigen::MatrixXcd result = Eigen::MatrixXcd::Zero(2 * a.num_rows, 2 * a.num_rows);
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    for (std::int64_t at = a.offsets[row]; at < a.offsets[row + 1]; ++at) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
          result(2 * row + i, 2 * a.columns[at] + j) = block_element(a.values[at], i, j);
      }
    }
  }
  return result;
}

Eigen::MatrixXd dense_real(const CsrMatrix& a) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.num_rows, a.num_rows);
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    for (std::int64_t at = a.offsets[row]; at < a.offsets[row + 1]; ++at)
      result(row, a.columns[at]) = a.values[at];
  }
  return result;
}

double largest(const Eigen::MatrixXcd& a) { return a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff(); }

Eigen::VectorXd eigenvalues(const Eigen::MatrixXcd& a) { return symmetric_eigenpairs(a).values; }

TEST(TimeReversal, MovesElectronsToPartners) {
  // Spinors 0 and 1 filled, 3 without 2, 4 without 5: -a+_2 a+_5 on the pair.
  const auto once = time_reversed(String{{0b011011}});
  EXPECT_EQ(once.string, String{{0b100111}});
  EXPECT_TRUE(once.negative);
  EXPECT_TRUE(time_reversed(once.string).negative) << "T T = 1 of four electrons";
}

TEST(TimeReversal, SquaredIsTheParityOfElectrons) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const String d{{bits}};
    const auto once = time_reversed(d);
    const auto twice = time_reversed(once.string);
    EXPECT_EQ(twice.string, d);
    EXPECT_EQ(once.negative != twice.negative, d.count() % 2 != 0);
  }
}

// T H = H T, where T conjugates what stands before a determinant: so pairs and signs fit the integrals.
TEST(TimeReversal, CommutesWithHOverKramersPairs) {
  const ComplexIntegrals v = with_kramers_symmetry(random_complex_integrals(6, true, 0.2, 3));
  for (const int electrons : {1, 2, 3, 4}) {
    const auto strings = test::strings_in<1>(test::first_spinors(6), electrons);
    for (const String& bra : strings) {
      for (const String& ket : strings) {
        const auto t_bra = time_reversed(bra), t_ket = time_reversed(ket);
        const Complex there = spinor_matrix_element(v, t_bra.string, t_ket.string);
        const double sign = t_bra.negative == t_ket.negative ? 1.0 : -1.0;
        EXPECT_LE(std::abs(sign * there - std::conj(spinor_matrix_element(v, bra, ket))), rounding);
      }
    }
  }
}

TEST(KramersSymmetry, IsMeasuredAndMade) {
  const ComplexIntegrals v = random_complex_integrals(6, true, 0.0, 4);
  EXPECT_GT(kramers_violation(v), 1.0);
  const ComplexIntegrals adapted = with_kramers_symmetry(v);
  EXPECT_EQ(kramers_violation(adapted), 0.0);
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < 6; ++q) {
      ASSERT_EQ(adapted.h(p, q), std::conj(adapted.h(q, p)));
      for (int r = 0; r < 6; ++r) {
        for (int s = 0; s < 6; ++s) ASSERT_EQ(adapted.eri(p, q, r, s), std::conj(adapted.eri(q, p, s, r)));
      }
    }
  }
  const ComplexIntegrals again = with_kramers_symmetry(adapted);
  EXPECT_EQ(again.one, adapted.one);
  EXPECT_EQ(again.two, adapted.two);
}

TEST(KramersSymmetry, OfOneIntegralIsSeen) {
  const ComplexIntegrals adapted = with_kramers_symmetry(random_complex_integrals(4, true, 0.0, 4));
  ComplexIntegrals v = adapted;
  v.h(0, 2) += 1e-3;
  EXPECT_NEAR(kramers_violation(v), 1e-3, 1e-15);
  v = adapted;
  v.eri(3, 1, 0, 2) += Complex(0.0, 2e-3);
  EXPECT_NEAR(kramers_violation(v), 2e-3, 1e-15);
  v = adapted;
  v.eri(0, 0, 0, 0) += 4e-3;
  EXPECT_NEAR(kramers_violation(v), 4e-3, 1e-15);
}

TEST(KramersSymmetry, IsAskedFor) {
  EXPECT_NO_THROW(require_kramers_pairs(read_spinors("sh_x2c.columns.fcidump.gz"), file_error));
  const ComplexIntegrals v = random_complex_integrals(4, true, 0.0, 4);
  try {
    require_kramers_pairs(v, file_error);
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("Kramers pairs"),
                                               ::testing::HasSubstr("more than 1.0e-10")));
  }
  EXPECT_THROW(kramers_violation(ComplexIntegrals(3, true)), DimensionError);
  EXPECT_THROW(require_kramers_pairs(ComplexIntegrals(3, true), file_error), InputError);
  EXPECT_THROW(require_kramers_pairs(ComplexIntegrals(4, false), file_error), DimensionError);
}

TEST(KramersPairs, AreNumberedByTheirFirst) {
  const auto table = full_table(6, 3);
  const KramersPairs pairs(table);
  ASSERT_EQ(std::ssize(pairs.pairs()), 10);
  std::int32_t before = -1;
  for (std::int32_t k = 0; k < 10; ++k) {
    const auto& [first, second] = pairs.pairs()[k];
    EXPECT_LT(before, first);
    EXPECT_LT(first, second);
    before = first;
    const auto reversed = time_reversed(table[first]);
    EXPECT_EQ(table[second], reversed.string);
    EXPECT_EQ(pairs.place(second).negative, reversed.negative);
    EXPECT_EQ(pairs.place(first).pair, k);
    EXPECT_EQ(pairs.place(second).pair, k);
  }
  EXPECT_EQ(std::ssize(KramersPairs(full_table(6, 2)).pairs()), 3 + 6);
}

TEST(KramersPairs, NeedBothOfAPair) {
  EXPECT_THROW(KramersPairs(test::table_of(std::vector<String>{{{0b01}}}, 2)), DimensionError);
}

TEST(QuaternionRows, AreHOverPairs) {
  for (const int electrons : {1, 3, 5}) {
    const ComplexIntegrals v = with_kramers_symmetry(random_complex_integrals(8, true, 0.4, 5));
    const auto table = full_table(8, electrons);
    const SpinorRows rows(table, v);
    const KramersPairs pairs(table);
    const QuaternionRows quaternions(rows, pairs);
    const Eigen::MatrixXcd u = adapted_functions(pairs, table.size());
    const Eigen::MatrixXcd expected = u.adjoint() * dense(rows) * u;
    EXPECT_LE(largest(dense_blocks(build_csr(quaternions)) - expected), rounding);
  }
}

TEST(KramersRealRows, AreHOverAdaptedFunctions) {
  for (const int electrons : {0, 2, 4, 6}) {
    const ComplexIntegrals v = with_kramers_symmetry(random_complex_integrals(8, true, 0.4, 6));
    const auto table = full_table(8, electrons);
    const SpinorRows rows(table, v);
    const KramersPairs pairs(table);
    const KramersRealRows real(rows, pairs);
    const Eigen::MatrixXcd u = adapted_functions(pairs, table.size());
    const Eigen::MatrixXcd expected = u.adjoint() * dense(rows) * u;
    EXPECT_LE(largest(expected.imag().cast<Complex>()), rounding);
    // Chunks that begin and end within pairs.
    for (const std::int64_t rows_per_chunk : {256, 1, 3}) {
      const CsrMatrix a = build_csr(real, {.progress = {}, .stop = {}, .rows_per_chunk = rows_per_chunk});
      EXPECT_LE(largest(dense_real(a).cast<Complex>() - expected), rounding);
    }
  }
}

TEST(KramersRows, WantTheirParityOfElectrons) {
  const ComplexIntegrals v(4, true);
  const auto odd = full_table(4, 1), even = full_table(4, 2);
  const SpinorRows odd_rows(odd, v), even_rows(even, v);
  const KramersPairs odd_pairs(odd), even_pairs(even);
  EXPECT_THROW(QuaternionRows(even_rows, even_pairs), DimensionError);
  EXPECT_THROW(KramersRealRows(odd_rows, odd_pairs), DimensionError);
  EXPECT_THROW(QuaternionRows(even_rows, odd_pairs), DimensionError);
}

// Counts of a NumPy script that pairs the determinants of the full matrix; energies of it and of PySCF 2.14.
TEST(KramersRows, OfSHAreQuaternions) {
  const ComplexIntegrals v = read_spinors("sh_x2c.columns.fcidump.gz");
  require_kramers_pairs(v, file_error);
  const auto table = full_table(10, 7);
  const SpinorRows rows(table, v, file_zero);
  const KramersPairs pairs(table);
  const QuaternionRows quaternions(rows, pairs);
  const ComplexCsrMatrix complex_csr = build_csr(rows);
  const QuaternionCsrMatrix csr = build_csr(quaternions);
  EXPECT_EQ(complex_csr.num_rows, 120);
  EXPECT_EQ(complex_csr.num_nonzeros(), 10160);
  EXPECT_EQ(csr.num_rows, 60);
  EXPECT_EQ(csr.num_nonzeros(), 3320);
  EXPECT_EQ(static_cast<std::int64_t>(csr.values.size_bytes()), 106240);
  EXPECT_EQ(static_cast<std::int64_t>(complex_csr.values.size_bytes()), 162560);

  const Eigen::VectorXd energies = eigenvalues(dense(rows));
  const Eigen::VectorXd of_blocks = eigenvalues(dense_blocks(csr));
  const std::vector<double> expected = {-394.56808153950186, -394.56808153949197, -394.56598518412227,
                                        -394.5659851841191,  -394.35616165961204, -394.35616165960295,
                                        -394.25602815798385, -394.2560281579766};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(energies[static_cast<Eigen::Index>(k)], expected[k], file_error);
    EXPECT_NEAR(of_blocks[static_cast<Eigen::Index>(k)], expected[k], file_error);
  }
  // Quaternions have exactly what the complex matrix has to the error of the file: each root twice.
  for (Eigen::Index k = 0; k < 120; k += 2) EXPECT_NEAR(of_blocks[k], of_blocks[k + 1], 1e-11);
}

TEST(KramersRows, OfH2SAreReal) {
  const ComplexIntegrals v = read_spinors("h2s_x2c.columns.fcidump.gz");
  require_kramers_pairs(v, file_error);
  const auto table = full_table(12, 8);
  const SpinorRows rows(table, v, file_zero);
  const KramersPairs pairs(table);
  // The script counts what is above 1e-12; no element lies between that and 2e-12, some lie just below.
  const KramersRealRows real(rows, pairs, 1.5e-12);
  EXPECT_EQ(build_csr(rows).num_nonzeros(), 99495);
  const CsrMatrix csr = build_csr(real);
  EXPECT_EQ(csr.num_nonzeros(), 161885);
  const Eigen::VectorXd energies = symmetric_eigenvalues(dense_real(csr));
  const std::vector<double> expected = {-395.18837836559385, -394.87593633547743, -394.87593491736806,
                                        -394.87593430245767, -394.84740202882926, -394.8147697439506,
                                        -394.8147693352073,  -394.814766511302};
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(energies[static_cast<Eigen::Index>(k)], expected[k], file_error);
}

// The same product by each format, with vectors in the order of the pairs.
TEST(KramersRows, FormatsGiveTheProductOfTheComplexMatrix) {
  const ComplexIntegrals v = with_kramers_symmetry(random_complex_integrals(10, true, 0.3, 8));
  const auto table = full_table(10, 5);
  const std::int64_t n = table.size();
  const SpinorRows rows(table, v);
  const KramersPairs pairs(table);
  const QuaternionHybridMatrix hybrid = build_hybrid(QuaternionRows(rows, pairs));
  const Eigen::MatrixXcd u = adapted_functions(pairs, n);
  const Eigen::MatrixXcd x = Eigen::MatrixXcd::Random(n, 3);
  const Eigen::MatrixXcd adapted_x = u.adjoint() * x;
  Eigen::MatrixXcd y(n, 3), adapted_y(n, 3);
  SpmvWorkspace workspace;
  spmv(build_csr(rows), {x.data(), n, 3, n}, {y.data(), n, 3, n}, workspace);
  spmv(hybrid, {adapted_x.data(), n, 3, n}, {adapted_y.data(), n, 3, n}, workspace);
  EXPECT_LE(largest(u * adapted_y - y), 1e-11) << "sums of some hundred products of size 1 to 10";
}

}  // namespace test_kramers
}  // namespace cisolve
