// SPDX-License-Identifier: MIT
#include "cisolve/lapw/crystal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cisolve/core/error.hpp"

namespace cisolve::lapw {

namespace {

constexpr double least_volume = 1e-3;        // bohr^3; no crystal has less
constexpr double orthogonal_to = 1e-10;      // rotations are written with 10 digits or more
constexpr double distance_rounding = 1e-10;  // bohr; spheres may touch

void add(Vector3& a, const Vector3& b, double factor) {
  for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += factor * b[axis];
}

/// Shortens the first vector by multiples of the second; false if that is as short as it gets.
bool shorten(Vector3& a, const Vector3& b) {
  Vector3 shorter = a;
  add(shorter, b, -std::rint(dot(a, b) / dot(b, b)));
  constexpr double rounding = 1e-12;
  const bool is_shorter = length(shorter) < length(a) * (1.0 - rounding);
  if (is_shorter) a = shorter;
  return is_shorter;
}

/// The same lattice by short vectors: none can be shortened by another, nor by the sum or difference of the others. So
/// few neighbouring cells hold the nearest images, however skewed the lattice is written.
Lattice reduced(Lattice lattice) {
  Matrix3& a = lattice.a;
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 &b = a[(i + 1) % 3], &c = a[(i + 2) % 3];
      Vector3 sum = b, difference = b;
      add(sum, c, 1.0);
      add(difference, c, -1.0);
      for (const Vector3& other : {b, c, sum, difference}) changes = shorten(a[i], other) || changes;
    }
  }
  return lattice;
}

/// Distances between atoms and the images of others.
class Images {
public:
  explicit Images(const Crystal& crystal) : lattice_(reduced(crystal.lattice)), b_(lattice_.reciprocal()) {
    for (const AtomSite& atom : crystal.atoms)
      positions_.push_back(combine_rows(crystal.lattice.a, atom.position));
  }

  /// From an atom to the nearest image of another, or of itself.
  double distance(std::size_t first, std::size_t second) const {
    const bool is_self = first == second;
    const Vector3 fractional = folded(first, second);
    double nearest = is_self ? std::min({length(lattice_.a[0]), length(lattice_.a[1]), length(lattice_.a[2])})
                             : length(combine_rows(lattice_.a, fractional));
    std::array<int, 3> cells{};  // in each direction: those that are no farther than that
    for (std::size_t i = 0; i < 3; ++i)
      cells[i] = static_cast<int>(nearest * length(b_[i]) / (2.0 * std::numbers::pi) + 0.5 + 1e-6);
    for (int n1 = -cells[0]; n1 <= cells[0]; ++n1) {
      for (int n2 = -cells[1]; n2 <= cells[1]; ++n2) {
        for (int n3 = -cells[2]; n3 <= cells[2]; ++n3) {
          if (is_self && n1 == 0 && n2 == 0 && n3 == 0) continue;
          nearest = std::min(nearest, length(wave_vector(lattice_.a, fractional, {n1, n2, n3})));
        }
      }
    }
    return nearest;
  }

private:
  /// The vector between two atoms in the reduced lattice, each component in [-1/2, 1/2].
  Vector3 folded(std::size_t first, std::size_t second) const {
    Vector3 between = positions_[second];
    add(between, positions_[first], -1.0);
    Vector3 fractional = rotate(b_, between);
    for (double& x : fractional) {
      x /= 2.0 * std::numbers::pi;
      x -= std::rint(x);
    }
    return fractional;
  }

  Lattice lattice_;
  Matrix3 b_;
  std::vector<Vector3> positions_;
};

double radius_of(const Crystal& crystal, std::size_t atom) {
  return crystal.types[static_cast<std::size_t>(crystal.atoms[atom].type)].radius;
}

}  // namespace

int Crystal::num_rows() const {
  int rows = 0;
  for (const AtomSite& atom : atoms) rows += num_functions(types[static_cast<std::size_t>(atom.type)].lmax);
  return rows;
}

double Crystal::smallest_radius() const {
  return std::ranges::min_element(types, {}, &AtomType::radius)->radius;
}

double Crystal::largest_radius() const {
  return std::ranges::max_element(types, {}, &AtomType::radius)->radius;
}

SphereOverlap find_overlap(const Crystal& crystal) {
  const Images images(crystal);
  SphereOverlap worst{.first = 0, .second = 0, .distance = -1.0};
  double most = distance_rounding;
  for (std::size_t i = 0; i < crystal.atoms.size(); ++i) {
    for (std::size_t j = i; j < crystal.atoms.size(); ++j) {
      const double distance = images.distance(i, j);
      const double overlap = radius_of(crystal, i) + radius_of(crystal, j) - distance;
      if (overlap <= most) continue;
      most = overlap;
      worst = {.first = static_cast<int>(i), .second = static_cast<int>(j), .distance = distance};
    }
  }
  return worst;
}

void require_volume(const Lattice& lattice) {
  const double volume = lattice.volume();
  if (volume >= least_volume && std::isfinite(volume)) return;
  throw InputError(
      fmt::format("the volume of the cell is {:.3g} bohr^3; three vectors that are no plane's, and at "
                  "least {} bohr^3, are expected",
                  volume, least_volume));
}

void require_orthogonal(const Matrix3& rotation) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double product = dot(rotation[i], rotation[j]);
      if (std::abs(product - (i == j ? 1.0 : 0.0)) <= orthogonal_to) continue;
      throw InputError(
          fmt::format("the rotation is not orthogonal to {}: the product of rows {} and {} is {:.10g}",
                      orthogonal_to, j + 1, i + 1, product));
    }
  }
}

void require_apart(const Crystal& crystal) {
  const SphereOverlap overlap = find_overlap(crystal);
  if (overlap.distance < 0.0) return;
  const double first = radius_of(crystal, static_cast<std::size_t>(overlap.first));
  const double second = radius_of(crystal, static_cast<std::size_t>(overlap.second));
  const std::string spheres =
      overlap.first == overlap.second
          ? fmt::format("the sphere of atom {} and that of its own image overlap", overlap.first + 1)
          : fmt::format("the spheres of atoms {} and {} overlap", overlap.first + 1, overlap.second + 1);
  throw InputError(fmt::format("{}: radii {:.6g} and {:.6g} bohr, distance {:.6g} bohr", spheres, first,
                               second, overlap.distance));
}

}  // namespace cisolve::lapw
