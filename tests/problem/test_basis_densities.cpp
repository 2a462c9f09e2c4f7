// SPDX-License-Identifier: MIT
// Density matrices behind Basis: of CSFs as of determinants.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <filesystem>
#include <numeric>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/basis.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace test_basis_densities {

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// Full CI of water with 2S = `two_s` in an irrep or all, over determinants of Ms = S or CSFs.
BasisDefinition water(FunctionKind kind, int two_s, int irrep) {
  const FcidumpFile dump = read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump", {});
  const Integrals& integrals = dump.integrals;
  const int doubly = (dump.num_electrons - two_s) / 2;
  BasisDefinition made;
  made.integrals = std::make_shared<const Integrals>(integrals);
  if (kind == FunctionKind::csf) {
    CsfSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(doubly), {}}};
    for (int k = 0; k < two_s; ++k) selection.references[0].singly.set(doubly + k);
    selection.excitation_level = dump.num_electrons;
    selection.irrep = irrep;
    selection.two_s = two_s;
    made.functions = selection;
  } else {
    DeterminantSelection selection;
    selection.num_orbitals = integrals.num_orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{WideString::lowest(doubly + two_s), WideString::lowest(doubly)}};
    selection.excitation_level = max_excitation_level(selection);
    selection.irrep = irrep;
    made.functions = selection;
  }
  return made;
}

struct LowestState {
  double energy;
  Matrix one_particle;
  TwoParticleDensity two_particle;
};

LowestState lowest_state(const BasisDefinition& definition) {
  const auto basis = make_basis(definition, gib);
  std::vector<std::int64_t> rows(basis->size());
  std::iota(rows.begin(), rows.end(), 0);
  const Matrix h = basis->dense_block(rows);
  const auto pairs =
      symmetric_eigenpairs(Eigen::Map<const Eigen::MatrixXd>(h.data(), basis->size(), basis->size()));
  const std::span<const double> c(pairs.vectors.data(), rows.size());
  return {pairs.values[0], basis->density_matrices(c, 1)(0, 0), basis->two_particle_density(c, gib)};
}

TEST(BasisDensities, OfCsfsAreThoseOfDeterminants) {
  // The determinants of the CSFs make blocks in two of these cases and are a list in one.
  for (const auto& [two_s, irrep] : {std::pair(0, 0), std::pair(2, 1), std::pair(0, any_irrep)}) {
    const BasisDefinition determinants = water(FunctionKind::determinant, two_s, irrep);
    const LowestState a = lowest_state(determinants);
    const LowestState b = lowest_state(water(FunctionKind::csf, two_s, irrep));
    EXPECT_NEAR(a.energy, b.energy, 1e-11);
    for (const auto matrix : {&TwoParticleDensity::aa, &TwoParticleDensity::bb, &TwoParticleDensity::ab}) {
      const auto &x = a.two_particle.*matrix, &y = b.two_particle.*matrix;
      ASSERT_EQ(x.size(), y.size());
      // The vectors agree to rounding over the gap to the next state.
      for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], y[k], 1e-11);
    }
    for (const LowestState* state : {&a, &b}) {
      EXPECT_NEAR(energy(*determinants.integrals, state->one_particle, state->two_particle), state->energy,
                  1e-11);
      EXPECT_NEAR(s_squared(state->two_particle, 5 + two_s / 2, 5 - two_s / 2), 0.25 * two_s * (two_s + 2),
                  1e-11);
    }
  }
}

}  // namespace test_basis_densities
}  // namespace cisolve
