// SPDX-License-Identifier: MIT
#include "molecule/symmetry_choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::detail {

const std::vector<NamedOperations>& named_operations() {
  static const std::vector<NamedOperations> table = {{"D2h", {0, 1, 2, 3, 4, 5, 6, 7}},
                                                     {"C2v", {0, 1, 2, 3}},
                                                     {"D2", {0, 3, 5, 6}},
                                                     {"C2h", {0, 3, 4, 7}},
                                                     {"Cs", {0, 4}},
                                                     {"Cs", {0, 1}},
                                                     {"Cs", {0, 2}},
                                                     {"C2", {0, 3}},
                                                     {"Ci", {0, 7}},
                                                     {"C1", {0}}};
  return table;
}

namespace {

/// The operations of the molecule in a frame, ascending.
std::vector<AxisOperation> operations_in(const CentredMolecule& molecule, const Axes& axes) {
  std::vector<AxisOperation> found;
  for (AxisOperation op = 0; op < num_operations; ++op) {
    const Eigen::Matrix3d flip = signs_of(op).asDiagonal();
    if (molecule.has(axes.transpose() * flip * axes)) found.push_back(op);
  }
  return found;
}

/// Directions about which the molecule may have a twofold axis, or perpendicular to which a mirror.
Points candidate_directions(const CentredMolecule& molecule) {
  constexpr double parallel = 1e-6;  // 1 - |cosine| of directions that are the same
  constexpr double least_length = 1e-3;
  Points directions;
  const auto consider = [&](const Vector& v) {
    if (v.norm() < least_length) return;
    const Vector d = v.normalized();
    for (const Vector& known : directions) {
      if (1.0 - std::abs(known.dot(d)) < parallel) return;
    }
    const Eigen::Matrix3d mirror = Eigen::Matrix3d::Identity() - 2.0 * d * d.transpose();
    if (molecule.has(mirror) || molecule.has(-mirror)) directions.push_back(d);
  };
  for (int k = 0; k < 3; ++k) consider(Vector::Unit(k));
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (std::size_t a = 0; a < molecule.num_atoms; ++a) {
    inertia += molecule.kinds[a] * molecule.points[a] * molecule.points[a].transpose();
  }
  const Axes principal = symmetric_eigenpairs(inertia).vectors;
  for (int k = 0; k < 3; ++k) consider(principal.col(k));
  // An axis or mirror that is not a principal axis passes through atoms, or relates a pair of them.
  // A few point charges may show one where the atoms do not, as around an atom.
  constexpr std::size_t few = 32;
  const std::size_t sources = std::min(molecule.points.size(), molecule.num_atoms + few);
  consider(molecule.field);
  for (std::size_t a = 0; a < sources; ++a) {
    consider(molecule.points[a]);
    for (std::size_t b = 0; b < a; ++b) {
      if (molecule.kinds[a] != molecule.kinds[b]) continue;
      consider(molecule.points[a] + molecule.points[b]);
      consider(molecule.points[a] - molecule.points[b]);
      consider(molecule.points[a].cross(molecule.points[b]));
    }
  }
  return directions;
}

/// A right-handed frame with the given x and z; signs so that the largest component of each is positive.
Axes frame_of(Vector x, Vector z) {
  const auto upright = [](Vector v) {
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    return v[largest] < 0.0 ? Vector(-v) : v;
  };
  z = upright(z.normalized());
  x = upright((x - x.dot(z) * z).normalized());
  Axes axes;
  axes << x.transpose(), z.cross(x).transpose(), z.transpose();
  return axes;
}

Vector any_perpendicular(const Vector& z) {
  Eigen::Index smallest = 0;
  z.cwiseAbs().minCoeff(&smallest);
  return Vector::Unit(smallest) - z[smallest] * z;
}

/// Frames that may show a group: the axes given first, then every one that the directions span, each in all
/// ways of naming its axes.
std::vector<Axes> candidate_frames(const CentredMolecule& molecule) {
  constexpr double right_angle = 1e-4;  // cosine
  std::vector<Axes> frames = {Axes::Identity()};
  const auto add_named = [&](const Vector& a, const Vector& b) {
    const Vector c = a.cross(b);
    const std::array<Vector, 3> v = {a, b, c};
    for (int x = 0; x < 3; ++x) {
      for (int z = 0; z < 3; ++z) {
        if (x != z) frames.push_back(frame_of(v[x], v[z]));
      }
    }
  };
  add_named(Vector::UnitX(), Vector::UnitY());
  const Points directions = candidate_directions(molecule);
  for (std::size_t i = 0; i < directions.size(); ++i) {
    bool alone = true;
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(directions[i].dot(directions[j])) > right_angle) continue;
      add_named(directions[i],
                (directions[j] - directions[j].dot(directions[i]) * directions[i]).normalized());
      alone = false;
    }
    if (alone) add_named(directions[i], any_perpendicular(directions[i]).normalized());
  }
  return frames;
}

/// How far atoms and point charges are from where the group's operations bring their likes, bohr.
double distortion(const CentredMolecule& molecule, const Choice& choice) {
  double largest = 0.0;
  for (const AxisOperation op : choice.group->operations) {
    const Eigen::Matrix3d flip = signs_of(op).asDiagonal();
    const Eigen::Matrix3d map = choice.axes.transpose() * flip * choice.axes;
    for (std::size_t a = 0; a < molecule.points.size(); ++a) {
      const Vector image = map * molecule.points[a];
      const int there = molecule.find(image, molecule.kinds[a]);
      largest = std::max(largest, (molecule.points[there] - image).norm());
    }
  }
  return largest;
}

/// How good the names of the axes are: more atoms in yz, then on z, then a longer molecule along z.
std::array<double, 3> merit(const CentredMolecule& molecule, const Choice& choice) {
  const Vector x = choice.axes.row(0), z = choice.axes.row(2);
  if (choice.group->group == "Cs") {  // the mirror with most atoms
    const int axis = std::countr_zero(static_cast<unsigned>(choice.group->operations[1]));
    return {static_cast<double>(molecule.atoms_in_plane(choice.axes.row(axis))), 0.0, 0.0};
  }
  return {static_cast<double>(molecule.atoms_in_plane(x)), static_cast<double>(molecule.atoms_on_axis(z)),
          molecule.extent(z)};
}

}  // namespace

std::optional<Choice> choose_frame(const CentredMolecule& molecule, std::string_view name) {
  constexpr double margin = 1e-6;  // of the last merit, bohr: rounding must not decide
  constexpr double exact = 1e-6;   // bohr: what typed digits leave of a symmetry that is meant
  const auto frames = candidate_frames(molecule);
  std::optional<Choice> best;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const auto operations = operations_in(molecule, frames[f]);
    for (const NamedOperations& named : named_operations()) {
      if (!name.empty() && named.group != name) continue;
      if (!std::ranges::includes(operations, named.operations)) continue;
      const Choice choice{frames[f], &named, f == 0};
      const auto order = [](const Choice& c) { return c.group->operations.size(); };
      if (!best || order(choice) > order(*best)) {
        best = choice;
        continue;
      }
      if (order(choice) < order(*best)) continue;
      // The axes given win; among others the preferred group, then the better names.
      const auto is_same_group = choice.group->group == best->group->group;
      if (best->as_given && !(choice.as_given && is_same_group)) continue;
      if (choice.group < best->group && !is_same_group) best = choice;
      if (!is_same_group) continue;
      const bool is_exact = distortion(molecule, choice) < exact;
      if (is_exact != (distortion(molecule, *best) < exact)) {
        if (is_exact) best = choice;
        continue;
      }
      const auto a = merit(molecule, choice), b = merit(molecule, *best);
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] > b[k] + margin) best = choice;
        if (std::abs(a[k] - b[k]) > margin) break;
      }
    }
  }
  return best;
}

std::optional<Choice> choose_nearest_frame(const CentredMolecule& molecule, const SymmetryFrame& before) {
  constexpr double margin = 1e-6;  // bohr^2: rounding must not decide
  const auto& table = named_operations();
  const auto named = std::find_if(table.begin(), table.end(), [&](const NamedOperations& n) {
    return n.group == before.group.name() && n.operations == before.operations;
  });
  std::optional<Choice> best;
  double least = 0.0;
  const auto frames = candidate_frames(molecule);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (!std::ranges::includes(operations_in(molecule, frames[f]), named->operations)) continue;
    for (const AxisOperation half_turn : {0, 3, 5, 6}) {  // the directions of axes are a convention
      const Axes axes = signs_of(half_turn).asDiagonal() * frames[f];
      double distance = 0.0;
      for (std::size_t a = 0; a < molecule.num_atoms; ++a) {
        const Position& r = before.geometry.atoms[a].position;
        distance += (axes * molecule.points[a] - Vector(r[0], r[1], r[2])).squaredNorm();
      }
      if (best && distance > least - margin) continue;
      best = Choice{axes, &*named, f == 0 && half_turn == 0};
      least = distance;
    }
  }
  return best;
}

}  // namespace cisolve::detail
