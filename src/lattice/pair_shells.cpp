// SPDX-License-Identifier: MIT
#include "cisolve/lattice/pair_shells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr int unknown = -1;

/// Squared distances of sites from site 0: points of the lattice in ever larger squares, until each site was met and no point
/// outside can be nearer. @pre translation invariant
std::vector<int> squares_from_first_site(const Cluster& cluster) {
  std::vector<int> squares(static_cast<std::size_t>(cluster.sites()), unknown);
  int missing = cluster.sites(), largest = 0;
  const auto meet = [&](int x, int y) {
    int& known = squares[static_cast<std::size_t>(cluster.find({x, y}).site)];
    const int square = x * x + y * y;
    missing -= known == unknown;
    if (known == unknown || square < known) known = square;
  };
  for (int reach = 0; missing > 0 || reach * reach <= largest; ++reach) {
    for (int a = -reach; a <= reach; ++a) {
      for (const int side : {-reach, reach}) {
        if (cluster.dimensions() == 1) {
          meet(side, 0);
          continue;
        }
        meet(a, side);
        meet(side, a);
      }
      if (cluster.dimensions() == 1) break;
    }
    if (missing == 0) largest = *std::ranges::max_element(squares);
  }
  return squares;
}

/// [sites x sites] squared distances between sites of a cluster with places.
std::vector<int> squares_of_places(const Cluster& cluster) {
  const int sites = cluster.sites();
  std::vector<int> squares;
  squares.reserve(static_cast<std::size_t>(sites) * static_cast<std::size_t>(sites));
  if (cluster.is_translation_invariant()) {
    const std::vector<int> from_first = squares_from_first_site(cluster);
    for (int i = 0; i < sites; ++i) {
      for (int j = 0; j < sites; ++j)
        squares.push_back(from_first[static_cast<std::size_t>(cluster.difference(i, j))]);
    }
    return squares;
  }
  // Open ones have sides along the axes.
  const std::array<int, 2> lengths = {cluster.vectors()[0].x, cluster.vectors()[1].y};
  const auto along = [&](int q, int difference) {
    const int there = std::abs(difference);
    return cluster.boundary()[q].open ? there : std::min(there, lengths[q] - there);
  };
  for (int i = 0; i < sites; ++i) {
    const LatticeVector a = cluster.position(i);
    for (int j = 0; j < sites; ++j) {
      const LatticeVector b = cluster.position(j);
      const int x = along(0, a.x - b.x), y = along(1, a.y - b.y);
      squares.push_back(x * x + y * y);
    }
  }
  return squares;
}

/// [sites x sites] squared numbers of bonds on the shortest ways between sites of a graph; unknown: there is none.
std::vector<int> squares_of_ways(const LatticeModel& model) {
  const auto sites = static_cast<std::size_t>(model.sites());
  std::vector<std::vector<int>> neighbours(sites);
  for (const LatticeBond& bond : model.bonds) {
    neighbours[static_cast<std::size_t>(bond.pair.i)].push_back(bond.pair.j);
    neighbours[static_cast<std::size_t>(bond.pair.j)].push_back(bond.pair.i);
  }
  std::vector<int> squares;
  for (std::size_t start = 0; start < sites; ++start) {
    std::vector<int> bonds(sites, unknown), reached = {static_cast<int>(start)};
    bonds[start] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const auto here = static_cast<std::size_t>(reached[next]);
      for (const int neighbour : neighbours[here]) {
        int& there = bonds[static_cast<std::size_t>(neighbour)];
        if (there != unknown) continue;
        there = bonds[here] + 1;
        reached.push_back(neighbour);
      }
    }
    for (const int count : bonds) squares.push_back(count == unknown ? unknown : count * count);
  }
  return squares;
}

}  // namespace

PairShells pair_shells(const LatticeModel& model) {
  const std::vector<int> squares =
      model.cluster.is_graph() ? squares_of_ways(model) : squares_of_places(model.cluster);
  std::vector<int> found = squares;
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  PairShells shells{.sites = model.sites()};
  shells.are_all_connected = found.front() != unknown;
  std::erase_if(found, [](int square) { return square <= 0; });
  if (found.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max()))
    throw DimensionError("pair_shells: more shells than there may be");
  for (const int square : found) shells.distances.push_back(std::sqrt(square));
  shells.number.reserve(squares.size());
  for (const int square : squares) {
    const auto below = std::ranges::lower_bound(found, square) - found.begin();
    shells.number.push_back(static_cast<std::int16_t>(square <= 0 ? 0 : below + 1));
  }
  return shells;
}

}  // namespace cisolve
