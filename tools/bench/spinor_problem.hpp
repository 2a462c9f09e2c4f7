// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cisolve/integrals/complex_integrals.hpp"

namespace cisolve::bench {

/// Electrons in spinors that are Kramers pairs.
struct SpinorProblem {
  ComplexIntegrals integrals;
  int num_electrons = 0;
  std::string name;
};

/// A file of integrals over spinors, or what a generated problem is like.
struct SpinorOptions {
  std::string file;  ///< an FCIDUMP file; empty: generated
  int num_spinors = 16;
  int num_electrons = 7;
  std::uint64_t seed = 1;
};

/// Integrals of a file, or random ones of Kramers pairs: levels 1 hartree apart, and all other integrals of size 0.05, none of
/// them zero, as spin-orbit coupling without symmetry has them. So the matrix has as many nonzeros as one of that size may
/// have.
/// @throws InputError if the file is not over spinors; as read_fcidump; or if the number of spinors is odd, or electrons
///         don't fit in
SpinorProblem load_spinor_problem(const SpinorOptions& options);

}  // namespace cisolve::bench
