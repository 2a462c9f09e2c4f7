// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/selection/list_hamiltonian.hpp"
#include "cisolve/space/space.hpp"
#include "selection/all_determinants.hpp"

namespace cisolve {

/// H over the list of a random selection; both outlive it.
template <int Words>
std::unique_ptr<ListHamiltonian<Words>> list_hamiltonian(const RandomSelection<Words>& s) {
  return std::make_unique<ListHamiltonian<Words>>(s.tables, s.alpha_moves, s.beta_moves, s.listed, [&s] {
    const ListSpace<Words> space(s.listed, s.tables.num_orbitals(), any_irrep, 1, {std::ssize(s.listed)});
    return std::make_unique<ListRowSource>(space, s.tables);
  });
}

}  // namespace cisolve
