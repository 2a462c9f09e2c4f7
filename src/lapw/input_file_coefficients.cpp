// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "lapw/input_file_parts.hpp"

namespace cisolve::lapw {
namespace {

using Kind = FileReader::Kind;

MuffinTin read_muffin_tin(const FileReader& reader, const Hdf5Group& group) {
  MuffinTin tin;
  tin.lmax = reader.integer(group, "lmax", 0, most_lmax);
  tin.udot_norm = read_udot_norm(reader, group, tin.lmax);
  const std::string why = fmt::format(" for lmax = {}", tin.lmax);
  const int size = num_functions(tin.lmax);
  tin.t_aa = reader.hermitian_matrix(group, "t_aa", size, why);
  tin.t_ab = reader.matrix(group, "t_ab", size, why);
  tin.t_bb = reader.hermitian_matrix(group, "t_bb", size, why);
  return tin;
}

KPoint read_k_point(const FileReader& reader, const Hdf5Group& group) {
  KPoint point;
  const auto path_of_attribute = [&](const char* name) {
    return fmt::format("attribute '{}' of '{}'", name, group.name());
  };
  if (group.has_attribute("k_point")) {
    const std::vector<double> k = reader.reals(group, "k_point");
    if (k.size() != 3)
      reader.refuse(fmt::format("{} has {} values, expected 3", path_of_attribute("k_point"), k.size()));
    std::ranges::copy(k, point.k.begin());
  }
  if (group.has_attribute("weight")) point.weight = reader.real(group, "weight");
  require_k_point(reader, point, path_of_attribute("k_point"), path_of_attribute("weight"));
  return point;
}

/// Reads N and whether there is an interstitial part.
void read_shapes(const FileReader& reader, const Hdf5Group& group, CoefficientSets& sets) {
  const std::string why = fmt::format(", where {} is the number of functions in all spheres", sets.rows);
  const std::uint64_t waves = reader.shape_of(group, "a", Kind::complex, {"N_G", sets.rows}, why).front();
  if (waves == 0 || waves > std::numeric_limits<int>::max()) {
    reader.refuse(fmt::format("dataset '{}' has {} plane waves, expected 1 to {}", path_of(group, "a"), waves,
                              std::numeric_limits<int>::max()));
  }
  reader.shape_of(group, "b", Kind::complex, {waves, sets.rows},
                  fmt::format(", that of '{}'", path_of(group, "a")));
  const bool has_h = group.contains("h_interstitial"), has_s = group.contains("s_interstitial");
  const std::string others = fmt::format(", the plane waves of '{}'", path_of(group, "a"));
  if (has_h || has_s) {
    reader.shape_of(group, "h_interstitial", Kind::complex, {waves, waves}, others);
    reader.shape_of(group, "s_interstitial", Kind::complex, {waves, waves}, others);
  }
  if (group.contains("g")) reader.shape_of(group, "g", Kind::integer, {waves, 3}, others);
  sets.waves.push_back(static_cast<std::int64_t>(waves));
  sets.has_interstitial.push_back(static_cast<char>(has_h));
}

/// A Hermitian matrix that the file has by rows, by columns.
Array<Complex> read_by_columns(const FileReader& reader, const Hdf5Group& group, const std::string& name,
                               std::uint64_t size) {
  Array<Complex> m(size * size);
  reader.read(group, name, {size, size}, {m.data(), m.size()});
  reader.require_hermitian({m.data(), m.size()}, static_cast<std::int64_t>(size), path_of(group, name));
  for (Complex& element : m) element = std::conj(element);  // the transpose, as it is Hermitian
  return m;
}

}  // namespace

CoefficientSets read_coefficient_sets(const FileReader& reader) {
  CoefficientSets sets;
  const Hdf5Group root = reader.root(), types = reader.group(root, "types");
  const int num_types = reader.num_numbered(types);
  sets.atom_types = read_atom_types(reader, reader.group(root, "atoms"), num_types);
  for (int t = 1; t <= num_types; ++t)
    sets.tins.push_back(read_muffin_tin(reader, types.open_group(std::to_string(t))));
  for (const int type : sets.atom_types)
    sets.rows += num_functions(sets.tins[static_cast<std::size_t>(type)].lmax);

  const Hdf5Group points = reader.group(root, "k");
  const int num_points = reader.num_numbered(points);
  for (int n = 1; n <= num_points; ++n) {
    const Hdf5Group group = points.open_group(std::to_string(n));
    sets.points.push_back(read_k_point(reader, group));
    read_shapes(reader, group, sets);
  }
  return sets;
}

GivenCoefficients read_coefficients(const FileReader& reader, const CoefficientSets& sets, int k) {
  const Hdf5Group group = reader.root().open_group("k").open_group(std::to_string(k + 1));
  const auto waves = static_cast<std::uint64_t>(sets.waves.at(static_cast<std::size_t>(k)));
  const auto rows = static_cast<std::uint64_t>(sets.rows);
  GivenCoefficients given;
  given.waves = sets.waves[static_cast<std::size_t>(k)];
  given.rows = sets.rows;
  for (const auto& [name, part] : {std::pair("a", &given.a), std::pair("b", &given.b)}) {
    *part = Array<Complex>(waves * rows);  // row g of the file is column g
    reader.read(group, name, {waves, rows}, {part->data(), part->size()});
  }
  if (sets.has_interstitial[static_cast<std::size_t>(k)] != 0) {
    given.h_interstitial = read_by_columns(reader, group, "h_interstitial", waves);
    given.s_interstitial = read_by_columns(reader, group, "s_interstitial", waves);
  }
  if (group.contains("g")) given.g = reader.vectors(group, "g", waves);
  return given;
}

}  // namespace cisolve::lapw
