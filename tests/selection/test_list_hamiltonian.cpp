// SPDX-License-Identifier: MIT
#include "cisolve/selection/list_hamiltonian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "selection/list_matrix.hpp"

namespace cisolve {
namespace test_list_hamiltonian {

template <int Words>
void expect_products_of_definition(const typename RandomSelection<Words>::Shape& shape) {
  const RandomSelection<Words> s(shape);
  const auto h = list_hamiltonian(s);
  const std::int64_t n = std::ssize(s.listed);
  const int columns = static_cast<int>(s.energies.size());
  const ConstHostView x{s.vectors.data(), n, columns, n};
  std::vector<double> plain(s.vectors.size()), parallel(s.vectors.size());
  SpmvWorkspace workspace;
  h->multiply_plainly(x, {plain.data(), n, columns, n});
  h->multiply(x, {parallel.data(), n, columns, n}, workspace);
  EXPECT_EQ(parallel, plain);
  h->multiply(x, {parallel.data(), n, columns, n}, workspace, ProductUpdate::add);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(parallel[i], plain[i] + plain[i]);
  std::int64_t nonzeros = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> sums(columns, 0.0);
    for (std::int64_t j = 0; j < n; ++j) {
      const double element = matrix_element(s.integrals, s.listed[i], s.listed[j]);
      nonzeros += element != 0.0 ? 1 : 0;
      for (int k = 0; k < columns; ++k) sums[k] += element * x.column(k)[j];
    }
    for (int k = 0; k < columns; ++k) EXPECT_NEAR(plain[k * n + i], sums[k], 1e-11);
  }
  EXPECT_EQ(h->num_nonzeros(), nonzeros);
  EXPECT_EQ(h->num_rows(), n);
  EXPECT_EQ(h->bytes(), 0);
}

TEST(ListHamiltonian, MultipliesAsTheDefinitionSays) {
  expect_products_of_definition<1>({});
  expect_products_of_definition<1>({.irreps = 2, .unrestricted = true});
  expect_products_of_definition<2>({.orbitals = 7, .alpha = 2, .beta = 4, .irreps = 1, .roots = 1});
}

TEST(ListHamiltonian, RefusesOtherShapes) {
  const RandomSelection<1> s({});
  const auto h = list_hamiltonian(s);
  std::vector<double> y(s.vectors.size());
  const std::int64_t n = std::ssize(s.listed);
  EXPECT_THROW(h->multiply_plainly({s.vectors.data(), n - 1, 1, n}, {y.data(), n - 1, 1, n}), DimensionError);
  EXPECT_THROW(h->multiply_plainly({s.vectors.data(), n, 1, n}, {y.data(), n, 2, n}), DimensionError);
}

}  // namespace test_list_hamiltonian
}  // namespace cisolve
