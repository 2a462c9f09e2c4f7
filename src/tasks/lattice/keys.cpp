// SPDX-License-Identifier: MIT
#include "tasks/lattice/keys.hpp"

#include <utility>

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<InputKey> cluster_keys() {
  return {
      {"lattice.kind",
       kind::text,
       "Shape of the cluster of sites.",
       {.example = "\"square\"",
        .required = true,
        .words = {"chain", "square", "tilted", "vectors", "bonds"},
        .misnomers = {{"rectangle", "square"}, {"ring", "chain"}, {"graph", "bonds"}}},
       "chain: L sites. square: L1 x L2 sites. tilted: L^2 + 1 sites of the square lattice, spanned by "
       "(L, 1) and (-1, L). vectors: any piece of the square lattice, by its spanning vectors. bonds: any "
       "graph, by "
       "its bonds."},
      {"lattice.size",
       kind::integer | kind::integer_list,
       "L of a chain or a tilted square; [L1, L2] of a square.",
       {.default_meaning = "needed with chain, square and tilted",
        .example = "[4, 4]",
        .minimum = 1,
        .maximum = 4096,
        .allowed = "an integer >= 2 (chain, tilted), or two integers >= 1 (square)",
        .counts = true}},
      {"lattice.vectors",
       kind::real_rows,
       "Spanning vectors, [[x1, y1], [x2, y2]], in units of the lattice's spacing.",
       {.default_meaning = "needed with vectors",
        .example = "[[2, 2], [-2, 2]]",
        .minimum = -4096,
        .maximum = 4096,
        .allowed = "two vectors of two integers each"}},
      {"lattice.boundary",
       kind::text | kind::text_list | kind::real | kind::real_list | kind::mixed_list,
       "What happens at the ends of the cluster, or along each of its two vectors.",
       {.default_value = "\"periodic\"",
        .minimum = -2,
        .maximum = 2,
        .allowed =
            "\"periodic\", \"antiperiodic\", \"open\", an angle in units of pi, or a list of two of them"},
       "Along a vector T an electron that leaves the cluster comes in again at its other end, with a factor "
       "-1 "
       "(antiperiodic) or exp(i pi angle). open (chain and square): there are no such bonds. Angles that are "
       "no "
       "integers make complex Hamiltonians: Hubbard, exact."},
      {"lattice.sites",
       kind::integer,
       "Number of sites of a graph.",
       {.default_meaning = "needed with bonds", .example = "5", .minimum = 2, .maximum = 4096}},
      {"lattice.bonds",
       kind::table_list,
       "Bonds of a graph: two sites each, or a table with t, J and V of its own.",
       {.default_meaning = "this or bonds_file is needed with bonds",
        .example = "[[1, 2], { sites = [2, 3], t = 0.8 }]",
        .allowed = "a list of [i, j] and of tables such as { sites = [1, 2], t = 0.8, V = 0.5 }",
        .list_field = "sites"}},
      {"lattice.bonds[].sites",
       kind::integer_list,
       "The two sites, counted from 1.",
       {.example = "[1, 2]",
        .required = true,
        .minimum = 1,
        .maximum = 4096,
        .allowed = "two different integers >= 1"}},
      {"lattice.bonds[].t", kind::real, "Its hopping.", {.default_meaning = "lattice.t", .example = "0.8"}},
      {"lattice.bonds[].J",
       kind::real,
       "Its exchange; t-J.",
       {.default_meaning = "lattice.J", .example = "0.4"}},
      {"lattice.bonds[].V", kind::real, "Its repulsion.", {.default_meaning = "lattice.V", .example = "0.5"}},
      {"lattice.bonds_file",
       kind::text,
       "A text file with the bonds, relative to the input file.",
       {.default_meaning = "this or bonds is needed with bonds",
        .example = "\"graph.txt\"",
        .allowed = "the path of a text file"},
       "A line for each bond: i j, then t, J and V as far as they differ from the keys here. # begins a "
       "comment."},
  };
}

std::vector<InputKey> model_keys() {
  return {
      {"lattice.model",
       kind::text,
       "The Hamiltonian of the electrons.",
       {.example = "\"Hubbard\"",
        .required = true,
        .words = {"Hubbard", "t-J"},
        .misnomers = {{"tj", "t-J"}, {"t_j", "t-J"}}},
       "docs/theory.md has both. All energies are in the unit in which t is given."},
      {"lattice.t", kind::real, "Hopping between nearest neighbours.", {.default_value = "1.0"}},
      {"lattice.t2",
       kind::real,
       "Hopping between second neighbours (on the square lattice along diagonals).",
       {.default_value = "0.0"},
       "With the sign convention of t: the band is -2 t (cos kx + cos ky) - 4 t2 cos kx cos ky - 2 t3 (cos "
       "2kx + cos "
       "2ky). Cuprates have t2 < 0."},
      {"lattice.t3",
       kind::real,
       "Hopping between third neighbours (on the square lattice two sites along an axis).",
       {.default_value = "0.0"}},
      {"lattice.U",
       kind::real,
       "Repulsion of two electrons on a site; Hubbard.",
       {.default_meaning = "0", .example = "4.0"}},
      {"lattice.J",
       kind::real,
       "Exchange of nearest neighbours, J (S.S - n n / 4); t-J.",
       {.default_meaning = "needed with t-J, but in a graph whose bonds have their own", .example = "0.3"}},
      {"lattice.V",
       kind::real,
       "Repulsion n n of electrons on nearest neighbours.",
       {.default_value = "0.0"},
       "V = J / 4 makes the exchange of t-J J S.S."},
      {"lattice.electrons",
       kind::integer,
       "Number of electrons.",
       {.default_meaning = "this or doping is needed", .example = "16", .minimum = 1}},
      {"lattice.doping",
       kind::real,
       "Share x of sites that hold no electron on average: electrons = 2 round(N (1 - x) / 2).",
       {.default_meaning = "this or electrons is needed", .example = "0.1", .minimum = 0, .maximum = 1}},
      {"lattice.orbitals",
       kind::text,
       "Functions that electrons of the Hubbard model are in.",
       {.default_value = "\"auto\"", .words = {"auto", "band", "site"}},
       "band: eigenvectors of the hopping, with up to eight irreps, which converge faster where U is not "
       "large; "
       "states.irrep names them by numbers and is by default all of them. site: the sites. auto: band where "
       "abs(U) <= 8 abs(t) and the cluster is no graph, else site."},
      {"lattice.correlations",
       kind::boolean,
       "Work out densities, correlation functions and structure factors of the roots.",
       {.default_value = "true"}},
  };
}

}  // namespace

InputSection lattice_section() {
  InputSection section{
      .name = "lattice",
      .meaning =
          "Sites and the Hubbard or t-J model of the electrons on them, in place of [molecule] "
          "and [integrals].",
      .place = 2,
      .keys = cluster_keys(),
      .optional = true};
  for (InputKey& key : model_keys()) section.keys.push_back(std::move(key));
  return section;
}

}  // namespace cisolve::detail
