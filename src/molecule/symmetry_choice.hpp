// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cisolve/molecule/symmetry.hpp"

// Which axes to take: the part of find_symmetry that knows no frame yet.

namespace cisolve::detail {

using Vector = Eigen::Vector3d;
using Axes = Eigen::Matrix3d;  ///< rows: the frame's x, y, z
using Points = std::vector<Vector>;

constexpr int num_operations = 8;

inline double sign_of(AxisOperation operation, int axis) { return (operation >> axis & 1) != 0 ? -1.0 : 1.0; }
inline Vector signs_of(AxisOperation operation) {
  return {sign_of(operation, 0), sign_of(operation, 1), sign_of(operation, 2)};
}

/// Groups by the operations they consist of. The rotation of C2v, C2h and C2 is about z.
struct NamedOperations {
  std::string_view group;
  std::vector<AxisOperation> operations;  ///< ascending
};

/// In order of preference among groups of one order. Cs is here once for each plane.
const std::vector<NamedOperations>& named_operations();

/// Atoms about their centre of charge with what acts on them from outside, and how near is equal.
struct CentredMolecule {
  std::vector<int>
      kinds;  ///< of the points: atoms' > 0, by element, ghost and basis set; point charges' < 0, by value
  Points points;  ///< the atoms, then the point charges
  std::size_t num_atoms;
  Vector field;
  double tolerance;  ///< bohr; of the field, relative: across its axis it acts in second order only

  /// The point at `r` of this kind; -1: none.
  int find(const Vector& r, int kind) const {
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (kinds[a] == kind && (points[a] - r).norm() < tolerance) return static_cast<int>(a);
    }
    return -1;
  }

  /// The point of this kind that is nearest to `r`; there is one.
  int nearest(const Vector& r, int kind) const {
    int found = -1;
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (kinds[a] != kind) continue;
      if (found < 0 || (points[a] - r).squaredNorm() < (points[found] - r).squaredNorm())
        found = static_cast<int>(a);
    }
    return found;
  }

  std::span<const Vector> atoms() const { return std::span(points).first(num_atoms); }

  /// True if the linear map carries the molecule into itself.
  bool has(const Eigen::Matrix3d& map) const {
    if ((map * field - field).norm() > tolerance * field.norm()) return false;
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (find(map * points[a], kinds[a]) < 0) return false;
    }
    return true;
  }

  int atoms_in_plane(const Vector& normal) const {
    return static_cast<int>(
        std::ranges::count_if(atoms(), [&](const Vector& r) { return std::abs(r.dot(normal)) < tolerance; }));
  }

  int atoms_on_axis(const Vector& axis) const {
    return static_cast<int>(std::ranges::count_if(
        atoms(), [&](const Vector& r) { return (r - r.dot(axis) * axis).norm() < tolerance; }));
  }

  double extent(const Vector& axis) const {
    double sum = 0.0;
    for (const Vector& r : atoms()) sum += std::abs(r.dot(axis));
    return sum;
  }
};

/// A frame with a group in it.
struct Choice {
  Axes axes;
  const NamedOperations* group = nullptr;
  bool as_given = false;  ///< the axes of the input
};

/// The best frame for a group with that name, or (name empty) for the largest group; none: the molecule lacks it.
std::optional<Choice> choose_frame(const CentredMolecule& molecule, std::string_view name);

/// The frame with the operations of another geometry's, and nearest to that atom by atom; none as above.
std::optional<Choice> choose_nearest_frame(const CentredMolecule& molecule, const SymmetryFrame& before);

}  // namespace cisolve::detail
