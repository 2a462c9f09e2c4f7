// SPDX-License-Identifier: MIT
#include "cisolve/problem/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/root_finder.hpp"

namespace cisolve {
namespace {

using testing::HasSubstr;

const Resources roomy{.memory = std::int64_t{8} << 30, .devices = {}};

FcidumpFile water() {
  return read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump", {});
}

/// Singlets of water, all irreps: singles and doubles of one reference, in determinants or CSFs.
BasisDefinition singles_and_doubles(const Integrals& integrals, FunctionKind kind) {
  BasisDefinition made;
  made.integrals = std::make_shared<const Integrals>(integrals);
  made.multiplicity = 1;
  if (kind == FunctionKind::csf) {
    CsfSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(5), {}}};
    selection.excitation_level = 2;
    made.functions = selection;
  } else {
    DeterminantSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(5), WideString::lowest(5)}};
    selection.excitation_level = 2;
    made.functions = selection;
  }
  return made;
}

/// Roots of a problem, with what a certificate is given of them.
struct Solved {
  explicit Solved(const Problem& problem, const std::string& storage = "csr") {
    PlanOptions options;
    options.storage = storage;
    options.solver.num_roots = 3;
    const auto finder = make_root_finder(problem, make_plan(problem, options, roomy));
    const Roots roots = finder->solve({});
    energies = roots.energies;
    Array<double> buffer;
    const auto columns = roots.vectors->view(0, roots.vectors->columns(), buffer);
    vectors.assign(columns.begin(), columns.end());
    irreps.clear();
    for (const StateLabel& label : problem.basis->label(energies, vectors, {}, nullptr))
      irreps.push_back(label.irrep);
    residual_norms = finder->residual_norms(vectors, energies);
    converged = roots.converged;
  }

  StateClaims claims() const {
    StateClaims claims;
    claims.energies = energies;
    claims.residual_norms = residual_norms;
    claims.vectors = vectors;
    claims.converged = converged;
    claims.irreps = irreps;
    claims.tolerance = DavidsonConfig().tolerance;
    claims.twice_spin = 0;
    return claims;
  }

  std::vector<double> energies, residual_norms, vectors;
  std::vector<bool> converged;
  std::vector<int> irreps;
};

/// Some rows at random, so few that errors show in spite of the sampling.
CertificateConfig sampled(std::uint64_t seed = 1) {
  CertificateConfig config;
  config.budget = 0.0;
  config.fewest_rows = 40;
  config.seed = seed;
  return config;
}

/// A basis, and the same as a file would hold it.
class CertificateOf : public testing::TestWithParam<FunctionKind> {
protected:
  const FcidumpFile file_ = water();
  const Problem problem_{make_basis(singles_and_doubles(file_.integrals, GetParam()), roomy.memory)};
  const BasisSummary summary_ = problem_.basis->summary();
  const FunctionList list_ = problem_.basis->list(false);

  std::unique_ptr<DefinitionRows> rows(double threshold = 0.0) const {
    return make_definition_rows(file_.integrals, summary_, list_, threshold);
  }
};

class DenseSink final : public RowSink {
public:
  explicit DenseSink(int n) : matrix(n, n) {}
  void row(const MatrixRow& row) override {
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      matrix(static_cast<int>(row.index), row.columns[k]) = row.values[k];
  }
  Matrix matrix;
};

Matrix matrix_of(const RowSource& source) {
  DenseSink sink(static_cast<int>(source.num_rows()));
  source.fill({0, source.num_rows()}, sink);
  return sink.matrix;
}

void expect_rows(const DefinitionRows& rows, const Matrix& expected) {
  constexpr double rounding = 1e-12;  // sums of some tens of terms of up to 100 hartree
  const int n = expected.rows();
  ASSERT_EQ(rows.size(), n);
  std::vector<DefinitionRows::Element> elements;
  for (int i = 0; i < n; ++i) {
    rows.hamiltonian_row(i, elements);
    std::vector<double> row(n, 0.0);
    for (const auto& element : elements) row[element.column] += element.value;
    for (int j = 0; j < n; ++j) ASSERT_NEAR(row[j], expected(i, j), rounding) << i << " " << j;
  }
}

TEST_P(CertificateOf, RowsAreThoseOfTheMatrix) {
  expect_rows(*rows(), matrix_of(*problem_.basis->make_rows(*problem_.tables)));
}

TEST_P(CertificateOf, RowsLeaveOutWhatTheThresholdDoes) {
  constexpr double threshold = 0.02;
  const IntegralTables tables(file_.integrals, threshold);
  const Matrix expected = matrix_of(*problem_.basis->make_rows(tables));
  expect_rows(*rows(threshold), expected);
}

TEST_P(CertificateOf, SpinRowsAreThoseOfSSquared) {
  const auto n = static_cast<int>(summary_.dimension);
  std::vector<std::int64_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  const Matrix expected = problem_.basis->s_squared_block(all);
  std::vector<DefinitionRows::Element> elements;
  const auto definition = rows();
  for (int i = 0; i < n; ++i) {
    definition->spin_row(i, elements);
    double weight = 0.0;
    for (const auto& [column, value, doubtful] : elements) {
      EXPECT_EQ(value, expected(i, static_cast<int>(column)));
      weight += std::abs(value);
    }
    double all_of_row = 0.0;
    for (int j = 0; j < n; ++j) all_of_row += std::abs(expected(i, j));
    EXPECT_EQ(weight, all_of_row);
  }
}

TEST_P(CertificateOf, RightRootsPass) {
  const Solved solved(problem_);
  for (const Certificate& found : certify(*rows(), solved.claims(), {.all_rows = true})) {
    EXPECT_TRUE(found.passed) << found.failure;
    EXPECT_EQ(found.rows_checked, summary_.dimension);
    EXPECT_NEAR(found.s_squared, 0.0, 1e-9);
    EXPECT_EQ(found.failure, "");
  }
  for (const Certificate& found : certify(*rows(), solved.claims(), sampled())) {
    EXPECT_TRUE(found.passed) << found.failure;
    EXPECT_LT(found.rows_checked, summary_.dimension);
    EXPECT_TRUE(std::isnan(found.energy));
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

TEST_P(CertificateOf, DamagedFunctionsAreRefused) {
  FunctionList damaged = list_;
  if (GetParam() == FunctionKind::csf) {
    damaged.steps.back() = 7;
  } else {
    damaged.alpha.back() ^= std::uint64_t{1} << 40;
  }
  EXPECT_THROW(make_definition_rows(file_.integrals, summary_, damaged), InputError);
  BasisSummary longer = summary_;
  ++longer.dimension;
  EXPECT_THROW(make_definition_rows(file_.integrals, longer, list_), InputError);
}

INSTANTIATE_TEST_SUITE_P(Bases, CertificateOf, testing::Values(FunctionKind::determinant, FunctionKind::csf),
                         [](const auto& kind) {
                           return kind.param == FunctionKind::csf ? "Csfs" : "Determinants";
                         });

TEST(Certificate, BlocksGiveTheRowsOfTheList) {
  const FcidumpFile file = water();
  const Problem problem(
      make_basis(singles_and_doubles(file.integrals, FunctionKind::determinant), roomy.memory));
  const BasisSummary summary = problem.basis->summary();
  const FunctionList list = problem.basis->list(false), blocks = problem.basis->list(true);
  ASSERT_FALSE(blocks.blocks.run_alpha.empty());
  const auto of_list = make_definition_rows(file.integrals, summary, list);
  const auto of_blocks = make_definition_rows(file.integrals, summary, blocks);
  std::vector<DefinitionRows::Element> first, second;
  std::vector<std::int8_t> irreps(summary.dimension), irreps_of_blocks(summary.dimension);
  of_list->irreps(0, irreps);
  of_blocks->irreps(0, irreps_of_blocks);
  EXPECT_EQ(irreps, irreps_of_blocks);
  const auto by_column = [](const auto& a, const auto& b) { return a.column < b.column; };
  for (std::int64_t row = 0; row < summary.dimension; ++row) {
    of_list->hamiltonian_row(row, first);
    of_blocks->hamiltonian_row(row, second);
    ASSERT_EQ(first.size(), second.size());
    std::ranges::sort(first, by_column);
    std::ranges::sort(second, by_column);
    for (std::size_t k = 0; k < first.size(); ++k) {
      ASSERT_EQ(first[k].column, second[k].column);
      ASSERT_EQ(first[k].value, second[k].value);
    }
  }
}

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
  EXPECT_NEAR(found[0].s_squared, 0.0, 1e-9);
  EXPECT_NEAR(found[1].s_squared, 2.0, 1e-9);
}

}  // namespace
}  // namespace cisolve
