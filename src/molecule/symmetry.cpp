// SPDX-License-Identifier: MIT
#include "cisolve/molecule/symmetry.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "molecule/symmetry_choice.hpp"

namespace cisolve {
namespace {

using detail::CentredMolecule;
using detail::Choice;
using detail::Points;
using detail::Vector;

Vector apply(AxisOperation operation, const Vector& r) { return detail::signs_of(operation).cwiseProduct(r); }

/// Moves atoms and point charges onto exactly symmetric places, and turns the field onto the axes that the group leaves it.
void symmetrise(const CentredMolecule& molecule, const Choice& choice, SymmetryFrame& frame) {
  const auto& operations = frame.operations;
  const std::size_t points = molecule.points.size();
  Points rotated;
  for (const Vector& r : molecule.points) rotated.push_back(choice.axes * r);
  const CentredMolecule turned{molecule.kinds, rotated, molecule.num_atoms, choice.axes * molecule.field,
                               molecule.tolerance};
  frame.images.assign(operations.size(), std::vector<int>(points));
  for (std::size_t o = 0; o < operations.size(); ++o) {
    for (std::size_t a = 0; a < points; ++a) {
      // The nearest: turning rounds, and the tolerance has been decided upon.
      frame.images[o][a] = turned.nearest(apply(operations[o], rotated[a]), molecule.kinds[a]);
    }
  }
  for (std::size_t a = 0; a < points; ++a) {
    Vector mean = Vector::Zero();
    bool is_first = true;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const int image = frame.images[o][a];
      is_first = is_first && image >= static_cast<int>(a);
      mean += apply(operations[o], rotated[image]);
    }
    if (!is_first) continue;
    mean /= static_cast<double>(operations.size());
    for (std::size_t o = 0; o < operations.size(); ++o) {
      if (frame.images[o][a] != static_cast<int>(a)) continue;
      for (int k = 0; k < 3; ++k) {
        if (detail::sign_of(operations[o], k) < 0.0) mean[k] = 0.0;
      }
    }
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const std::size_t image = frame.images[o][a];
      const Vector place = apply(operations[o], mean);
      frame.displacement = std::max(frame.displacement, (place - rotated[image]).norm());
      Position& position = image < molecule.num_atoms
                               ? frame.geometry.atoms[image].position
                               : frame.geometry.surroundings.charges[image - molecule.num_atoms].position;
      for (std::size_t k = 0; k < 3; ++k) position[k] = place[static_cast<Eigen::Index>(k)] + 0.0;  // no -0
    }
  }
  for (auto& images : frame.images) images.resize(molecule.num_atoms);
  for (std::size_t k = 0; k < 3; ++k) {
    const int axis = static_cast<int>(k);
    const bool vanishes = std::ranges::any_of(
        operations, [axis](AxisOperation operation) { return detail::sign_of(operation, axis) < 0.0; });
    frame.geometry.surroundings.field[k] = vanishes ? 0.0 : turned.field[axis];
  }
}

std::vector<std::string> group_names() {
  std::vector<std::string> names = {"auto"};
  for (const detail::NamedOperations& named : detail::named_operations()) {
    if (std::find(names.begin(), names.end(), named.group) == names.end()) names.emplace_back(named.group);
  }
  return names;
}

/// The name of a group as the table has it, or "auto".
std::string group_name(std::string_view wanted, const std::string& where) {
  const auto names = group_names();
  const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& known) {
    return equal_ignoring_case(known, wanted);
  });
  if (name != names.end()) return *name;
  throw InputError(fmt::format("{}: symmetry '{}' is not one of {}; the nearest is {}", where, wanted,
                               fmt::join(names, ", "), nearest_name(wanted, names)));
}

/// Tells atoms apart that symmetry does not exchange: of other elements, ghosts, and of other basis sets.
int kind_of(const Atom& atom) {
  constexpr int elements = 128;  // and more than there are
  return atom.element() + elements * ((atom.is_ghost() ? 1 : 0) + 2 * atom.set);
}

/// Atoms about the centre of their charges, and what is around them.
CentredMolecule centred(const Geometry& geometry, const SymmetryConfig& config) {
  const Position origin = charge_centre(geometry);
  const auto& [charges, field] = geometry.surroundings;
  CentredMolecule molecule{
      {}, {}, geometry.atoms.size(), Vector(field[0], field[1], field[2]), config.tolerance};
  const auto add = [&](int kind, const Position& r) {
    molecule.kinds.push_back(kind);
    molecule.points.emplace_back(Vector(r[0] - origin[0], r[1] - origin[1], r[2] - origin[2]));
  };
  for (const Atom& atom : geometry.atoms) add(kind_of(atom), atom.position);
  std::map<double, int> kinds;
  for (const PointCharge& other : charges) {
    const int next = -1 - static_cast<int>(kinds.size());
    add(kinds.try_emplace(other.charge, next).first->second, other.position);
  }
  return molecule;
}

SymmetryFrame make_frame(const Geometry& geometry, const CentredMolecule& molecule, const Choice& choice,
                         std::string_view largest_group) {
  SymmetryFrame frame;
  frame.geometry = geometry;
  frame.origin = charge_centre(geometry);
  frame.largest_group = largest_group;
  frame.group = PointGroup::parse(choice.group->group);
  frame.operations = choice.group->operations;
  frame.reoriented = !choice.as_given;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      frame.axes[i][k] = choice.axes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    }
  }
  symmetrise(molecule, choice, frame);
  return frame;
}

[[noreturn]] void refuse_group(std::string_view name, std::string_view largest, bool surrounded,
                               const SymmetryConfig& config, const std::string& where) {
  throw InputError(fmt::format(
      "{}: the geometry{} does not have the symmetry {} (to within {} bohr); the largest group it has is {}",
      where, surrounded ? ", with what is around it," : "", name, config.tolerance, largest));
}

/// Frames of one group for all geometries, each nearest to its neighbour's, from number `start` on in both
/// directions; none if a geometry does not have the operations of its neighbour.
std::vector<SymmetryFrame> follow_frames(std::span<const Geometry> path,
                                         const std::vector<CentredMolecule>& molecules,
                                         const std::vector<std::string>& largest, std::string_view name,
                                         std::size_t start) {
  std::vector<SymmetryFrame> frames(path.size());
  const auto first = detail::choose_frame(molecules[start], name);
  if (!first) return {};
  frames[start] = make_frame(path[start], molecules[start], *first, largest[start]);
  const auto step = [&](std::size_t k, const SymmetryFrame& neighbour) {
    const auto choice = detail::choose_nearest_frame(molecules[k], neighbour);
    if (choice) frames[k] = make_frame(path[k], molecules[k], *choice, largest[k]);
    return choice.has_value();
  };
  for (std::size_t k = start + 1; k < path.size(); ++k) {
    if (!step(k, frames[k - 1])) return {};
  }
  for (std::size_t k = start; k-- > 0;) {
    if (!step(k, frames[k + 1])) return {};
  }
  return frames;
}

}  // namespace

SymmetryFrame find_symmetry(const Geometry& geometry, std::string_view wanted, const SymmetryConfig& config,
                            const std::string& where) {
  const std::string name = group_name(wanted, where);
  const CentredMolecule molecule = centred(geometry, config);
  const auto largest = detail::choose_frame(molecule, {});
  const auto choice = name == "auto" ? largest : detail::choose_frame(molecule, name);
  if (!choice) refuse_group(name, largest->group->group, !geometry.surroundings.empty(), config, where);
  return make_frame(geometry, molecule, *choice, largest->group->group);
}

std::vector<SymmetryFrame> find_common_symmetry(std::span<const Geometry> path, std::string_view wanted,
                                                const SymmetryConfig& config,
                                                std::span<const std::string> where) {
  const std::string name = group_name(wanted, where.front());
  std::vector<CentredMolecule> molecules;
  std::vector<std::string> largest;
  std::size_t start = 0;  // where there is least symmetry, there is least choice
  std::size_t least = detail::num_operations;
  for (std::size_t k = 0; k < path.size(); ++k) {
    molecules.push_back(centred(path[k], config));
    const auto choice = detail::choose_frame(molecules.back(), {});
    largest.emplace_back(choice->group->group);
    if (choice->group->operations.size() < least) {
      least = choice->group->operations.size();
      start = k;
    }
    if (name != "auto" && !detail::choose_frame(molecules.back(), name))
      refuse_group(name, largest.back(), !path[k].surroundings.empty(), config, where[k]);
  }
  for (const std::string& group : group_names()) {
    if (group == "auto" || (name != "auto" && group != name)) continue;
    auto frames = follow_frames(path, molecules, largest, group, start);
    if (!frames.empty()) return frames;
  }
  throw InputError(
      fmt::format("{}: all geometries have the symmetry {}, but about different axes; choose a smaller "
                  "group, or \"auto\"",
                  where.front(), name));
}

}  // namespace cisolve
