// SPDX-License-Identifier: MIT
#include "cisolve/analysis/spin_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "analysis/reference_density.hpp"
#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_spin_density {

/// Rounding of sums of up to 1e4 products of numbers below 1.
constexpr double rounding = 1e-12;

/// Orbitals of a spin before the beta ones of all spin orbitals.
template <int Words>
struct SpinOrbitals {
  Determinant<Words> determinant;
  double sign = 1.0;

  int before(bool beta, int p) const {
    int count = beta ? determinant.alpha.count() : 0;
    const auto& string = beta ? determinant.beta : determinant.alpha;
    for (int r = 0; r < p; ++r) count += string.test(r) ? 1 : 0;
    return count;
  }
  bool annihilate(bool beta, int p) { return change(beta, p, true); }
  bool create(bool beta, int p) { return change(beta, p, false); }

private:
  bool change(bool beta, int p, bool was_there) {
    auto& string = beta ? determinant.beta : determinant.alpha;
    if (string.test(p) != was_there) return false;
    if (before(beta, p) % 2 != 0) sign = -sign;
    if (was_there) {
      string.reset(p);
    } else {
      string.set(p);
    }
    return true;
  }
};

/// <bra|a+_p a_q|ket> with the spins of creator and annihilator, by the definition.
template <int Words>
Matrix by_definition(const Space<Words>& bra_space, std::span<const double> bra,
                     const Space<Words>& ket_space, std::span<const double> ket, bool p_beta, bool q_beta) {
  const int n = ket_space.num_orbitals();
  Matrix d(n, n);
  for (std::int64_t j = 0; j < ket_space.size(); ++j) {
    for (int q = 0; q < n; ++q) {
      SpinOrbitals<Words> without{ket_space.determinant(j)};
      if (!without.annihilate(q_beta, q)) continue;
      for (int p = 0; p < n; ++p) {
        SpinOrbitals<Words> found = without;
        if (!found.create(p_beta, p)) continue;
        const std::int64_t i = bra_space.find(found.determinant);
        if (i >= 0) d(p, q) += found.sign * bra[i] * ket[j];
      }
    }
  }
  return d;
}

void expect_near(const Matrix& found, const Matrix& expected, const std::string& what) {
  ASSERT_EQ(found.rows(), expected.rows());
  double worst = 0.0;
  for (int q = 0; q < found.columns(); ++q) {
    for (int p = 0; p < found.rows(); ++p) worst = std::max(worst, std::abs(found(p, q) - expected(p, q)));
  }
  EXPECT_LT(worst, rounding) << what;
}

SpaceSelection<1> selection(int alpha, int beta, int level, int irrep) {
  constexpr int orbitals = 7;
  SpaceSelection<1> s;
  s.num_orbitals = orbitals;
  for (int p = 0; p < orbitals; ++p) s.irreps.push_back(p % 4);
  s.references = {Determinant<1>{BitString<1>::lowest(alpha), BitString<1>::lowest(beta)}};
  s.excitation_level = level;
  s.irrep = irrep;
  return s;
}

/// Spaces of all kinds over the same orbitals and electrons.
std::vector<std::unique_ptr<Space<1>>> spaces_of(int alpha, int beta) {
  constexpr int full = 8;
  std::vector<SpaceSelection<1>> all = {
      selection(alpha, beta, full, any_irrep), selection(alpha, beta, full, 0),
      selection(alpha, beta, full, 3),         selection(alpha, beta, 2, 2),
      selection(alpha, beta, 2, any_irrep),    selection(alpha, beta, 3, 1)};
  all[3].references[0].alpha = all[3].references[0].alpha.moved(alpha - 1, alpha);  // another reference
  all[5].max_holes = OccupationBound<1>{BitString<1>::lowest(2), 1};
  all[5].max_particles = OccupationBound<1>{BitString<1>::lowest(7) & ~BitString<1>::lowest(5), 2};
  std::vector<std::unique_ptr<Space<1>>> spaces;
  for (const auto& s : all) {
    spaces.push_back(make_space(s));
    EXPECT_NE(spaces.back()->as_product(), nullptr);
  }
  std::vector<Determinant<1>> listed(spaces[0]->size());
  spaces[0]->enumerate(0, listed);
  std::erase_if(listed, [](const auto& d) { return (d.alpha.words[0] * 7 + d.beta.words[0]) % 3 == 0; });
  spaces.push_back(
      std::make_unique<ListSpace<1>>(listed, all[0].num_orbitals, any_irrep, 1, std::vector<std::int64_t>{}));
  return spaces;
}

std::vector<double> some_vectors(const Space<1>& space, int count, unsigned seed) {
  return test::random_unit_vectors(space.size(), count, seed);
}

std::span<const double> column(const Space<1>& space, const std::vector<double>& vectors, int k) {
  const std::size_t n = space.size();
  return std::span(vectors).subspan(static_cast<std::size_t>(k) * n, n);
}

TEST(SpinDensity, BetweenAnyTwoSpacesIsWhatItsDefinitionSays) {
  const auto spaces = spaces_of(3, 2);
  const std::vector<int> irreps = selection(3, 2, 1, 0).irreps;
  for (std::size_t a = 0; a < spaces.size(); ++a) {
    for (std::size_t b = 0; b < spaces.size(); ++b) {
      const Space<1>&bra_space = *spaces[a], &ket_space = *spaces[b];
      const auto bras = some_vectors(bra_space, 2, 1), kets = some_vectors(ket_space, 3, 2);
      const SpinDensities found = spin_densities<1>({bra_space, bras, 2}, {ket_space, kets, 3}, irreps);
      for (int l = 0; l < 3; ++l) {
        for (int k = 0; k < 2; ++k) {
          const auto bra = column(bra_space, bras, k), ket = column(ket_space, kets, l);
          const std::string what = std::to_string(a) + " and " + std::to_string(b);
          expect_near(found(k, l).alpha, by_definition(bra_space, bra, ket_space, ket, false, false), what);
          expect_near(found(k, l).beta, by_definition(bra_space, bra, ket_space, ket, true, true), what);
        }
      }
    }
  }
}

TEST(SpinDensity, BetweenAllIrrepsOfD2hIsWhatItsDefinitionSays) {
  constexpr int irreps = 8, full = 8;
  std::vector<std::unique_ptr<Space<1>>> spaces;
  SpaceSelection<1> s = selection(3, 2, full, 0);
  for (int p = 0; p < s.num_orbitals; ++p) s.irreps[p] = (3 * p + 1) % irreps;
  for (s.irrep = 0; s.irrep < irreps; ++s.irrep) spaces.push_back(make_space(s));
  for (const auto& bras : spaces) {
    for (const auto& kets : spaces) {
      const auto bra = some_vectors(*bras, 1, 1), ket = some_vectors(*kets, 1, 2);
      const SpinDensity found = spin_density<1>(*bras, bra, *kets, ket, s.irreps);
      expect_near(found.alpha, by_definition<1>(*bras, bra, *kets, ket, false, false), "alpha");
      expect_near(found.beta, by_definition<1>(*bras, bra, *kets, ket, true, true), "beta");
      const SpinDensity back = spin_density<1>(*kets, ket, *bras, bra, s.irreps);
      for (int p = 0; p < s.num_orbitals; ++p) {
        for (int q = 0; q < s.num_orbitals; ++q) EXPECT_NEAR(found.alpha(p, q), back.alpha(q, p), rounding);
      }
    }
  }
}

TEST(SpinDensity, WithinASpaceIsSymmetricAndTracesToTheElectrons) {
  for (const auto& space : spaces_of(3, 2)) {
    const std::vector<int> irreps = selection(3, 2, 1, 0).irreps;
    const auto v = some_vectors(*space, 3, 5);
    const SpinDensities same = spin_densities<1>({*space, v, 3}, {*space, v, 3}, irreps);
    const auto copy = v;  // not seen to be the same
    const SpinDensities general = spin_densities<1>({*space, v, 3}, {*space, copy, 3}, irreps);
    for (int l = 0; l < 3; ++l) {
      for (int k = 0; k < 3; ++k) {
        expect_near(same(k, l).alpha, general(k, l).alpha, "alpha");
        expect_near(same(k, l).beta, general(k, l).beta, "beta");
        for (int p = 0; p < space->num_orbitals(); ++p) {
          for (int q = 0; q < space->num_orbitals(); ++q)
            EXPECT_NEAR(same(k, l).alpha(p, q), same(l, k).alpha(q, p), rounding);
        }
      }
      double alpha = 0.0, beta = 0.0;
      for (int p = 0; p < space->num_orbitals(); ++p) {
        alpha += same(l, l).alpha(p, p);
        beta += same(l, l).beta(p, p);
      }
      EXPECT_NEAR(alpha, 3.0, rounding);
      EXPECT_NEAR(beta, 2.0, rounding);
    }
  }
}

TEST(SpinDensity, FlipsBetweenAnyTwoSpacesAreWhatTheirDefinitionSays) {
  const std::vector<int> irreps = selection(3, 2, 1, 0).irreps;
  for (const auto& [alpha, beta] : {std::pair(2, 3), std::pair(3, 2), std::pair(0, 1)}) {
    std::vector<std::unique_ptr<Space<1>>> bra_spaces, ket_spaces;
    if (alpha > 0) {
      bra_spaces = spaces_of(alpha + 1, beta - 1);
      ket_spaces = spaces_of(alpha, beta);
    } else {  // one electron
      bra_spaces.push_back(make_space(selection(1, 0, 1, 1)));
      ket_spaces.push_back(make_space(selection(0, 1, 1, any_irrep)));
    }
    for (const auto& bra_space : bra_spaces) {
      for (const auto& ket_space : ket_spaces) {
        const auto bras = some_vectors(*bra_space, 2, 1), kets = some_vectors(*ket_space, 1, 2);
        const SpinFlipDensities found =
            spin_flip_densities<1>({*bra_space, bras, 2}, {*ket_space, kets, 1}, irreps);
        for (int k = 0; k < 2; ++k) {
          expect_near(
              found(k, 0),
              by_definition<1>(*bra_space, column(*bra_space, bras, k), *ket_space, kets, false, true),
              "flip");
        }
      }
    }
  }
}

/// One active electron pair high up, so that strings need two words.
TEST(SpinDensity, WithTwoWordsIsWhatItsDefinitionSays) {
  constexpr int orbitals = 68;
  SpaceSelection<2> s;
  s.num_orbitals = orbitals;
  for (int p = 0; p < orbitals; ++p) s.irreps.push_back(p % 2);
  s.references = {{BitString<2>::lowest(1), BitString<2>::lowest(2)}};
  s.excitation_level = 1;
  s.irrep = 0;
  const auto kets = make_space(s);
  s.references = {{BitString<2>::lowest(2), BitString<2>::lowest(1)}};
  s.irrep = 1;
  const auto bras = make_space(s);
  std::vector<Determinant<2>> listed(bras->size());
  bras->enumerate(0, listed);
  const ListSpace<2> list(listed, orbitals, 1, 1, {});
  const auto bra = test::random_unit_vectors(bras->size(), 1, 1);
  const auto ket = test::random_unit_vectors(kets->size(), 1, 2);
  const Matrix expected = by_definition<2>(*bras, bra, *kets, ket, false, true);
  expect_near(spin_flip_density<2>(*bras, bra, *kets, ket, s.irreps), expected, "strings");
  expect_near(spin_flip_density<2>(list, bra, *kets, ket, s.irreps), expected, "list");
  const SpinDensity own = spin_density<2>(*bras, bra, list, bra, s.irreps);
  expect_near(own.beta, by_definition<2>(*bras, bra, *bras, bra, true, true), "beta");
}

bool are_equal(const Matrix& a, const Matrix& b) {
  return std::equal(a.data(), a.data() + a.rows() * a.columns(), b.data());
}

TEST(SpinDensity, DoesNotDependOnTheNumberOfThreads) {
  const auto bra_spaces = spaces_of(3, 2), ket_spaces = spaces_of(2, 3);
  const std::vector<int> irreps = selection(3, 2, 1, 0).irreps;
  for (const std::size_t a : {std::size_t{0}, std::size_t{5}, std::size_t{6}}) {
    const Space<1>&space = *bra_spaces[a], &other = *bra_spaces[4], &flipped = *ket_spaces[a];
    const auto v = some_vectors(space, 1, 1), w = some_vectors(other, 1, 2), u = some_vectors(flipped, 1, 3);
    const auto all = [&](int threads) {
      const ThreadScope scope(threads);
      const SpinDensity d = spin_density(space, std::span<const double>(v), other, std::span<const double>(w),
                                         std::span<const int>(irreps));
      return std::vector{d.alpha, d.beta,
                         spin_flip_density(space, std::span<const double>(v), flipped,
                                           std::span<const double>(u), std::span<const int>(irreps))};
    };
    const auto one = all(1);
    for (const int threads : {2, 8}) {
      const auto many = all(threads);
      for (std::size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(are_equal(one[k], many[k])) << threads;
    }
  }
}

TEST(SpinDensity, IsThatOfAnotherProgram) {
  for (const char* name :
       {"h2o_sto3g_fci_ms0", "h2o_sto3g_fci_ms1", "h2o_sto3g_cisd", "o2_sto3g_fci", "o2_sto3g_cisd"}) {
    const test::ReferenceDensity reference(name);
    const int n = reference.num_orbitals(), roots = reference.num_roots();
    const ListSpace<1> list(reference.determinants(), n, any_irrep, 1, {});
    const auto vectors = reference.vectors();
    const std::vector<int> irreps(static_cast<std::size_t>(n), 0);
    const SpinDensities found = spin_densities<1>({list, vectors, roots}, {list, vectors, roots}, irreps);
    const auto alpha = reference.read("one_alpha"), beta = reference.read("one_beta");
    double worst = 0.0;
    std::size_t at = 0;
    for (int k = 0; k < roots; ++k) {
      for (int l = 0; l < roots; ++l) {
        for (int p = 0; p < n; ++p) {
          for (int q = 0; q < n; ++q, ++at) {
            worst = std::max({worst, std::abs(found(k, l).alpha(p, q) - alpha[at]),
                              std::abs(found(k, l).beta(p, q) - beta[at])});
          }
        }
      }
    }
    EXPECT_LT(worst, rounding) << name;
  }
}

TEST(SpinDensity, FlipsAreThoseOfAnotherProgram) {
  const test::ReferenceDensity triplets("h2o_sto3g_fci_ms1"), singlets("h2o_sto3g_fci_ms0");
  const Hdf5File file =
      Hdf5File::open(std::filesystem::path(CISOLVE_TEST_DATA) / "rdm" / "h2o_sto3g_spin_flip.h5");
  const auto flips = file.root().read<double>("flip");
  const auto rows = file.root().read<std::int64_t>("singlets").values;
  const int n = singlets.num_orbitals();
  const ListSpace<1> bras(triplets.determinants(), n, any_irrep, 1, {});
  const ListSpace<1> kets(singlets.determinants(), n, any_irrep, 1, {});
  const std::vector<int> irreps(static_cast<std::size_t>(n), 0);
  const auto bra = triplets.vectors(), ket = singlets.vectors();
  const SpinFlipDensities found =
      spin_flip_densities<1>({bras, bra, triplets.num_roots()}, {kets, ket, singlets.num_roots()}, irreps);
  double worst = 0.0;
  std::size_t at = 0;
  for (int t = 0; t < triplets.num_roots(); ++t) {
    for (const std::int64_t s : rows) {
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q < n; ++q, ++at)
          worst = std::max(worst, std::abs(found(t, static_cast<int>(s))(p, q) - flips.values[at]));
      }
    }
  }
  EXPECT_EQ(at, flips.values.size());
  EXPECT_LT(worst, rounding);
}

TEST(SpinDensity, RefusesWhatDoesNotGoTogether) {
  const auto space = make_space(selection(3, 2, 2, 0)), flipped = make_space(selection(2, 3, 2, 0));
  const std::vector<int> irreps = selection(3, 2, 1, 0).irreps;
  const auto v = some_vectors(*space, 1, 1), w = some_vectors(*flipped, 1, 1);
  EXPECT_THROW(spin_density<1>(*space, v, *flipped, w, irreps), DimensionError);
  EXPECT_THROW(spin_flip_density<1>(*space, v, *space, v, irreps), DimensionError);
  EXPECT_THROW(spin_flip_density<1>(*flipped, w, *space, v, irreps), DimensionError);
  EXPECT_THROW(spin_density<1>(*space, v, *space, std::span(v).first(3), irreps), DimensionError);
  EXPECT_THROW(spin_density<1>(*space, v, *space, v, std::span(irreps).first(3)), DimensionError);
}

}  // namespace test_spin_density
}  // namespace cisolve
