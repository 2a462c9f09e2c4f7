// SPDX-License-Identifier: MIT
// What a root finder makes of roots where they are: density matrices, spins, leading determinants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/state_search.hpp"

namespace cisolve {
namespace test_root_densities {

constexpr int count = 3;

/// Water, 6-31G, with three roots of A1.
struct Way {
  const char* storage;
  int ranks;
};

class RootDensities : public testing::TestWithParam<Way> {
protected:
  static BasisDefinition definition() {
    const FcidumpFile file =
        read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz", {});
    DeterminantSelection selection;
    selection.num_orbitals = file.integrals.num_orbitals;
    selection.irreps = file.integrals.irreps;
    selection.references = {{WideString::lowest(5), WideString::lowest(5)}};
    selection.excitation_level = 3;
    selection.irrep = 0;
    BasisDefinition made;
    made.integrals = std::make_shared<const Integrals>(file.integrals);
    made.functions = selection;
    return made;
  }

  void find_roots(const Resources& resources) {
    PlanOptions options;
    options.storage = GetParam().storage;
    options.solver.num_roots = count;
    finder_ = make_root_finder(problem_, make_plan(problem_, options, resources));
    roots_ = finder_->solve({});
    ASSERT_EQ(roots_.energies.size(), std::size_t{count});
  }

  static constexpr std::int64_t memory = std::int64_t{8} << 30;
  const Problem problem_{make_basis(definition(), memory)};
  std::unique_ptr<RootFinder> finder_;
  Roots roots_;
};

class RootDensitiesGpu : public RootDensities {
protected:
  void SetUp() override {
    devices_ = find_devices();
    if (devices_.empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
    const auto ranks = static_cast<std::size_t>(GetParam().ranks);
    devices_.resize(ranks, devices_.front());  // ranks beyond the last device are on the first
    find_roots({.memory = memory, .devices = devices_, .device_required = true, .ranks = GetParam().ranks});
  }

  std::vector<Device> devices_;
};

double largest_difference(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return INFINITY;
  double largest = 0.0;
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) largest = std::max(largest, std::abs(a(p, q) - b(p, q)));
  }
  return largest;
}

double largest_difference(const SpinDensity& a, const SpinDensity& b) {
  return std::max(largest_difference(a.alpha, b.alpha), largest_difference(a.beta, b.beta));
}

TEST_P(RootDensities, OfTheHostAreLeftToTheBasis) {
  find_roots({.memory = memory, .devices = {}, .ranks = GetParam().ranks});
  EXPECT_FALSE(finder_->spin_densities(*roots_.vectors, true));
}

TEST_P(RootDensitiesGpu, AreThoseOfTheBasis) {
  constexpr double rounding = 1e-12;  // of sums of 1e5 products of vectors of norm 1
  Array<double> values(static_cast<std::size_t>(problem_.basis->size()) * count);
  for (int k = 0; k < count; ++k)
    roots_.vectors->read(k, 0,
                         std::span(values).subspan(values.size() / count * static_cast<std::size_t>(k),
                                                   values.size() / count));
  const SpinDensities expected =
      problem_.basis->spin_densities(values, count, {*problem_.basis, values, count});
  const HeldVectors held(std::move(values), problem_.basis->size(), count);
  for (const VectorSource* vectors :
       {static_cast<const VectorSource*>(roots_.vectors.get()), static_cast<const VectorSource*>(&held)}) {
    const auto all = finder_->spin_densities(*vectors, true), own = finder_->spin_densities(*vectors, false);
    ASSERT_TRUE(all && own);
    for (int l = 0; l < count; ++l) {
      for (int k = 0; k < count; ++k)
        EXPECT_LT(largest_difference((*all)(k, l), expected(k, l)), rounding) << k << ", " << l;
      EXPECT_LT(largest_difference((*own)(l, l), expected(l, l)), rounding) << l;
    }
  }
}

TEST_P(RootDensitiesGpu, OfSomeRootsInAnotherOrderAreTheirs) {
  const std::vector<int> chosen = {count - 1, 0};
  const ChosenVectors some(roots_.vectors, chosen);
  const auto all = finder_->spin_densities(*roots_.vectors, true),
             found = finder_->spin_densities(some, true);
  ASSERT_TRUE(all && found);
  for (int l = 0; l < 2; ++l) {
    for (int k = 0; k < 2; ++k)
      EXPECT_LT(largest_difference((*found)(k, l), (*all)(chosen[k], chosen[l])), 1e-13) << k << ", " << l;
  }
}

TEST_P(RootDensitiesGpu, AreLabelledWhereTheyAre) {
  Array<double> vectors = all_columns(*roots_.vectors);
  std::vector<bool> rotated;
  const auto labels = problem_.basis->label(roots_.energies, vectors, {}, &rotated);
  std::vector<bool> rotated_there;
  const auto spins = finder_->resolve_spins(*roots_.vectors, roots_.energies, {}, rotated_there);
  ASSERT_EQ(spins.has_value(), GetParam().storage == std::string("direct"));
  if (!spins) return;
  EXPECT_EQ(rotated_there, rotated);
  for (int k = 0; k < count; ++k)
    EXPECT_NEAR((*spins)[static_cast<std::size_t>(k)], labels[static_cast<std::size_t>(k)].s_squared, 1e-11);
  // The signs, too; and nothing is turned where energies are apart.
  const Array<double> there = all_columns(*roots_.vectors);
  EXPECT_TRUE(std::ranges::equal(there, vectors));
  const auto expected =
      leading_determinants(std::span<const double>(vectors).first(vectors.size() / count), 5, 0.01);
  const auto found = finder_->leading(*roots_.vectors, 0, 5, 0.01);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].row, expected[k].row);
    EXPECT_EQ(found[k].coefficient, expected[k].coefficient);
  }
  // Residuals and missed roots by the vectors where they are, and by copies of them.
  EXPECT_EQ(finder_->residual_norms(*roots_.vectors, roots_.energies),
            finder_->residual_norms(std::span<const double>(there), roots_.energies));
}

std::string name_of(const testing::TestParamInfo<Way>& one) {
  return one.param.storage + std::string("On") + std::to_string(one.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(Ways, RootDensities,
                         testing::Values(Way{"csr", 1}, Way{"direct", 1}, Way{"direct", 3}), name_of);
INSTANTIATE_TEST_SUITE_P(Ways, RootDensitiesGpu,
                         testing::Values(Way{"csr", 1}, Way{"direct", 1}, Way{"direct", 2}, Way{"direct", 3}),
                         name_of);

}  // namespace test_root_densities
}  // namespace cisolve
