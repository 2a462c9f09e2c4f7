// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/molecule/scf.hpp"

// The energy of a CI in an active space as a function of the orbitals, to second order, with the CI's density matrices
// given: what a CASSCF turns orbitals by. Nothing here knows a CI.

namespace cisolve {

/// What an orbital is to a multiconfigurational wavefunction: doubly occupied in all of it, occupied in some of it, or
/// in none.
enum class OrbitalClass : std::uint8_t { inactive, active, empty };

/// Two orbitals that turn into each other.
struct OrbitalPair {
  int p = 0, q = 0;  ///< zero-based
  bool operator==(const OrbitalPair&) const = default;
};

/// A molecule's orbitals with their classes.
struct ClassifiedOrbitals {
  Matrix coefficients;                ///< [functions x orbitals], orthonormal
  std::vector<int> irreps;            ///< zero-based, of each
  std::vector<OrbitalClass> classes;  ///< of each
  /// Of each orbital the subspace of active ones that it is in: turning orbitals within one, as within a class, leaves
  /// the space of the CI as it is. Empty: all active orbitals are one, as in a complete active space.
  std::vector<int> subspaces = {};

  /// The orbitals of a class, zero-based, ascending.
  std::vector<int> of(OrbitalClass which) const;
};

/// Rotations that can change the energy: between orbitals of one irrep and different classes, or of different subspaces
/// of active ones.
/// @param fixed  zero-based orbitals that do not turn
std::vector<OrbitalPair> rotations_between_classes(const ClassifiedOrbitals& orbitals,
                                                   std::span<const int> fixed = {});

/// Orbitals turned by exp(X), C' = C exp(X), with X_pq = -X_qp = x for each pair.
/// @throws DimensionError  x has not one element per pair
Matrix turned_orbitals(const Matrix& coefficients, std::span<const OrbitalPair> pairs,
                       std::span<const double> x);

/// Spin-summed density matrices of a state or an average of states over the active orbitals, in their order:
/// D[u,v] = <a+_u a_v> and G[u,v,w,x] = <a+_u a+_w a_x a_v> summed over spins, so that the energy is
/// sum h_uv D[u,v] + 1/2 sum (uv|wx) G[u,v,w,x].
struct ActiveDensities {
  Matrix one;               ///< [active x active]
  std::vector<double> two;  ///< [active^4], the last index fastest
};

/// Bytes that an optimisation takes at most beside the integrals over functions: OrbitalIntegrals and OrbitalDerivatives
/// of the orbitals kept, and of those tried while they are made.
/// @param max_bytes  as of OrbitalIntegrals
std::int64_t orbital_optimisation_bytes(int num_functions, int num_active,
                                        std::int64_t max_bytes = std::int64_t{1} << 30);

/// Integrals over a set of orbitals as far as the energy of an active space and its first two derivatives ask for
/// them: (pq|uv) and (pu|qv) with all orbitals p, q and active u, v, and the Fock matrix of the inactive orbitals.
/// They depend on the orbitals alone, and hold n^2 a^2 numbers.
/// @see P. E. M. Siegbahn, J. Almlof, A. Heiberg, B. O. Roos, J. Chem. Phys. 74 (1981) 2384, doi:10.1063/1.441359
class OrbitalIntegrals {
public:
  /// @param functions  what it refers to must outlive this
  /// @param max_bytes  for half-transformed integrals, which are made in as many passes over the basis functions as
  ///                   that takes
  /// @throws DimensionError  the members of `orbitals` do not fit each other or the basis
  OrbitalIntegrals(const FunctionIntegrals& functions, ClassifiedOrbitals orbitals,
                   std::int64_t max_bytes = std::int64_t{1} << 30);
  ~OrbitalIntegrals();
  OrbitalIntegrals(OrbitalIntegrals&&) noexcept;
  OrbitalIntegrals& operator=(OrbitalIntegrals&&) noexcept;

  const ClassifiedOrbitals& orbitals() const;

  /// Those of the active orbitals, with nuclei and inactive orbitals in core energy and h. Elements that the irreps
  /// forbid are exact zeros.
  Integrals active() const;

  struct Data;
  const Data& data() const { return *data_; }

private:
  std::unique_ptr<Data> data_;
};

/// Fock matrix of inactive orbitals and the averaged density of active ones, F^I + F^A [orbitals x orbitals], hartree.
/// @param one  spin-summed density matrix of the active orbitals, in their order
/// @throws DimensionError  the density is of another number of orbitals
Matrix averaged_fock(const FunctionIntegrals& functions, const ClassifiedOrbitals& orbitals,
                     const Matrix& one);

/// The energy of an active space's density matrices as a function of the orbitals: E(x) over C exp(X), the densities
/// fixed, to second order at x = 0.
///
/// Derivatives are by the elements of x, one per pair: gradient 2 (F_qp - F_pq) of the generalised Fock matrix F; the
/// Hessian is exact.
class OrbitalDerivatives {
public:
  /// @param functions, integrals  what the first refers to, and the second, must outlive this
  /// @param pairs      rotations that are looked at; between active orbitals only where the space of the CI is not
  ///                   the same after them
  /// @throws DimensionError  densities of another size, a pair that is none
  OrbitalDerivatives(const FunctionIntegrals& functions, const OrbitalIntegrals& integrals,
                     const ActiveDensities& densities, std::vector<OrbitalPair> pairs);
  ~OrbitalDerivatives();
  OrbitalDerivatives(OrbitalDerivatives&&) noexcept;
  OrbitalDerivatives& operator=(OrbitalDerivatives&&) noexcept;

  /// With the repulsion of the nuclei, hartree.
  double energy() const;
  const std::vector<OrbitalPair>& pairs() const;
  const std::vector<double>& gradient() const;

  /// Of the Hessian; without integrals of two inactive and two empty orbitals, which are not there: for a
  /// preconditioner.
  const std::vector<double>& diagonal() const;

  /// Hessian times x: one pass over the integrals of the basis functions.
  /// @throws DimensionError  x has not one element per pair
  std::vector<double> hessian_product(std::span<const double> x) const;

  /// The lowest eigenvalue of the Hessian to two digits or three, hartree; 0 where nothing turns. Below zero the orbitals
  /// are at a saddle point.
  double lowest_hessian_eigenvalue() const;

  /// Fock matrix of the averaged density, F^I + F^A [orbitals x orbitals], hartree: in its eigenvectors inactive and
  /// empty orbitals are canonical.
  Matrix fock() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cisolve
