// SPDX-License-Identifier: MIT
// The table of keys, first half: what is calculated.
#include "tasks/ci/config/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<InputKey> reference_keys() {
  return {
      {"space.reference",
       kind::text | kind::text_list | kind::table,
       "What the expansion is excited out of.",
       {.default_value = "\"aufbau\"",
        .words = {"aufbau", "lowest", "first-orbitals"},
        .allowed = "\"aufbau\", \"lowest\", \"first-orbitals\", a list of occupations such as [\"2220\", "
                   "\"22ud\"], a CAS such as { electrons = 4, orbitals = 4 }, or an earlier result such as { "
                   "file = \"h2o.h5\" }"},
       "\"aufbau\": each irrep and multiplicity has its own: the first n_alpha and n_beta orbitals where "
       "they have that irrep and spin, else the lowest configuration that has and that single and double "
       "replacements lead to. \"lowest\": reached from aufbau by taking, again and again, the single or "
       "double replacement of the same spin (and irrep, if one is asked for) that lowers the energy most. "
       "\"first-orbitals\": the first n_alpha and n_beta orbitals, whatever is asked for. A list of "
       "occupations has one character per orbital: 2 doubly occupied, 0 empty, u one alpha electron, d one "
       "beta electron, 1 one electron in all arrangements of that Ms; trailing 0s may be left out. Orbitals "
       "count from 1 after freezing."},
      {"space.reference.electrons",
       kind::integer,
       "Electrons of a CAS reference.",
       {.default_meaning = "needed in a CAS", .example = "4", .minimum = 0},
       "The remaining electrons, an even number, fill the lowest orbitals outside the CAS doubly."},
      {"space.reference.orbitals",
       kind::integer | kind::integer_list | kind::text_list | kind::table,
       "Orbitals of a CAS reference: how many, or which.",
       {.default_meaning = "needed in a CAS",
        .example = "4",
        .minimum = 1,
        .allowed = "an integer >= 1, a list of different integers >= 1, a list of labels such as [\"5b1\", "
                   "\"2a2\"], or a table such as { A1 = 2, B1 = 1 }",
        .free_names = true},
       "A number takes the orbitals that follow the doubly occupied ones; a list such as [4, 5, 7, 8] counts "
       "from 1 after freezing. Labels are those of the report: the fifth orbital of B1, frozen ones counted. "
       "A table says how many of each irrep, by name or Molpro number: the occupied orbitals that are active "
       "are taken from the highest one down, as the irreps have room, the rest are the lowest empty ones. "
       "Labels and names need a known point group."},
      {"space.reference.irreps",
       kind::text,
       "Determinants of a CAS that are references.",
       {.default_meaning = "\"all\"", .example = "\"all\"", .words = {"all", "sector"}},
       "\"all\": those of all irreps, so that the states of all irreps are expanded alike and the components "
       "of degenerate ones stay degenerate. \"sector\": those of the irrep of the states alone, which makes "
       "a smaller space."},
      {"space.reference.file",
       kind::text,
       "Reference: the leading configurations of an earlier result, or of determinants of another program.",
       {.default_meaning = "needed in a reference from a result",
        .example = "\"molecule.h5\"",
        .allowed = "the path of a result file, or of determinants: .trexio or .txt"},
       "Relative to the input file. The result must have the same active orbitals, and its vectors. "
       "Determinants are those of a TREXIO file, over all orbitals or the active ones, or text as `cisolve "
       "export` writes it. Every arrangement of a configuration's open shells with this job's Ms is a "
       "reference."},
      {"space.reference.weight",
       kind::real,
       "Smallest weight, in any root that counts, of a configuration that becomes a reference.",
       {.default_meaning = "0.01", .example = "0.01", .minimum = 0, .maximum = 1},
       "0 takes all: with excitation_level = 0 the space is that of the file; of determinants with the job's "
       "Ms "
       "these alone, not whole configurations. The weight of a configuration is the sum of the squared "
       "coefficients of its determinants or CSFs."},
      {"space.reference.roots",
       kind::integer_list,
       "Roots of that file whose configurations count.",
       {.default_meaning = "all roots of the file",
        .example = "[1]",
        .minimum = 1,
        .allowed = "a list of different integers >= 1"},
       "Numbered as in its report: all sectors together, by energy."},
  };
}

std::vector<InputKey> function_keys() {
  return {
      {"space.excitation_level",
       kind::integer | kind::text,
       "Most electrons excited out of a reference determinant.",
       {.default_value = "2", .words = {"full"}, .minimum = 0},
       "0: the reference space alone (CASCI with a CAS); 2: CISD; \"full\", or anything above the largest "
       "that is possible: full CI. With [selection], whose list grows out of this space, the default is 0."},
      {"space.inactive",
       kind::integer_list,
       "Doubly occupied orbitals below those of a CAS, per irrep in Molpro's order.",
       {.default_meaning = "the lowest of the SCF", .example = "[3, 0, 1, 0]", .minimum = 0, .counts = true},
       "With [orbitals] optimise and a reference that says how many orbitals of each irrep are active: the "
       "first of each irrep are inactive, those that follow active. Frozen core orbitals count. Trailing "
       "zeros may be left out."},
      {"space.frozen_core",
       kind::integer | kind::integer_list | kind::text,
       "Orbitals kept doubly occupied: how many from the first, or which.",
       {.default_value = "0",
        .words = {"auto"},
        .minimum = 0,
        .allowed = "an integer >= 0, a list of different integers >= 1, or \"auto\" (with [molecule])"},
       "A list counts the orbitals of the file, or of the SCF, from 1; auto freezes the noble-gas cores of "
       "the atoms. Their energy goes into the core energy."},
      {"space.frozen_virtual",
       kind::integer | kind::integer_list,
       "Orbitals kept empty: how many from the last, or which.",
       {.default_value = "0",
        .minimum = 0,
        .allowed = "an integer >= 0, or a list of different integers >= 1"},
       "A list counts the orbitals of the file, or of the SCF, from 1."},
      {"space.spin_complete",
       kind::boolean,
       "Take all determinants of every configuration that is reached.",
       {.default_value = "true"},
       "Then H and S^2 commute in the space and every root has a pure spin. Closed-shell references, a CAS "
       "at level 0 and full CI are spin-complete by themselves. false: a smaller space, cut by level alone. "
       "With "
       "[selection] the default is false, unless states.multiplicity is given."},
  };
}

std::vector<InputKey> ras_keys() {
  return {
      {"space.max_holes",
       kind::table,
       "RAS: at most so many holes in these orbitals.",
       {.default_value = "{}", .allowed = "{} or a table such as { orbitals = [1, 2, 3], count = 2 }"},
       "Determinants, references included, with more holes (missing electrons, both spins together) are left "
       "out."},
      {"space.max_holes.orbitals",
       kind::integer_list,
       "The orbitals, counted from 1 after freezing.",
       {.default_meaning = "needed in max_holes",
        .example = "[1, 2, 3]",
        .minimum = 1,
        .allowed = "a list of different integers >= 1"}},
      {"space.max_holes.count",
       kind::integer,
       "Most holes in them.",
       {.default_meaning = "needed in max_holes", .example = "2", .minimum = 0}},
      {"space.max_particles",
       kind::table,
       "RAS: at most so many electrons in these orbitals.",
       {.default_value = "{}", .allowed = "{} or a table such as { orbitals = [9, 10, 11], count = 2 }"},
       "Determinants, references included, with more electrons there (both spins together) are left out."},
      {"space.max_particles.orbitals",
       kind::integer_list,
       "The orbitals, counted from 1 after freezing.",
       {.default_meaning = "needed in max_particles",
        .example = "[9, 10, 11]",
        .minimum = 1,
        .allowed = "a list of different integers >= 1"}},
      {"space.max_particles.count",
       kind::integer,
       "Most electrons in them.",
       {.default_meaning = "needed in max_particles", .example = "2", .minimum = 0}},
  };
}

std::vector<InputKey> space_keys() {
  std::vector<InputKey> keys = {
      {"space.basis",
       kind::text,
       "Functions that the wavefunction is expanded in.",
       {.default_value = "\"determinant\"", .words = {"determinant", "csf"}},
       "\"determinant\": Slater determinants of one Ms. \"csf\": configuration state functions, "
       "eigenfunctions of S^2 with the spin of states.multiplicity. Excitation levels then count electrons "
       "moved between spatial occupations, and u, d and 1 in a reference all mean singly occupied."},
  };
  for (const auto& more : {reference_keys(), function_keys(), ras_keys()}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

}  // namespace

InputSection integrals_section() {
  return {
      .name = "integrals",
      .meaning = "Integrals from a file. Exactly one of [molecule], [integrals] and [lattice].",
      .place = 2,
      .keys =
          {
              {"integrals.file",
               kind::text,
               "FCIDUMP file with the integrals, plain or .gz, or TREXIO file.",
               {.example = "\"molecule.fcidump\"",
                .required = true,
                .allowed = "the path of an FCIDUMP file, or of one that ends in .trexio"},
               "Relative to the folder of the input file. Of a TREXIO file (its HDF5 back-end) the integrals "
               "over molecular orbitals are read."},
              {"integrals.electrons",
               kind::integer,
               "Number of electrons, frozen ones included.",
               {.default_meaning = "NELEC of the file's header", .example = "10", .minimum = 1},
               "Ionises or dopes without editing the file."},
              {"integrals.spins",
               kind::text,
               "Whether the file's orbitals are those of both spins.",
               {.default_value = "\"auto\"", .words = {"auto", "restricted", "unrestricted", "spinors"}},
               "\"restricted\": of both. \"unrestricted\": alpha and beta electrons have their own, in "
               "blocks, as "
               "spin orbitals in turn, or alpha before beta. \"spinors\": orbitals without a spin that hold "
               "one "
               "electron each. \"auto\": told by the header and the records; `cisolve lint FILE` says what a "
               "file is."},
              {"integrals.overlap",
               kind::text,
               "Text file with the overlap of alpha and beta orbitals, for <S^2> of unrestricted integrals.",
               {.default_meaning = "from the integrals, where both spins span one space",
                .example = "\"molecule.overlap.txt\"",
                .allowed = "the path of a text file"},
               "As many rows as there are orbitals, frozen ones counted, of as many numbers: <p alpha|q "
               "beta> for "
               "all q. Needed only where orbitals were left out of the file: else the integrals imply it."},
              {"integrals.point_group",
               kind::text,
               "Point group that the file's ORBSYM labels belong to.",
               {.default_meaning = "unknown: irreps have numbers only",
                .example = "\"C2v\"",
                .words = {"D2h", "C2v", "C2h", "D2", "Cs", "C2", "Ci", "C1"}},
               "An FCIDUMP file does not say. With it, irreps have names."},
          },
      .replaced_by = {"molecule", "lattice"}};
}

InputSection space_section() {
  return {.name = "space",
          .meaning = "The references and what is excited out of them.",
          .place = 4,
          .keys = space_keys()};
}

InputSection states_section() {
  return {
      .name = "states",
      .meaning = "The states that are wanted.",
      .place = 5,
      .keys = {
          {"states.count",
           kind::integer,
           "Number of lowest roots of each irrep and multiplicity asked for.",
           {.default_value = "1", .minimum = 1},
           "Roots closer than 1e-7 hartree belong together: a group that count would cut is completed. A "
           "space with fewer states gives all of them."},
          {"states.irrep",
           kind::text | kind::integer | kind::text_list | kind::integer_list | kind::mixed_list,
           "Irreducible representation of the states, or several.",
           {.default_meaning = "the irrep of the first reference",
            .example = "\"A1\"",
            .minimum = 1,
            .maximum = 8,
            .allowed = "a name such as \"A1\" (where the point group is known), a Molpro number from 1 to 8, "
                       "a list of them such as [1, 2], or \"all\""},
           "\"all\": no restriction. A list: count roots of each."},
          {"states.multiplicity",
           kind::integer | kind::integer_list,
           "2S+1: only roots of this spin; a list: of each of these spins.",
           {.default_meaning = "every S >= |Ms|",
            .example = "1",
            .minimum = 1,
            .allowed = "an integer >= 1, or a list of different integers >= 1"},
           "Energies are not shifted: start vectors of that spin stay in it by projection (docs/theory.md). "
           "In a space that is not spin-complete S is approximate, and roots are chosen by their <S^2>."},
          {"states.ms2",
           kind::integer,
           "2 Ms: alpha electrons minus beta electrons.",
           {.default_meaning = "multiplicity - 1 of each, else of the molecule or file (0 if absent)",
            .example = "0",
            .minimum = -2147483647},
           "Determinants only: CSFs have a multiplicity."},
      }};
}

}  // namespace cisolve::detail
