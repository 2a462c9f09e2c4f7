// SPDX-License-Identifier: MIT
// Matrices of complex numbers and of quaternions in the formats that have them.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/quaternion.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/complex_source.hpp"

namespace cisolve {
namespace test_complex_formats {

using test::block_order;
using test::complex_product_error;
using test::random_complex_vector;
using test::uneven_source;

constexpr double error_limit = 1e-14;

TEST(Quaternion, MultipliesAsItsBlocksDo) {
  const Quaternion p{{1, 2}, {-3, 4}}, q{{0, -5}, {6, 1}};
  const Quaternion pq = p * q;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_EQ(block_element(pq, i, j), block_element(p, i, 0) * block_element(q, 0, j) +
                                             block_element(p, i, 1) * block_element(q, 1, j));
      EXPECT_EQ(block_element(conjugate(p), i, j), std::conj(block_element(p, j, i)));
    }
  }
  EXPECT_EQ(conjugate(pq), conjugate(q) * conjugate(p));
  EXPECT_EQ(p * conjugate(p), (Quaternion{norm(p), 0}));
  EXPECT_EQ(norm(p), 1 + 4 + 9 + 16);
}

TEST(Quaternion, HasHamiltonsUnits) {
  const Quaternion i{{0, 1}, 0}, j{0, 1}, k{0, {0, 1}}, minus_one{-1, 0};
  EXPECT_EQ(i * j, k);
  EXPECT_EQ(j * i, (Quaternion{0, {0, -1}}));
  for (const Quaternion& unit : {i, j, k, i * j}) EXPECT_EQ(unit * unit, minus_one);
  EXPECT_EQ(i * j * k, minus_one);
}

/// CSR, and hybrid of some widths: -1 chosen.
template <class Scalar, class Test>
void with_formats(const BasicRowSource<Scalar>& source, const BuildOptions& options, const Test& test) {
  test(build_csr(source, options));
  for (const int width : {-1, 0, 3, 1'000'000}) {
    const std::optional<std::int32_t> wanted = width < 0 ? std::nullopt : std::optional<std::int32_t>(width);
    test(build_hybrid(source, wanted, options));
  }
  test(build_hybrid_by_columns(source, count_rows(source), std::min<std::int64_t>(source.num_rows(), 4),
                               options));
}

template <class Scalar>
class ComplexFormat : public ::testing::Test {};
using Scalars = ::testing::Types<Complex, Quaternion>;
TYPED_TEST_SUITE(ComplexFormat, Scalars);

TYPED_TEST(ComplexFormat, ProductsMatchLongDoubleSums) {
  for (const std::int64_t rows : {0, 1, 5, 33, 257, 700}) {
    const auto source = uneven_source<TypeParam>(rows);
    const std::int64_t n = rows * block_order<TypeParam>, stride = n + 3;
    SpmvWorkspace workspace;
    with_formats<TypeParam>(source, {}, [&](const auto& a) {
      for (const int k : {1, 2, 3, 4, 7}) {
        const std::vector<Complex> x = random_complex_vector(stride * k, 7);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        std::vector<Complex> plain(x.size(), nan), fast(x.size(), nan);
        const ConstComplexHostView view{x.data(), n, k, stride};
        spmv(a, view, {plain.data(), n, k, stride});
        spmv(a, view, {fast.data(), n, k, stride}, workspace);
        EXPECT_LE(complex_product_error(source, view, {plain.data(), n, k, stride}), error_limit);
        EXPECT_LE(complex_product_error(source, view, {fast.data(), n, k, stride}), error_limit);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (static_cast<std::int64_t>(i) % stride < n) continue;
          ASSERT_TRUE(std::isnan(fast[i].real()) && std::isnan(plain[i].real())) << "wrote between columns";
        }
      }
    });
  }
}

TYPED_TEST(ComplexFormat, SomeRowsOfALargerMatrixAreAddedToo) {
  constexpr std::int64_t order = block_order<TypeParam>;
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{0, 7}, {1, 300}, {37, 211}, {211, 37}}) {
    const auto source = uneven_source<TypeParam>(rows, columns);
    const std::int64_t n = rows * order, m = columns * order;
    SpmvWorkspace workspace;
    with_formats<TypeParam>(source, {}, [&](const auto& a) {
      for (const int k : {1, 2, 3, 4, 8}) {
        const std::vector<Complex> x = random_complex_vector(m * k, 7),
                                   before = random_complex_vector(n * k, 9);
        std::vector<Complex> plain(n * k), fast(n * k), added = before;
        const ConstComplexHostView view{x.data(), m, k, m};
        spmv(a, view, {plain.data(), n, k, n});
        spmv(a, view, {fast.data(), n, k, n}, workspace);
        spmv(a, view, {added.data(), n, k, n}, workspace, ProductUpdate::add);
        EXPECT_LE(complex_product_error(source, view, {plain.data(), n, k, n}), error_limit);
        EXPECT_LE(complex_product_error(source, view, {fast.data(), n, k, n}), error_limit);
        for (std::size_t i = 0; i < added.size(); ++i) ASSERT_EQ(added[i], before[i] + fast[i]);
        EXPECT_THROW(spmv(a, {x.data(), m - 1, k, m}, {plain.data(), n, k, n}), DimensionError);
      }
    });
  }
}

TYPED_TEST(ComplexFormat, DependsOnNeitherThreadsNorChunks) {
  const auto source = uneven_source<TypeParam>(700);
  const std::int64_t n = 700 * block_order<TypeParam>;
  const std::vector<Complex> x = random_complex_vector(7 * n, 8);
  SpmvWorkspace workspace;
  const auto multiply = [&](int threads, const BuildOptions& options) {
    const ThreadScope scope(threads);
    std::vector<std::vector<Complex>> products;
    with_formats<TypeParam>(source, options, [&](const auto& a) {
      products.emplace_back(x.size());
      spmv(a, {x.data(), n, 7, n}, {products.back().data(), n, 7, n}, workspace);
    });
    return products;
  };
  EXPECT_EQ(multiply(1, {}), multiply(5, {.progress = {}, .stop = {}, .rows_per_chunk = 7}));
}

TYPED_TEST(ComplexFormat, TakesWhatItsArraysDo) {
  const auto source = uneven_source<TypeParam>(257);
  std::int64_t nonzeros = 0;
  for (const std::int64_t length : count_rows(source)) nonzeros += length;
  const auto csr = build_csr(source);
  EXPECT_EQ(csr.num_nonzeros(), nonzeros);
  const auto slot = static_cast<std::int64_t>(sizeof(TypeParam)) + 4;
  EXPECT_EQ(array_bytes(csr), nonzeros * slot + 8 * 258);
  const auto hybrid = build_hybrid(source, 5);
  EXPECT_EQ(hybrid.num_nonzeros(), nonzeros);
  EXPECT_EQ(array_bytes(hybrid), (257 * 8 + hybrid.num_tail_nonzeros()) * slot + 4 * 257 + 8 * 258);
}

TYPED_TEST(ComplexFormat, RefusesWrongShapes) {
  const auto a = build_csr(uneven_source<TypeParam>(5));
  const std::int64_t n = 5 * block_order<TypeParam>;
  std::vector<Complex> x(2 * n), y(2 * n);
  SpmvWorkspace workspace;
  EXPECT_THROW(spmv(a, {x.data(), n - 1, 1, n}, {y.data(), n, 1, n}, workspace), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), n, 2, n}, {y.data(), n, 1, n}, workspace), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), n, 1, n}, {y.data(), n - 1, 1, n}), DimensionError);
}

}  // namespace test_complex_formats
}  // namespace cisolve
