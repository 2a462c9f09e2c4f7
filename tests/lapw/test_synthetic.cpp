// SPDX-License-Identifier: MIT
// [synthetic] against numbers of an independent program (numpy): the generator to the bit, whole matrices, and elements of the
// sizes that the paper has.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cisolve/lapw/eigenstates.hpp"
#include "lapw/synthetic_problem.hpp"

namespace cisolve::lapw {
namespace test_synthetic {

nlohmann::json reference() {
  std::ifstream file(CISOLVE_TEST_DATA "/flapw/synthetic.json");
  return nlohmann::json::parse(file);
}

SyntheticSize size_of(const nlohmann::json& one) {
  return {.atoms = one["atoms"],
          .waves = one["waves"],
          .lmax = one["lmax"],
          .types = one["types"],
          .hpd_share = one["hpd_share"],
          .seed = one["seed"]};
}

TEST(LapwSynthetic, GeneratorGivesTheNumbersOfItsDefinition) {
  const nlohmann::json first = reference()["first_numbers"];
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(synthetic::mix(i), std::stoull(first["mix"][i].get<std::string>(), nullptr, 16));
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(synthetic::uniform(synthetic::stream(1, 1), i),
              first["uniform_seed1_stream1"][i].get<double>());
}

TEST(LapwSynthetic, WholeMatricesAndEigenvaluesAreThoseOfNumpy) {
  const nlohmann::json all = reference();
  ASSERT_EQ(all["whole"].size(), 5u);
  for (const nlohmann::json& one : all["whole"]) {
    SCOPED_TRACE(one.dump().substr(0, 100));
    const SyntheticProblem synthetic(size_of(one));
    const auto engine = make_host_engine();
    engine->generate(synthetic.problem(), {.algorithm = Algorithm::merged}, {});
    const HermitianPair pair = engine->to_host();
    EXPECT_NEAR(frobenius(pair.h, pair.n), one["norm_h"].get<double>(), 1e-12 * one["norm_h"].get<double>());
    EXPECT_NEAR(frobenius(pair.s, pair.n), one["norm_s"].get<double>(), 1e-12 * one["norm_s"].get<double>());
    for (const auto& e : one["elements"]) {
      const Complex h = element(pair.h, pair.n, e[0], e[1]), s = element(pair.s, pair.n, e[0], e[1]);
      EXPECT_NEAR(std::abs(h - Complex(e[2], e[3])), 0.0, 1e-12);
      EXPECT_NEAR(std::abs(s - Complex(e[4], e[5])), 0.0, 1e-12);
    }
    int definite = 0;
    for (const int type : synthetic.problem().atom_types)
      definite += is_positive_definite(synthetic.problem().tins[type]) ? 1 : 0;
    EXPECT_EQ(definite, one["hpd_atoms"].get<int>());
    const Eigenstates states = solve_directly(*engine, {.roots = std::ssize(one["eigenvalues"])});
    for (std::size_t k = 0; k < states.energies.size(); ++k)
      EXPECT_NEAR(states.energies[k], one["eigenvalues"][k].get<double>(), 1e-10);
  }
}

TEST(LapwSynthetic, ElementsOfThePapersSizesAreThoseOfNumpy) {
  const nlohmann::json all = reference();
  ASSERT_EQ(all["sampled"].size(), 4u);
  for (const nlohmann::json& one : all["sampled"]) {
    SCOPED_TRACE(one.dump().substr(0, 100));
    const SyntheticProblem synthetic(size_of(one));
    for (const auto& e : one["elements"]) {
      const auto [h, s] = defining_element(synthetic.problem(), e[0], e[1]);
      EXPECT_NEAR(std::abs(h - Complex(e[2], e[3])), 0.0, 1e-12);
      EXPECT_NEAR(std::abs(s - Complex(e[4], e[5])), 0.0, 1e-12);
    }
  }
}

}  // namespace test_synthetic
}  // namespace cisolve::lapw
