// SPDX-License-Identifier: MIT
// Density matrices of roots that a root finder makes where they are.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/root_finder.hpp"

namespace cisolve {
namespace {

constexpr int count = 3;

/// Water, 6-31G, with three roots of A1.
class RootDensities : public testing::TestWithParam<const char*> {
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
    options.storage = GetParam();
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
    find_roots({.memory = memory, .devices = devices_, .device_required = true});
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
  find_roots({.memory = memory, .devices = {}});
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
  for (const VectorSource* vectors : {roots_.vectors.get(), static_cast<const VectorSource*>(&held)}) {
    const auto all = finder_->spin_densities(*vectors, true), own = finder_->spin_densities(*vectors, false);
    ASSERT_TRUE(all && own);
    for (int l = 0; l < count; ++l) {
      for (int k = 0; k < count; ++k)
        EXPECT_LT(largest_difference((*all)(k, l), expected(k, l)), rounding) << k << ", " << l;
      EXPECT_LT(largest_difference((*own)(l, l), expected(l, l)), rounding) << l;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RootDensities, testing::Values("csr", "direct"));
INSTANTIATE_TEST_SUITE_P(Ways, RootDensitiesGpu, testing::Values("csr", "direct"));

}  // namespace
}  // namespace cisolve
