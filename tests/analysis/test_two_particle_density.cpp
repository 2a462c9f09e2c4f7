// SPDX-License-Identifier: MIT
#include "cisolve/analysis/two_particle_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "io/json.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_two_particle_density {

using Det = Determinant<1>;
constexpr std::int64_t plenty = std::int64_t{1} << 26;

SpaceSelection<1> selection(int orbitals, int alpha, int beta, int level, int irrep) {
  SpaceSelection<1> s;
  s.num_orbitals = orbitals;
  for (int p = 0; p < orbitals; ++p) s.irreps.push_back(p % 2 + (p % 3 == 0 ? 2 : 0));
  s.references = {Det{BitString<1>::lowest(alpha), BitString<1>::lowest(beta)}};
  s.excitation_level = level;
  s.irrep = irrep;
  return s;
}

/// An operator of the definition: spin orbitals count alpha from 0, beta from 64.
struct Operator {
  bool creates;
  int spin_orbital;
};

/// Applies an operator to a determinant, creators in ascending order, alpha first. false: it vanishes.
bool apply(const Operator& op, Det& d, double& sign) {
  const bool beta = op.spin_orbital >= 64;
  const int p = op.spin_orbital % 64;
  BitString<1>& string = beta ? d.beta : d.alpha;
  if (string.test(p) == op.creates) return false;
  int before = beta ? d.alpha.count() : 0;
  for (int r = 0; r < p; ++r) before += string.test(r) ? 1 : 0;
  if (before % 2 != 0) sign = -sign;
  op.creates ? string.set(p) : string.reset(p);
  return true;
}

/// <c| a+_ps a+_rt a_st a_qs |c>, operator by operator.
double by_definition(const Space<1>& space, std::span<const double> c, int p, int q, int r, int s,
                     int spin_pq, int spin_rs) {
  double sum = 0.0;
  for (std::int64_t ket = 0; ket < space.size(); ++ket) {
    Det d = space.determinant(ket);
    double sign = 1.0;
    if (!apply({false, 64 * spin_pq + q}, d, sign) || !apply({false, 64 * spin_rs + s}, d, sign) ||
        !apply({true, 64 * spin_rs + r}, d, sign) || !apply({true, 64 * spin_pq + p}, d, sign))
      continue;
    const std::int64_t bra = space.find(d);
    if (bra >= 0) sum += sign * c[bra] * c[ket];
  }
  return sum;
}

void expect_definition(const Space<1>& space, std::span<const double> c, const TwoParticleDensity& density) {
  const int n = space.num_orbitals();
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          SCOPED_TRACE(testing::Message() << p << ' ' << q << ' ' << r << ' ' << s);
          ASSERT_NEAR(density.alpha_alpha(p, q, r, s), by_definition(space, c, p, q, r, s, 0, 0), 1e-13);
          ASSERT_NEAR(density.beta_beta(p, q, r, s), by_definition(space, c, p, q, r, s, 1, 1), 1e-13);
          ASSERT_NEAR(density.alpha_beta(p, q, r, s), by_definition(space, c, p, q, r, s, 0, 1), 1e-13);
        }
      }
    }
  }
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

void expect_near(const TwoParticleDensity& a, const TwoParticleDensity& b, double tolerance) {
  EXPECT_LT(largest_difference(a.aa, b.aa), tolerance);
  EXPECT_LT(largest_difference(a.bb, b.bb), tolerance);
  EXPECT_LT(largest_difference(a.ab, b.ab), tolerance);
}

ListSpace<1> listed(const Space<1>& space) {
  std::vector<Det> determinants(space.size());
  space.enumerate(0, determinants);
  return {determinants, space.num_orbitals(), space.irrep(), 1, {}};
}

/// Every kind of space: full, of one irrep, truncated, bounded, of several references, without electrons of a spin.
std::vector<SpaceSelection<1>> selections() {
  std::vector<SpaceSelection<1>> all = {
      selection(5, 3, 2, 5, any_irrep), selection(6, 3, 3, 6, 0),        selection(6, 4, 2, 3, 1),
      selection(9, 4, 3, 2, 2),         selection(5, 2, 0, 2, 0),        selection(5, 1, 0, 1, any_irrep),
      selection(4, 1, 1, 2, any_irrep), selection(4, 4, 4, 2, 0),        selection(1, 1, 1, 2, any_irrep),
      selection(4, 0, 3, 3, any_irrep), selection(7, 6, 1, 2, any_irrep)};
  SpaceSelection<1> bounded = selection(7, 3, 3, 4, 0);
  bounded.max_holes = OccupationBound<1>{BitString<1>::lowest(2), 1};
  bounded.max_particles = OccupationBound<1>{BitString<1>::lowest(7) & ~BitString<1>::lowest(5), 2};
  SpaceSelection<1> several = selection(14, 3, 3, 2, any_irrep);
  const Det first = several.references[0];
  several.references.push_back({first.alpha.moved(2, 3), first.beta.moved(2, 3)});
  all.push_back(bounded);
  all.push_back(several);
  return all;
}

TEST(TwoParticleDensity, IsWhatItsDefinitionSays) {
  for (const auto& s : selections()) {
    if (s.num_orbitals > 7) continue;
    const auto space = make_space(s);
    const auto c = test::random_unit_vectors(space->size(), 1, 3);
    expect_definition(*space, c, two_particle_density(*space, std::span<const double>(c), plenty));
    const ListSpace<1> list = listed(*space);
    expect_definition(list, c, two_particle_density<1>(list, c, plenty));
  }
}

TEST(TwoParticleDensity, OfBlocksIsThatOfTheList) {
  for (const auto& s : selections()) {
    const auto space = make_space(s);
    ASSERT_NE(space->as_product(), nullptr);
    const auto c = test::random_unit_vectors(space->size(), 1, 4);
    const TwoParticleDensity expected = two_particle_density<1>(listed(*space), c, plenty);
    for (const std::int64_t bytes : {plenty, std::int64_t{0}})
      expect_near(two_particle_density(*space, std::span<const double>(c), bytes), expected, 1e-14);
  }
}

/// Remainders and rows of more than one block: columns, tiles, and one spin much smaller than the other.
TEST(TwoParticleDensity, OfLargerBlocksIsThatOfTheList) {
  const auto space = make_space(selection(20, 4, 1, 5, any_irrep));
  const auto c = test::random_unit_vectors(space->size(), 1, 4);
  const ListSpace<1> list = listed(*space);
  expect_near(two_particle_density(*space, std::span<const double>(c), plenty),
              two_particle_density<1>(list, c, plenty), 1e-14);
}

/// A list that no blocks are made of, in no order, and not closed under any symmetry.
TEST(TwoParticleDensity, OfAnyListIsWhatItsDefinitionSays) {
  const auto full = make_space(selection(6, 3, 2, 6, any_irrep));
  std::vector<Det> some;
  for (std::int64_t row = full->size() - 1; row >= 0; row -= 1 + row % 3)
    some.push_back(full->determinant(row));
  const ListSpace<1> list(some, 6, any_irrep, 1, {});
  const auto c = test::random_unit_vectors(list.size(), 1, 5);
  // However little memory is allowed.
  for (const std::int64_t bytes : {plenty, std::int64_t{0}})
    expect_definition(list, c, two_particle_density<1>(list, c, bytes));
}

TEST(TwoParticleDensity, DoesNotDependOnTheWordsOfStrings) {
  const auto s = selection(6, 3, 2, 3, 1);
  const auto narrow = make_space(s);
  const auto wide = make_space(with_words<2>(s));
  const auto c = test::random_unit_vectors(narrow->size(), 1, 6);
  expect_near(two_particle_density(*narrow, std::span<const double>(c), plenty),
              two_particle_density(*wide, std::span<const double>(c), plenty), 1e-15);
}

TEST(TwoParticleDensity, RepeatsToTheLastBitWithAnyNumberOfThreads) {
  for (const auto& s : {selection(8, 4, 4, 8, 0), selection(9, 4, 3, 3, any_irrep)}) {
    const auto space = make_space(s);
    const ListSpace<1> list = listed(*space);
    const auto c = test::random_unit_vectors(space->size(), 1, 7);
    for (const Space<1>* of :
         {static_cast<const Space<1>*>(space.get()), static_cast<const Space<1>*>(&list)}) {
      std::vector<TwoParticleDensity> found;
      for (const int threads : {1, 2, 8}) {
        const ThreadScope scope(threads);
        found.push_back(two_particle_density(*of, std::span<const double>(c), plenty));
      }
      for (const TwoParticleDensity& other : found) {
        EXPECT_EQ(other.aa, found[0].aa);
        EXPECT_EQ(other.bb, found[0].bb);
        EXPECT_EQ(other.ab, found[0].ab);
      }
    }
  }
}

TEST(TwoParticleDensity, TracesGiveTheOneParticleDensity) {
  for (const auto& s : selections()) {
    const auto space = make_space(s);
    const auto c = test::random_unit_vectors(space->size(), 1, 8);
    const TwoParticleDensity density = two_particle_density(*space, std::span<const double>(c), plenty);
    const Matrix one =
        density_matrices(*space, std::span<const int>(s.irreps), std::span<const double>(c), 1)(0, 0);
    const PartialTraces traces = partial_traces(density);
    const std::vector<double> sum = spin_summed(density);
    const auto n = static_cast<std::size_t>(s.num_orbitals);
    const int alpha = space->num_alpha(), beta = space->num_beta();
    double of_alpha = 0.0, of_beta = 0.0;
    for (int p = 0; p < s.num_orbitals; ++p) {
      of_alpha += traces.alpha(p, p);
      of_beta += traces.beta(p, p);
      for (int q = 0; q < s.num_orbitals; ++q) {
        EXPECT_NEAR(traces.alpha(p, q) + traces.beta(p, q), (alpha + beta - 1) * one(p, q), 1e-13);
        double trace = 0.0;
        for (std::size_t r = 0; r < n; ++r) trace += sum[((p * n + q) * n + r) * n + r];
        EXPECT_NEAR(trace, (alpha + beta - 1) * one(p, q), 1e-13);
      }
    }
    EXPECT_NEAR(of_alpha, (alpha + beta - 1) * alpha, 1e-12);
    EXPECT_NEAR(of_beta, (alpha + beta - 1) * beta, 1e-12);
  }
}

/// A root of tests/data/pair_densities.json, over the determinants of that file.
TwoParticleDensity expected_density(const nlohmann::json& root, int orbitals) {
  TwoParticleDensity expected(orbitals);
  const auto read = [](const nlohmann::json& elements, std::vector<double>& matrix, std::size_t order) {
    for (const auto& [i, j, value] :
         elements.get<std::vector<std::tuple<std::size_t, std::size_t, double>>>())
      matrix[i * order + j] = value;
  };
  const std::size_t n = orbitals, pairs = expected.num_pairs();
  read(root["aa"], expected.aa, pairs);
  read(root["bb"], expected.bb, pairs);
  read(root["ab"], expected.ab, n * n);
  for (std::size_t i = 0; i < pairs; ++i) {
    for (std::size_t j = i + 1; j < pairs; ++j) {
      expected.aa[i * pairs + j] = expected.aa[j * pairs + i];
      expected.bb[i * pairs + j] = expected.bb[j * pairs + i];
    }
  }
  // Of [p, q, r, s] and [q, p, s, r] one is in the file.
  const auto at = [n](std::size_t p, std::size_t q, std::size_t r, std::size_t s) {
    return ((p * n + q) * n + r) * n + s;
  };
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t s = 0; s < (p == q ? r : n); ++s)
          expected.ab[at(q, p, s, r)] = expected.ab[at(p, q, r, s)];
      }
    }
  }
  return expected;
}

/// Elements, energy and spin of states against an independent program, from blocks and from the list.
TEST(TwoParticleDensity, IsThatOfTheReference) {
  const std::filesystem::path data = CISOLVE_TEST_DATA;
  const nlohmann::json cases = read_json("pair_densities.json");
  ASSERT_EQ(cases.size(), 5U);
  constexpr double tolerance = 1e-10;
  for (const auto& one : cases) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const Integrals integrals = read_fcidump(data / one["fcidump"].get<std::string>(), {}).integrals;
    const auto det = [](std::uint64_t alpha, std::uint64_t beta) { return Det{{{alpha}}, {{beta}}}; };
    std::vector<Det> rows;
    for (std::size_t i = 0; i < one["alpha"].size(); ++i)
      rows.push_back(det(one["alpha"][i], one["beta"][i]));
    SpaceSelection<1> s;
    s.num_orbitals = integrals.num_orbitals;
    s.irreps = integrals.irreps;
    s.references = {det(one["reference"][0], one["reference"][1])};
    const int level = one["excitation_level"];
    s.excitation_level = level < 0 ? max_excitation_level(s) : level;
    s.irrep = any_irrep;
    const auto space = make_space(s);
    ASSERT_NE(space->as_product(), nullptr);
    ASSERT_EQ(space->size(), std::ssize(rows));
    const ListSpace<1> list(rows, s.num_orbitals, any_irrep, 1, {});
    for (const auto& root : one["roots"]) {
      const auto of_list = root["vector"].get<std::vector<double>>();
      std::vector<double> c(of_list.size());
      for (std::size_t i = 0; i < rows.size(); ++i) c.at(space->find(rows[i])) = of_list[i];
      const TwoParticleDensity expected = expected_density(root, s.num_orbitals);
      const TwoParticleDensity found = two_particle_density(*space, std::span<const double>(c), plenty);
      expect_near(found, expected, tolerance);
      expect_near(two_particle_density<1>(list, of_list, plenty), expected, tolerance);
      const Matrix d =
          density_matrices(*space, std::span<const int>(s.irreps), std::span<const double>(c), 1)(0, 0);
      EXPECT_NEAR(energy(integrals, d, found), root["energy"].get<double>(), tolerance);
      EXPECT_NEAR(s_squared(found, space->num_alpha(), space->num_beta()), root["s_squared"].get<double>(),
                  tolerance);
    }
  }
}

TEST(TwoParticleDensity, RefusesVectorsOfAnotherSpace) {
  const auto space = make_space(selection(4, 2, 2, 2, 0));
  const std::vector<double> c(3);
  EXPECT_THROW(two_particle_density(*space, std::span<const double>(c), plenty), DimensionError);
  EXPECT_THROW(energy(Integrals(3), Matrix(3, 3), TwoParticleDensity(4)), DimensionError);
}

}  // namespace test_two_particle_density
}  // namespace cisolve
