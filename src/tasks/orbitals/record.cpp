// SPDX-License-Identifier: MIT
#include "tasks/orbitals/record.hpp"

#include <cmath>

#include "cisolve/analysis/natural_orbitals.hpp"
#include "tasks/ci/replacement.hpp"

namespace cisolve {

void describe(const FinalSet& orbitals, const Matrix& one, std::span<const int> irreps,
              CiResult::Orbitals& record) {
  const Matrix& c = orbitals.orbitals.coefficients;
  record.num_functions = c.rows();
  record.coefficients.assign(c.data(), c.data() + std::ptrdiff_t{c.rows()} * c.columns());
  record.energies = orbitals.energies;
  record.occupations = orbitals.occupations;
  record.irreps.clear();
  for (const int irrep : orbitals.orbitals.irreps) record.irreps.push_back(irrep + 1);
  record.natural_occupations = natural_orbitals(one, irreps).occupations;
}

std::vector<std::string> natural_orbital_names(const Matrix& one, std::span<const int> irreps,
                                               const CiJob& job) {
  const Matrix natural = natural_orbitals(one, irreps).coefficients;
  const std::vector<std::string> active = active_orbital_names(job);
  std::vector<std::string> names;
  for (int k = 0; k < natural.rows(); ++k) {
    int most = 0;
    for (int u = 1; u < natural.columns(); ++u) {
      if (std::abs(natural(k, u)) > std::abs(natural(k, most))) most = u;
    }
    names.push_back(active[static_cast<std::size_t>(most)]);
  }
  return names;
}

}  // namespace cisolve
