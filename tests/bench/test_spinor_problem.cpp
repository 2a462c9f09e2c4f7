// SPDX-License-Identifier: MIT
#include "spinor_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "adapted_functions.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/kramers.hpp"

namespace cisolve::bench {
namespace test_spinor_problem {

TEST(SpinorProblem, IsOfKramersPairsAndHasNoZeros) {
  const SpinorProblem problem =
      load_spinor_problem({.file = {}, .num_spinors = 6, .num_electrons = 3, .seed = 5});
  EXPECT_EQ(problem.num_electrons, 3);
  EXPECT_EQ(kramers_violation(problem.integrals), 0.0);
  // But for h_pp' between partners, which T maps on its own negative.
  const auto zeros = std::ranges::count(problem.integrals.one, Complex());
  EXPECT_EQ(zeros, 6);
}

TEST(SpinorProblem, IsRepeatable) {
  const SpinorOptions options{.file = {}, .num_spinors = 6, .num_electrons = 3, .seed = 5};
  const SpinorProblem one = load_spinor_problem(options), other = load_spinor_problem(options);
  EXPECT_EQ(one.integrals.one, other.integrals.one);
  EXPECT_EQ(one.integrals.two, other.integrals.two);
  EXPECT_NE(one.integrals.one,
            load_spinor_problem({.file = {}, .num_spinors = 6, .num_electrons = 3, .seed = 6}).integrals.one);
}

TEST(SpinorProblem, IsReadFromAFile) {
  const std::string data = CISOLVE_TEST_DATA;
  SpinorOptions options;
  options.file = data + "/complex/sh_x2c.columns.fcidump.gz";
  const SpinorProblem problem = load_spinor_problem(options);
  EXPECT_EQ(problem.integrals.num_orbitals, 10);
  EXPECT_EQ(problem.num_electrons, 7);
  options.file = data + "/lih_sto3g.fcidump";
  EXPECT_THROW(load_spinor_problem(options), InputError);
}

TEST(SpinorProblem, RefusesWhatDoesNotFit) {
  EXPECT_THROW(load_spinor_problem({.file = {}, .num_spinors = 4, .num_electrons = 5, .seed = 1}),
               InputError);
  EXPECT_THROW(load_spinor_problem({.file = {}, .num_spinors = 5, .num_electrons = 3, .seed = 1}),
               InputError);
}

TEST(AdaptedFunctions, AreOrthonormal) {
  for (const int electrons : {2, 3}) {
    const StringTable<1> strings(StringSelection<1>{.num_orbitals = 6,
                                                    .reference = String::lowest(electrons),
                                                    .max_level = electrons,
                                                    .irreps = std::vector<int>(6, 0)});
    const KramersPairs pairs(strings);
    const AdaptedFunctions functions(pairs);
    std::vector<Complex> x(static_cast<std::size_t>(2 * strings.size()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = {1.0 + static_cast<double>(i), 2.0};
    const std::vector<Complex> back = functions.adapt(functions.expand(x));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(back[i] - x[i]), 1e-13) << i;
  }
}

}  // namespace test_spinor_problem
}  // namespace cisolve::bench
