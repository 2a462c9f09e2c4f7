// SPDX-License-Identifier: MIT
// The three algorithms against the defining sums and each other.
#include <gtest/gtest.h>

#include <numbers>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/lapw/engine.hpp"
#include "lapw/synthetic_problem.hpp"
#include "lapw/two_kinds.hpp"

namespace cisolve::lapw {
namespace test_matrices {

HermitianPair made(const MatrixProblem& problem, const GenerationOptions& options) {
  HermitianPair pair(problem.waves());
  generate_matrices(problem, options, pair);
  return pair;
}

HermitianPair defined(const MatrixProblem& problem) {
  HermitianPair pair(problem.waves());
  for (std::int64_t j = 0; j < pair.n; ++j) {
    for (std::int64_t i = j; i < pair.n; ++i) {
      const auto [h, s] = defining_element(problem, i, j);
      pair.h[static_cast<std::size_t>(j * pair.n + i)] = h;
      pair.s[static_cast<std::size_t>(j * pair.n + i)] = s;
    }
  }
  return pair;
}

void expect_same(const HermitianPair& a, const HermitianPair& b) {
  ASSERT_EQ(a.n, b.n);
  EXPECT_LT(distance(a.h, b.h, a.n), 1e-13);
  EXPECT_LT(distance(a.s, b.s, a.n), 1e-13);
}

void expect_same_bits(const HermitianPair& a, const HermitianPair& b) {
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t i = j; i < a.n; ++i) {
      ASSERT_EQ(element(a.h, a.n, i, j), element(b.h, a.n, i, j));
      ASSERT_EQ(element(a.s, a.n, i, j), element(b.s, a.n, i, j));
    }
  }
}

TEST(LapwMatrices, EveryAlgorithmGivesTheDefiningSums) {
  const TwoKinds kinds;
  const HermitianPair expected = defined(kinds.problem());
  ASSERT_GT(expected.n, 30);
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    SCOPED_TRACE(name_of(algorithm));
    expect_same(made(kinds.problem(), {.algorithm = algorithm}), expected);
  }
}

TEST(LapwMatrices, WithoutWhatLiesBetweenTheSpheresToo) {
  const TwoKinds kinds;
  MatrixProblem alone = kinds.problem();
  alone.outside.between_spheres = false;
  const HermitianPair expected = defined(alone);
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    SCOPED_TRACE(name_of(algorithm));
    expect_same(made(alone, {.algorithm = algorithm}), expected);
  }
}

TEST(LapwMatrices, BlocksOfAnySizeGiveTheSame) {
  const SyntheticProblem synthetic({.atoms = 7, .waves = 61, .lmax = 2, .types = 3, .hpd_share = 0.4});
  const HermitianPair expected = defined(synthetic.problem());
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged}) {
    SCOPED_TRACE(name_of(algorithm));
    expect_same(made(synthetic.problem(), {.algorithm = algorithm, .stored = true}), expected);
    for (const std::int64_t rows : {1, 18, 40, 54, 1000}) {
      SCOPED_TRACE(rows);
      expect_same(made(synthetic.problem(), {.algorithm = algorithm, .block_rows = rows}), expected);
    }
  }
}

TEST(LapwMatrices, ThreeMultiplicationsGiveTheSame) {
  const SyntheticProblem synthetic({.atoms = 7, .waves = 61, .lmax = 2, .types = 3, .hpd_share = 0.4});
  const TwoKinds kinds;
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    SCOPED_TRACE(name_of(algorithm));
    for (const std::int64_t rows : {1, 54, 0}) {
      SCOPED_TRACE(rows);
      const GenerationOptions options{
          .algorithm = algorithm, .block_rows = rows, .three_multiplications = true};
      expect_same(made(kinds.problem(), options), defined(kinds.problem()));
      if (algorithm != Algorithm::split)
        expect_same(made(synthetic.problem(), options), defined(synthetic.problem()));
    }
  }
}

TEST(LapwMatrices, BlocksAreEqual) {
  const std::vector<int> functions(64, 49);
  const std::vector<AtomBlock> blocks = atom_blocks(functions, {.block_rows = 1024});
  ASSERT_EQ(blocks.size(), 7U);
  for (const AtomBlock& block : blocks) {
    EXPECT_GE(block.last - block.first, 9);
    EXPECT_LE(block.last - block.first, 10);
    EXPECT_EQ(block.rows, 49 * (block.last - block.first));
  }
  EXPECT_EQ(blocks.front().first, 0);
  EXPECT_EQ(blocks.back().last, 64);
  EXPECT_EQ(atom_blocks(functions, {.stored = true}).size(), 1U);
  EXPECT_EQ(atom_blocks(functions, {.block_rows = 1}).size(), 64U);
  EXPECT_TRUE(atom_blocks({}, {}).empty());
}

TEST(LapwMatrices, OneWaveAndOneFunctionAreNoSpecialCase) {
  for (const SyntheticSize& size :
       {SyntheticSize{.atoms = 1, .waves = 1, .lmax = 0}, SyntheticSize{.atoms = 3, .waves = 1, .lmax = 2},
        SyntheticSize{.atoms = 1, .waves = 40, .lmax = 0}}) {
    const SyntheticProblem synthetic(size);
    const HermitianPair expected = defined(synthetic.problem());
    expect_same(made(synthetic.problem(), {.algorithm = Algorithm::hsdla}), expected);
    expect_same(made(synthetic.problem(), {.algorithm = Algorithm::merged}), expected);
  }
}

TEST(LapwMatrices, AllAtomsDefiniteOrNone) {
  for (const double share : {0.0, 1.0}) {
    const SyntheticProblem synthetic({.atoms = 4, .waves = 30, .lmax = 2, .types = 2, .hpd_share = share});
    expect_same(made(synthetic.problem(), {.algorithm = Algorithm::hsdla}), defined(synthetic.problem()));
  }
}

TEST(LapwMatrices, SameThreadsGiveTheSameBits) {
  const TwoKinds kinds;
  for (const int threads : {1, 2}) {
    const ThreadScope scope(threads);
    for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
      const GenerationOptions options{.algorithm = algorithm, .block_rows = 60};
      expect_same_bits(made(kinds.problem(), options), made(kinds.problem(), options));
    }
  }
}

TEST(LapwMatrices, DiagonalsAreReal) {
  const TwoKinds kinds;
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    const HermitianPair pair = made(kinds.problem(), {.algorithm = algorithm});
    for (std::int64_t i = 0; i < pair.n; ++i) {
      EXPECT_LT(std::abs(element(pair.h, pair.n, i, i).imag()), 1e-14);
      EXPECT_LT(std::abs(element(pair.s, pair.n, i, i).imag()), 1e-14);
    }
  }
}

TEST(LapwMatrices, FlopsOfTheLinesAreThoseOfThePaper) {
  const SyntheticProblem synthetic({.atoms = 6, .waves = 50, .lmax = 2, .types = 2, .hpd_share = 0.5});
  HermitianPair pair(50);
  double sum = 0.0;
  for (const LineRecord& line :
       generate_matrices(synthetic.problem(), {.algorithm = Algorithm::hsdla}, pair)) {
    const double rows = 6 * 9, n = 50;
    if (line.name == "H1 (10)") {
      EXPECT_DOUBLE_EQ(line.flops, 8 * rows * n * n);
    }
    if (line.name == "S1 (13)") {
      EXPECT_DOUBLE_EQ(line.flops, 4 * rows * n * n);
    }
    if (line.name == "H2 (28)") {
      EXPECT_DOUBLE_EQ(line.flops, 8 * rows / 2 * n * n);
    }
    if (line.name == "H3 (29)") {
      EXPECT_DOUBLE_EQ(line.flops, 4 * rows / 2 * n * n);
    }
    sum += line.flops;
  }
  // Cholesky factors and the scaling of B aside.
  EXPECT_NEAR(sum, generation_flops(synthetic.problem(), Algorithm::hsdla), 0.01 * sum);
}

TEST(LapwMatrices, SplitNeedsRadialFunctions) {
  const SyntheticProblem synthetic({.atoms = 2, .waves = 10, .lmax = 1});
  HermitianPair pair(10);
  EXPECT_THROW(generate_matrices(synthetic.problem(), {.algorithm = Algorithm::split}, pair), DimensionError);
}

TEST(LapwMatrices, StepFunctionIsTheShareOfTheInterstitialAndItsSumsVanishInSpheres) {
  const TwoKinds kinds;
  const Crystal& crystal = kinds.crystal();
  double balls = 0.0;
  for (const AtomSite& atom : crystal.atoms)
    balls += 4.0 / 3.0 * std::numbers::pi * std::pow(crystal.types[atom.type].radius, 3);
  EXPECT_NEAR(step_function(crystal, {}).real(), 1.0 - balls / crystal.lattice.volume(), 1e-14);
  const Complex there = step_function(crystal, {2, -1, 3}), opposite = step_function(crystal, {-2, 1, -3});
  EXPECT_NEAR(std::abs(there - std::conj(opposite)), 0.0, 1e-15);
}

}  // namespace test_matrices
}  // namespace cisolve::lapw
