// SPDX-License-Identifier: MIT
#include <optional>

#include "cisolve/molecule/bonds.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "cisolve/molecule/geometry_limits.hpp"
#include "cisolve/molecule/symmetry.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

namespace {

/// Its symmetry, and that of an s, a p and a d shell on each atom.
void find_symmetry_of(const Geometry& geometry) {
  const std::vector<double> one = {1.0};
  BasisSet set;
  for (const Atom& atom : geometry.atoms)
    set.elements[atom.charge] = {{0, one, one}, {1, one, one}, {2, one, one}};
  const SymmetryFrame frame = find_symmetry(geometry, "auto", {}, "xyz");
  make_symmetry_orbitals(make_basis(frame.geometry, set, FunctionType::spherical, "xyz"), frame);
  find_odd_distances(frame.geometry);
  find_bonds(frame.geometry);
}

}  // namespace

void xyz(std::string_view data) {
  static MemoryFile file("xyz");
  const std::filesystem::path path = file.with(data);
  constexpr std::size_t few_atoms = 8;  // symmetry takes the fourth power of their number
  expect_read_or_refused([&] {
    for (const Geometry& geometry : read_xyz_frames(path, LengthUnit::angstrom)) {
      check_limits(geometry, {}, "xyz");
      check_distances(geometry, {}, "xyz");
      if (geometry.atoms.size() <= few_atoms) find_symmetry_of(geometry);
    }
  });
  expect_read_or_refused([&] { read_xyz(path, LengthUnit::bohr); });
  expect_read_or_refused([&] { parse_geometry(data, LengthUnit::bohr, "text"); });
  expect_read_or_refused([&] { parse_point_charges(data, LengthUnit::angstrom, "text"); });
}

}  // namespace cisolve::fuzz
