// SPDX-License-Identifier: MIT
// The table of keys: orbitals.
#include "tasks/ci/config/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<InputKey> convergence_keys() {
  return {
      {"orbitals.gradient_tolerance",
       kind::real,
       "Largest element of the orbital gradient when the optimisation ends.",
       {.unit = "hartree", .default_value = "1e-5", .minimum = 0, .above_minimum = true},
       "The energy errs by the square of it."},
      {"orbitals.energy_tolerance",
       kind::real,
       "Change of the averaged energy in the last iteration.",
       {.unit = "hartree", .default_value = "1e-8", .minimum = 0, .above_minimum = true}},
      {"orbitals.max_iterations",
       kind::integer,
       "Steps of the orbitals, each with a CI, before the optimisation gives up.",
       {.default_value = "50", .minimum = 1},
       "Then the last CI is done over the orbitals reached, and the exit status is 2; --restart goes on."},
      {"orbitals.max_rotation",
       kind::real,
       "Largest norm of the first rotation.",
       {.unit = "radian", .default_value = "0.4", .minimum = 0, .maximum = 2, .above_minimum = true},
       "Later ones may be larger or smaller, as the energy of the one before was foretold. A step that "
       "raises the energy is not taken."},
  };
}

}  // namespace

InputSection orbitals_section() {
  std::vector<InputKey> keys = {
      {"orbitals.file",
       kind::text,
       "Orbitals of another program or run, in place of an SCF: a Molden or TREXIO file or a result file.",
       {.default_meaning = "the SCF's",
        .example = "\"h2o.molden\"",
        .allowed = "the path of a file that ends in .molden, .trexio or, of cisolve, in .h5"},
       "Relative to the input file. It has the atoms of [molecule], turned in any way, and by rights its "
       "basis; over another the orbitals are projected, with a warning. They are made orthonormal and of "
       "pure irrep anew; a change above 1e-3 warns. Those of highest occupation are the occupied ones, "
       "else they stay in the order of the file."},
      {"orbitals.optimise",
       kind::text,
       "What orbitals are optimised for.",
       {.default_value = "\"none\"", .words = {"none", "casscf", "natural"}},
       "\"casscf\": the energy of the states asked for, averaged with weights, is minimised over all "
       "rotations of orbitals that change it. The active space is space.reference with electrons and "
       "orbitals, and space.excitation_level = 0, with space.max_holes and space.max_particles a RAS; with "
       "another level all orbitals that are not frozen are active. Frozen core orbitals are inactive and "
       "turn, unless they are fixed, as do frozen virtuals. \"natural\": active orbitals are replaced by "
       "natural ones of the (averaged) CI, cycles times; that makes expansions short, it does not lower the "
       "energy. Then the CI is solved once more, to solver.tolerance."},
      {"orbitals.weights",
       kind::real_list,
       "Weight of each root in the average.",
       {.default_meaning = "all equal",
        .example = "[0.5, 0.5]",
        .minimum = 0,
        .allowed = "a list of numbers >= 0, one per root"},
       "All roots of the first sector, then those of the second, in the order of the report's sectors. Their "
       "sum is made 1. A root of weight 0 is solved for and takes no part."},
  };
  for (InputKey& key : convergence_keys()) keys.push_back(std::move(key));
  keys.insert(
      keys.end(),
      {{"orbitals.fixed",
        kind::integer_list,
        "Orbitals that stay as they are.",
        {.default_value = "[]", .minimum = 1, .allowed = "a list of different integers >= 1"},
        "They count from 1 over all orbitals of the SCF, or of the file."},
       {"orbitals.final",
        kind::text,
        "What is done to the optimised orbitals before the last CI.",
        {.default_value = "\"canonical\"", .words = {"canonical", "natural", "unchanged"}},
        "\"canonical\": inactive and empty orbitals diagonalise the Fock matrix of the averaged density. "
        "\"natural\": active ones diagonalise the averaged density matrix, too, in a RAS or a truncated "
        "space as far as that leaves the space as it is. No energy depends on it."},
       {"orbitals.follow",
        kind::boolean,
        "Let roots keep their weights where they change places.",
        {.default_value = "false"},
        "In each iteration a weight goes with the root of largest overlap with that of the iteration before, "
        "whatever its energy: for an excited state on its own, weights = [0, 1] with states.count = 2. "
        "false: weights belong to the order of the energies, and a change of places warns."},
       {"orbitals.cycles",
        kind::integer,
        "optimise = \"natural\": how often the orbitals are replaced.",
        {.default_value = "1", .minimum = 1},
        "Natural orbitals take the places of their irrep by descending occupation: doubly occupied ones of "
        "the references first, then those of a CAS and open shells, then empty ones, with max_holes first "
        "and max_particles last. A run that is interrupted before the last CI begins anew."},
       {"orbitals.natural_threshold",
        kind::real,
        "optimise = \"natural\": occupation below which empty orbitals are left out of the next CI.",
        {.unit = "electrons", .default_value = "0.0", .minimum = 0, .maximum = 2},
        "Empty are those that no reference occupies. 0 keeps all."},
       {"orbitals.determinants",
        kind::integer,
        "optimise = \"natural\" with [selection]: determinants that each list grows to whose natural "
        "orbitals "
        "are taken.",
        {.default_value = "20000", .minimum = 1},
        "They grow by contributions, whatever the criterion. The list of the last CI begins anew, over the "
        "orbitals "
        "found. Few are enough: which orbitals matter "
        "shows early."}});
  return {.name = "orbitals",
          .meaning =
              "The orbitals of [molecule], where they are not those of its SCF: of a file, optimised "
              "(CASSCF), or natural.",
          .place = 2,
          .keys = std::move(keys),
          .optional = true};
}

}  // namespace cisolve::detail
