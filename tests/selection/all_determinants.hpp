// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "cisolve/selection/moves.hpp"
#include "cisolve/space/space.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {

/// A Hamiltonian with all its determinants of an irrep, and some of them as a list with random wavefunctions.
template <int Words>
struct RandomSelection {
  struct Shape {
    int orbitals = 6, alpha = 3, beta = 2, irreps = 4;
    double zeros = 0.2;
    bool unrestricted = false;
    double share = 0.2;  ///< of all determinants that are listed
    int roots = 2;
    unsigned seed = 5;
  };

  explicit RandomSelection(const Shape& shape)
      : integrals(shape.unrestricted
                      ? random_unrestricted_integrals(shape.orbitals, shape.irreps, shape.zeros, shape.seed)
                      : random_integrals(shape.orbitals, shape.irreps, shape.zeros, shape.seed)),
        tables(integrals, 0.0), alpha_moves(tables), beta_moves(tables.beta()) {
    SpaceSelection<Words> selection;
    selection.num_orbitals = shape.orbitals;
    selection.irreps = integrals.irreps;
    selection.references = {{BitString<Words>::lowest(shape.alpha), BitString<Words>::lowest(shape.beta)}};
    selection.excitation_level = max_excitation_level(selection);
    const auto space = make_space(selection);
    all.resize(space->size());
    space->enumerate(0, all);
    std::mt19937_64 engine(shape.seed);
    std::bernoulli_distribution is_listed(shape.share);
    std::normal_distribution<double> normal;
    for (const auto& d : all) {
      if (is_listed(engine) || listed.empty()) listed.push_back(d);
    }
    std::shuffle(listed.begin(), listed.end(), engine);
    for (int k = 0; k < shape.roots; ++k) energies.push_back(-30.0 + k);
    for (std::size_t i = 0; i < listed.size() * energies.size(); ++i) vectors.push_back(normal(engine));
  }

  bool is_listed(const Determinant<Words>& d) const { return std::ranges::find(listed, d) != listed.end(); }

  Integrals integrals;
  IntegralTables tables;
  SameSpinMoves alpha_moves, beta_moves;
  std::vector<Determinant<Words>> all, listed;
  std::vector<double> energies, vectors;
};

}  // namespace cisolve
