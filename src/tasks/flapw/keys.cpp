// SPDX-License-Identifier: MIT
// The table of keys: FLAPW.
#include "tasks/flapw/keys.hpp"

#include <algorithm>

#include "cisolve/lapw/crystal.hpp"

namespace cisolve {

namespace kind = value_kind;

namespace {

std::vector<InputKey> method_keys() {
  return {
      {"flapw.file",
       kind::text,
       "Crystal and potential, or A, B and T, as an HDF5 file, relative to the input file.",
       {.default_meaning = "this, [crystal] or [synthetic] is needed",
        .example = "\"al.h5\"",
        .allowed = "a path"}},
      {"flapw.roots",
       kind::text | kind::integer,
       "Lowest eigenvalues of each k-point; 0: H and S alone.",
       {.default_value = "10", .words = {"all"}, .minimum = 0, .allowed = "\"all\" or an integer >= 0"}},
      {"flapw.interstitial",
       kind::boolean,
       "Add what lies between the spheres.",
       {.default_value = "true"},
       "false: the muffin tins alone, as the paper's matrices; their eigenvalues are no bands. Of a file of "
       "coefficients it is added where the file has it."},
      {"flapw.algorithm",
       kind::text,
       "How H and S are made.",
       {.default_value = "\"auto\"", .words = {"auto", "hsdla", "merged", "split"}},
       "hsdla: the published algorithm. merged: S and H from the two signs of all of T. split: overlap and "
       "spherical part by the addition theorem, the rest as merged; it needs radial functions, which files "
       "of "
       "coefficients don't have. auto: split where it can be."},
      {"flapw.coefficients",
       kind::text,
       "How A and B are held.",
       {.default_value = "\"streamed\"", .words = {"streamed", "stored"}},
       "streamed: blocks of atoms are made, used and dropped. stored: as a whole."},
      {"flapw.solver",
       kind::text,
       "The eigensolver.",
       {.default_value = "\"auto\"", .words = {"auto", "direct", "davidson"}},
       "auto: Davidson for few roots of a large matrix, else direct."},
      {"flapw.tolerance",
       kind::real,
       "Davidson: residual norm ||H c - E S c|| of a converged root.",
       {.unit = "hartree", .default_value = "1e-8", .minimum = 0, .above_minimum = true}},
      {"flapw.max_iterations",
       kind::integer,
       "Davidson: most iterations.",
       {.default_value = "100", .minimum = 1}},
      {"flapw.overlap_threshold",
       kind::real,
       "Directions of less overlap than this times the largest are dropped.",
       {.default_value = "1e-10", .minimum = 0, .maximum = 1, .allowed = "a number >= 0 and < 1"},
       "Where S is singular to rounding, as with a large k_max; the report says how many."},
      {"flapw.arithmetic",
       kind::text,
       "Arithmetic of the products.",
       {.default_value = "\"native\"", .words = {"native", "3m"}},
       "3m: complex products by three real ones in place of four, with errors about twice as large."},
      {"flapw.radial",
       kind::text,
       "Radial equation, where a potential is given.",
       {.default_value = "\"schroedinger\"", .words = {"schroedinger", "scalar-relativistic"}}},
      {"flapw.check",
       kind::integer,
       "Elements of H and S that are computed again by their definition.",
       {.default_value = "16", .minimum = 0, .maximum = 1000}},
      {"flapw.repeat",
       kind::integer,
       "Make H and S so often; times are medians. For benchmarks.",
       {.default_value = "1", .minimum = 1, .maximum = 100}},
  };
}

std::vector<InputKey> type_keys() {
  return {
      {"crystal.types",
       kind::table_list,
       "Kinds of atoms: their spheres and the functions in them.",
       {.example = "[{ name = \"Al\", radius = 2.2 }]",
        .required = true,
        .allowed = "a list of tables such as { name = \"Al\", radius = 2.2 }"}},
      {"crystal.types[].name", kind::text, "Its name, for atoms.", {.example = "\"Al\"", .required = true}},
      {"crystal.types[].radius",
       kind::real,
       "Radius of its sphere; spheres must not overlap.",
       {.unit = "crystal.unit",
        .example = "2.2",
        .required = true,
        .minimum = 0,
        .maximum = 1e5,
        .above_minimum = true,
        .allowed = "a number > 0"}},
      {"crystal.types[].lmax",
       kind::integer,
       "Largest angular momentum.",
       {.default_value = "8", .minimum = 0, .maximum = lapw::most_lmax}},
      {"crystal.types[].lmax_nonspherical",
       kind::integer,
       "Largest angular momentum for which the potential is not spherical; -1: none.",
       {.default_meaning = "lmax; -1 without potential.fourier",
        .example = "6",
        .minimum = -1,
        .maximum = lapw::most_lmax,
        .allowed = "an integer from -1 to lmax"}},
      {"crystal.types[].energy",
       kind::real | kind::real_list,
       "Energies E_l for which the radial equations are solved.",
       {.unit = "hartree",
        .default_value = "0.15",
        .allowed = "a number, or a list of lmax + 1 of them, from l = 0"}},
  };
}

std::vector<InputKey> crystal_keys() {
  std::vector<InputKey> keys = {
      {"crystal.lattice",
       kind::real_rows,
       "Lattice vectors, one a row.",
       {.unit = "crystal.unit",
        .example = "[[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]]",
        .required = true,
        .minimum = -1000,
        .maximum = 1000,
        .allowed = "three lists of three numbers"}},
      {"crystal.unit",
       kind::text,
       "Unit of lattice and radii.",
       {.default_value = "\"bohr\"", .words = {"bohr", "angstrom"}}},
      {"crystal.k_max",
       kind::real,
       "Largest |k + G| of the plane waves.",
       {.unit = "1/bohr",
        .example = "3.0",
        .required = true,
        .minimum = 0,
        .maximum = 50,
        .above_minimum = true}},
  };
  for (InputKey& key : type_keys()) keys.push_back(std::move(key));
  const std::vector<InputKey> of_atoms = {
      {"crystal.atoms",
       kind::table_list,
       "The atoms of the cell.",
       {.example = "[{ type = \"Al\", position = [0, 0, 0] }]",
        .required = true,
        .allowed = "a list of tables such as { type = \"Al\", position = [0, 0, 0] }"}},
      {"crystal.atoms[].type", kind::text, "Name of its type.", {.example = "\"Al\"", .required = true}},
      {"crystal.atoms[].position",
       kind::real_list,
       "Where it is, in lattice vectors.",
       {.example = "[0, 0, 0]",
        .required = true,
        .minimum = -1000,
        .maximum = 1000,
        .allowed = "three numbers"}},
      {"crystal.atoms[].rotation",
       kind::real_rows,
       "Rotation Q into the frame of its type: v of the type = Q v.",
       {.default_value = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        .allowed = "three lists of three numbers, orthogonal to 1e-10"},
       "Atoms of one type must see the same potential, each in this frame."},
  };
  keys.insert(keys.end(), of_atoms.begin(), of_atoms.end());
  return keys;
}

std::vector<InputKey> potential_keys() {
  return {
      {"potential.fourier",
       kind::table_list,
       "Coefficients of V(r) = sum_G V_G exp(i G.r), in the spheres, too.",
       {.default_meaning = "none: V = 0",
        .example = "[{ g = [1, 0, 0], v = 0.1 }, { g = [-1, 0, 0], v = 0.1 }]",
        .allowed = "a list of tables such as { g = [1, 0, 0], v = 0.1 }"}},
      {"potential.fourier[].g",
       kind::integer_list,
       "G in reciprocal lattice vectors; each once, and -G with it.",
       {.example = "[1, 0, 0]", .required = true, .allowed = "three integers", .counts = true}},
      {"potential.fourier[].v",
       kind::real | kind::real_list,
       "V_G; that of -G is its conjugate.",
       {.unit = "hartree",
        .example = "0.1",
        .required = true,
        .allowed = "a number, or [real part, imaginary part]"}},
  };
}

std::vector<InputKey> k_point_keys() {
  return {
      {"k_points.list",
       kind::real_rows,
       "The points, in reciprocal lattice vectors; of equal weight.",
       {.default_meaning = "this, grid or path is needed with [crystal]",
        .example = "[[0, 0, 0], [0.5, 0.5, 0]]",
        .minimum = -1000,
        .maximum = 1000,
        .allowed = "a list of lists of three numbers"}},
      {"k_points.grid",
       kind::integer_list,
       "A grid that holds Gamma: so many points along each reciprocal lattice vector.",
       {.default_meaning = "this, list or path is needed with [crystal]",
        .example = "[4, 4, 4]",
        .minimum = 1,
        .allowed = "three integers >= 1",
        .counts = true}},
      {"k_points.path",
       kind::table,
       "A path through the Brillouin zone, for bands.",
       {.default_meaning = "this, list or grid is needed with [crystal]",
        .example = "{ points = [[0, 0, 0], [0.5, 0.5, 0]] }",
        .allowed = "a table such as { points = [[0, 0, 0], [0.5, 0.5, 0]], labels = [\"G\", \"X\"], segments "
                   "= 20 }"}},
      {"k_points.path.points",
       kind::real_rows,
       "Its corners.",
       {.default_meaning = "needed in a path",
        .example = "[[0, 0, 0], [0.5, 0.5, 0]]",
        .minimum = -1000,
        .maximum = 1000,
        .allowed = "a list of two or more lists of three numbers"}},
      {"k_points.path.labels",
       kind::text_list,
       "Names of its corners.",
       {.default_meaning = "their coordinates", .example = "[\"G\", \"X\"]"}},
      {"k_points.path.segments",
       kind::integer,
       "Steps from each corner to the next.",
       {.default_meaning = "20", .example = "20", .minimum = 1, .maximum = 10000}},
  };
}

std::vector<InputKey> synthetic_keys() {
  return {
      {"synthetic.atoms",
       kind::integer,
       "Atoms.",
       {.example = "8", .required = true, .minimum = 1, .maximum = 10000000}},
      {"synthetic.lmax",
       kind::integer,
       "Largest angular momentum of each.",
       {.example = "6", .required = true, .minimum = 0, .maximum = lapw::most_lmax}},
      {"synthetic.waves",
       kind::integer,
       "Plane waves.",
       {.example = "500", .required = true, .minimum = 1, .maximum = 100000000}},
      {"synthetic.types",
       kind::integer,
       "Kinds of atoms, which take turns.",
       {.default_meaning = "as many as atoms",
        .example = "2",
        .minimum = 1,
        .allowed = "an integer from 1 to atoms"}},
      {"synthetic.hpd_share",
       kind::real,
       "Share of the types whose T_AA is positive definite.",
       {.default_value = "0.5", .minimum = 0, .maximum = 1}},
      {"synthetic.seed", kind::integer, "Of the random numbers.", {.default_value = "1", .minimum = 0}},
      {"synthetic.k_max",
       kind::real,
       "Cutoff of the kinetic energies.",
       {.unit = "1/bohr", .default_value = "4.0", .minimum = 0, .above_minimum = true}},
  };
}

}  // namespace

std::vector<InputSection> flapw_sections() {
  return {
      {.name = "flapw",
       .meaning = "Hamiltonian and overlap matrices of a crystal in linearised augmented plane waves "
                  "(FLAPW), and their lowest eigenvalues, in a given potential. The section asks for such "
                  "a calculation, if only by its header; sections of molecules and their states don't go "
                  "with it.",
       .place = 8,
       .keys = method_keys(),
       .optional = true},
      {.name = "crystal",
       .meaning = "Lattice, spheres and atoms, for [flapw].",
       .place = 9,
       .keys = crystal_keys(),
       .optional = true},
      {.name = "potential",
       .meaning = "The potential of [crystal].",
       .place = 10,
       .keys = potential_keys(),
       .optional = true},
      {.name = "k_points",
       .meaning = "Points of the Brillouin zone of [crystal]: one of list, grid and path.",
       .place = 11,
       .keys = k_point_keys(),
       .optional = true},
      {.name = "synthetic",
       .meaning = "Pseudo-random A, B and T of any size for [flapw], for benchmarks.",
       .place = 12,
       .keys = synthetic_keys(),
       .optional = true}};
}

bool is_flapw_key(const InputKey& key) {
  static const std::vector<InputSection> own = flapw_sections();
  if (key.section() == "output")
    return key.name() == "file" || key.name() == "vectors" || key.name() == "matrices";
  return key.section().empty() || key.section() == "run" ||
         std::ranges::find(own, key.section(), &InputSection::name) != own.end();
}

}  // namespace cisolve
