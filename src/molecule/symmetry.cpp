// SPDX-License-Identifier: MIT
#include "cisolve/molecule/symmetry.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"

namespace cisolve {
namespace {

using Vector = Eigen::Vector3d;
using Axes = Eigen::Matrix3d;  ///< rows: the frame's x, y, z
using Points = std::vector<Vector>;

constexpr int num_operations = 8;

double sign_of(AxisOperation operation, int axis) { return (operation >> axis & 1) != 0 ? -1.0 : 1.0; }

Vector apply(AxisOperation operation, const Vector& r) {
  return {sign_of(operation, 0) * r[0], sign_of(operation, 1) * r[1], sign_of(operation, 2) * r[2]};
}

/// Groups by the operations they consist of. The rotation of C2v, C2h and C2 is about z.
struct NamedOperations {
  std::string_view group;
  std::vector<AxisOperation> operations;
};

const std::vector<NamedOperations>& named_operations() {
  // In order of preference among groups of one order. Cs is here once for each plane.
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

/// Atoms about their centre of charge, and how near is equal.
struct Molecule {
  std::vector<int> charges;
  Points points;
  double tolerance;

  /// The atom at `r` of this charge; -1: none.
  int find(const Vector& r, int charge) const {
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (charges[a] == charge && (points[a] - r).norm() < tolerance) return static_cast<int>(a);
    }
    return -1;
  }

  /// True if the linear map carries the molecule into itself.
  bool has(const Eigen::Matrix3d& map) const {
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (find(map * points[a], charges[a]) < 0) return false;
    }
    return true;
  }

  int atoms_in_plane(const Vector& normal) const {
    return static_cast<int>(std::count_if(
        points.begin(), points.end(), [&](const Vector& r) { return std::abs(r.dot(normal)) < tolerance; }));
  }

  int atoms_on_axis(const Vector& axis) const {
    return static_cast<int>(std::count_if(points.begin(), points.end(), [&](const Vector& r) {
      return (r - r.dot(axis) * axis).norm() < tolerance;
    }));
  }

  double extent(const Vector& axis) const {
    double sum = 0.0;
    for (const Vector& r : points) sum += std::abs(r.dot(axis));
    return sum;
  }
};

/// The operations of the molecule in a frame.
std::vector<AxisOperation> operations_in(const Molecule& molecule, const Axes& axes) {
  std::vector<AxisOperation> found;
  for (AxisOperation op = 0; op < num_operations; ++op) {
    const Eigen::Matrix3d flip = Vector(sign_of(op, 0), sign_of(op, 1), sign_of(op, 2)).asDiagonal();
    if (molecule.has(axes.transpose() * flip * axes)) found.push_back(op);
  }
  return found;
}

bool contains(const std::vector<AxisOperation>& all, const std::vector<AxisOperation>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](AxisOperation op) { return std::find(all.begin(), all.end(), op) != all.end(); });
}

/// Directions about which the molecule may have a twofold axis, or perpendicular to which a mirror.
Points candidate_directions(const Molecule& molecule) {
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
  for (std::size_t a = 0; a < molecule.points.size(); ++a) {
    inertia += molecule.charges[a] * molecule.points[a] * molecule.points[a].transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  for (int k = 0; k < 3; ++k) consider(solver.eigenvectors().col(k));
  // An axis or mirror that is not a principal axis passes through atoms, or relates a pair of them.
  for (std::size_t a = 0; a < molecule.points.size(); ++a) {
    consider(molecule.points[a]);
    for (std::size_t b = 0; b < a; ++b) {
      if (molecule.charges[a] != molecule.charges[b]) continue;
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
std::vector<Axes> candidate_frames(const Molecule& molecule) {
  constexpr double right_angle = 1e-4;  // cosine
  std::vector<Axes> frames = {Axes::Identity()};
  const auto add_named = [&](const Vector& a, const Vector& b) {
    const Vector c = a.cross(b);
    const std::array<Vector, 3> v = {a, b, c};
    for (int x = 0; x < 3; ++x) {
      for (int z = 0; z < 3; ++z) {
        if (x != z)
          frames.push_back(frame_of(v[static_cast<std::size_t>(x)], v[static_cast<std::size_t>(z)]));
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

/// A frame with a group in it.
struct Choice {
  Axes axes;
  const NamedOperations* group = nullptr;
  bool as_given = false;  ///< the axes of the input
};

/// How good the names of the axes are: more atoms in yz, then on z, then a longer molecule along z.
std::array<double, 3> merit(const Molecule& molecule, const Choice& choice) {
  const Vector x = choice.axes.row(0), z = choice.axes.row(2);
  if (choice.group->group == "Cs") {  // the mirror with most atoms
    const int axis = std::countr_zero(static_cast<unsigned>(choice.group->operations[1]));
    return {static_cast<double>(molecule.atoms_in_plane(choice.axes.row(axis))), 0.0, 0.0};
  }
  return {static_cast<double>(molecule.atoms_in_plane(x)), static_cast<double>(molecule.atoms_on_axis(z)),
          molecule.extent(z)};
}

/// The best frame for a group with that name, or (name empty) for the largest group.
std::optional<Choice> choose(const Molecule& molecule, std::string_view name) {
  constexpr double margin = 1e-6;  // of the last merit, bohr: rounding must not decide
  const auto frames = candidate_frames(molecule);
  std::optional<Choice> best;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const auto operations = operations_in(molecule, frames[f]);
    for (const NamedOperations& named : named_operations()) {
      if (!name.empty() && named.group != name) continue;
      if (!contains(operations, named.operations)) continue;
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
      const auto a = merit(molecule, choice), b = merit(molecule, *best);
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] > b[k] + margin) best = choice;
        if (std::abs(a[k] - b[k]) > margin) break;
      }
    }
  }
  return best;
}

/// Moves atoms onto exactly symmetric places.
void symmetrise(const Molecule& molecule, const Choice& choice, SymmetryFrame& frame) {
  const auto& operations = frame.operations;
  const std::size_t atoms = molecule.points.size();
  Points rotated;
  for (const Vector& r : molecule.points) rotated.push_back(choice.axes * r);
  Molecule turned{molecule.charges, rotated, molecule.tolerance};
  frame.images.assign(operations.size(), std::vector<int>(atoms));
  for (std::size_t o = 0; o < operations.size(); ++o) {
    for (std::size_t a = 0; a < atoms; ++a) {
      frame.images[o][a] = turned.find(apply(operations[o], rotated[a]), molecule.charges[a]);
    }
  }
  for (std::size_t a = 0; a < atoms; ++a) {
    Vector mean = Vector::Zero();
    bool is_first = true;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const int image = frame.images[o][a];
      is_first = is_first && image >= static_cast<int>(a);
      mean += apply(operations[o], rotated[static_cast<std::size_t>(image)]);
    }
    if (!is_first) continue;
    mean /= static_cast<double>(operations.size());
    for (std::size_t o = 0; o < operations.size(); ++o) {
      if (frame.images[o][a] != static_cast<int>(a)) continue;
      for (int k = 0; k < 3; ++k) {
        if (sign_of(operations[o], k) < 0.0) mean[k] = 0.0;
      }
    }
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const auto image = static_cast<std::size_t>(frame.images[o][a]);
      const Vector place = apply(operations[o], mean);
      frame.displacement = std::max(frame.displacement, (place - rotated[image]).norm());
      for (std::size_t k = 0; k < 3; ++k) {
        frame.geometry.atoms[image].position[k] = place[static_cast<Eigen::Index>(k)] + 0.0;  // no -0
      }
    }
  }
}

std::vector<std::string> group_names() {
  std::vector<std::string> names = {"auto"};
  for (const NamedOperations& named : named_operations()) {
    if (std::find(names.begin(), names.end(), named.group) == names.end()) names.emplace_back(named.group);
  }
  return names;
}

}  // namespace

SymmetryFrame find_symmetry(const Geometry& geometry, std::string_view wanted, const SymmetryConfig& config,
                            const std::string& where) {
  const auto names = group_names();
  const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& known) {
    return equal_ignoring_case(known, wanted);
  });
  if (name == names.end()) {
    throw InputError(fmt::format("{}: symmetry '{}' is not one of {}; the nearest is {}", where, wanted,
                                 fmt::join(names, ", "), nearest_name(wanted, names)));
  }
  SymmetryFrame frame;
  frame.geometry = geometry;
  frame.origin = charge_centre(geometry);
  const Vector centre(frame.origin[0], frame.origin[1], frame.origin[2]);
  Molecule molecule{{}, {}, config.tolerance};
  for (const Atom& atom : geometry.atoms) {
    molecule.charges.push_back(atom.charge);
    molecule.points.emplace_back(Vector(atom.position[0], atom.position[1], atom.position[2]) - centre);
  }
  const auto largest = choose(molecule, {});
  frame.largest_group = largest->group->group;
  const auto choice = *name == "auto" ? largest : choose(molecule, *name);
  if (!choice) {
    throw InputError(
        fmt::format("{}: the geometry does not have the symmetry {} (to within {} bohr); the largest group "
                    "it has is {}",
                    where, *name, config.tolerance, frame.largest_group));
  }
  frame.group = PointGroup::parse(choice->group->group);
  frame.operations = choice->group->operations;
  frame.reoriented = !choice->as_given;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      frame.axes[i][k] = choice->axes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    }
  }
  symmetrise(molecule, *choice, frame);
  return frame;
}

int irrep_of_parity(const SymmetryFrame& frame, int parity) {
  const int x = parity & 1, y = parity >> 1 & 1, z = parity >> 2 & 1;
  const std::string& group = frame.group.name();
  if (group == "D2h") return parity;
  if (group == "C2v") return x | y << 1;
  if (group == "C2h") return z | (x ^ y) << 1;
  if (group == "D2") return (x ^ z) | (y ^ z) << 1;
  if (group == "C1") return 0;
  return std::popcount(static_cast<unsigned>(parity & frame.operations[1])) & 1;  // Cs, C2, Ci: one operation
}

std::vector<FunctionImages> function_images(const GaussianBasis& basis, const SymmetryFrame& frame) {
  const auto parities = function_parities(basis);
  std::vector<int> first_shell(frame.geometry.atoms.size(), 0);  // of each atom
  for (int s = static_cast<int>(basis.shells.size()) - 1; s >= 0; --s) {
    first_shell[static_cast<std::size_t>(basis.shells[static_cast<std::size_t>(s)].atom)] = s;
  }
  std::vector<FunctionImages> all;
  for (std::size_t o = 0; o < frame.operations.size(); ++o) {
    FunctionImages& images = all.emplace_back();
    images.image.resize(static_cast<std::size_t>(basis.num_functions));
    images.sign.resize(static_cast<std::size_t>(basis.num_functions));
    for (std::size_t s = 0; s < basis.shells.size(); ++s) {
      const GaussianShell& shell = basis.shells[s];
      const int target =
          first_shell[static_cast<std::size_t>(frame.images[o][static_cast<std::size_t>(shell.atom)])] +
          static_cast<int>(s) - first_shell[static_cast<std::size_t>(shell.atom)];
      images.shell_image.push_back(target);
      for (int k = 0; k < shell.num_functions(); ++k) {
        const auto f = static_cast<std::size_t>(shell.first_function + k);
        const auto flips = static_cast<unsigned>(frame.operations[o] & parities[f]);
        images.image[f] = basis.shells[static_cast<std::size_t>(target)].first_function + k;
        images.sign[f] = (std::popcount(flips) & 1) != 0 ? -1.0 : 1.0;
      }
    }
  }
  return all;
}

SymmetryOrbitals make_symmetry_orbitals(const GaussianBasis& basis, const SymmetryFrame& frame) {
  const int n = basis.num_functions;
  const auto images = function_images(basis, frame);
  SymmetryOrbitals orbitals{Matrix(n, n), {}};
  for (int irrep = 0; irrep < frame.group.num_irreps(); ++irrep) {
    int parity = 0;
    while (irrep_of_parity(frame, parity) != irrep) ++parity;
    for (int f = 0; f < n; ++f) {
      // Of the functions that the operations carry into each other, the first makes the combination.
      const bool is_first = std::all_of(images.begin(), images.end(), [&](const FunctionImages& i) {
        return i.image[static_cast<std::size_t>(f)] >= f;
      });
      if (!is_first) continue;
      const int column = static_cast<int>(orbitals.irreps.size());
      bool vanishes = column == n;
      for (std::size_t o = 0; o < images.size() && !vanishes; ++o) {
        const bool odd = (std::popcount(static_cast<unsigned>(frame.operations[o] & parity)) & 1) != 0;
        const auto from = static_cast<std::size_t>(f);
        orbitals.vectors(images[o].image[from], column) += (odd ? -1.0 : 1.0) * images[o].sign[from];
      }
      vanishes = vanishes || orbitals.vectors(f, column) == 0.0;
      if (!vanishes) orbitals.irreps.push_back(irrep);
    }
  }
  if (static_cast<int>(orbitals.irreps.size()) != n)
    throw Error("symmetry orbitals: the irreps do not add up");
  return orbitals;
}

}  // namespace cisolve
