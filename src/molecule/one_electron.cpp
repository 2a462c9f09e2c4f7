// SPDX-License-Identifier: MIT
#include "cisolve/molecule/one_electron.hpp"

#include "molecule/gaussian_engine.hpp"

namespace cisolve {

std::vector<double> mulliken_charges(const GaussianBasis& basis, const Geometry& geometry,
                                     const Matrix& density) {
  const Matrix overlap = detail::one_electron_matrices(basis, geometry).overlap;
  std::vector<double> charges;
  for (const Atom& atom : geometry.atoms) charges.push_back(atom.charge);
  for (const GaussianShell& shell : basis.shells) {
    for (int k = 0; k < shell.num_functions(); ++k) {
      const int m = shell.first_function + k;
      for (int n = 0; n < basis.num_functions; ++n) {
        charges[shell.atom] -= density(m, n) * overlap(n, m);
      }
    }
  }
  return charges;
}

}  // namespace cisolve
