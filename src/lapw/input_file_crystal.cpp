// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "cisolve/core/error.hpp"
#include "lapw/input_file_parts.hpp"

namespace cisolve::lapw {
namespace {

constexpr double most_k_max = 50.0;     // 1/bohr
constexpr double most_length = 1e5;     // bohr
constexpr double most_fraction = 1000;  // of fractional coordinates: beyond, digits are lost

/// Calls f, which says what is wrong without the place where it is given.
template <class F>
void naming(const FileReader& reader, const std::string& place, F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    reader.refuse(place + ": " + error.what());
  }
}

/// Reals, none of them larger than `most`.
std::vector<double> bounded_reals(const FileReader& reader, const Hdf5Group& in, const std::string& name,
                                  const FileReader::Extents& shape, double most) {
  std::vector<double> values = reader.reals(in, name, shape);
  for (const double value : values) {
    if (std::abs(value) > most) {
      reader.refuse(
          fmt::format("dataset '{}' holds {}, expected {} at most", path_of(in, name), value, most));
    }
  }
  return values;
}

Matrix3 matrix_of(const double* values) {
  Matrix3 m;
  for (std::size_t i = 0; i < 9; ++i) m[i / 3][i % 3] = values[i];
  return m;
}

AtomType read_type(const FileReader& reader, const Hdf5Group& group, int number) {
  AtomType type;
  type.name = std::to_string(number);
  type.lmax = reader.integer(group, "lmax", 0, most_lmax);
  type.lmax_nonspherical = reader.integer(group, "lmax_nonspherical", -1, type.lmax);
  type.radius = reader.real(group, "radius");
  if (type.radius <= 0.0 || type.radius > most_length) {
    reader.refuse(fmt::format("attribute 'radius' of '{}' is {}, expected above 0 and at most {} bohr",
                              group.name(), type.radius, most_length));
  }
  type.energy = read_by_l(reader, group, "energy", type.lmax);
  return type;
}

std::vector<AtomSite> read_atoms(const FileReader& reader, int num_types) {
  const Hdf5Group group = reader.group(reader.root(), "atoms");
  const std::vector<int> types = read_atom_types(reader, group, num_types);
  const std::vector<double> positions =
      bounded_reals(reader, group, "position", {types.size(), 3}, most_fraction);
  std::vector<double> rotations;
  if (group.contains("rotation")) rotations = reader.reals(group, "rotation", {types.size(), 3, 3});
  std::vector<AtomSite> atoms(types.size());
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    atoms[a].type = types[a];
    std::copy_n(positions.begin() + 3 * static_cast<std::ptrdiff_t>(a), 3, atoms[a].position.begin());
    if (rotations.empty()) continue;
    atoms[a].rotation = matrix_of(rotations.data() + 9 * a);
    naming(reader, fmt::format("dataset '/atoms/rotation', atom {}", a + 1),
           [&] { require_orthogonal(atoms[a].rotation); });
  }
  return atoms;
}

/// Refuses k-points without a plane wave, as far as there may be one: few lattice points are in reach then.
void require_plane_waves(const FileReader& reader, const Lattice& lattice, const KPointList& list) {
  constexpr double few = 1000.0;
  double in_reach = 1.0;
  for (const Vector3& a : lattice.a) in_reach *= 1.0 + *list.k_max * length(a) / std::numbers::pi;
  if (in_reach > few) return;
  for (std::size_t k = 0; k < list.points.size(); ++k) {
    if (!plane_waves(lattice, list.points[k].k, *list.k_max).empty()) continue;
    reader.refuse(
        fmt::format("attribute 'k_max' of '/k_points' is {} 1/bohr: no plane wave of k-point {} is below",
                    *list.k_max, k + 1));
  }
}

double read_k_max(const FileReader& reader, const Hdf5Group& group) {
  const double k_max = reader.real(group, "k_max");
  if (k_max <= 0.0 || k_max > most_k_max) {
    reader.refuse(fmt::format(
        "attribute 'k_max' of '/k_points' is {}, expected above 0 and at most {} 1/bohr", k_max, most_k_max));
  }
  return k_max;
}

std::vector<std::vector<Index3>> read_waves(const FileReader& reader, const Hdf5Group& group,
                                            std::size_t num_points) {
  std::vector<std::vector<Index3>> waves;
  for (std::size_t k = 1; k <= num_points; ++k) {
    waves.push_back(reader.vectors(group, std::to_string(k), "N_G"));
    if (waves.back().empty()) reader.refuse(fmt::format("dataset '/k_points/g/{}' has no plane wave", k));
  }
  return waves;
}

/// V_-G = conj V_G; what isn't there is 0.
void require_real(const FileReader& reader, const FourierPotential& potential, const std::string& path) {
  std::map<Index3, Complex> values;
  for (std::size_t i = 0; i < potential.g.size(); ++i) values[potential.g[i]] = potential.v[i];
  for (const auto& [g, v] : values) {
    const auto partner = values.find({-g[0], -g[1], -g[2]});
    if (are_equal(v, partner == values.end() ? 0.0 : std::conj(partner->second))) continue;
    const std::string found =
        partner == values.end()
            ? "missing"
            : fmt::format("{:.10g}{:+.10g}i", partner->second.real(), partner->second.imag());
    reader.refuse(fmt::format(
        "dataset '{}' is not real in space: V of [{}] is {:.10g}{:+.10g}i, that of [{}] is {}, "
        "expected the conjugate",
        path, fmt::join(g, ", "), v.real(), v.imag(), fmt::join(Index3{-g[0], -g[1], -g[2]}, ", "), found));
  }
}

}  // namespace

std::vector<int> read_atom_types(const FileReader& reader, const Hdf5Group& atoms, int num_types) {
  const std::vector<std::int64_t> found = reader.integers(atoms, "type", {"N_A"});
  if (found.empty())
    reader.refuse("dataset '/atoms/type' is empty: there are no atoms, expected one or more");
  std::vector<int> types;
  for (const std::int64_t type : found) {
    if (type < 1 || type > num_types) {
      reader.refuse(fmt::format(
          "dataset '/atoms/type': atom {} is of type {}, expected 1 to {}, the groups in '/types'",
          types.size() + 1, type, num_types));
    }
    types.push_back(static_cast<int>(type) - 1);
  }
  return types;
}

std::vector<double> read_by_l(const FileReader& reader, const Hdf5Group& type, const std::string& name,
                              int lmax) {
  return reader.reals(type, name, {lmax + 1}, fmt::format(" for lmax = {}", lmax));
}

std::vector<double> read_udot_norm(const FileReader& reader, const Hdf5Group& type, int lmax) {
  std::vector<double> norm = read_by_l(reader, type, "udot_norm", lmax);
  const auto negative = std::ranges::find_if(norm, [](double value) { return value < 0.0; });
  if (negative != norm.end()) {
    reader.refuse(fmt::format("dataset '{}' is negative at [{}]: {}, expected 0 or more",
                              path_of(type, "udot_norm"), negative - norm.begin(), *negative));
  }
  return norm;
}

void require_k_point(const FileReader& reader, const KPoint& point, const std::string& path_of_point,
                     const std::string& path_of_weight) {
  if (point.weight < 0.0) {
    reader.refuse(fmt::format("{} holds {}, expected 0 or more", path_of_weight, point.weight));
  }
  for (const double component : point.k) {
    if (std::abs(component) > most_fraction) {
      reader.refuse(fmt::format("{} holds {}, expected {} at most", path_of_point, component, most_fraction));
    }
  }
}

Crystal read_crystal(const FileReader& reader) {
  Crystal crystal;
  const Hdf5Group root = reader.root();
  crystal.lattice.a = matrix_of(bounded_reals(reader, root, "lattice", {3, 3}, most_length).data());
  naming(reader, "dataset '/lattice'", [&] { require_volume(crystal.lattice); });
  const Hdf5Group types = reader.group(root, "types");
  const int num_types = reader.num_numbered(types);
  for (int t = 1; t <= num_types; ++t) {
    crystal.types.push_back(read_type(reader, types.open_group(std::to_string(t)), t));
  }
  crystal.atoms = read_atoms(reader, num_types);
  naming(reader, "dataset '/atoms/position'", [&] { require_apart(crystal); });
  return crystal;
}

KPointList read_k_points(const FileReader& reader, const Lattice& lattice) {
  const Hdf5Group group = reader.group(reader.root(), "k_points");
  const std::vector<double> points = reader.reals(group, "point", {"n", 3});
  KPointList list;
  list.points.resize(points.size() / 3);
  if (list.points.empty()) reader.refuse("dataset '/k_points/point' is empty, expected one k-point or more");
  std::vector<double> weights(list.points.size(), 1.0);
  if (group.contains("weight")) weights = reader.reals(group, "weight", {list.points.size()});
  for (std::size_t k = 0; k < list.points.size(); ++k) {
    list.points[k] = {{points[3 * k], points[3 * k + 1], points[3 * k + 2]}, weights[k]};
    require_k_point(reader, list.points[k], "dataset '/k_points/point'", "dataset '/k_points/weight'");
  }
  if (group.contains("label")) list.labels = reader.texts(group, "label", {list.points.size()});
  if (group.has_attribute("k_max")) list.k_max = read_k_max(reader, group);
  if (group.contains("g")) {
    list.waves = read_waves(reader, reader.group(group, "g"), list.points.size());
  } else if (list.k_max) {
    require_plane_waves(reader, lattice, list);
  } else {
    reader.refuse("group '/k_points' has neither an attribute 'k_max' nor a group 'g', expected one of them");
  }
  return list;
}

std::optional<FourierPotential> read_interstitial(const FileReader& reader) {
  if (!reader.root().contains("interstitial")) return std::nullopt;
  const Hdf5Group group = reader.root().open_group("interstitial");
  FourierPotential potential;
  potential.g = reader.vectors(group, "g", "m");
  potential.has_step = group.contains("v_step");
  if (potential.has_step && group.contains("v")) {
    reader.refuse("group '/interstitial' has both 'v' and 'v_step', expected one of them");
  }
  const std::string name = potential.has_step ? "v_step" : "v";
  potential.v = reader.complex_numbers(group, name, {potential.g.size()},
                                       ", one value per vector of '/interstitial/g'");
  require_real(reader, potential, path_of(group, name));
  return potential;
}

}  // namespace cisolve::lapw
