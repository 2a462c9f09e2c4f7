// SPDX-License-Identifier: MIT
// The table of keys: geometry, basis and SCF.
#include "tasks/ci/config/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<InputKey> geometry_keys() {
  return {
      {"molecule.geometry",
       kind::text,
       "Atoms: a line each, with symbol, x, y, z.",
       {.default_meaning = "this or geometry_file is needed",
        .example = "\"O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692\"",
        .in_template = true},
       "A label may follow the symbol, as in H1. Atoms are separated by line ends (a text in \"\"\"...\"\"\" "
       "may have several lines) or by ;, and # begins a comment. Gh(O) is a ghost: the functions of an "
       "oxygen atom "
       "without its nucleus and electrons."},
      {"molecule.geometry_file",
       kind::text,
       "An .xyz file with the atoms, relative to the input file.",
       {.default_meaning = "this or geometry is needed", .example = "\"h2o.xyz\""}},
      {"molecule.unit",
       kind::text,
       "Unit of the coordinates.",
       {.default_value = "\"angstrom\"", .words = {"angstrom", "bohr"}}},
      {"molecule.charge", kind::integer, "Charge of the molecule.", {.unit = "e", .default_value = "0"}},
      {"molecule.multiplicity",
       kind::integer,
       "2S+1 of the SCF state.",
       {.default_meaning = "1, or 2 for an odd number of electrons", .example = "1", .minimum = 1}},
      {"molecule.basis",
       kind::text | kind::table,
       "The Gaussian basis, or one for each element or atom.",
       {.example = "\"6-31g(d)\"",
        .required = true,
        .allowed =
            "the name of a set, such as STO-3G, 6-31G(d), 6-311++G(d,p), def2-TZVP, cc-pVDZ, aug-cc-pVQZ, "
            "cc-pCVTZ or pcseg-2, in any case, the path of a Gaussian94 file that ends in .gbs, or a table "
            "of such",
        .free_texts = true},
       "basis_sets.md lists the 50 sets and their elements. A path is relative to the input file. A table "
       "names sets "
       "for elements and for atoms by their labels, and one for all others: { default = \"cc-pVDZ\", Cu = "
       "\"cc-pVTZ\", H2 = \"sto-3g\" }. That of the label comes before that of the element. Atoms with "
       "different sets are "
       "not exchanged by symmetry."},
      {"molecule.functions",
       kind::text,
       "Cartesian or spherical d and higher functions.",
       {.default_value = "\"auto\"", .words = {"auto", "cartesian", "spherical"}},
       "auto: each set as it defines them; spherical where a file does not say. The others: those of all "
       "sets."},
      {"molecule.symmetry",
       kind::text,
       "Point group of the calculation.",
       {.default_value = "\"auto\"",
        .allowed = "\"auto\", \"D2h\", \"C2v\", \"C2h\", \"D2\", \"Cs\", \"C2\", \"Ci\" or \"C1\""},
       "auto: the largest of these that the geometry has, to within 1e-4 bohr. Coordinates are turned where "
       "the group's axes are not those given; the report says so."},
  };
}

std::vector<InputKey> surrounding_keys() {
  return {
      {"molecule.charges",
       kind::real_rows,
       "Point charges around the molecule: x, y, z and the charge of each.",
       {.unit = "molecule.unit, e",
        .default_meaning = "none",
        .example = "[[0.0, 0.0, 3.0, 0.4], [0.0, 0.0, -4.0, -0.3]]",
        .allowed = "a list of lists of four numbers, [[x, y, z, charge], ...]"},
       "Energies hold their interaction with nuclei and electrons, not that among themselves. They stay "
       "where they are in a scan. The point group is that of molecule and charges together."},
      {"molecule.charges_file",
       kind::text,
       "A file of point charges, a line each with x, y, z and the charge.",
       {.unit = "molecule.unit, e", .default_meaning = "none", .example = "\"water.charges\""},
       "A path is relative to the input file; # begins a comment. This or charges."},
      {"molecule.field",
       kind::real_list,
       "A uniform electric field F: H - mu . F.",
       {.unit = "hartree/(e bohr)",
        .default_meaning = "none",
        .example = "[0.0, 0.0, 0.01]",
        .allowed = "a list of three numbers"},
       "The dipole moment mu is that about the centre of nuclear charge, which makes a difference for ions "
       "only. 0.01 is 5.14 V/nm. The field lowers the point group to the one that it leaves."},
  };
}

std::vector<InputKey> scf_keys() {
  return {
      {"molecule.method",
       kind::text,
       "Whether the SCF has one set of orbitals for both spins (rhf), or one for each (uhf).",
       {.default_value = "\"rhf\"", .words = {"rhf", "uhf"}},
       "rhf: RHF, with open shells ROHF. uhf: alpha and beta electrons have orbitals of their own, also in "
       "the "
       "CI, whose states are then no pure spins unless it is full. A singlet begins with the RHF state, and "
       "differs from it where that is unstable, as in a stretched bond."},
      {"molecule.doubly_occupied",
       kind::integer_list,
       "Doubly occupied orbitals per irrep, in Molpro's order; of uhf those of both spins.",
       {.default_meaning = "found by the SCF", .example = "[3, 1, 1, 0]", .minimum = 0, .counts = true},
       "Trailing zeros may be left out. Without them the SCF looks for the lowest state, which it need not "
       "find."},
      {"molecule.singly_occupied",
       kind::integer_list,
       "Singly occupied orbitals per irrep, in Molpro's order; of uhf those of alpha alone.",
       {.default_meaning = "found by the SCF", .example = "[0, 0, 0, 0]", .minimum = 0, .counts = true},
       "Only with doubly_occupied."},
      {"molecule.scf_tolerance",
       kind::real,
       "Change of the SCF energy in the last iteration.",
       {.unit = "hartree", .default_value = "1e-10", .minimum = 0, .above_minimum = true},
       "The orbital gradient must be below 1e-8 hartree, too. An SCF that does not converge ends the run."},
      {"molecule.scf_max_iterations",
       kind::integer,
       "Most SCF iterations.",
       {.default_value = "100", .minimum = 2}},
      {"molecule.level_shift",
       kind::real,
       "Raises the empty orbitals while the SCF iterates.",
       {.unit = "hartree", .default_value = "0.0", .minimum = 0},
       "0.3 or so calms an SCF that oscillates; the converged state does not depend on it."},
      {"molecule.stability",
       kind::boolean,
       "Test whether the SCF state is a minimum.",
       {.default_value = "true"},
       "An instability that keeps the symmetry is followed to the lower state; of others there is a "
       "warning. uhf needs it to leave the RHF state of a singlet."},
  };
}

std::vector<InputKey> molecule_keys() {
  std::vector<InputKey> keys = geometry_keys();
  for (InputKey& key : surrounding_keys()) keys.push_back(std::move(key));
  for (InputKey& key : scf_keys()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

InputSection molecule_section() {
  return {.name = "molecule",
          .meaning =
              "Geometry and basis: integrals and orbitals come from an SCF. Exactly one of [molecule] and "
              "[integrals].",
          .place = 1,
          .keys = molecule_keys(),
          .optional = true};
}

}  // namespace cisolve::detail
