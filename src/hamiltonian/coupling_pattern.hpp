// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/hamiltonian/csf_couplings.hpp"

namespace cisolve {

/// What a CouplingKey says.
struct CouplingPattern {
  struct Change {
    int below = 0;   ///< shared open shells below
    int bra = 0;     ///< occupation in the bra
    int change = 0;  ///< occupation in the ket minus that
  };
  int shared_open = 0;
  int num_changes = 0;
  Change changes[4] = {};  ///< by ascending orbital
};

CouplingKey pack(const CouplingPattern& pattern);
CouplingPattern unpack(CouplingKey key);

/// Bra and ket exchanged.
CouplingPattern reversed(const CouplingPattern& pattern);

/// Terms of the block; see CouplingBlock.
int num_terms(const CouplingPattern& pattern);

/// The smallest pair of configurations with a pattern: shared open shells and changed orbitals only.
struct PatternOccupations {
  std::vector<int> bra, ket;  ///< by orbital, ascending
  std::vector<int> shared;    ///< orbitals singly occupied in both
  std::vector<int> created;   ///< orbitals that hold more electrons in the bra, ascending, twice if two more
  std::vector<int> annihilated;  ///< and fewer
};
PatternOccupations occupations_of(const CouplingPattern& pattern);

}  // namespace cisolve
