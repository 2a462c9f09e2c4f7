// SPDX-License-Identifier: MIT
#include "cisolve/lattice/pair_shells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "io/json.hpp"

namespace cisolve {
namespace test_pair_shells {

using testing::ElementsAre;

LatticeModel model_on(const Cluster& cluster) { return {.cluster = cluster}; }

/// Distances of pairs by looking at images one by one.
double nearest_image(const Cluster& cluster, int i, int j) {
  const LatticeVector a = cluster.position(i), b = cluster.position(j);
  constexpr int reach = 12;
  double nearest = 1e9;
  for (int m = -reach; m <= reach; ++m) {
    if (m != 0 && cluster.boundary()[0].open) continue;
    for (int n = -reach; n <= reach; ++n) {
      if (n != 0 && (cluster.dimensions() == 1 || cluster.boundary()[1].open)) continue;
      const auto& [t1, t2] = cluster.vectors();
      nearest =
          std::min(nearest, std::hypot(a.x - b.x + m * t1.x + n * t2.x, a.y - b.y + m * t1.y + n * t2.y));
    }
  }
  return nearest;
}

TEST(PairShells, AreThoseOfNearestImages) {
  const Boundary open{.open = true}, periodic;
  const std::vector<Cluster> clusters = {Cluster::chain(2),
                                         Cluster::chain(7),
                                         Cluster::chain(6, open),
                                         Cluster::rectangle(4, 4),
                                         Cluster::rectangle(5, 2),
                                         Cluster::rectangle(1, 5),
                                         Cluster::rectangle(4, 3, {periodic, open}),
                                         Cluster::rectangle(3, 3, {open, open}),
                                         Cluster::tilted(2),
                                         Cluster::tilted(5),
                                         Cluster::spanned({4, 0}, {9, 5}),
                                         Cluster::spanned({7, 3}, {5, 3})};
  for (const Cluster& cluster : clusters) {
    const PairShells shells = pair_shells(model_on(cluster));
    EXPECT_TRUE(shells.are_all_connected);
    EXPECT_TRUE(std::ranges::is_sorted(shells.distances));
    std::vector<bool> seen(static_cast<std::size_t>(shells.count()) + 1);
    for (int i = 0; i < cluster.sites(); ++i) {
      for (int j = 0; j < cluster.sites(); ++j) {
        const int shell = shells(i, j);
        seen[static_cast<std::size_t>(shell)] = true;
        const double distance = shell == 0 ? 0.0 : shells.distances[static_cast<std::size_t>(shell) - 1];
        EXPECT_NEAR(distance, nearest_image(cluster, i, j), 1e-12)
            << cluster.sites() << ": " << i << ", " << j;
      }
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](bool is_seen) { return is_seen; }));
  }
}

TEST(PairShells, HaveTheReferencesDistances) {
  const nlohmann::json read = read_json("lattice/jastrow.json");
  for (const auto& entry : read["cases"]) {
    if (entry["lattice"]["kind"] != "tilted") continue;
    const PairShells shells = pair_shells(model_on(Cluster::tilted(entry["lattice"]["size"])));
    const std::vector<double> expected = entry["shell_distances"];
    ASSERT_EQ(shells.distances.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(shells.distances[k], expected[k], 1e-12);
  }
}

TEST(PairShells, OfAGraphCountBonds) {
  LatticeModel graph{.cluster = Cluster::graph(5)};
  for (const auto& [i, j] : std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 3}})
    graph.bonds.push_back({{i, j}, 1.0, 0.0, 0.0});
  const PairShells shells = pair_shells(graph);
  EXPECT_FALSE(shells.are_all_connected);
  EXPECT_THAT(shells.distances, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_EQ(shells(0, 3), 3);
  EXPECT_EQ(shells(3, 1), 2);
  EXPECT_EQ(shells(2, 2), 0);
  EXPECT_EQ(shells(4, 0), 0);  // no way leads there
}

TEST(PairShells, OfEquallyDistantSitesAreOne) {
  EXPECT_EQ(pair_shells(model_on(Cluster::chain(3))).count(), 1);
}

}  // namespace test_pair_shells
}  // namespace cisolve
