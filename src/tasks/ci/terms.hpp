// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/molecule/symmetry.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// How near to a whole quantum number <L^2> or <Lz^2> must be, hbar^2.
struct TermConfig {
  double sure = 0.05;   ///< the term is taken as certain
  double likely = 0.3;  ///< it is given with a question mark; beyond there is none
  int determinants =
      500;  ///< the heaviest of a root that are looked at: they are some 97% of it, and as symmetric
};

/// What a term symbol is made from.
struct TermNumbers {
  double angular_momentum = 0.0;  ///< <L^2> of an atom, <Lz^2> of a linear molecule, hbar^2
  double s_squared = 0.0;         ///< hbar^2
  int irrep = 0;                  ///< 1-based; 0: mixed
};

/// The term symbol of a state: "3Sigma_g-", "2Pi", "1Delta_u"; of an atom "3P", "2Do" (odd parity). The number in
/// front is left out where the state is no spin state, g, u, o and the sign of Sigma where the point group of the
/// calculation does not say. "?" stands behind a term that is only likely; empty: none.
/// @param frame  of an atom or a linear molecule
std::string term_symbol(const TermNumbers& numbers, const SymmetryFrame& frame,
                        const TermConfig& config = {});

/// Gives the roots of a sector <L^2> or <Lz^2> and their terms; nothing if the molecule is neither an atom nor linear,
/// or the integrals are a file's.
void add_terms(const CiConfig& config, const CiJob& job, const Basis& basis, CiResult::Sector& sector);

/// What was found of terms whose components are in different irreps.
struct TermComponents {
  std::vector<std::string> warnings;  ///< of those that are not degenerate, with the reason
  bool all_together = false;  ///< there are some with two components or more, and these are degenerate
};
TermComponents compare_components(const CiConfig& config, const CiJob& job, const CiResult& result);

}  // namespace cisolve
