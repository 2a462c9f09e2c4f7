// SPDX-License-Identifier: MIT
// H and S of FLAPW on the device against the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cisolve/lapw/eigenstates.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/lapw/engine.hpp"
#include "cuda/lapw/panel.hpp"
#include "lapw/synthetic_problem.hpp"
#include "lapw/two_kinds.hpp"

namespace cisolve::cuda::lapw {
namespace test_lapw_gpu {

using namespace cisolve::lapw;

class LapwGpu : public testing::Test {
protected:
  void SetUp() override {
    if (visible_devices().empty()) GTEST_SKIP() << "no CUDA device";
    device_ = engine_of(1);
    host_ = make_host_engine();
  }

  /// Of so many devices, or as many as there are in turns.
  static std::unique_ptr<Engine> engine_of(int devices) {
    const auto present = visible_devices();
    std::vector<int> ordinals;
    for (int k = 0; k < devices; ++k)
      ordinals.push_back(present[static_cast<std::size_t>(k) % present.size()].ordinal);
    return make_engine(ordinals);
  }

  void expect_same_matrices(const MatrixProblem& problem, const GenerationOptions& options,
                            double tolerance = 1e-13) {
    device_->generate(problem, options, {});
    host_->generate(problem, {.algorithm = Algorithm::merged}, {});
    const HermitianPair a = device_->to_host(), b = host_->to_host();
    ASSERT_EQ(a.n, b.n);
    EXPECT_LT(distance(a.h, b.h, a.n), tolerance);
    EXPECT_LT(distance(a.s, b.s, a.n), tolerance);
  }

  /// Of two calculations.
  static void expect_same_bits(const HermitianPair& first, const HermitianPair& again) {
    ASSERT_EQ(first.n, again.n);
    for (std::int64_t j = 0; j < first.n; ++j) {
      for (std::int64_t i = j; i < first.n; ++i) {
        ASSERT_EQ(element(first.h, first.n, i, j), element(again.h, first.n, i, j));
        ASSERT_EQ(element(first.s, first.n, i, j), element(again.s, first.n, i, j));
      }
    }
  }

  std::unique_ptr<Engine> device_, host_;
};

/// A source of which the device knows nothing: the host fills.
class Disguised : public CoefficientSource {
public:
  explicit Disguised(const CoefficientSource& source) : source_(source) {}
  std::int64_t waves() const override { return source_.waves(); }
  void fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
            std::int64_t ld) const override {
    source_.fill(atom, lmax, first, last, a, b, ld);
  }

private:
  const CoefficientSource& source_;
};

TEST_F(LapwGpu, EveryAlgorithmGivesTheMatricesOfTheHost) {
  const TwoKinds kinds;
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    SCOPED_TRACE(name_of(algorithm));
    expect_same_matrices(kinds.problem(), {.algorithm = algorithm});
  }
}

TEST_F(LapwGpu, BlocksOfAnySizeAndEverySourceToo) {
  const SyntheticProblem synthetic({.atoms = 7, .waves = 130, .lmax = 2, .types = 3, .hpd_share = 0.4});
  const Disguised disguised(*synthetic.problem().coefficients);
  MatrixProblem by_host = synthetic.problem();
  by_host.coefficients = &disguised;
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged}) {
    SCOPED_TRACE(name_of(algorithm));
    for (const std::int64_t rows : {1, 18, 40, 54, 1000}) {
      SCOPED_TRACE(rows);
      expect_same_matrices(synthetic.problem(), {.algorithm = algorithm, .block_rows = rows});
      expect_same_matrices(by_host, {.algorithm = algorithm, .block_rows = rows});
    }
    expect_same_matrices(synthetic.problem(), {.algorithm = algorithm, .stored = true});
  }
}

TEST_F(LapwGpu, SphericalPartOfAHostSourceToo) {
  const TwoKinds kinds;
  const Disguised disguised(*kinds.problem().coefficients);
  MatrixProblem by_host = kinds.problem();
  by_host.coefficients = &disguised;
  expect_same_matrices(by_host, {.algorithm = Algorithm::split});
}

TEST_F(LapwGpu, WithoutWhatLiesBetweenTheSpheresToo) {
  const TwoKinds kinds;
  MatrixProblem alone = kinds.problem();
  alone.outside.between_spheres = false;
  expect_same_matrices(alone, {.algorithm = Algorithm::split});
  expect_same_matrices(alone, {.algorithm = Algorithm::merged});
}

TEST_F(LapwGpu, MatricesThatAreGivenAreAddedTo) {
  const SyntheticProblem synthetic({.atoms = 3, .waves = 70, .lmax = 1, .types = 2});
  host_->generate(synthetic.problem(), {.algorithm = Algorithm::merged}, {});
  const HermitianPair given = host_->to_host();
  MatrixProblem problem = synthetic.problem();
  problem.outside = {.h = {given.h.data(), given.h.size()}, .s = {given.s.data(), given.s.size()}};
  expect_same_matrices(problem, {.algorithm = Algorithm::merged});
}

TEST_F(LapwGpu, TilesByThreeMultiplicationsGiveTheSame) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 1300, .lmax = 3, .types = 3});
  expect_same_matrices(synthetic.problem(), {.algorithm = Algorithm::merged, .three_multiplications = true},
                       1e-13);
}

TEST_F(LapwGpu, SameBitsAgain) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 700, .lmax = 3, .types = 3});
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged}) {
    device_->generate(synthetic.problem(), {.algorithm = algorithm}, {});
    const HermitianPair first = device_->to_host();
    device_->generate(synthetic.problem(), {.algorithm = algorithm}, {});
    expect_same_bits(first, device_->to_host());
  }
}

TEST_F(LapwGpu, WhatSolversAskForIsThatOfTheHost) {
  const SyntheticProblem synthetic({.atoms = 6, .waves = 333, .lmax = 3, .types = 3});
  for (const auto& engine : {device_.get(), host_.get()}) engine->generate(synthetic.problem(), {}, {});
  const std::int64_t n = 333, columns = 5;
  std::vector<Complex> x(static_cast<std::size_t>(n * columns)), y(x.size()), z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = {synthetic::uniform(3, 2 * i), synthetic::uniform(3, 2 * i + 1)};
  const auto expect_near = [&](const std::vector<Complex>& a, const std::vector<Complex>& b,
                               double tolerance) {
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(std::abs(a[i] - b[i]), 0.0, tolerance);
  };
  for (const auto which : {Engine::Which::h, Engine::Which::s}) {
    device_->apply(which, x.data(), y.data(), columns);
    host_->apply(which, x.data(), z.data(), columns);
    expect_near(y, z, 1e-11);
    EXPECT_NEAR(device_->frobenius_norm(which), host_->frobenius_norm(which), 1e-11);
    const auto a = device_->diagonal(which), b = host_->diagonal(which);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13);
  }
  EXPECT_TRUE(device_->factor_overlap() && host_->factor_overlap());
  y = z = x;
  device_->solve(y.data(), columns);
  host_->solve(z.data(), columns);
  expect_near(y, z, 1e-11);
  EXPECT_TRUE(device_->factor(-10.0) && host_->factor(-10.0));
  y = z = x;
  device_->solve(y.data(), columns);
  host_->solve(z.data(), columns);
  expect_near(y, z, 1e-11);
  EXPECT_FALSE(device_->factor(5.0));
  const std::vector<std::int64_t> rows = {300, 2, 17, 332, 0};
  const HermitianPair a = device_->block(rows), b = host_->block(rows);
  for (std::size_t i = 0; i < a.h.size(); ++i) {
    EXPECT_NEAR(std::abs(a.h[i] - b.h[i]), 0.0, 1e-13);
    EXPECT_NEAR(std::abs(a.s[i] - b.s[i]), 0.0, 1e-13);
  }
}

TEST_F(LapwGpu, StatesAreThoseOfTheHost) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 600, .lmax = 4, .types = 3});
  for (const auto& engine : {device_.get(), host_.get()}) engine->generate(synthetic.problem(), {}, {});
  const Eigenstates expected = solve_directly(*host_, {.roots = 600});
  for (const std::int64_t roots : {1, 20, 600}) {
    const Eigenstates states = solve_directly(*device_, {.roots = roots});
    ASSERT_EQ(states.count(), roots);
    for (std::size_t k = 0; k < states.energies.size(); ++k) {
      EXPECT_NEAR(states.energies[k], expected.energies[k], 1e-11);
      EXPECT_LT(states.residual_norms[k], 1e-11);
    }
  }
  const Eigenstates states = solve_by_davidson(*device_, {.roots = 8, .tolerance = 1e-9});
  EXPECT_EQ(states.solver, "davidson");
  EXPECT_TRUE(states.all_converged());
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(states.energies[k], expected.energies[k], 1e-11);
}

// Of one engine, as the k-points of a calculation have it; also where the order stays.
TEST_F(LapwGpu, StatesOfOneMatrixAfterAnotherFulfilTheirEquation) {
  std::uint64_t seed = 1;
  for (const std::int64_t waves : {1, 2, 17, 52, 119, 119, 511, 513, 700, 1025, 1025}) {
    SCOPED_TRACE(waves);
    const SyntheticProblem synthetic({.atoms = 4, .waves = waves, .lmax = 3, .types = 2, .seed = ++seed});
    device_->generate(synthetic.problem(), {}, {});
    for (const std::int64_t roots : {std::int64_t{1}, std::min<std::int64_t>(8, waves), waves}) {
      const Eigenstates states = solve_directly(*device_, {.roots = roots});
      for (const double residual : states.residual_norms) EXPECT_LT(residual, 1e-11);
    }
  }
}

TEST_F(LapwGpu, NearlySingularOverlapLosesItsSmallDirections) {
  std::vector<double> h, s;
  for (int i = 0; i < 40; ++i) {
    s.push_back(i % 4 == 3 ? 1e-15 : 1.0 + 0.01 * i);
    h.push_back(s.back() * (i + 0.5));
  }
  const SyntheticProblem nothing({.atoms = 1, .waves = 40, .lmax = 0}, false);
  MatrixProblem problem = nothing.problem();
  problem.atom_types = {};
  problem.outside = {.h_diagonal = h, .s_diagonal = s};
  device_->generate(problem, {}, {});
  const Eigenstates states = solve_directly(*device_, {.roots = 40});
  EXPECT_EQ(states.overlap.dropped, 10);
  ASSERT_EQ(states.count(), 30);
  std::size_t at = 0;
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 3) continue;
    EXPECT_NEAR(states.energies[at++], i + 0.5, 1e-11);
  }
}

// --- several devices, or one that stands for several

TEST_F(LapwGpu, PanelsOfSeveralDevicesGiveTheMatricesOfTheHost) {
  const TwoKinds kinds(6.0);
  const Disguised disguised_kinds(*kinds.problem().coefficients);
  MatrixProblem kinds_by_host = kinds.problem();
  kinds_by_host.coefficients = &disguised_kinds;
  for (const int devices : {2, 3, 4}) {
    SCOPED_TRACE(devices);
    ASSERT_EQ(column_panels(kinds.problem().waves(), devices).size(), devices);
    device_ = engine_of(devices);
    for (const std::int64_t waves : {1, 63, 64, 65, 130, 700}) {
      SCOPED_TRACE(waves);
      const SyntheticProblem synthetic({.atoms = 7, .waves = waves, .lmax = 2, .types = 3, .hpd_share = 0.4});
      const Disguised disguised(*synthetic.problem().coefficients);
      MatrixProblem by_host = synthetic.problem();
      by_host.coefficients = &disguised;
      for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged}) {
        SCOPED_TRACE(name_of(algorithm));
        expect_same_matrices(synthetic.problem(), {.algorithm = algorithm});
        expect_same_matrices(by_host, {.algorithm = algorithm, .block_rows = 40});
      }
    }
    for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
      SCOPED_TRACE(name_of(algorithm));
      expect_same_matrices(kinds.problem(), {.algorithm = algorithm}, 1e-12);
      expect_same_matrices(kinds_by_host, {.algorithm = algorithm}, 1e-12);
    }
  }
}

TEST_F(LapwGpu, PanelsByThreeMultiplicationsToo) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 1300, .lmax = 3, .types = 3});
  device_ = engine_of(2);
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged})
    expect_same_matrices(synthetic.problem(), {.algorithm = algorithm, .three_multiplications = true});
}

TEST_F(LapwGpu, PanelsOfMatricesAndDiagonalsThatAreGiven) {
  const SyntheticProblem synthetic({.atoms = 3, .waves = 300, .lmax = 1, .types = 2});
  host_->generate(synthetic.problem(), {.algorithm = Algorithm::merged}, {});
  const HermitianPair given = host_->to_host();
  MatrixProblem problem = synthetic.problem();
  device_ = engine_of(3);
  problem.outside = {.h = {given.h.data(), given.h.size()}, .s = {given.s.data(), given.s.size()}};
  expect_same_matrices(problem, {.algorithm = Algorithm::merged});
  std::vector<double> h(300), s(300);
  for (std::size_t i = 0; i < h.size(); ++i) {
    h[i] = 0.5 + 0.01 * static_cast<double>(i);
    s[i] = 1.0 + 0.02 * static_cast<double>(i);
  }
  problem.outside = {.h_diagonal = h, .s_diagonal = s};
  expect_same_matrices(problem, {.algorithm = Algorithm::hsdla});
}

TEST_F(LapwGpu, PanelsHaveTheSameBitsAgainAndTheFlopsOfTheWhole) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 700, .lmax = 3, .types = 3});
  const GenerationOptions merged{.algorithm = Algorithm::merged};
  const auto flops_of = [](const std::vector<LineRecord>& lines) {
    return std::accumulate(lines.begin(), lines.end(), 0.0,
                           [](double sum, const LineRecord& line) { return sum + line.flops; });
  };
  const double whole = flops_of(device_->generate(synthetic.problem(), merged, {}));
  device_ = engine_of(4);
  EXPECT_NEAR(flops_of(device_->generate(synthetic.problem(), merged, {})) / whole, 1.0, 1e-12);
  const HermitianPair first = device_->to_host();
  device_->generate(synthetic.problem(), merged, {});
  expect_same_bits(first, device_->to_host());
}

TEST_F(LapwGpu, StatesOfMatricesThatSeveralDevicesMade) {
  const SyntheticProblem synthetic({.atoms = 12, .waves = 600, .lmax = 4, .types = 3});
  const auto several = engine_of(3);
  for (const auto& engine : {several.get(), device_.get()}) engine->generate(synthetic.problem(), {}, {});
  const Eigenstates states = solve_by_davidson(*several, {.roots = 8, .tolerance = 1e-9});
  const Eigenstates expected = solve_directly(*device_, {.roots = 8});
  EXPECT_TRUE(states.all_converged());
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(states.energies[k], expected.energies[k], 1e-11);
}

TEST_F(LapwGpu, RateOfZgemmIsMeasured) {
  const double rate = device_->gemm_rate(4096);
  EXPECT_GT(rate, 1e10);
}

}  // namespace test_lapw_gpu
}  // namespace cisolve::cuda::lapw
