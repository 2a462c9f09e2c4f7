// SPDX-License-Identifier: MIT
// Of what file.cpp writes.
#include <algorithm>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/flapw/file.hpp"

namespace cisolve {
namespace {

using lapw::Complex;

std::vector<double> read_reals(const Hdf5Group& group, const std::string& name) {
  return group.read<double>(name).values;
}

FlapwPoint read_point(const Hdf5Group& group) {
  FlapwPoint point;
  point.status = group.read_attribute<std::string>("status");
  point.algorithm = group.read_attribute<std::string>("algorithm");
  point.k.weight = group.read_attribute<double>("weight");
  const std::vector<double> k = group.read<double>("k_point", {3});
  std::copy_n(k.begin(), 3, point.k.k.begin());
  point.waves = group.read_attribute<std::int64_t>("waves");
  point.rows = group.read_attribute<std::int64_t>("rows");
  point.blocks = group.read_attribute<std::int32_t>("blocks");
  point.hpd_atoms = group.read_attribute<std::int32_t>("hpd_atoms");
  point.checked = group.read_attribute<std::int32_t>("checked");
  point.check_error_h = group.read_attribute<double>("check_error_h");
  point.check_error_s = group.read_attribute<double>("check_error_s");
  point.gemm_rate = group.read_attribute<double>("zgemm_rate");
  point.seconds = group.read_attribute<double>("seconds");
  lapw::Eigenstates& states = point.states;
  states.solver = group.read_attribute<std::string>("solver");
  states.iterations = group.read_attribute<std::int32_t>("iterations");
  states.overlap = {group.read_attribute<double>("s_lowest"), group.read_attribute<double>("s_highest"),
                    group.read_attribute<std::int64_t>("dropped"),
                    group.read_attribute<double>("smallest_kept")};
  states.energies = read_reals(group, "eigenvalue");
  states.residual_norms = group.read<double>("residual", {states.energies.size()});
  states.scaled_residuals = group.read<double>("scaled_residual", {states.energies.size()});
  const std::vector<std::uint8_t> converged = group.read<std::uint8_t>("converged", {states.energies.size()});
  for (const std::uint8_t value : converged) states.converged.push_back(value != 0);
  const Hdf5Group lines = group.open_group("line");
  const std::vector<std::string> names = lines.read_strings("name").values;
  const std::vector<double> seconds = lines.read<double>("seconds", {names.size()});
  const std::vector<double> flops = lines.read<double>("flops", {names.size()});
  for (std::size_t i = 0; i < names.size(); ++i) point.lines.push_back({names[i], seconds[i], flops[i]});
  return point;
}

lapw::AtomType read_type(const Hdf5Group& group) {
  lapw::AtomType type;
  type.energy = read_reals(group, "energy");
  const Hdf5Shape shape = {type.energy.size()};
  type.lmax = static_cast<int>(std::ssize(type.energy)) - 1;
  type.radial = {group.read<double>("u", shape), group.read<double>("u_r", shape),
                 group.read<double>("udot", shape), group.read<double>("udot_r", shape),
                 group.read<double>("udot_norm", shape)};
  return type;
}

lapw::Crystal read_crystal(const Hdf5Group& group, std::size_t num_types) {
  lapw::Crystal crystal;
  const std::vector<double> lattice = group.read<double>("lattice", {3, 3});
  for (std::size_t i = 0; i < 9; ++i) crystal.lattice.a[i / 3][i % 3] = lattice[i];
  const std::vector<std::int32_t> types = group.read<std::int32_t>("type").values;
  const std::vector<double> positions = group.read<double>("position", {types.size(), 3});
  for (std::size_t atom = 0; atom < types.size(); ++atom) {
    lapw::AtomSite site{.type = types[atom] - 1};
    std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(3 * atom), 3, site.position.begin());
    crystal.atoms.push_back(site);
  }
  const std::vector<double> radii = group.read<double>("radius", {num_types});
  const std::vector<std::int32_t> nonspherical = group.read<std::int32_t>("lmax_nonspherical", {num_types});
  for (std::size_t k = 0; k < num_types; ++k) {
    lapw::AtomType type = read_type(group.open_group("types").open_group(std::to_string(k + 1)));
    type.radius = radii[k];
    type.lmax_nonspherical = nonspherical[k];
    crystal.types.push_back(std::move(type));
  }
  return crystal;
}

void read_types(const Hdf5Group& group, FlapwResult& result) {
  const std::vector<std::string> names = group.read_strings("type_name").values;
  const Hdf5Shape shape = {names.size()};
  const auto lmax = group.read<std::int32_t>("lmax", shape),
             atoms = group.read<std::int32_t>("type_atoms", shape);
  const auto definite = group.read<std::uint8_t>("hpd", shape);
  for (std::size_t k = 0; k < names.size(); ++k)
    result.types.push_back({names[k], lmax[k], atoms[k], definite[k] != 0});
  if (!group.contains("lattice")) return;
  result.crystal = read_crystal(group, names.size());
  for (std::size_t k = 0; k < names.size(); ++k) result.crystal->types[k].name = names[k];
}

void read_path(const Hdf5Group& root, FlapwResult& result) {
  if (!root.contains("bands")) return;
  const std::vector<std::string> labels =
      root.open_group("bands").read_strings("label", {result.points.size()});
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].empty()) continue;
    result.path.corners.push_back(static_cast<int>(k));
    result.path.labels.push_back(labels[k]);
  }
}

Array<Complex> read_packed(const Hdf5Group& group, const std::string& name, std::int64_t n) {
  const std::vector<Complex> packed =
      group.read<Complex>(name, {static_cast<std::uint64_t>(n * (n + 1) / 2)});
  Array<Complex> matrix(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j)
      matrix[static_cast<std::size_t>(j * n + i)] = packed[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
  }
  return matrix;
}

}  // namespace

bool holds_flapw(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  return hdf5.root().contains("flapw");
}

FlapwResult read_flapw(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group root = hdf5.root();
  FlapwResult result;
  result.head = read_head(root, file);
  if (!root.contains("flapw"))
    throw InputError("'" + file.string() + "' is not the result of a FLAPW calculation");
  const Hdf5Group group = root.open_group("flapw");
  result.kind = group.read_attribute<std::string>("kind");
  result.source = group.read_attribute<std::string>("source");
  result.source_hash = group.read_attribute<std::uint64_t>("source_hash");
  result.algorithm = group.read_attribute<std::string>("algorithm");
  result.coefficients = group.read_attribute<std::string>("coefficients");
  result.arithmetic = group.read_attribute<std::string>("arithmetic");
  result.device = group.read_attribute<std::string>("device");
  result.blas = group.read_attribute<std::string>("blas");
  result.num_atoms = group.read_attribute<std::int64_t>("atoms");
  result.num_rows = group.read_attribute<std::int64_t>("rows");
  result.interstitial = group.read_attribute<bool>("interstitial");
  result.relativistic = group.read_attribute<bool>("relativistic");
  result.k_max = group.read_attribute<double>("k_max");
  read_types(root.open_group("crystal"), result);
  const std::vector<std::string> status = group.read_strings("point_status").values;
  const std::vector<double> k = group.read<double>("k_point", {status.size(), 3});
  const std::vector<double> weight = group.read<double>("weight", {status.size()});
  const Hdf5Group points = root.open_group("k");
  for (std::size_t n = 0; n < status.size(); ++n) {
    FlapwPoint point;
    if (status[n] != "pending") point = read_point(points.open_group(std::to_string(n + 1)));
    std::copy_n(k.begin() + static_cast<std::ptrdiff_t>(3 * n), 3, point.k.k.begin());
    point.k.weight = weight[n];
    result.points.push_back(std::move(point));
  }
  read_path(root, result);
  result.warnings = root.read_strings("warnings").values;
  result.seconds = root.open_group("timing").read_attribute<double>("total");
  return result;
}

bool holds_states(const std::filesystem::path& file, int number) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group group = hdf5.root().open_group("k").open_group(std::to_string(number));
  return group.contains("h") && group.contains("s") && group.contains("vector");
}

StoredStates read_stored_states(const std::filesystem::path& file, int number) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group group = hdf5.root().open_group("k").open_group(std::to_string(number));
  StoredStates stored;
  stored.energies = read_reals(group, "eigenvalue");
  stored.residual_norms = group.read<double>("residual", {stored.energies.size()});
  const auto n = group.read_attribute<std::int64_t>("waves");
  if (group.contains("h") && group.contains("s")) {
    stored.matrices.n = n;
    stored.matrices.h = read_packed(group, "h", n);
    stored.matrices.s = read_packed(group, "s", n);
  }
  if (group.contains("vector")) {
    const auto dataset = group.open_dataset<Complex>("vector");
    const Hdf5Shape shape = {stored.energies.size(), static_cast<std::uint64_t>(n)};
    if (dataset.shape() != shape)
      throw InputError("'" + file.string() + "' is damaged: " + dataset.name() + " has another shape");
    stored.vectors = Array<Complex>(stored.energies.size() * static_cast<std::size_t>(n));
    dataset.read({stored.vectors.data(), stored.vectors.size()}, {0, 0}, shape);
  }
  return stored;
}

}  // namespace cisolve
