// SPDX-License-Identifier: MIT
// The table of keys, second half: how it is calculated and where the results go.
#include <algorithm>
#include <string>

#include "cisolve/sparse/formats.hpp"
#include "tasks/ci/config/keys.hpp"
#include "tasks/lattice/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<std::string_view> storage_words() {
  std::vector<std::string_view> words = {"auto", "direct"};
  for (const std::string_view name : selectable_formats()) words.push_back(name);
  return words;
}

/// What each word means, from the table of formats.
std::string_view storage_details() {
  static const std::string details = [] {
    std::string text =
        "direct: not stored; every product is worked out from excitations of strings (determinants in "
        "blocks: around one reference, RAS, most CAS references). ";
    for (const StorageFormat& format : storage_formats()) {
      if (format.selectable) text += std::string(format.name) + ": " + std::string(format.meaning) + ". ";
    }
    return text +
           "auto: direct where the space allows it and threshold is 0, else on the CPU csr, on a GPU the one "
           "of hybrid and coded whose product should be faster by its bytes. --check -v prints what each "
           "would take (beside direct: csr alone from 10^9 nonzeros on).";
  }();
  return details;
}

}  // namespace

InputSection hamiltonian_section() {
  return {
      .name = "hamiltonian",
      .meaning = "The matrix and how it is stored.",
      .place = 6,
      .keys = {
          {"hamiltonian.storage",
           kind::text,
           "How the Hamiltonian is stored.",
           {.default_value = "\"auto\"", .words = storage_words()},
           storage_details()},
          {"hamiltonian.ell_width",
           kind::text | kind::integer,
           "hybrid: nonzeros of each row kept in the ELL part.",
           {.default_value = "\"auto\"",
            .words = {"auto", "reference"},
            .minimum = 1,
            .allowed = "\"auto\", \"reference\" or an integer >= 1"},
           "The paper's BOUNDARY, as in its Algorithm 6. \"auto\" takes the width of least cost. "
           "\"reference\" draws the boundary between columns instead, as the paper's text does: the ELL part "
           "of a row is its nonzeros in the columns of the reference determinants. Other formats have no "
           "such width."},
          {"hamiltonian.row_order",
           kind::text,
           "coded: order of the rows and columns in memory.",
           {.default_value = "\"auto\"", .words = {"auto", "local", "given"}},
           "\"local\" lays rows side by side whose nonzeros lie side by side: products are up to a fifth "
           "faster on a GPU, and building may take twice as long where rows come from products of strings. "
           "\"given\" is the order of files. \"auto\" takes the local order where it costs nothing: lists of "
           "determinants. Results and files don't depend on it; other formats keep the order of files."},
          {"hamiltonian.threshold",
           kind::real,
           "Elements up to this magnitude are left out.",
           {.unit = "hartree", .default_value = "0.0", .minimum = 0},
           "0: only exact zeros are left out. Anything larger makes the energies approximate."},
      }};
}

InputSection solver_section() {
  return {
      .name = "solver",
      .meaning = "The block Davidson eigensolver.",
      .place = 7,
      .keys = {
          {"solver.tolerance",
           kind::real,
           "Residual norm ||H c - E c|| of a converged root.",
           {.unit = "hartree", .default_value = "1e-6", .minimum = 0, .above_minimum = true},
           "The error of the energy is at most its square over the gap to the next root, so 1e-6 gives "
           "energies to about 1e-11 hartree."},
          {"solver.max_iterations",
           kind::integer,
           "Most Davidson iterations.",
           {.default_value = "100", .minimum = 1},
           "A run that reaches it writes its results and a checkpoint, and ends with status 2; --restart "
           "goes on."},
          {"solver.max_subspace",
           kind::integer,
           "Most basis vectors before the subspace is restarted; 0: chosen from count. With storage direct "
           "they are fewer where the memory holds no more.",
           {.default_value = "0", .minimum = 0}},
          {"solver.guess",
           kind::text,
           "Where the start vectors come from.",
           {.default_value = "\"model-space\"",
            .allowed = "\"model-space\" or the path of a result file, or of determinants: .trexio or .txt"},
           "\"model-space\": eigenvectors of the block of the references (the lowest of many) and the "
           "lowest-diagonal determinants, closed under spin flips. Otherwise a result file, or one of "
           "determinants as for space.reference.file, relative to the working directory, with the same "
           "active orbitals; its space, excitation level and basis may differ, and every sector takes the "
           "roots that fit it."},
          {"solver.follow",
           kind::boolean,
           "Follow the states of the guess instead of taking the lowest roots.",
           {.default_value = "false"},
           "Needs a guess from a result file, or a scan: converges to the roots of largest overlap with its "
           "vectors, whatever lies below them."},
      }};
}

InputSection run_section() {
  return {
      .name = "run",
      .meaning = "The machine.",
      .place = 13,
      .keys = {
          {"run.device",
           kind::text,
           "Where the Hamiltonian is stored and applied.",
           {.default_value = "\"auto\"", .words = {"auto", "cpu", "cuda"}, .misnomers = {{"gpu", "cuda"}}},
           "auto: a GPU that has room for it, else the CPU. Also --device."},
          {"run.gpus",
           kind::text | kind::integer,
           "How many GPUs share the calculation.",
           {.default_value = "\"auto\"",
            .words = {"auto"},
            .minimum = 1,
            .maximum = 64,
            .allowed = "\"auto\" or an integer >= 1"},
           "Those of this machine; each has its part of every vector, and of a stored matrix its rows. auto: "
           "as many as are expected to be fastest, and what has no room on one takes more. A list that is "
           "being selected is applied on one where it has room there. With [flapw] each makes its part of H "
           "and S, which the first keeps. Of several processes, each has so many; with [flapw] one. Also "
           "--gpus."},
          {"run.threads",
           kind::integer,
           "CPU threads; 0: all.",
           {.default_value = "0", .minimum = 0, .maximum = 4096},
           "Of several processes, each has so many; 0: its part of the cores that they share. Also "
           "--threads."},
          {"run.memory",
           kind::text,
           "Host memory that the run may take.",
           {.default_value = "\"auto\"",
            .allowed = "\"auto\" or a size such as \"16 GiB\" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"},
           "\"auto\": 80% of what is free. Of several processes each may take so much; \"auto\": its part of "
           "that of its node. Also --memory."},
      }};
}

InputSection output_section() {
  return {.name = "output",
          .meaning = "Result file and checkpoint. With [flapw]: file, vectors and matrices.",
          .place = 14,
          .keys = {
              {"output.also",
               kind::text | kind::text_list,
               "Files for other programs, written of the result when it is there.",
               {.default_meaning = "none",
                .example = "[\"molecule.molden\"]",
                .allowed =
                    "a path or a list of paths that end in .molden, .trexio, .txt, .fcidump or .fcidump.gz"},
               "What `cisolve export` writes into a file of that name without options: orbitals, "
               "determinants of the first root, integrals; a TREXIO file of each root."},
              {"output.file",
               kind::text,
               "The result file (HDF5).",
               {.default_meaning = "<stem>.h5", .example = "\"molecule.h5\"", .allowed = "a path"},
               "Relative to the working directory; <stem> is the name of the input file without its suffix. "
               "Also -o."},
              {"output.vectors",
               kind::boolean,
               "Write the eigenvectors.",
               {.default_value = "true"},
               "The leading configurations are written in any case."},
              {"output.matrices",
               kind::boolean,
               "With [flapw]: write H and S of each k-point.",
               {.default_value = "false"},
               "Their lower triangles, by rows."},
              {"output.determinants",
               kind::text,
               "How the result file holds the determinants.",
               {.default_value = "\"auto\"", .words = {"auto", "list", "blocks"}},
               "list: the two strings of each. blocks: every string once and the blocks that they form, "
               "which takes next to nothing; where the space is made of blocks (see storage), else a list. "
               "auto: a list of up to 10 million, else blocks. CSFs are listed in any case."},
              {"output.properties",
               kind::boolean,
               "Natural occupations, numbers of unpaired electrons; dipoles, quadrupoles, oscillator "
               "strengths, charges, spin populations.",
               {.default_value = "true"},
               "From the one-particle density matrices of the roots, and between those of different irreps. "
               "All but the first two are of a molecule alone."},
              {"output.density",
               kind::text,
               "Density matrices in the result file, over the active orbitals.",
               {.default_value = "\"none\"", .words = {"none", "one", "two"}},
               "one: one-particle ones of each spin, of every root and between all roots, also of different "
               "irreps and multiplicities. two: the two-particle ones of every root as well, and how far the "
               "energy from them is from the eigenvalue."},
              {"output.natural_orbitals",
               kind::boolean | kind::integer | kind::text,
               "Natural orbitals in the result file.",
               {.default_value = "false",
                .words = {"average"},
                .minimum = 1,
                .allowed = "true (of every root), false, the number of a root, or \"average\""},
               "Of one irrep each, from the spin-summed density. average: of all roots' averaged "
               "densities, with orbitals.weights."},
              {"output.checkpoint",
               kind::text,
               "The checkpoint file (HDF5), for --restart.",
               {.default_meaning = "<stem>.chk.h5", .example = "\"molecule.chk.h5\"", .allowed = "a path"},
               "Relative to the working directory."},
              {"output.checkpoint_interval",
               kind::real,
               "Time between checkpoints; 0: after every iteration. Large vectors are written while the "
               "solver goes on, if there is memory for a copy; the next checkpoint waits for the one before.",
               {.unit = "seconds", .default_value = "300.0", .minimum = 0}},
          }};
}

std::vector<InputSection> ci_sections() {
  return {molecule_section(), integrals_section(), lattice_section(),   orbitals_section(),
          space_section(),    states_section(),    selection_section(), hamiltonian_section(),
          solver_section(),   run_section(),       output_section()};
}

bool is_ci_key(const InputKey& key) {
  static const std::vector<InputSection> sections = ci_sections();
  if (key.section().empty()) return true;
  return key.path != "output.matrices" &&
         std::ranges::find(sections, key.section(), &InputSection::name) != sections.end();
}

}  // namespace cisolve::detail
