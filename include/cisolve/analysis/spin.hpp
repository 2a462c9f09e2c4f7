// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

class SpinLowering;

/// Element of S^2 between two determinants of equal Ms, hbar^2:
/// <I|S^2|I> = Ms^2 + (open shells) / 2, and -(phase) between determinants that differ by exchanging
/// the spins of one alpha-only and one beta-only orbital.
/// @see R. Pauncz, Spin Eigenfunctions (1979), ch. 2; S^2 = S_- S_+ + S_z (S_z + 1)
template <int Words>
double s_squared_element(const Determinant<Words>& bra, const Determinant<Words>& ket);

/// Expectation values and couplings <c_i|S^2|c_j>, exact for the vectors given, whether or not the space is
/// spin-complete. Over a ProductSpace string by string; what that needs is tabulated once.
///
/// Where the spins have orbitals of their own, S_- takes an electron from an alpha orbital to all beta orbitals that it
/// overlaps with, and <c_i|S^2|c_j> = Ms (Ms - 1) <c_i|c_j> + <S_- c_i|S_- c_j>, with what frozen orbitals bring.
template <int Words>
class SpinExpectation {
public:
  /// @param space    must outlive this object
  /// @param overlap  of orbitals of their own; must outlive this object. Null: both spins have the same orbitals
  explicit SpinExpectation(const Space<Words>& space, const SpinOverlap* overlap = nullptr);

  /// The matrix <c_i|S^2|c_j> of some vectors.
  /// @param vectors  column-major, shape [space.size(), count], orthonormal
  /// @param count    vectors
  /// @return shape count x count, hbar^2
  Matrix operator()(std::span<const double> vectors, int count) const;

private:
  Matrix by_determinants(std::span<const double> vectors, int count) const;
  Matrix by_lowering(std::span<const double> vectors, int count) const;
  void add_frozen(std::span<const double> vectors, Matrix& s_squared) const;

  const Space<Words>& space_;
  const SpinOverlap* overlap_;
  std::shared_ptr<const SpinLowering> strings_;
};

/// The multiplicity 2S + 1, not rounded, of an expectation value <S^2> = S (S + 1).
double multiplicity_of(double s_squared);

}  // namespace cisolve
