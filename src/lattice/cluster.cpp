// SPDX-License-Identifier: MIT
#include "cisolve/lattice/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// The quotient rounded down, and what is left, in [0, divisor).
std::pair<int, int> divide(int dividend, int divisor) {
  const int rest = ((dividend % divisor) + divisor) % divisor;
  return {(dividend - rest) / divisor, rest};
}

/// u and v with u p + v q = gcd(p, q) > 0, by Euclid.
std::pair<int, int> bezout(int p, int q) {
  int u = 1, v = 0, next_u = 0, next_v = 1;
  while (q != 0) {
    const int quotient = p / q;
    p = std::exchange(q, p - quotient * q);
    u = std::exchange(next_u, u - quotient * next_u);
    v = std::exchange(next_v, v - quotient * next_v);
  }
  return p < 0 ? std::pair(-u, -v) : std::pair(u, v);
}

void require_closed(const std::array<Boundary, 2>& boundary) {
  if (!boundary[0].open && !boundary[1].open) return;
  throw InputError("an open boundary needs a chain or a rectangle, whose sides are along the axes");
}

void require_two_sites(int sites) {
  if (sites < 2) throw InputError(fmt::format("a cluster needs at least 2 sites; this one has {}", sites));
}

}  // namespace

Cluster::Cluster(int dimensions, std::array<LatticeVector, 2> vectors, std::array<Boundary, 2> boundary)
    : dimensions_(dimensions), vectors_(vectors), boundary_(boundary) {
  const auto& [t1, t2] = vectors_;
  determinant_ = t1.x * t2.y - t2.x * t1.y;
  if (determinant_ == 0) throw InputError("the spanning vectors of a cluster are parallel, or one is zero");
  sites_ = std::abs(determinant_);
  height_ = std::gcd(t1.y, t2.y);
  width_ = sites_ / height_;
  const auto [u, v] = bezout(t1.y, t2.y);
  shift_ = divide(u * t1.x + v * t2.x, width_).second;
}

Cluster Cluster::chain(int length, Boundary boundary) {
  require_two_sites(length);
  Cluster cluster(1, {LatticeVector{length, 0}, LatticeVector{0, 1}}, {boundary, Boundary{}});
  cluster.is_rectangle_ = true;
  return cluster;
}

Cluster Cluster::rectangle(int length1, int length2, std::array<Boundary, 2> boundary) {
  if (length1 < 1 || length2 < 1) {
    throw InputError(
        fmt::format("a rectangle has sides of at least 1 site; these are {} and {}", length1, length2));
  }
  require_two_sites(length1 * length2);
  Cluster cluster(2, {LatticeVector{length1, 0}, LatticeVector{0, length2}}, boundary);
  cluster.is_rectangle_ = true;
  return cluster;
}

Cluster Cluster::tilted(int length, std::array<Boundary, 2> boundary) {
  if (length < 2) throw InputError(fmt::format("a tilted square has L >= 2; here L is {}", length));
  return spanned({length, 1}, {-1, length}, boundary);
}

Cluster Cluster::spanned(LatticeVector t1, LatticeVector t2, std::array<Boundary, 2> boundary) {
  require_closed(boundary);
  Cluster cluster(2, {t1, t2}, boundary);
  require_two_sites(cluster.sites());
  return cluster;
}

Cluster Cluster::graph(int sites) {
  require_two_sites(sites);
  Cluster cluster;
  cluster.sites_ = sites;
  return cluster;
}

WrappedSite Cluster::find(LatticeVector point) const {
  const auto [rows, y] = divide(point.y, height_);
  const int x = divide(point.x - rows * shift_, width_).second;
  const int dx = point.x - x, dy = point.y - y;
  const auto& [t1, t2] = vectors_;
  return {.site = x + width_ * y,
          .wraps = {(dx * t2.y - dy * t2.x) / determinant_, (dy * t1.x - dx * t1.y) / determinant_}};
}

std::complex<double> Cluster::phase(const std::array<int, 2>& wraps) const {
  const double turns = wraps[0] * boundary_[0].angle + wraps[1] * boundary_[1].angle;
  // Signs are exact.
  if (std::nearbyint(turns) == turns) return std::fmod(turns, 2.0) == 0.0 ? 1.0 : -1.0;
  return std::polar(1.0, std::numbers::pi * turns);
}

int Cluster::sum(int i, int j) const {
  const LatticeVector a = position(i), b = position(j);
  return find({a.x + b.x, a.y + b.y}).site;
}

int Cluster::difference(int i, int j) const {
  const LatticeVector a = position(i), b = position(j);
  return find({a.x - b.x, a.y - b.y}).site;
}

std::vector<LatticeVector> Cluster::half_shell(int shell) const {
  if (dimensions_ == 1) return {{shell, 0}};
  if (shell == 2) return {{1, 1}, {1, -1}};
  const int step = shell == 1 ? 1 : 2;
  return {{step, 0}, {0, step}};
}

std::vector<SitePair> Cluster::pairs(int shell) const {
  std::vector<SitePair> pairs;
  for (int i = 0; i < sites_; ++i) {
    for (const LatticeVector d : half_shell(shell)) {
      const LatticeVector from = position(i);
      const WrappedSite to = find({from.x + d.x, from.y + d.y});
      if ((to.wraps[0] != 0 && boundary_[0].open) || (to.wraps[1] != 0 && boundary_[1].open)) continue;
      if (to.site == i)
        throw InputError(fmt::format("the displacement ({}, {}) joins site {} with itself on this cluster",
                                     d.x, d.y, i + 1));
      pairs.push_back({i, to.site, phase(to.wraps)});
    }
  }
  return pairs;
}

/// Rows of the inverse of (T1; T2), times the number of sites.
std::array<std::array<int, 2>, 2> Cluster::reciprocal() const {
  const auto& [t1, t2] = vectors_;
  const int sign = determinant_ > 0 ? 1 : -1;
  return {{{sign * t2.y, -sign * t2.x}, {-sign * t1.y, sign * t1.x}}};
}

std::vector<std::array<double, 2>> Cluster::wave_vectors() const {
  // All integer combinations of two steps modulo the reciprocal lattice, by walking along both.
  const auto steps = reciprocal();
  std::set<std::array<int, 2>> found;  // (y, x) in units of 2 / sites
  std::vector<std::array<int, 2>> ahead = {{0, 0}};
  while (!ahead.empty()) {
    const std::array<int, 2> at = ahead.back();
    ahead.pop_back();
    if (!found.insert(at).second) continue;
    for (const auto& step : steps)
      ahead.push_back({divide(at[0] + step[1], sites_).second, divide(at[1] + step[0], sites_).second});
  }
  std::vector<std::array<double, 2>> vectors;
  for (const auto& [y, x] : found) vectors.push_back({2.0 * x / sites_, 2.0 * y / sites_});
  return vectors;
}

std::vector<std::array<double, 2>> Cluster::momenta() const {
  std::vector<std::array<double, 2>> momenta = wave_vectors();
  const auto steps = reciprocal();
  for (auto& k : momenta) {
    for (int q = 0; q < 2; ++q) {
      for (int c = 0; c < 2; ++c) k[c] += boundary_[q].angle * steps[q][c] / sites_;
    }
  }
  return momenta;
}

std::vector<int> connected_parts(int sites, const std::vector<SitePair>& pairs) {
  std::vector<int> root(sites);
  std::iota(root.begin(), root.end(), 0);
  const auto root_of = [&](int site) {
    while (root[site] != site) site = root[site] = root[root[site]];
    return site;
  };
  for (const SitePair& pair : pairs) {
    const int a = root_of(pair.i), b = root_of(pair.j);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<int> parts(sites), number(sites, -1);
  int count = 0;
  for (int i = 0; i < sites; ++i) {
    int& of_root = number[root_of(i)];
    if (of_root < 0) of_root = count++;
    parts[i] = of_root;
  }
  return parts;
}

}  // namespace cisolve
