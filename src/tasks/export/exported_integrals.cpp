// SPDX-License-Identifier: MIT
#include "tasks/export/exported_integrals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/integrals/rotation.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "tasks/ci/integrals_of_result.hpp"

namespace cisolve {
namespace {

/// The frame of the calculation without symmetry: orbitals keep their irreps, which is what zeros are told by.
SymmetryFrame frame_of(const CiResult::Molecule& molecule, const Geometry& geometry) {
  SymmetryFrame frame;
  frame.group = PointGroup::parse("c1");
  frame.operations = {0};
  frame.geometry = geometry;
  std::vector<int> itself(geometry.atoms.size());
  std::iota(itself.begin(), itself.end(), 0);
  frame.images = {itself};
  for (std::size_t k = 0; k < molecule.point_charges.size(); ++k) {
    const double* at = molecule.point_charge_positions.data() + 3 * k;
    frame.geometry.surroundings.charges.push_back({molecule.point_charges[k], {at[0], at[1], at[2]}});
  }
  if (molecule.field.size() == 3)
    std::ranges::copy(molecule.field, frame.geometry.surroundings.field.begin());
  return frame;
}

/// @return what the transformation may hold beside its result
std::int64_t require_room(const ExportedResult& from, int num_orbitals) {
  const auto pairs = static_cast<double>(num_pairs(static_cast<std::size_t>(num_orbitals)));
  const double bytes = 8.0 * pairs * (pairs + 1.0) / 2.0;
  const auto room = static_cast<double>(available_memory());
  constexpr double share = 0.5;  // the rest is for the integrals over functions, or their halves
  if (bytes > share * room)
    throw ResourceError(
        fmt::format("--integrals: those over the {} orbitals of {} take {:.1f} GB, {:.1f} GB of memory are "
                    "available and half of it is for transforming them",
                    num_orbitals, from.file.string(), bytes / 1e9, room / 1e9));
  return static_cast<std::int64_t>(share * share * room);
}

}  // namespace

Integrals exported_integrals(const ExportedResult& from, const ResultMolecule* parts,
                             const ExportedOrbitals& orbitals) {
  if (parts == nullptr) {
    const auto integrals = integrals_of(from.result, from.file);
    return orbitals.natural ? rotated(*integrals, orbitals.natural->coefficients, orbitals.irreps)
                            : *integrals;
  }
  const std::int64_t room = require_room(from, orbitals.coefficients.columns());
  const SymmetryFrame frame = frame_of(*from.result.molecule, parts->geometry);
  RepulsionConfig repulsion_config;
  repulsion_config.max_bytes = room;
  const Repulsion repulsion(parts->basis, frame, repulsion_config);
  ScfOrbitals all;
  all.coefficients = orbitals.coefficients;
  all.irreps = orbitals.irreps;
  TransformationConfig config;
  config.max_bytes = room;
  return transform_integrals(MolecularBasis{frame, parts->basis, repulsion}, all, {}, {}, config).integrals;
}

}  // namespace cisolve
