// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_density_matrix {

using Det = Determinant<1>;

SpaceSelection<1> selection(int orbitals, int alpha, int beta, int level, int irrep) {
  SpaceSelection<1> s;
  s.num_orbitals = orbitals;
  for (int p = 0; p < orbitals; ++p) s.irreps.push_back(p % 2);
  s.references = {Det{BitString<1>::lowest(alpha), BitString<1>::lowest(beta)}};
  s.excitation_level = level;
  s.irrep = irrep;
  return s;
}

/// Sign and determinant of a+_p a_q on one spin, creators in ascending order; empty string: annihilated.
bool excite(BitString<1>& s, int p, int q, double& sign) {
  if (!s.test(q)) return false;
  for (int r = 0; r < q; ++r) sign *= s.test(r) ? -1.0 : 1.0;
  s.reset(q);
  if (s.test(p)) return false;
  for (int r = 0; r < p; ++r) sign *= s.test(r) ? -1.0 : 1.0;
  s.set(p);
  return true;
}

/// By the definition, over all pairs of orbitals.
Matrix by_definition(const Space<1>& space, std::span<const double> v, int k, int l) {
  const std::size_t n = space.size();
  const int orbitals = space.num_orbitals();
  Matrix d(orbitals, orbitals);
  for (std::size_t j = 0; j < n; ++j) {
    const Det ket = space.determinant(static_cast<std::int64_t>(j));
    for (int p = 0; p < orbitals; ++p) {
      for (int q = 0; q < orbitals; ++q) {
        for (const auto spin : {&Det::alpha, &Det::beta}) {
          Det bra = ket;
          double sign = 1.0;
          if (!excite(bra.*spin, p, q, sign)) continue;
          const std::int64_t i = space.find(bra);
          if (i < 0) continue;
          d(p, q) += sign * v[static_cast<std::size_t>(k) * n + static_cast<std::size_t>(i)] *
                     v[static_cast<std::size_t>(l) * n + j];
        }
      }
    }
  }
  return d;
}

/// Lists of beta strings that are parts of classes, in order and scattered.
std::vector<SpaceSelection<1>> selections_with_parts() {
  SpaceSelection<1> bounded = selection(7, 3, 3, 4, 0);
  bounded.max_holes = OccupationBound<1>{BitString<1>::lowest(2), 1};
  bounded.max_particles = OccupationBound<1>{BitString<1>::lowest(7) & ~BitString<1>::lowest(5), 2};
  SpaceSelection<1> multi = selection(14, 3, 3, 2, 0);
  const Det first = multi.references[0];
  multi.references.push_back({first.alpha.moved(2, 3), first.beta.moved(2, 3)});
  return {bounded, multi};
}

TEST(DensityMatrix, IsWhatItsDefinitionSays) {
  std::vector<SpaceSelection<1>> selections = selections_with_parts();
  for (const auto& s : {selection(6, 3, 2, 2, any_irrep), selection(6, 3, 3, 6, 0), selection(7, 4, 2, 3, 1),
                        selection(12, 6, 6, 2, 1), selection(5, 2, 0, 2, 0)})
    selections.push_back(s);
  for (const auto& s : selections) {
    const auto space = make_space(s);
    ASSERT_NE(space->as_product(), nullptr);
    constexpr int roots = 3;
    const auto v = test::random_unit_vectors(space->size(), roots, 3);
    const DensityMatrices found =
        density_matrices(*space, std::span<const int>(s.irreps), std::span<const double>(v), roots);
    std::vector<Det> determinants(space->size());
    space->enumerate(0, determinants);
    const ListSpace<1> list(determinants, s.num_orbitals, s.irrep, 1, {});
    const DensityMatrices of_list =
        density_matrices<1>(list, std::span<const int>(s.irreps), std::span<const double>(v), roots);
    for (int l = 0; l < roots; ++l) {
      for (int k = 0; k <= l; ++k) {
        const Matrix expected = by_definition(*space, v, k, l);
        double trace = 0.0;
        for (int p = 0; p < s.num_orbitals; ++p) {
          trace += found(k, l)(p, p);
          for (int q = 0; q < s.num_orbitals; ++q) {
            EXPECT_NEAR(found(k, l)(p, q), expected(p, q), 1e-13);
            EXPECT_NEAR(of_list(k, l)(p, q), expected(p, q), 1e-13);
          }
        }
        if (k != l) continue;
        EXPECT_NEAR(trace, space->num_alpha() + space->num_beta(), 1e-12);
      }
    }
  }
}

TEST(DensityMatrix, RefusesVectorsOfAnotherSpace) {
  const auto s = selection(4, 2, 2, 2, 0);
  const auto space = make_space(s);
  const std::vector<double> v(3);
  EXPECT_THROW(density_matrices(*space, std::span<const int>(s.irreps), std::span<const double>(v), 1),
               DimensionError);
}

}  // namespace test_density_matrix
}  // namespace cisolve
