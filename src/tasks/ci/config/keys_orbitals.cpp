// SPDX-License-Identifier: MIT
// The table of keys: orbitals.
#include "tasks/ci/config/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

InputSection orbitals_section() {
  return {.name = "orbitals",
          .meaning = "The orbitals of [molecule], where they are not those of its SCF.",
          .place = 2,
          .keys =
              {
                  {"orbitals.file",
                   kind::text,
                   "Orbitals of another program or run, in place of an SCF: a Molden file or a result file.",
                   {.default_meaning = "the SCF's",
                    .example = "\"h2o.molden\"",
                    .allowed = "the path of a file that ends in .molden or, of cisolve, in .h5"},
                   "Relative to the input file. It has the atoms of [molecule], turned in any way, and by "
                   "rights its "
                   "basis; over another the orbitals are projected, with a warning. They are made "
                   "orthonormal and of "
                   "pure irrep anew; a change above 1e-3 warns. Those of highest occupation are the occupied "
                   "ones, "
                   "else they stay in the order of the file."},
              },
          .optional = true};
}

}  // namespace cisolve::detail
