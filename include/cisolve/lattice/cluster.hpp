// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace cisolve {

/// A vector of the square lattice, in units of its spacing.
struct LatticeVector {
  int x = 0, y = 0;

  bool operator==(const LatticeVector&) const = default;
};

/// What happens at an end of a cluster, along one of its spanning vectors.
struct Boundary {
  bool open = false;   ///< bonds that leave the cluster are absent
  double angle = 0.0;  ///< phase of an electron that crosses it, in units of pi: 0 periodic, 1 antiperiodic

  bool operator==(const Boundary&) const = default;
};

/// A point of the lattice as a site of a cluster and the spanning vectors that lead there:
/// R = R_site + wraps[0] T1 + wraps[1] T2.
struct WrappedSite {
  int site = 0;
  std::array<int, 2> wraps = {};
};

/// Two sites that a displacement joins, and the phase of an electron that hops from j to i: c+_i c_j. Sites count
/// from 0.
struct SitePair {
  int i = 0, j = 0;
  std::complex<double> phase = 1.0;
};

/// A finite piece of the square lattice or of a chain: the lattice modulo two spanning vectors. Sites are numbered from
/// 0 along the Hermite form of these vectors, (a, 0) and (b, c) with 0 <= b < a, which span the same lattice: site
/// x + a y is at (x, y), 0 <= x < a, 0 <= y < c.
///
/// Or a graph: sites without places, whose bonds are listed one by one.
class Cluster {
public:
  /// A chain of L sites.
  /// @throws InputError  fewer than 2 sites
  static Cluster chain(int length, Boundary boundary = {});

  /// L1 x L2 sites.
  /// @throws InputError  a length below 1, or fewer than 2 sites
  static Cluster rectangle(int length1, int length2, std::array<Boundary, 2> boundary = {});

  /// L^2 + 1 sites, spanned by (L, 1) and (-1, L).
  /// @throws InputError  L below 2, or an open boundary
  static Cluster tilted(int length, std::array<Boundary, 2> boundary = {});

  /// Any spanning vectors.
  /// @throws InputError  they span no area, or but one site, or a boundary is open
  static Cluster spanned(LatticeVector t1, LatticeVector t2, std::array<Boundary, 2> boundary = {});

  /// Sites without places.
  /// @throws InputError  fewer than 2
  static Cluster graph(int sites);

  int sites() const { return sites_; }
  int dimensions() const { return dimensions_; }  ///< 1: a chain; 2; 0: a graph
  bool is_graph() const { return dimensions_ == 0; }

  /// Whether it is spanned by (L1, 0) and (0, L2), so that the axes are mirrors.
  bool is_rectangle() const { return is_rectangle_; }

  /// Spanning vectors; of a chain the second is (0, 1).
  const std::array<LatticeVector, 2>& vectors() const { return vectors_; }

  const std::array<Boundary, 2>& boundary() const { return boundary_; }
  bool has_open_boundary() const { return boundary_[0].open || boundary_[1].open; }

  /// Whether all directions are closed, so that there are momenta and correlations depend on displacements.
  bool is_translation_invariant() const { return !is_graph() && !has_open_boundary(); }

  /// Where a site is. @pre not a graph
  LatticeVector position(int site) const { return {site % width_, site / width_}; }

  /// The site that a point of the lattice is. @pre not a graph
  WrappedSite find(LatticeVector point) const;

  /// exp(i angle), of an electron that crossed the boundaries so often.
  std::complex<double> phase(const std::array<int, 2>& wraps) const;

  /// The site displaced from site i as site j is from site 0: sites are a group. @pre translation invariant
  int sum(int i, int j) const;

  /// The site displaced from site 0 as site i is from site j. @pre translation invariant
  int difference(int i, int j) const;

  /// Displacements of a shell of neighbours, half of them: the others are their negatives.
  /// Square lattice 1: (1, 0), (0, 1); 2: (1, 1), (1, -1); 3: (2, 0), (0, 2). Chain: 1, 2, 3.
  /// @param shell  1 to 3
  std::vector<LatticeVector> half_shell(int shell) const;

  /// Pairs that a shell joins: for each site and each displacement of the half shell one, unless it leaves the cluster
  /// through an open boundary. The infinite lattice is wrapped: two sites may be joined several times.
  /// @throws InputError  a displacement leads from a site to itself
  std::vector<SitePair> pairs(int shell) const;

  /// Momenta that the boundaries allow, in units of pi, one for each site: k.T1 = angle1 + 2 m1, k.T2 = angle2 + 2 m2, by
  /// their y, then x component, that are in [0, 2) but for the boundaries' angles. @pre translation invariant
  std::vector<std::array<double, 2>> momenta() const;

  /// The same without the angles of the boundaries, k.T = 2 m: wave vectors of what electrons make in pairs, such as spin
  /// and charge. @pre translation invariant
  std::vector<std::array<double, 2>> wave_vectors() const;

private:
  std::array<std::array<int, 2>, 2> reciprocal() const;
  Cluster(int dimensions, std::array<LatticeVector, 2> vectors, std::array<Boundary, 2> boundary);
  Cluster() = default;

  int sites_ = 0;
  int dimensions_ = 0;
  bool is_rectangle_ = false;
  std::array<LatticeVector, 2> vectors_ = {};
  std::array<Boundary, 2> boundary_ = {};
  int determinant_ = 0;                     ///< of the spanning vectors
  int width_ = 1, shift_ = 0, height_ = 1;  ///< a, b, c of the Hermite form
};

/// The parts of a graph or cluster that bonds hold together.
/// @return number of each site's part, counted from 0 in the order of their first sites
std::vector<int> connected_parts(int sites, const std::vector<SitePair>& pairs);

}  // namespace cisolve
