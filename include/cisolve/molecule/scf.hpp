// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {

/// Orbitals sorted doubly occupied, singly occupied, empty; each by energy, across irreps. UHF orbitals come in two
/// sets in one order, that of ScfResult::orbitals.
struct ScfOrbitals {
  Matrix coefficients;           ///< [functions x orbitals]; the largest of each orbital is positive
  std::vector<double> energies;  ///< hartree
  std::vector<int> irreps;       ///< zero-based
  std::vector<int> occupations;  ///< 2, 1, 0; of UHF orbitals of one spin 1, 0
};

/// What messages call the quantities that a user gives.
struct ScfNames {
  std::string basis = "basis";
  std::string doubly = "doubly occupied orbitals", singly = "singly occupied orbitals";
  std::string occupation = "numbers of doubly and singly occupied orbitals";  ///< both of those
  std::string symmetry = "point group";
};

/// Electrons, occupation and convergence of an SCF.
struct ScfConfig {
  int num_alpha = 0;
  int num_beta = 0;           ///< num_alpha >= num_beta
  bool unrestricted = false;  ///< UHF; else RHF or, with open shells, ROHF
  std::optional<std::vector<int>>
      doubly_occupied;  ///< orbitals per irrep; none: lowest energies. UHF: of both
                        ///< spins
  std::optional<std::vector<int>> singly_occupied;  ///< UHF: of alpha alone
  ScfNames names = {};
  /// Restricted orbitals of another geometry, over the same functions, to start from. Null, not of use here, or UHF:
  /// superposed atomic densities.
  std::shared_ptr<const ScfOrbitals> guess;

  double energy_tolerance = 1e-10;  ///< hartree, > 0; change of the energy in the last iteration
  double gradient_tolerance =
      1e-8;  ///< hartree, > 0; largest element of the orbital gradient. The energy errs
             ///< by its square, but a truncated CI by its first power
  int max_iterations = 100;
  double level_shift = 0.0;        ///< hartree, >= 0; raises empty orbitals while iterating
  int diis_vectors = 8;            ///< Fock matrices that are extrapolated from
  double dependence = 1e-7;        ///< eigenvalues of the overlap below are linear dependence: combinations
                                   ///< of functions that are left out
  double degeneracy = 1e-5;        ///< hartree; orbitals this near are filled in the order of their irreps
  double settled_gradient = 0.05;  ///< hartree; below, the occupation of the irreps is kept
  bool keep_carried = false;       ///< keep the state that `guess` leads to also where a lower one is found
  double lower = 1e-6;             ///< hartree, > 0; another state must be lower by this to be taken
  double relaxation = 0.3;    ///< hartree; another occupation of the irreps is tried if replacing orbitals
                              ///< raises the energy by less: what relaxation may win back
  int most_occupations = 12;  ///< that are tried before one of them is found lower
  bool check_stability = true;
  double unstable = 1e-4;  ///< hartree; an eigenvalue of the orbital Hessian below minus this is an
                           ///< instability; those of open-shell atoms vanish to rounding
};

/// One iteration of an SCF.
struct ScfIteration {
  int number = 0;
  double energy = 0.0;    ///< hartree
  double change = 0.0;    ///< since the iteration before
  double gradient = 0.0;  ///< largest element
};
using ScfObserver = std::function<void(const ScfIteration&)>;

/// A step from a converged state to a lower one.
struct ScfDescent {
  double from = 0.0, to = 0.0;  ///< energies, hartree
  bool by_rotation = false;     ///< along an instability; else to another occupation of the irreps
};

/// What an SCF found: energy, orbitals, occupation, stability.
struct ScfResult {
  bool converged = false;
  int num_iterations = 0;
  bool from_guess = false;               ///< ScfConfig::guess was what it started from
  std::vector<ScfIteration> history;     ///< of the run that found the state
  std::vector<ScfDescent> descents;      ///< steps from the state first found to this one
  std::optional<double> carried_energy;  ///< of the state that ScfConfig::guess leads to before a search
  std::optional<double>
      fresh_energy;     ///< of the state that superposed atomic densities lead to after a search
  double energy = 0.0;  ///< with the repulsion of the nuclei, hartree
  double nuclear_repulsion = 0.0;
  double s_squared = 0.0;  ///< <S^2>, hbar^2
  /// UHF: alpha's, and the next member beta's. The k-th of an irrep stand at one place in both; first those that both
  /// spins occupy, then alpha's alone, beta's alone, and the empty ones, each by alpha's energy. So the first orbitals
  /// of each spin are the UHF determinant, unless beta has one alone.
  ScfOrbitals orbitals;
  ScfOrbitals beta_orbitals;                ///< UHF only
  std::optional<double> restricted_energy;  ///< UHF: of the lowest RHF or ROHF state found, hartree
  std::vector<int> doubly_occupied,
      singly_occupied;             ///< per irrep; UHF: beta's, and what alpha has more, which may be negative
  int num_dependent = 0;           ///< combinations of functions that were left out
  double lowest_eigenvalue = 0.0;  ///< of the orbital Hessian / 4 (UHF: / 2), hartree; 0 if not checked
  std::vector<std::string> warnings;
};

/// A molecule in its frame with a basis, and its integrals.
struct MolecularBasis {
  const SymmetryFrame& frame;
  const GaussianBasis& basis;
  const Repulsion& repulsion;
};

/// Integrals over the functions that orbitals are expanded in: Gaussians of a molecule, or orbitals of a file.
struct FunctionIntegrals {
  FunctionIntegrals(const MolecularBasis& molecule);  // NOLINT(google-explicit-constructor): is one

  /// @param integrals  over orthonormal orbitals
  /// @param pairs      the two-electron integrals of these
  FunctionIntegrals(const Integrals& integrals, const Repulsion& pairs);

  Matrix core_hamiltonian;      ///< [functions x functions], hartree
  double nuclear_energy = 0.0;  ///< of what is not over functions: nuclei, a core; hartree
  const Repulsion& repulsion;

  int num_functions() const { return core_hamiltonian.rows(); }
};

/// Hartree-Fock by DIIS from superposed atomic densities, and from orbitals given. Where DIIS does not converge,
/// second-order steps go on. Then lower states are looked for: along instabilities that keep the
/// symmetry (if stability is checked), and in the occupations of the irreps that replacing one or two orbitals makes
/// (if none is given); of several starts the lowest is taken. UHF starts from the lowest restricted state, too: from a
/// closed shell an instability leads on, to orbitals that differ for the two spins. The ROHF orbitals diagonalise
/// Roothaan's effective Fock matrix. Not converging is a result, not an exception. What was ambiguous, and what the
/// stability analysis finds, are warnings.
/// @throws InputError   the occupation given does not hold the electrons, or has too many orbitals of an irrep
/// @throws Interrupted  a stop was requested
/// @see C. C. J. Roothaan, Rev. Mod. Phys. 32 (1960) 179, doi:10.1103/RevModPhys.32.179;
///      P. Pulay, J. Comput. Chem. 3 (1982) 556, doi:10.1002/jcc.540030413;
///      J. H. Van Lenthe et al., J. Comput. Chem. 27 (2006) 926, doi:10.1002/jcc.20393 (guess);
///      R. Seeger and J. A. Pople, J. Chem. Phys. 66 (1977) 3045, doi:10.1063/1.434318 (stability)
ScfResult run_scf(const MolecularBasis& molecule, const ScfConfig& config, const ScfObserver& observer = {},
                  std::stop_token stop = {});

}  // namespace cisolve
