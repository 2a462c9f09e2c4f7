// SPDX-License-Identifier: MIT
// Roots that a search has missed are found by a look for them, and right roots stand it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/root_finder.hpp"

namespace cisolve {
namespace test_missed_roots {

const Resources roomy{.memory = std::int64_t{8} << 30, .devices = {}};

struct Way {
  const char* name;
  const char* storage;
  std::optional<int> multiplicity;
};

/// Water, 6-31G, singles and doubles, A1.
class MissedRoots : public testing::TestWithParam<Way> {
protected:
  static BasisDefinition definition() {
    const FcidumpFile file =
        read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz", {});
    DeterminantSelection selection;
    selection.num_orbitals = file.integrals.num_orbitals;
    selection.irreps = file.integrals.irreps;
    selection.references = {{WideString::lowest(5), WideString::lowest(5)}};
    selection.excitation_level = 2;
    selection.irrep = 0;
    BasisDefinition made;
    made.integrals = std::make_shared<const Integrals>(file.integrals);
    made.functions = selection;
    made.multiplicity = GetParam().multiplicity;
    return made;
  }

  void SetUp() override {
    PlanOptions options;
    options.storage = GetParam().storage;
    options.solver.num_roots = count;
    finder_ = make_root_finder(problem_, make_plan(problem_, options, roomy));
    const Roots roots = finder_->solve({});
    energies_ = roots.energies;
    ASSERT_GE(energies_.size(), std::size_t{count});
    Array<double> buffer;
    const auto all = roots.vectors->view(0, count, buffer);
    vectors_.assign(all.begin(), all.end());
  }

  /// What is found where these roots are known, those up to and with the last.
  MissedRootProbe probe_beside(std::initializer_list<int> known, std::int64_t products = 30) const {
    const auto n = static_cast<std::ptrdiff_t>(problem_.basis->size());
    std::vector<double> vectors;
    for (const int k : known) {
      const auto first = vectors_.begin() + k * n;
      vectors.insert(vectors.end(), first, first + n);
    }
    return finder_->probe(vectors, energies_[0], energies_[count - 1] - margin, products, below_);
  }

  static constexpr int count = 4;
  static constexpr double margin = 1e-6;  // hartree: of the residual norms
  const Problem problem_{make_basis(definition(), roomy.memory)};
  std::unique_ptr<RootFinder> finder_;
  std::vector<double> energies_, vectors_;
  mutable std::vector<double> below_;  ///< what the last look found
};

TEST_P(MissedRoots, AreFound) {
  for (const auto& known : {std::initializer_list<int>{1, 2, 3}, {0, 2, 3}, {0, 1, 3}}) {
    const MissedRootProbe probe = probe_beside(known);
    EXPECT_EQ(probe.starts, 2);
    EXPECT_LE(probe.products, 31);  // what is due when they are reached is done
    EXPECT_LT(probe.lowest, energies_[count - 1] - margin);
    EXPECT_GT(probe.lowest, energies_[0] - margin);  // an upper bound
    // What was found has that energy, as a state of norm 1: <c|H|c> by the vector alone.
    ASSERT_EQ(std::ssize(below_), problem_.basis->size());
    std::vector<std::int64_t> rows(below_.size());
    std::iota(rows.begin(), rows.end(), 0);
    constexpr double rounding = 1e-9;  // hartree, of sums of 1e2 over 1e4 rows
    EXPECT_NEAR(finder_->expectation(rows, below_), probe.lowest, rounding);
  }
}

TEST_P(MissedRoots, AreNotFoundWhereThereAreNone) {
  const MissedRootProbe probe = probe_beside({0, 1, 2, 3});
  EXPECT_EQ(probe.starts, 2);
  EXPECT_GE(probe.lowest, energies_[count - 1] - margin);
  EXPECT_TRUE(below_.empty());
}

TEST_P(MissedRoots, TooFewProductsAreNone) {
  const MissedRootProbe probe = probe_beside({0, 1, 2, 3}, 3);
  EXPECT_EQ(probe.starts, 0);
  EXPECT_EQ(probe.products, 0);
  EXPECT_TRUE(std::isnan(probe.lowest));
}

TEST_P(MissedRoots, AreLookedForInTheSameWayTwice) {
  EXPECT_EQ(probe_beside({0, 2, 3}).lowest, probe_beside({0, 2, 3}).lowest);
}

INSTANTIATE_TEST_SUITE_P(Ways, MissedRoots,
                         testing::Values(Way{"Csr", "csr", {}}, Way{"CsrOfSinglets", "csr", 1},
                                         Way{"Direct", "direct", {}}, Way{"DirectOfSinglets", "direct", 1}),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace test_missed_roots
}  // namespace cisolve
