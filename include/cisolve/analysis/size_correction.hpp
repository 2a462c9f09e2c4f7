// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// Estimates of what excitations beyond the space would add to a correlation energy (+Q), hartree. NaN
/// where the references are not the main part of the state.
struct SizeCorrection {
  double davidson = 0.0;      ///< (1 - c0^2) (E - E_ref)
  double renormalised = 0.0;  ///< (1 - c0^2) / c0^2 (E - E_ref)
  double pople = 0.0;         ///< with the number of electrons; see size_correction
};

/// The corrections of a root. With c0 = cos(theta) and N electrons, Pople's is
///
///     { [sqrt(N^2 + 2 N tan^2 2 theta) - N] / [2 (sec 2 theta - 1)] - 1 } (E - E_ref) ,
///
/// zero for two electrons, where double excitations are exact, and (1 - c0^2) / (2 c0^2 - 1) (E - E_ref)
/// for many. It needs c0^2 > 1/2; all three are NaN for less.
///
/// @param c0_squared        weight of the reference space in the root
/// @param energy            of the root, hartree
/// @param reference_energy  expectation value of H in the root's part in the reference space, hartree
/// @param electrons         correlated, >= 1
/// @see S. R. Langhoff, E. R. Davidson, Int. J. Quantum Chem. 8 (1974) 61, doi:10.1002/qua.560080106;
///      J. A. Pople, R. Seeger, R. Krishnan, Int. J. Quantum Chem. Symp. 11 (1977) 149,
///      doi:10.1002/qua.560120820
SizeCorrection size_correction(double c0_squared, double energy, double reference_energy, int electrons);

}  // namespace cisolve
