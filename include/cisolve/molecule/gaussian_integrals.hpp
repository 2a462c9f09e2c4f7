// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/core/progress.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {

/// Whether this build has the library that computes Gaussian integrals (Libint2). Without it, everything
/// below throws Error.
bool gaussian_integrals_available();

/// Thresholds and memory of two-electron integrals.
struct RepulsionConfig {
  double threshold = 1e-12;  ///< hartree, > 0; integrals that Schwarz' inequality bounds by less are left
                             ///< out: their sum stays far below a convergence of 1e-10
  double primitive_threshold = 1e-20;  ///< hartree, > 0; Libint leaves out pairs of primitives by an estimate
                                       ///< that is no bound: 1e-14 moves the energy of benzene by 3e-7
  std::int64_t max_bytes = std::int64_t{4} << 30;  ///< bytes for stored integrals; beyond, they are computed
                                                   ///< anew whenever they are needed
};

/// Coulomb and exchange matrices of one density D:
///     J_pq = sum_rs (pq|rs) D_rs       K_pq = sum_rs (pr|qs) D_rs
struct CoulombExchange {
  Matrix coulomb;
  Matrix exchange;
};

struct Integrals;

/// The two-electron integrals over the basis functions of a molecule, stored, if there is room, else direct; or over
/// orbitals that take the place of functions, stored.
///
/// Integrals are computed once per class of quartets that the symmetry operations carry into each other. The
/// results do not depend on the number of threads, to the last bit.
/// @see M. Dupuis and H. F. King, Int. J. Quantum Chem. 11 (1977) 613, doi:10.1002/qua.560110408
class Repulsion {
public:
  /// @param basis     kept by reference
  /// @param symmetry  of the geometry that the basis stands on; C1 always works
  /// @param config    thresholds and memory
  /// @param progress  of computing what is stored
  Repulsion(const GaussianBasis& basis, const SymmetryFrame& symmetry, const RepulsionConfig& config,
            const Progress& progress = {});

  /// Over orbitals: a copy of (pq|rs), the square of the number of pairs p >= q of them. Needs no Libint2.
  explicit Repulsion(const Integrals& integrals);
  static std::int64_t bytes_over_orbitals(int num_orbitals);
  ~Repulsion();
  Repulsion(Repulsion&&) noexcept;
  Repulsion& operator=(Repulsion&&) = delete;

  bool is_stored() const noexcept;

  /// J and K of symmetric densities [functions x functions], of any spatial symmetry, in one pass.
  std::vector<CoulombExchange> coulomb_exchange(std::span<const Matrix> densities) const;

  /// Told the row (pq|..) of one pair of functions p >= q: packed lower triangle, [pairs of functions].
  using RowVisitor = std::function<void(std::size_t pair, std::span<const double> row)>;

  /// Calls `visit` once for every pair, from several threads at a time.
  void for_each_row(const RowVisitor& visit) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cisolve
