// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve::test {

/// A molecule with its basis and integrals, ready for an SCF.
struct TestMolecule {
  TestMolecule(const std::string& geometry, const std::string& basis_name,
               const std::string& symmetry = "auto", const RepulsionConfig& config = {})
      : TestMolecule(parse_geometry(geometry, LengthUnit::angstrom, "test"), basis_name, symmetry, config) {}

  explicit TestMolecule(const Geometry& geometry, const std::string& basis_name = "6-31g",
                        const std::string& symmetry = "auto", const RepulsionConfig& config = {}) {
    frame = find_symmetry(geometry, symmetry, {}, "test");
    const BasisSet set = read_basis_set(basis_name, CISOLVE_BASIS_SETS);
    basis = make_basis(frame.geometry, set, set.functions.value(), "test");
    repulsion = std::make_unique<Repulsion>(basis, frame, config);
  }

  MolecularBasis view() const { return {frame, basis, *repulsion}; }

  ScfConfig electrons(int charge, int multiplicity) const {
    ScfConfig config;
    const int count = total_charge(frame.geometry) - charge;
    config.num_alpha = (count + multiplicity - 1) / 2;
    config.num_beta = count - config.num_alpha;
    return config;
  }

  SymmetryFrame frame;
  GaussianBasis basis;
  std::unique_ptr<Repulsion> repulsion;
};

inline constexpr const char* water =
    "O 0 0 0; H 0 0.757209882569 0.586527095487; H 0 -0.757209882569 0.586527095487";

}  // namespace cisolve::test
