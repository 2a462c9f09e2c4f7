// SPDX-License-Identifier: MIT
#include "cisolve/molecule/internal_coordinate.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

using Vector = Eigen::Vector3d;
using Kind = InternalCoordinate::Kind;

constexpr double degree = std::numbers::pi / 180.0;
constexpr double linear = 1e-6;  ///< sine of an angle that has no plane

struct NamedKind {
  std::string_view name;
  Kind kind;
  std::size_t num_atoms;
};
constexpr NamedKind kinds[] = {
    {"bond", Kind::bond, 2}, {"angle", Kind::angle, 3}, {"dihedral", Kind::dihedral, 4}};

Vector position(const Geometry& geometry, int atom) {
  const Position& r = geometry.atoms[atom].position;
  return {r[0], r[1], r[2]};
}

std::vector<int> read_atoms(std::span<const std::string_view> words, const Geometry& geometry,
                            const std::string& begin) {
  std::vector<int> atoms;
  for (const std::string_view word : words) {
    const auto number = detail::number_of(word);
    const auto count = static_cast<int>(geometry.atoms.size());
    if (!number || *number != std::floor(*number) || *number < 1.0 || *number > count) {
      throw InputError(fmt::format("{}: '{}' is no atom; the atoms are 1 to {}", begin, word, count));
    }
    const int atom = static_cast<int>(*number) - 1;
    if (std::find(atoms.begin(), atoms.end(), atom) != atoms.end()) {
      throw InputError(fmt::format("{}: it names atom {} twice", begin, atom + 1));
    }
    atoms.push_back(atom);
  }
  return atoms;
}

void move(const std::vector<int>& atoms, Geometry& geometry, const auto& map) {
  for (const int atom : atoms) {
    const Vector moved = map(position(geometry, atom));
    geometry.atoms[atom].position = {moved[0], moved[1], moved[2]};
  }
}

/// Turns the atoms about an axis through a point.
void turn(const InternalCoordinate& coordinate, double angle, const Vector& centre, const Vector& axis,
          Geometry& geometry) {
  const Eigen::AngleAxisd rotation(angle, axis.normalized());
  move(coordinate.moved, geometry, [&](const Vector& r) { return Vector(centre + rotation * (r - centre)); });
}

Vector any_perpendicular(const Vector& v) {
  Eigen::Index smallest = 0;
  v.cwiseAbs().minCoeff(&smallest);
  return v.cross(Vector(Vector::Unit(smallest)));
}

/// Positions of the atoms that define the coordinate.
std::vector<Vector> points_of(const InternalCoordinate& coordinate, const Geometry& geometry) {
  std::vector<Vector> points;
  for (const int atom : coordinate.atoms) points.push_back(position(geometry, atom));
  return points;
}

double angle_between(const Vector& a, const Vector& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

}  // namespace

InternalCoordinate parse_internal_coordinate(std::string_view text, const Geometry& geometry,
                                             const std::string& where) {
  const std::string begin = fmt::format("{}: \"{}\"", where, text);
  const auto words = detail::words_of(text);
  const auto* named = std::find_if(std::begin(kinds), std::end(kinds), [&](const NamedKind& k) {
    return !words.empty() && equal_ignoring_case(words.front(), k.name);
  });
  const auto moving = std::find_if(words.begin(), words.end(),
                                   [](std::string_view word) { return equal_ignoring_case(word, "moving"); });
  const std::size_t given = moving - words.begin();
  if (named == std::end(kinds) || given != named->num_atoms + 1) {
    throw InputError(
        fmt::format("{} is no coordinate; \"bond 1 2\", \"angle 2 1 3\" or \"dihedral 1 2 3 4\" is expected, "
                    "with \"moving\" and further atoms behind it if more than the last moves",
                    begin));
  }
  const std::span<const std::string_view> all(words);
  InternalCoordinate coordinate{
      named->kind, read_atoms(all.subspan(1, named->num_atoms), geometry, begin), {}};
  const int last = coordinate.atoms.back();
  coordinate.moved = {last};
  if (moving == words.end()) return coordinate;
  coordinate.moved = read_atoms(all.subspan(given + 1), geometry, begin);
  const auto moves = [&](int atom) {
    return std::find(coordinate.moved.begin(), coordinate.moved.end(), atom) != coordinate.moved.end();
  };
  if (!moves(last)) {
    throw InputError(fmt::format("{}: its last atom, {}, must be among the moving ones", begin, last + 1));
  }
  for (const int atom : coordinate.atoms) {
    if (atom != last && moves(atom)) {
      throw InputError(fmt::format(
          "{}: atom {} must stay where it is; of the atoms that define a coordinate only the last moves",
          begin, atom + 1));
    }
  }
  return coordinate;
}

double value_of(const InternalCoordinate& coordinate, const Geometry& geometry) {
  const std::vector<Vector> r = points_of(coordinate, geometry);
  if (coordinate.kind == Kind::bond) return (r[1] - r[0]).norm();
  if (coordinate.kind == Kind::angle) return angle_between(r[0] - r[1], r[2] - r[1]) / degree;
  const Vector axis = (r[2] - r[1]).normalized();
  const Vector m = (r[1] - r[0]).cross(axis), n = axis.cross(r[3] - r[2]);
  return std::atan2(axis.dot(m.cross(n)), m.dot(n)) / degree;
}

void set_value(const InternalCoordinate& coordinate, double value, Geometry& geometry,
               const std::string& where) {
  const std::vector<Vector> r = points_of(coordinate, geometry);
  switch (coordinate.kind) {
    case Kind::bond: {
      if (value <= 0.0)
        throw InputError(fmt::format("{}: a bond length of {} bohr; it must be above 0", where, value));
      const Vector direction = (r[1] - r[0]).normalized();
      const Vector shift = r[0] + value * direction - r[1];
      move(coordinate.moved, geometry, [&](const Vector& point) { return Vector(point + shift); });
      return;
    }
    case Kind::angle: {
      if (value < 0.0 || value > 180.0) {
        throw InputError(fmt::format("{}: an angle of {} degrees; it must be from 0 to 180", where, value));
      }
      const Vector a = (r[0] - r[1]).normalized(), b = (r[2] - r[1]).normalized();
      const Vector normal = a.cross(b);
      turn(coordinate, value * degree - angle_between(a, b), r[1],
           normal.norm() > linear ? normal : any_perpendicular(a), geometry);
      return;
    }
    case Kind::dihedral: {
      const Vector axis = (r[2] - r[1]).normalized();
      if ((r[1] - r[0]).normalized().cross(axis).norm() < linear ||
          (r[3] - r[2]).normalized().cross(axis).norm() < linear) {
        throw InputError(
            fmt::format("{}: three of the atoms lie on a line, so there is no dihedral angle", where));
      }
      turn(coordinate, (value - value_of(coordinate, geometry)) * degree, r[1], axis, geometry);
      return;
    }
  }
}

}  // namespace cisolve
