// SPDX-License-Identifier: MIT
#include "cisolve/integrals/freeze.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hamiltonian/random_integrals.hpp"
#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_freeze {

using testing::AllOf;
using testing::HasSubstr;

std::string freeze_refusal(const Integrals& integrals, const std::vector<int>& core,
                           const std::vector<int>& virtuals) {
  try {
    freeze(integrals, core, virtuals);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Where a determinant has the core doubly occupied, its energy must not change, whatever else it has.
TEST(Freeze, EnergiesOfDeterminantsStay) {
  const Integrals full = read_fcidump(case_file("h2o_631g.fcidump")).integrals;
  const ActiveIntegrals frozen = freeze(full, {3, 0}, {12, 6});

  EXPECT_EQ(frozen.active_orbitals, (std::vector<int>{1, 2, 4, 5, 7, 8, 9, 10, 11}));
  EXPECT_EQ(frozen.integrals.num_orbitals, 9);
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> determinants = {
      {{0, 1, 2}, {0, 1, 2}}, {{0, 1, 3}, {0, 2, 8}}, {{4, 5, 6, 7}, {1}}, {{}, {3}}};
  for (const auto& [alpha, beta] : determinants) {
    std::vector<int> full_alpha = {0, 3}, full_beta = {0, 3};
    for (const int p : alpha) full_alpha.push_back(frozen.active_orbitals[p]);
    for (const int p : beta) full_beta.push_back(frozen.active_orbitals[p]);
    EXPECT_NEAR(determinant_energy(frozen.integrals, alpha, beta),
                determinant_energy(full, full_alpha, full_beta), 1e-12);
  }
}

/// The off-diagonal h' against its definition, and everything else carried over.
TEST(Freeze, EffectiveOneElectronIntegrals) {
  const Integrals full = read_fcidump(case_file("n2_sto3g_stretched.fcidump")).integrals;
  const ActiveIntegrals frozen = freeze(full, {0, 1}, {9});
  const auto old = [&frozen](int p) { return frozen.active_orbitals[p]; };
  const int n = frozen.integrals.num_orbitals;
  ASSERT_EQ(n, 7);
  for (int p = 0; p < n; ++p) {
    EXPECT_EQ(frozen.integrals.irreps[p], full.irreps[old(p)]);
    for (int q = 0; q < n; ++q) {
      double expected = full.h(old(p), old(q));
      for (const int i : {0, 1}) {
        expected += 2.0 * full.eri(old(p), old(q), i, i) - full.eri(old(p), i, i, old(q));
      }
      EXPECT_NEAR(frozen.integrals.h(p, q), expected, 1e-13);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          EXPECT_EQ(frozen.integrals.eri(p, q, r, s), full.eri(old(p), old(q), old(r), old(s)));
        }
      }
    }
  }
}

TEST(Freeze, InStepsOrAtOnce) {
  const Integrals full = read_fcidump(case_file("h2o_631g.fcidump")).integrals;
  const Integrals once = freeze(full, {1, 0}, {}).integrals;
  const Integrals twice = freeze(freeze(full, {0}, {}).integrals, {0}, {}).integrals;
  EXPECT_NEAR(once.core_energy, twice.core_energy, 1e-12);
  for (std::size_t at = 0; at < once.one.size(); ++at) EXPECT_NEAR(once.one[at], twice.one[at], 1e-13);
  EXPECT_EQ(once.two, twice.two);
  EXPECT_EQ(hash(freeze(full, {0, 1}, {}).integrals), hash(once));
  EXPECT_EQ(hash(freeze(full, {}, {}).integrals), hash(full));
}

TEST(Freeze, RefusesBadLists) {
  const Integrals integrals(3);
  EXPECT_THAT(freeze_refusal(integrals, {3}, {}),
              AllOf(HasSubstr("frozen core"), HasSubstr("orbital 4"), HasSubstr("1 to 3")));
  EXPECT_THAT(freeze_refusal(integrals, {}, {-1}),
              AllOf(HasSubstr("frozen virtuals"), HasSubstr("orbital 0")));
  EXPECT_THAT(freeze_refusal(integrals, {1, 1}, {}), HasSubstr("orbital 2 is listed twice"));
  EXPECT_THAT(freeze_refusal(integrals, {1}, {1}),
              HasSubstr("frozen virtuals: orbital 2 is in frozen core too"));
  EXPECT_THAT(freeze_refusal(integrals, {0, 1}, {2}), HasSubstr("all 3 orbitals"));
}

/// An energy of a determinant with orbitals of each spin.
double unrestricted_energy(const Integrals& v, const std::vector<int>& alpha, const std::vector<int>& beta) {
  double energy = v.core_energy;
  const std::vector<int>* occupied[] = {&alpha, &beta};
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    for (const int i : *occupied[static_cast<int>(spin)]) {
      energy += v.h(spin, i, i);
      for (const int j : *occupied[static_cast<int>(spin)])
        energy += 0.5 * (v.eri(spin, i, i, j, j) - v.eri(spin, i, j, j, i));
    }
  }
  for (const int i : alpha) {
    for (const int j : beta) energy += v.mixed(Spin::alpha, i, i, j, j);
  }
  return energy;
}

TEST(Freeze, UnrestrictedEnergiesOfDeterminantsStay) {
  const Integrals full = random_unrestricted_integrals(8, 2, 0.0, 5);
  const ActiveIntegrals frozen = freeze(full, {3, 0}, {6});
  check_shapes(frozen.integrals);
  EXPECT_EQ(frozen.active_orbitals, (std::vector<int>{1, 2, 4, 5, 7}));
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> determinants = {
      {{0, 1, 2}, {0, 1}}, {{3, 4}, {1, 2, 4}}, {{}, {3}}, {{2}, {}}};
  for (const auto& [alpha, beta] : determinants) {
    std::vector<int> full_alpha = {0, 3}, full_beta = {0, 3};
    for (const int p : alpha) full_alpha.push_back(frozen.active_orbitals[p]);
    for (const int p : beta) full_beta.push_back(frozen.active_orbitals[p]);
    // Some hundred terms of order 1.
    EXPECT_NEAR(unrestricted_energy(frozen.integrals, alpha, beta),
                unrestricted_energy(full, full_alpha, full_beta), 1e-12);
  }
  EXPECT_NE(hash(frozen.integrals), hash(freeze(full, {3, 1}, {6}).integrals));
}

/// Where both spins have the same orbitals, the formulas of unrestricted integrals give what those of restricted ones do.
TEST(Freeze, UnrestrictedFormulasHoldOfOneSet) {
  const Integrals restricted = read_fcidump(case_file("h2o_sto3g.fcidump")).integrals;
  Integrals doubled = restricted;
  BetaIntegrals beta{.one = restricted.one, .two = restricted.two, .mixed = {}};
  for (std::size_t pq = 0; pq < restricted.one.size(); ++pq) {
    for (std::size_t rs = 0; rs < restricted.one.size(); ++rs)
      beta.mixed.push_back(restricted.two[pair_index(pq, rs)]);
  }
  doubled.beta = std::move(beta);
  const Integrals expected = freeze(restricted, {0}, {6}).integrals;
  const Integrals active = freeze(doubled, {0}, {6}).integrals;
  EXPECT_NEAR(active.core_energy, expected.core_energy, 1e-13 * std::abs(expected.core_energy));
  for (int p = 0; p < active.num_orbitals; ++p) {
    for (int q = 0; q < active.num_orbitals; ++q) {
      for (const Spin spin : {Spin::alpha, Spin::beta})
        EXPECT_NEAR(active.h(spin, p, q), expected.h(p, q), 1e-13);
      EXPECT_EQ(active.mixed(Spin::beta, p, q, 1, 0), expected.eri(p, q, 1, 0));
    }
  }
}

}  // namespace test_freeze
}  // namespace cisolve
