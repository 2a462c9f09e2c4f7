// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

// What the room needs of an integral library, beside position_integrals. libint_engine.cpp implements it with Libint2;
// absent_engine.cpp is compiled instead where cisolve is built without it.

namespace cisolve::detail {

struct OneElectronMatrices {
  Matrix overlap;           ///< [functions x functions]
  Matrix core_hamiltonian;  ///< kinetic energy + attraction of the nuclei, hartree
};

OneElectronMatrices one_electron_matrices(const GaussianBasis& basis, const Geometry& geometry);

/// Two-electron integrals over quartets of shells.
class RepulsionEngine {
public:
  /// @param precision  of an integral, hartree
  /// @param workers    threads that may compute at the same time
  RepulsionEngine(const GaussianBasis& basis, double precision, int workers);
  ~RepulsionEngine();
  RepulsionEngine(const RepulsionEngine&) = delete;
  RepulsionEngine& operator=(const RepulsionEngine&) = delete;

  /// (ij|kl) over the functions of four shells with i >= j and k >= l, [ni][nj][nk][nl] with the last index
  /// fastest; null if all are negligible. Valid until the worker's next call.
  const double* compute(int worker, int i, int j, int k, int l);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cisolve::detail
