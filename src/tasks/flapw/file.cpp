// SPDX-License-Identifier: MIT
// What write_flapw puts where; file_reading.cpp reads it.
#include "tasks/flapw/file.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/lapw/radial.hpp"
#include "tasks/files/file_additions.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/flapw/bands.hpp"

namespace cisolve {
namespace {

using lapw::Complex;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::uint64_t size_of(const T& list) {
  return static_cast<std::uint64_t>(std::ssize(list));
}

void write_reals(Hdf5Group& group, const std::string& name, const std::vector<double>& values,
                 const char* unit, const char* description) {
  group.write<double>(name, values, {size_of(values)}, {unit, description});
}

void write_integers(Hdf5Group& group, const std::string& name, const std::vector<std::int32_t>& values,
                    const char* description) {
  group.write<std::int32_t>(name, values, {size_of(values)}, {.description = description});
}

// --- what all points share

void write_summary(Hdf5Group& root, const FlapwResult& result) {
  Hdf5Group group = root.create_group("flapw");
  group.write_attribute("kind", result.kind);
  group.write_attribute("source", result.source);
  group.write_attribute("source_hash", result.source_hash);
  group.write_attribute("algorithm", result.algorithm);
  group.write_attribute("coefficients", result.coefficients);
  group.write_attribute("arithmetic", result.arithmetic);
  group.write_attribute("device", result.device);
  group.write_attribute("blas", result.blas);
  group.write_attribute("atoms", static_cast<std::int64_t>(result.num_atoms));
  group.write_attribute("rows", static_cast<std::int64_t>(result.num_rows));
  group.write_attribute("interstitial", result.interstitial);
  group.write_attribute("relativistic", result.relativistic);
  group.write_attribute("k_max", result.k_max);
  double rate = 0.0;
  for (const FlapwPoint& point : result.points) rate = std::max(rate, point.gemm_rate);
  group.write_attribute("zgemm_rate", rate);
  const bool is_done = std::ranges::all_of(result.points, &FlapwPoint::is_done);
  const bool failed = std::ranges::any_of(result.points, [](const FlapwPoint& p) {
    return p.status == "not converged" || p.status == FlapwPoint::wrong;
  });
  group.write_attribute("status", std::string_view(!is_done ? "pending"
                                                   : failed ? "not converged"
                                                            : "converged"));
  std::vector<std::string> status;
  std::vector<double> k, weight;
  for (const FlapwPoint& point : result.points) {
    status.push_back(point.status);
    k.insert(k.end(), point.k.k.begin(), point.k.k.end());
    weight.push_back(point.k.weight);
  }
  group.write_strings("point_status", status, {size_of(status)}, {.description = "of each k-point"});
  group.write<double>("k_point", k, {size_of(status), 3},
                      {.description = "in units of the reciprocal lattice vectors"});
  write_reals(group, "weight", weight, "", "of each k-point");
}

void write_types(Hdf5Group& crystal, const FlapwResult& result) {
  std::vector<std::string> names;
  std::vector<std::int32_t> lmax, atoms;
  std::vector<std::uint8_t> definite;
  for (const FlapwResult::Type& type : result.types) {
    names.push_back(type.name);
    lmax.push_back(type.lmax);
    atoms.push_back(type.atoms);
    definite.push_back(type.is_definite ? 1 : 0);
  }
  crystal.write_strings("type_name", names, {size_of(names)}, {.description = "of each type"});
  write_integers(crystal, "lmax", lmax, "largest l of each type");
  write_integers(crystal, "type_atoms", atoms, "atoms of each type");
  crystal.write<std::uint8_t>("hpd", definite, {size_of(definite)},
                              {.description = "1: T_AA of the type is positive definite"});
}

void write_lattice(Hdf5Group& group, const lapw::Crystal& crystal) {
  std::vector<double> lattice, positions, radii;
  std::vector<std::int32_t> types, nonspherical;
  for (const lapw::Vector3& row : crystal.lattice.a) lattice.insert(lattice.end(), row.begin(), row.end());
  for (const lapw::AtomSite& atom : crystal.atoms) {
    positions.insert(positions.end(), atom.position.begin(), atom.position.end());
    types.push_back(atom.type + 1);
  }
  for (const lapw::AtomType& type : crystal.types) {
    radii.push_back(type.radius);
    nonspherical.push_back(type.lmax_nonspherical);
  }
  group.write<double>("lattice", lattice, {3, 3}, {"bohr", "lattice vectors as rows"});
  group.write<double>("position", positions, {size_of(types), 3}, {.description = "of atoms, fractional"});
  write_integers(group, "type", types, "of atoms, from 1");
  write_reals(group, "radius", radii, "bohr", "of the sphere of each type");
  write_integers(group, "lmax_nonspherical", nonspherical,
                 "largest l of the non-spherical part of each type; -1: none");
  Hdf5Group all = group.create_group("types");
  for (std::size_t k = 0; k < crystal.types.size(); ++k) {
    const lapw::AtomType& type = crystal.types[k];
    const lapw::RadialFunctions& radial = type.radial;
    Hdf5Group one = all.create_group(std::to_string(k + 1));
    write_reals(one, "energy", type.energy, "hartree", "E_l, by l");
    write_reals(one, "u", radial.u, "bohr^-3/2", "u_l at the radius");
    write_reals(one, "u_r", radial.u_r, "bohr^-5/2", "its radial derivative");
    write_reals(one, "udot", radial.udot, "bohr^-3/2 hartree^-1", "energy derivative of u_l at the radius");
    write_reals(one, "udot_r", radial.udot_r, "bohr^-5/2 hartree^-1", "its radial derivative");
    write_reals(one, "udot_norm", radial.udot_norm, "hartree^-2", "N_l, integral of the square of udot");
    std::vector<double> wronskian = lapw::wronskians(type);
    for (double& value : wronskian) value = 0.5 * value - 1.0;
    write_reals(one, "wronskian", wronskian, "",
                "R^2 (udot u_r - u udot_r)/2 - 1, which is 0 for exact functions");
  }
}

void write_bands(Hdf5Group& root, const FlapwResult& result) {
  const Bands bands = bands_of(result);
  if (bands.energies.empty()) return;
  Hdf5Group group = root.create_group("bands");
  write_reals(group, "x", bands.x, "1/bohr", "length of the path to each k-point");
  group.write<double>("eigenvalue", bands.energies,
                      {size_of(bands.x), static_cast<std::uint64_t>(bands.states)},
                      {"hartree", "of each k-point, ascending, padded with NaN"});
  group.write_strings("label", bands.labels, {size_of(bands.labels)},
                      {.description = "name of each k-point; empty between the corners of the path"});
}

void write_shared(Hdf5Group& root, const FlapwResult& result) {
  write_summary(root, result);
  Hdf5Group crystal = root.create_group("crystal");
  write_types(crystal, result);
  if (result.crystal) write_lattice(crystal, *result.crystal);
  root.write_strings("warnings", result.warnings, {size_of(result.warnings)},
                     {.description = "what the report warned of"});
  Hdf5Group timing = root.create_group("timing");
  timing.write_attribute("total", result.seconds);
  if (result.path.is_given()) write_bands(root, result);
}

void remove_shared(Hdf5Group& root) {
  for (const char* name : {"flapw", "crystal", "warnings", "timing", "bands"}) {
    if (root.contains(name)) root.remove(name);
  }
}

// --- a point

void write_lines(Hdf5Group group, const FlapwPoint& point) {
  std::vector<std::string> names;
  std::vector<double> seconds, flops, efficiency;
  for (const lapw::LineRecord& line : point.lines) {
    names.push_back(line.name);
    seconds.push_back(line.seconds);
    flops.push_back(line.flops);
    efficiency.push_back(line.flops > 0.0 && line.seconds > 0.0 ? line.flops / line.seconds / point.gemm_rate
                                                                : absent);
  }
  group.write_strings("name", names, {size_of(names)}, {.description = "steps of the algorithm"});
  write_reals(group, "seconds", seconds, "second", "that each took");
  write_reals(group, "flops", flops, "", "useful ones of each, triangles counted once; 0: not counted");
  write_reals(group, "efficiency", efficiency, "", "their rate as a fraction of that of ZGEMM in this run");
}

void write_packed(Hdf5Group& group, const std::string& name, const Array<Complex>& matrix, std::int64_t n,
                  const char* unit, const char* description) {
  Hdf5Dataset<Complex> dataset =
      group.create_dataset<Complex>(name, {static_cast<std::uint64_t>(n * (n + 1) / 2)}, {unit, description});
  std::vector<Complex> rows;
  std::uint64_t at = 0;
  constexpr std::size_t piece = 1 << 18;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) rows.push_back(matrix[static_cast<std::size_t>(j * n + i)]);
    if (rows.size() < piece && i + 1 < n) continue;
    dataset.write(rows, {at}, {size_of(rows)});
    at += size_of(rows);
    rows.clear();
  }
}

void write_point(Hdf5Group group, const FlapwPoint& point, bool with_vectors,
                 const lapw::HermitianPair* matrices) {
  group.write_attribute("status", point.status);
  group.write_attribute("algorithm", point.algorithm);
  group.write_attribute("weight", point.k.weight);
  group.write<double>("k_point", point.k.k, {3},
                      {.description = "in units of the reciprocal lattice vectors"});
  group.write_attribute("waves", static_cast<std::int64_t>(point.waves));
  group.write_attribute("rows", static_cast<std::int64_t>(point.rows));
  group.write_attribute("blocks", static_cast<std::int32_t>(point.blocks));
  group.write_attribute("hpd_atoms", static_cast<std::int32_t>(point.hpd_atoms));
  group.write_attribute("solver", point.states.solver);
  group.write_attribute("iterations", static_cast<std::int32_t>(point.states.iterations));
  group.write_attribute("s_lowest", point.states.overlap.lowest);
  group.write_attribute("s_highest", point.states.overlap.highest);
  group.write_attribute("dropped", static_cast<std::int64_t>(point.states.overlap.dropped));
  group.write_attribute("smallest_kept", point.states.overlap.smallest_kept);
  group.write_attribute("checked", static_cast<std::int32_t>(point.checked));
  group.write_attribute("check_error_h", point.check_error_h);
  group.write_attribute("check_error_s", point.check_error_s);
  group.write_attribute("zgemm_rate", point.gemm_rate);
  group.write_attribute("seconds", point.seconds);
  if (!point.g.empty()) {
    std::vector<std::int32_t> g;
    for (const lapw::Index3& wave : point.g) g.insert(g.end(), wave.begin(), wave.end());
    group.write<std::int32_t>("g", g, {size_of(point.g), 3},
                              {.description = "reciprocal lattice vector of each plane wave"});
  }
  const lapw::Eigenstates& states = point.states;
  write_reals(group, "eigenvalue", states.energies, "hartree",
              "lowest eigenvalues of H c = lambda S c, ascending");
  write_reals(group, "residual", states.residual_norms, "hartree",
              "norms of H c - lambda S c, with c^H S c = 1");
  write_reals(group, "scaled_residual", states.scaled_residuals, "",
              "|r| / ((|H| + |lambda| |S|) |c|) with Frobenius norms");
  const std::vector<std::uint8_t> converged(states.converged.begin(), states.converged.end());
  group.write<std::uint8_t>("converged", converged, {size_of(converged)},
                            {.description = "1: the residual is as small as was asked for"});
  if (with_vectors && states.count() > 0) {
    group.write<Complex>(
        "vector", std::span<const Complex>(states.vectors.data(), states.vectors.size()),
        {static_cast<std::uint64_t>(states.count()), static_cast<std::uint64_t>(point.waves)},
        {.description = "coefficients of the plane waves of each state, c^H S c = 1"});
  }
  if (matrices != nullptr) {
    write_packed(group, "h", matrices->h, matrices->n, "hartree", "Hamiltonian: lower triangle by rows");
    write_packed(group, "s", matrices->s, matrices->n, "", "overlap: lower triangle by rows");
  }
  write_lines(group.create_group("line"), point);
}

/// About what a point takes in the file.
std::uint64_t bytes_of(const FlapwPoint& point, bool with_vectors, const lapw::HermitianPair* matrices) {
  const auto n = static_cast<std::uint64_t>(point.waves);
  std::uint64_t numbers = 4 * n;
  if (with_vectors) numbers += n * static_cast<std::uint64_t>(point.states.count());
  if (matrices != nullptr) numbers += n * (n + 1);
  return sizeof(Complex) * numbers;
}

}  // namespace

void write_flapw(const std::filesystem::path& file, const FlapwResult& result, int number, bool with_vectors,
                 const lapw::HermitianPair* matrices, bool is_new) {
  const std::uint64_t before = is_new ? 0 : std::filesystem::file_size(file);
  AtomicFile atomic(file,
                    before + (number > 0 ? bytes_of(result.points[number - 1], with_vectors, matrices) : 0));
  if (!is_new) copy_to_add(atomic, file);
  Hdf5File hdf5 =
      is_new ? Hdf5File::create(atomic.temporary(), file) : Hdf5File::modify(atomic.temporary(), file);
  {
    Hdf5Group root = hdf5.root();
    if (is_new) {
      write_head(root, result.head);
      root.create_group("k");
    } else {
      remove_shared(root);
    }
    write_shared(root, result);
    if (number > 0) {
      Hdf5Group points = root.open_group("k");
      const std::string name = std::to_string(number);
      if (points.contains(name)) points.remove(name);
      write_point(points.create_group(name), result.points[number - 1], with_vectors, matrices);
    }
  }
  put_in_place(hdf5, atomic);
}

}  // namespace cisolve
