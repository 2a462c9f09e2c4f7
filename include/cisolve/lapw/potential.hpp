// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/lapw/crystal.hpp"

namespace cisolve::lapw {

/// V(r) = sum_D V_D exp(i D.r), D integer vectors of the reciprocal lattice; real, so V_-D = conj V_D.
struct FourierPotential {
  std::vector<Index3> g;   ///< D, each once
  std::vector<Complex> v;  ///< hartree
  bool has_step =
      false;  ///< these are coefficients of V Theta, of the step function as well (FLEUR's vpw, Elk's vsig)
};

/// The potential in a sphere, in the frame of its type: V(r) = sum_LM V_LM(r) Y_LM(direction), hartree and bohr.
class SpherePotential {
public:
  virtual ~SpherePotential() = default;

  /// Where the radial mesh begins, from 1e-12 to 1e-5 of the radius; below, r V counts as what it is there.
  virtual double first_radius() const = 0;

  /// The non-spherical ones of its (L, M): all with L > 0.
  virtual std::span<const std::array<int, 2>> components() const = 0;

  /// r V_00(r) / sqrt(4 pi): r times the spherical potential.
  virtual double r_spherical(double r) const = 0;

  /// V_LM(r) of all components.
  virtual void evaluate(double r, std::span<Complex> v) const = 0;
};

/// One given by tables on a logarithmic mesh, between which r V_LM is interpolated by local polynomials of degree 7. Below
/// the first point, r V_LM is what it is there.
/// @param r   ln r uniform to 1e-9, ascending; the last is the radius; 51 points or more
/// @param lm  (L, M) of each row of v, (0, 0) among them
/// @param v   V_LM(r), rows [lm][r], all of the potential, -Z/r included
/// @throws InputError  which of this does not hold; the sentence begins with "r: ", "lm: " or "v: ", and names no file
std::unique_ptr<SpherePotential> tabulated_potential(std::vector<double> r,
                                                     std::vector<std::array<int, 2>> lm,
                                                     std::vector<Complex> v);

/// A Fourier series seen from an atom: V_LM(r) = 4 pi i^L sum_D V_D exp(2 pi i D.p) j_L(|D.b| r) conj Y_LM(Q D.b), up to
/// L = 2 max(lmax_nonspherical, 0) of its type. Components that are zero but for rounding are left out.
/// @param potential  not of V Theta
std::unique_ptr<SpherePotential> potential_at(const Crystal& crystal, int atom,
                                              const FourierPotential& potential);

/// Refuses atoms of one type that don't see the same potential in their frames, to 1e-8 hartree.
/// @throws InputError  names both atoms, from 1
void require_same_surroundings(const Crystal& crystal, const FourierPotential& potential);

}  // namespace cisolve::lapw
