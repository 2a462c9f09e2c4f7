// SPDX-License-Identifier: MIT
// Vectors labelled where a backend has them: as label_states and leading_determinants do on the host.
#include "problem/found_analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_found_analysis {

class FoundAnalysis : public testing::Test {
protected:
  static constexpr int count = 5;

  HostView view() { return {vectors_.data(), space_.size(), count, space_.size()}; }
  ConstHostView column(int k) const {
    return {vectors_.data() + k * space_.size(), space_.size(), 1, space_.size()};
  }

  const test::SpaceShape shape_{.orbitals = 6, .alpha = 3, .beta = 3, .irrep = 1, .num_irreps = 2};
  const Integrals integrals_ = shape_.integrals();
  const SpaceSelection<1> selection_ = shape_.selection(integrals_);
  const ProductSpace<1> space_{selection_};
  HostBackend backend_;
  std::vector<double> vectors_ =
      test::random_unit_vectors(static_cast<std::size_t>(space_.size()), count, 11);
};

TEST_F(FoundAnalysis, ResolvesSpinsAsOnTheHost) {
  // Two clusters, whose vectors are any mixtures of spins, and a root by itself between them.
  const std::vector<double> energies = {-3.0, -3.0 + 1e-9, -2.0, -1.0, -1.0 + 1e-8};
  std::vector<double> expected = vectors_;
  std::vector<bool> rotated_there, rotated;
  const auto labels = label_states<1>(space_, selection_.irreps, energies, expected, {}, &rotated_there);
  const StringSpin spin(space_);
  const Product<HostBackend> s_squared = [&](ConstHostView x, HostView y) {
    const auto n = static_cast<std::size_t>(x.rows);
    for (int k = 0; k < x.columns; ++k) spin.multiply({x.column(k), n}, {y.column(k), n});
  };
  const auto spins = resolve_spins(backend_, s_squared, space_.size(), view(), energies, {}, rotated);
  EXPECT_EQ(rotated, rotated_there);
  EXPECT_EQ(rotated, (std::vector<bool>{true, true, false, true, true}));
  ASSERT_EQ(spins.size(), labels.size());
  for (std::size_t k = 0; k < spins.size(); ++k) EXPECT_NEAR(spins[k], labels[k].s_squared, 1e-12) << k;
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(vectors_[i], expected[i], 1e-10) << i;
}

TEST_F(FoundAnalysis, FindsTheLeadingElements) {
  for (const auto& [most, least] :
       {std::pair{5, 0.0}, std::pair{7, 0.02}, std::pair{3, 0.9}, std::pair{1, 0.0}}) {
    const auto expected =
        leading_determinants(std::span(vectors_).first(static_cast<std::size_t>(space_.size())), most, least);
    const auto found = leading_elements(backend_, column(0), most, least);
    ASSERT_EQ(found.size(), expected.size()) << most;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].row, expected[k].row);
      EXPECT_EQ(found[k].coefficient, expected[k].coefficient);
    }
  }
}

TEST_F(FoundAnalysis, GivesTheSignOfTheFirstOfManyEqualElements) {
  const auto n = static_cast<std::size_t>(space_.size());
  ASSERT_GT(n, 100U);
  for (const double first : {1.0, -1.0}) {
    std::vector<double> vector(n, 0.1), scratch(n);
    for (std::size_t i = 1; i < n; i += 2) vector[i] = -0.1;
    vector[0] = 0.05 * first;          // none of the largest, and
    vector[1] = first * (0.1 - 5e-7);  // one within a millionth of them
    const double sign = vector[1] > 0.0 ? 1.0 : -1.0;
    std::vector<double> expected = vector;
    for (double& x : expected) x *= sign;
    fix_sign(backend_, space_.size(), {vector.data(), space_.size(), 1, space_.size()},
             {scratch.data(), space_.size(), 1, space_.size()});
    EXPECT_EQ(vector, expected);
  }
}

}  // namespace test_found_analysis
}  // namespace cisolve
