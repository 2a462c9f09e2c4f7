// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/hamiltonian/csf_couplings.hpp"

namespace cisolve {

/// What the matrix <bra|E_ca|ket> over CSFs depends on: E_ca moves an electron from orbital a (annihilated)
/// to orbital c (created).
struct ShellMove {
  int shared_open = 0;            ///< orbitals other than a and c that are singly occupied
  int below_created = 0;          ///< of those, how many lie below c
  int below_annihilated = 0;      ///< and below a
  bool created_first = true;      ///< c < a
  bool created_open = false;      ///< c holds one electron in the ket, else none
  bool annihilated_full = false;  ///< a holds two electrons in the ket, else one

  std::uint64_t key() const;
  /// The move back, E_ac from bra to ket.
  ShellMove reversed() const;
};

/// The move of an electron in a list of occupations, by ascending orbital; positions count in that list.
ShellMove make_shell_move(const std::vector<int>& ket, int created, int annihilated);

/// Matrix of one term.
CouplingBlock one_body_couplings(const SpinCouplings& couplings, const ShellMove& move);

}  // namespace cisolve
