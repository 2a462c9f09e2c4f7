// SPDX-License-Identifier: MIT
// Inputs with [molecule] are read here without Libint2, which only calculations need.
#include "cisolve/molecule/gaussian_integrals.hpp"

namespace cisolve {

bool gaussian_integrals_available() { return true; }

}  // namespace cisolve
