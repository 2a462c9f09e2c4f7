// SPDX-License-Identifier: MIT
// The table of keys: scans.
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/run/tasks.hpp"

namespace cisolve {

namespace kind = value_kind;

InputSection scan_section() {
  return {
      .name = "scan",
      .meaning =
          "The job at several points: a coordinate that takes one value after another, or a list of "
          "geometries or FCIDUMP files. Each point begins with the orbitals and states of the one before.",
      .place = 3,
      .keys =
          {
              {"scan.coordinate",
               kind::text | kind::text_list,
               "What changes in the geometry of [molecule]; atoms count from 1.",
               {.default_meaning = "this or files is needed",
                .example = "\"bond 1 2\"",
                .allowed = "\"bond 1 2\", \"angle 2 1 3\", \"dihedral 1 2 3 4\", or a list of these"},
               "The last atom moves: along the bond, in the plane of the angle (its vertex is the second "
               "atom), about the axis of the dihedral. \"moving\" with a list of atoms moves more with it: "
               "\"bond 1 2 moving 2 5 6\". All coordinates of a list take the same values: [\"bond 1 2\", "
               "\"bond 1 3\"] stretches two bonds alike."},
              {"scan.values",
               kind::real_list | kind::table,
               "Values of the coordinate, in this order.",
               {.unit = "molecule.unit or degrees",
                .default_meaning = "needed with coordinate; with files 1, 2, 3, ...",
                .example = "{ start = 0.8, stop = 2.0, points = 7 }",
                .allowed = "a list of numbers, or a range such as { start = 0.8, stop = 2.0, points = 7 }"},
               "With files: what stands for each of them in tables and pictures. A point begins with what "
               "the one before found, so go from where the SCF is easy to where it is hard."},
              {"scan.values.start",
               kind::real,
               "First value of a range.",
               {.default_meaning = "needed in a range", .example = "0.8"}},
              {"scan.values.stop",
               kind::real,
               "Last value of a range.",
               {.default_meaning = "needed in a range", .example = "2.0"}},
              {"scan.values.points",
               kind::integer,
               "How many values a range has, both ends included; equally spaced.",
               {.default_meaning = "needed in a range",
                .example = "7",
                .minimum = 2,
                .maximum = most_scan_points}},
              {"scan.files",
               kind::text | kind::text_list,
               "The points as files, relative to the input file.",
               {.default_meaning = "this or coordinate is needed",
                .example = "\"path.xyz\"",
                .allowed = "the path of a file, or a list of paths"},
               "With [molecule]: .xyz files, each of one or more geometries, of the same atoms in the same "
               "order; they take the place of geometry and geometry_file. With [integrals]: FCIDUMP files; "
               "they take the place of file."},
              {"scan.warm_start",
               kind::boolean,
               "Begin each point with what the one before found.",
               {.default_value = "true"},
               "SCF orbitals and CI vectors; what the lowest determinants give is added to the vectors, so "
               "that no lower state is missed. Frozen orbitals and those of a CAS, max_holes and "
               "max_particles are followed by overlap. false: every point as if it were alone; so are "
               "those of molecule.method = \"uhf\" in any case."},
              {"scan.scf_state",
               kind::text,
               "SCF state of a point where the one before had another.",
               {.default_value = "\"lowest\"", .words = {"lowest", "follow"}},
               "\"lowest\": the SCF is done from the orbitals of the point before and from superposed atomic "
               "densities, and the lower state is taken, so that curves do not depend on the direction. "
               "\"follow\": the state of the point before goes on, also where there is a lower one; the "
               "table says where."},
              {"scan.carry_lists",
               kind::boolean,
               "Begin the list of a selected CI with the strongest quarter of that of the point before.",
               {.default_value = "false"},
               "In the orbitals of the point. Its state goes on, also where another one is lower: what "
               "belongs to "
               "that hardly comes in. false: every point finds a beginning of its own. A space of more than "
               "references, of a CAS or with excitation_level > 0, begins anew in any case."},
          },
      .optional = true};
}

}  // namespace cisolve
