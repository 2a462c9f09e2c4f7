// SPDX-License-Identifier: MIT
#include "cisolve/problem/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problem/certified_water.hpp"
#include "vectors/hidden_vectors.hpp"

namespace cisolve::test {
namespace test_certificate {

using testing::HasSubstr;

TEST_P(CertificateOf, RightRootsPass) {
  const Solved solved(problem_);
  for (const Certificate& found : certify(*rows(), solved.claims(), {.all_rows = true})) {
    EXPECT_TRUE(found.passed) << found.failure;
    EXPECT_EQ(found.rows_checked, rows()->num_rows());
    EXPECT_TRUE(found.has_all_rows());
    EXPECT_NEAR(found.s_squared, 0.0, 1e-9);
    EXPECT_NEAR(found.expectation_of_s_squared, 0.0, 1e-9);
    EXPECT_EQ(found.failure, "");
  }
  for (const Certificate& found : certify(*rows(), solved.claims(), sampled())) {
    EXPECT_TRUE(found.passed) << found.failure;
    EXPECT_LT(found.rows_checked, rows()->num_rows());
    EXPECT_FALSE(found.has_all_rows());
  }
}

TEST_P(CertificateOf, AllRowsGiveResidualAndEnergy) {
  const Solved solved(problem_);
  const auto found = certify(*rows(), solved.claims(), {.all_rows = true});
  for (std::size_t k = 0; k < found.size(); ++k) {
    // Two ways of rounding sums of 1e2 hartree.
    EXPECT_NEAR(found[k].residual_norm, solved.residual_norms[k], 1e-11);
    EXPECT_EQ(found[k].residual_in_rows, found[k].residual_norm);
    EXPECT_NEAR(found[k].energy, solved.energies[k], 1e-11);
  }
}

TEST_P(CertificateOf, EstimateOfTheResidualHasTheRightMean) {
  Solved solved(problem_);
  solved.energies[0] += 0.1;  // (H - E) c = 0.1 c: a residual that is as uneven as a vector
  solved.vectors[17] += 0.3;  // and one that is spread
  const auto definition = rows();
  const double exact = certify(*definition, solved.claims(), {.all_rows = true})[0].residual_norm;
  constexpr int draws = 400;
  double sum = 0.0, sum_of_squares = 0.0;
  for (int seed = 0; seed < draws; ++seed) {
    const double square = std::pow(certify(*definition, solved.claims(), sampled(seed))[0].residual_norm, 2);
    sum += square;
    sum_of_squares += square * square;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((sum_of_squares / draws - mean * mean) / draws);
  EXPECT_NEAR(mean, exact * exact,
              5.0 * error);  // five standard deviations; the seeds are the same every time
  EXPECT_LT(error, 0.1 * exact * exact);
}

TEST_P(CertificateOf, SameSeedGivesTheSameBits) {
  const Solved solved(problem_);
  const auto first = certify(*rows(), solved.claims(), sampled(3));
  const auto again = certify(*rows(), solved.claims(), sampled(3));
  const auto other = certify(*rows(), solved.claims(), sampled(4));
  EXPECT_EQ(first[0].residual_norm, again[0].residual_norm);
  EXPECT_NE(first[0].residual_norm, other[0].residual_norm);
}

TEST_P(CertificateOf, VectorsMayBeAnywhere) {
  const Solved solved(problem_);
  for (const auto& config : {CertificateConfig{.all_rows = true}, sampled()}) {
    StateClaims claims = solved.claims();
    const auto seen = certify(*rows(), claims, config);
    const HiddenVectors hidden(*claims.vectors);
    claims.vectors = &hidden;
    const auto found = certify(*rows(), claims, config);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_TRUE(found[k].passed) << found[k].failure;
      EXPECT_EQ(found[k].residual_norm, seen[k].residual_norm);
      EXPECT_EQ(found[k].symmetry_purity, seen[k].symmetry_purity);
      EXPECT_EQ(found[k].norm_error, seen[k].norm_error);
      EXPECT_EQ(found[k].s_squared, seen[k].s_squared);
    }
  }
  StateClaims claims = solved.claims();
  claims.vectors = nullptr;
  EXPECT_THROW(certify(*rows(), claims), DimensionError);
}

TEST_P(CertificateOf, RootsOfOtherIntegralsFail) {
  // As from rows that take one integral with the wrong sign.
  Integrals wrong = file_.integrals;
  wrong.eri(1, 5, 1, 5) = -wrong.eri(1, 5, 1, 5);
  const Problem problem(make_basis(singles_and_doubles(wrong, GetParam()), roomy.memory));
  const Solved solved(problem);
  for (const auto& config : {CertificateConfig{.all_rows = true}, sampled()}) {
    const Certificate found = certify(*rows(), solved.claims(), config)[0];
    EXPECT_FALSE(found.passed);
    EXPECT_THAT(found.failure, HasSubstr("the residual norm is at least"));
  }
}

TEST_P(CertificateOf, WrongClaimsFail) {
  const Solved right(problem_);
  const auto n = static_cast<std::size_t>(summary_.dimension);
  const auto failure = [&](auto&& spoil) {
    Solved wrong = right;
    spoil(wrong);
    return certify(*rows(), wrong.claims(), {.all_rows = true})[0].failure;
  };
  EXPECT_EQ(failure([](Solved&) {}), "");
  EXPECT_THAT(failure([](Solved& s) { s.energies[0] += 1e-5; }), HasSubstr("<c|H|c> is"));
  // The residual is far from showing that; the energy of the vector does.
  EXPECT_THAT(failure([](Solved& s) {
                s.tolerance = 1e-3;
                s.energies[0] += 5e-7;
              }),
              HasSubstr("<c|H|c> is"));
  // Said to be converged, with the residual norm that it has indeed.
  EXPECT_THAT(failure([&](Solved& s) {
                for (std::size_t i = 0; i < n; ++i) {
                  const double a = s.vectors[i], b = s.vectors[n + i];
                  s.vectors[i] = 0.8 * a + 0.6 * b;
                  s.vectors[n + i] = 0.8 * b - 0.6 * a;
                }
                const double first = s.energies[0], second = s.energies[1];
                s.energies[0] = 0.64 * first + 0.36 * second;
                s.energies[1] = 0.64 * second + 0.36 * first;
                s.residual_norms[0] = s.residual_norms[1] = 0.48 * (second - first);
              }),
              HasSubstr("the residual norm is at least"));
  EXPECT_THAT(failure([&](Solved& s) {
                for (std::size_t i = 0; i < n; ++i) s.vectors[i] *= 1.0 + 1e-6;
              }),
              HasSubstr("the norm of the vector is 1.0e-06 off 1"));
  EXPECT_THAT(failure([&](Solved& s) {
                for (std::size_t i = 0; i < n; ++i) s.vectors[i] += 1e-6 * s.vectors[n + i];
              }),
              HasSubstr("the overlap with another root is 1.0e-06"));
  EXPECT_THAT(failure([](Solved& s) { s.irreps[0] ^= 1; }), HasSubstr("the weight of its irrep is 0.000000"));
  EXPECT_THAT(failure([](Solved& s) {
                s.converged[0] = false;  // then it has what it says, and no more
                s.residual_norms[0] = 1e-9;
                s.energies[0] += 1e-7;
              }),
              HasSubstr("not 1.0e-09"));
  EXPECT_NE(failure([](Solved& s) { s.vectors[0] = std::nan(""); }), "");
}

TEST_P(CertificateOf, RowsAreFewerWhereTheyCostMuch) {
  const Solved solved(problem_);
  const auto count = [&](double budget) {
    CertificateConfig config;
    config.budget = budget;
    return certify(*rows(), solved.claims(), config)[0].rows_checked;
  };
  std::vector<DefinitionRows::Element> elements;
  const double cost = rows()->hamiltonian_row(0, elements);  // of others not more than ten times more or less
  EXPECT_EQ(count(1e-3 * cost), CertificateConfig().least_rows);
  EXPECT_LT(count(cost), CertificateConfig().fewest_rows);
  EXPECT_EQ(count(1e6 * cost), rows()->num_rows());
}

INSTANTIATE_TEST_SUITE_P(Bases, CertificateOf, testing::Values(FunctionKind::determinant, FunctionKind::csf),
                         [](const auto& kind) {
                           return kind.param == FunctionKind::csf ? "Csfs" : "Determinants";
                         });

TEST(Certificate, OtherSpinsFail) {
  // A singlet and a triplet, mixed: each has the energy of neither, but the spin alone is looked at.
  const FcidumpFile file = water();
  BasisDefinition definition = singles_and_doubles(file.integrals, FunctionKind::determinant);
  definition.multiplicity.reset();
  const Problem problem(make_basis(definition, roomy.memory));
  const Solved solved(problem);  // the second root is the lowest triplet
  StateClaims claims = solved.claims();
  const auto rows =
      make_definition_rows(file.integrals, problem.basis->summary(), problem.basis->list(false));
  const auto found = certify(*rows, claims, {.all_rows = true});
  EXPECT_TRUE(found[0].passed) << found[0].failure;
  EXPECT_THAT(found[1].failure, HasSubstr("other spins: the norm of (S^2 - S(S+1)) c is 2.0e+00"));
  EXPECT_NEAR(found[1].s_squared, 2.0, 1e-9);
}

TEST(Certificate, LooseTolerancesLetNoOtherSpinPass) {
  const FcidumpFile file = water();
  BasisDefinition definition = singles_and_doubles(file.integrals, FunctionKind::determinant);
  definition.multiplicity.reset();
  const Problem problem(make_basis(definition, roomy.memory));
  Solved solved(problem);  // the second root is the lowest triplet
  solved.tolerance = 1e-3;
  const auto rows =
      make_definition_rows(file.integrals, problem.basis->summary(), problem.basis->list(false));
  const auto found = certify(*rows, solved.claims(), {.all_rows = true});
  EXPECT_TRUE(found[0].passed) << found[0].failure;
  EXPECT_THAT(found[1].failure, HasSubstr("other spins"));
}

TEST(Certificate, PureNearDegenerateRootsKeepTheirSpins) {
  // The triplet lies below the singlet, by less than the width of clusters.
  const FcidumpFile file = water();
  BasisDefinition definition = singles_and_doubles(file.integrals, FunctionKind::determinant);
  definition.multiplicity.reset();
  const Problem problem(make_basis(definition, roomy.memory));
  Solved solved(problem);
  const auto n = static_cast<std::ptrdiff_t>(problem.basis->size());
  std::swap_ranges(solved.vectors.begin(), solved.vectors.begin() + n, solved.vectors.begin() + n);
  solved.energies[1] = solved.energies[0] + 5e-5;
  const auto rows =
      make_definition_rows(file.integrals, problem.basis->summary(), problem.basis->list(false));
  const auto found = certify(*rows, solved.claims(), {.all_rows = true});
  EXPECT_NEAR(found[0].s_squared, 2.0, 1e-9);
  EXPECT_NEAR(found[1].s_squared, 0.0, 1e-9);
}

TEST(Certificate, NearDegenerateRootsAreTakenTogether) {
  // Two roots of different spins, turned into each other as a solver leaves them: <S^2> of neither is that of a spin.
  const FcidumpFile file = water();
  BasisDefinition definition = singles_and_doubles(file.integrals, FunctionKind::determinant);
  definition.multiplicity.reset();
  const Problem problem(make_basis(definition, roomy.memory));
  Solved solved(problem);
  const auto n = static_cast<std::size_t>(problem.basis->size());
  solved.energies[1] = solved.energies[0] + 1e-6;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = solved.vectors[i], b = solved.vectors[n + i];
    solved.vectors[i] = 0.6 * a + 0.8 * b;
    solved.vectors[n + i] = 0.8 * a - 0.6 * b;
  }
  const auto rows =
      make_definition_rows(file.integrals, problem.basis->summary(), problem.basis->list(false));
  const auto found = certify(*rows, solved.claims(), {.all_rows = true});
  EXPECT_NEAR(found[0].s_squared, 2.0, 1e-9);  // 0.64 of the triplet
  EXPECT_NEAR(found[1].s_squared, 0.0, 1e-9);
  EXPECT_NEAR(found[0].expectation_of_s_squared, 0.64 * 2.0, 1e-9);
}

}  // namespace test_certificate
}  // namespace cisolve::test
