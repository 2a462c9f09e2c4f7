// SPDX-License-Identifier: MIT
#include "cisolve/space/local_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace cisolve {
namespace test_local_order {

SpaceSelection<1> selection_of(int level, int irrep) {
  SpaceSelection<1> selection{.num_orbitals = 7,
                              .irreps = {0, 1, 2, 0, 3, 1, 2},
                              .references = {{String::lowest(3), String::lowest(2)}},
                              .excitation_level = level,
                              .irrep = irrep};
  return selection;
}

/// Determinants in local order; checks that each is there once.
std::vector<Determinant<1>> in_local_order(const Space<1>& space, const std::vector<int>& irreps) {
  const Array<std::int32_t> order = local_order(space, irreps);
  std::vector<Determinant<1>> determinants;
  for (const std::int32_t row : order) determinants.push_back(space.determinant(row));
  std::vector<std::int32_t> rows(order.begin(), order.end());
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::ssize(rows), space.size());
  for (std::size_t at = 0; at < rows.size(); ++at) EXPECT_EQ(rows[at], static_cast<std::int32_t>(at));
  return determinants;
}

TEST(LocalOrder, DeterminantsOfATruncatedSpaceGoByTheirHoles) {
  for (const int irrep : {any_irrep, 0, 2}) {
    const SpaceSelection<1> selection = selection_of(3, irrep);
    const ProductSpace<1> space(selection);
    const auto determinants = in_local_order(space, selection.irreps);
    const auto key = [&](const Determinant<1>& d) {
      const String alpha_holes = space.determinant(0).alpha & ~d.alpha;
      const String beta_holes = space.determinant(0).beta & ~d.beta;
      return std::tuple(alpha_holes.count() + beta_holes.count(), alpha_holes.count(), alpha_holes,
                        beta_holes, irrep_of(d.alpha, std::span<const int>(selection.irreps)), d.alpha,
                        d.beta);
    };
    EXPECT_TRUE(std::is_sorted(determinants.begin(), determinants.end(),
                               [&](const auto& x, const auto& y) { return key(x) < key(y); }));
  }
}

TEST(LocalOrder, DeterminantsOfAFullSpaceGoByIrrepAndStrings) {
  for (const int irrep : {any_irrep, 1}) {
    const SpaceSelection<1> selection = selection_of(5, irrep);
    const ProductSpace<1> space(selection);
    const auto determinants = in_local_order(space, selection.irreps);
    const auto key = [&](const Determinant<1>& d) {
      return std::tuple(irrep_of(d.alpha, std::span<const int>(selection.irreps)), d.alpha, d.beta);
    };
    EXPECT_TRUE(std::is_sorted(determinants.begin(), determinants.end(),
                               [&](const auto& x, const auto& y) { return key(x) < key(y); }));
  }
}

TEST(LocalOrder, ListsOfAnyOrderHaveOne) {
  const SpaceSelection<1> selection = selection_of(3, any_irrep);
  const ProductSpace<1> product(selection);
  std::vector<Determinant<1>> some(product.size());
  product.enumerate(0, some);
  std::vector<Determinant<1>> odd;
  for (std::size_t at = 0; at < some.size(); at += 2) odd.push_back(some[at]);
  std::reverse(odd.begin() + 1, odd.end());
  const ListSpace<1> list(odd, 7, any_irrep, 1, {});
  in_local_order(list, selection.irreps);
  const ListSpace<1> empty({}, 7, any_irrep, 0, {});
  EXPECT_EQ(local_order(empty, selection.irreps).size(), 0U);
}

}  // namespace test_local_order
}  // namespace cisolve
