// SPDX-License-Identifier: MIT
// The table of keys, second half: how it is calculated and where the results go.
#include <string>

#include "cisolve/sparse/formats.hpp"
#include "tasks/ci/config/keys.hpp"

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
           "of hybrid and coded whose product should be faster by its bytes. --check prints what each would "
           "take (beside direct: csr alone from 10^9 nonzeros on).";
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
          {.path = "hamiltonian.storage",
           .kinds = kind::text,
           .default_value = "\"auto\"",
           .words = storage_words(),
           .meaning = "How the Hamiltonian is stored.",
           .details = storage_details()},
          {.path = "hamiltonian.ell_width",
           .kinds = kind::text | kind::integer,
           .default_value = "\"auto\"",
           .words = {"auto", "reference"},
           .minimum = 1,
           .allowed = "\"auto\", \"reference\" or an integer >= 1",
           .meaning = "hybrid: nonzeros of each row kept in the ELL part.",
           .details = "The paper's BOUNDARY, as in its Algorithm 6. \"auto\" takes the width of least cost. "
                      "\"reference\" draws the boundary between columns instead, as the paper's text does: "
                      "the ELL part of a row is its nonzeros in the columns of the reference determinants. "
                      "Other formats have no such width."},
          {.path = "hamiltonian.row_order",
           .kinds = kind::text,
           .default_value = "\"auto\"",
           .words = {"auto", "local", "given"},
           .meaning = "coded: order of the rows and columns in memory.",
           .details = "\"local\" lays rows side by side whose nonzeros lie side by side: products are up to "
                      "a fifth faster on a GPU, and building may take twice as long where rows come from "
                      "products of strings. \"given\" is the order of files. \"auto\" takes the local order "
                      "where it costs nothing: lists of determinants. Results and files don't depend on it; "
                      "other formats keep the order of files."},
          {.path = "hamiltonian.threshold",
           .kinds = kind::real,
           .unit = "hartree",
           .default_value = "0.0",
           .minimum = 0,
           .meaning = "Elements up to this magnitude are left out.",
           .details = "0: only exact zeros are left out. Anything larger makes the energies approximate."},
      }};
}

InputSection solver_section() {
  return {
      .name = "solver",
      .meaning = "The block Davidson eigensolver.",
      .place = 7,
      .keys = {
          {.path = "solver.tolerance",
           .kinds = kind::real,
           .unit = "hartree",
           .default_value = "1e-6",
           .minimum = 0,
           .above_minimum = true,
           .meaning = "Residual norm ||H c - E c|| of a converged root.",
           .details = "The error of the energy is at most its square over the gap to the next root, so 1e-6 "
                      "gives energies to about 1e-11 hartree."},
          {.path = "solver.max_iterations",
           .kinds = kind::integer,
           .default_value = "100",
           .minimum = 1,
           .meaning = "Most Davidson iterations.",
           .details = "A run that reaches it writes its results and a checkpoint, and ends with status 2; "
                      "--restart goes on."},
          {.path = "solver.max_subspace",
           .kinds = kind::integer,
           .default_value = "0",
           .minimum = 0,
           .meaning = "Most basis vectors before the subspace is restarted; 0: chosen from count. With "
                      "storage direct they are fewer where the memory holds no more."},
          {.path = "solver.guess",
           .kinds = kind::text,
           .default_value = "\"model-space\"",
           .allowed = "\"model-space\" or the path of a result file",
           .meaning = "Where the start vectors come from.",
           .details = "\"model-space\": eigenvectors of the block of the references (the lowest of many) and "
                      "the lowest-diagonal determinants, closed under spin flips. Otherwise a result file, "
                      "relative to the working directory, with the same active orbitals; its space, "
                      "excitation level and basis may differ, and every sector takes the roots that fit it."},
          {.path = "solver.follow",
           .kinds = kind::boolean,
           .default_value = "false",
           .meaning = "Follow the states of the guess instead of taking the lowest roots.",
           .details = "Needs a guess from a result file, or a scan: converges to the roots of largest "
                      "overlap with its vectors, whatever lies below them."},
      }};
}

InputSection run_section() {
  return {.name = "run",
          .meaning = "The machine.",
          .place = 8,
          .keys = {
              {.path = "run.device",
               .kinds = kind::text,
               .default_value = "\"auto\"",
               .words = {"auto", "cpu", "cuda"},
               .meaning = "Where the Hamiltonian is stored and applied.",
               .details = "auto: a GPU that has room for it, else the CPU. Also --device."},
              {.path = "run.threads",
               .kinds = kind::integer,
               .default_value = "0",
               .minimum = 0,
               .maximum = 4096,
               .meaning = "CPU threads; 0: all.",
               .details = "Also --threads."},
              {.path = "run.memory",
               .kinds = kind::text,
               .default_value = "\"auto\"",
               .allowed = "\"auto\" or a size such as \"16 GiB\" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)",
               .meaning = "Host memory that the run may take.",
               .details = "\"auto\": 80% of what is free. Also --memory."},
          }};
}

InputSection output_section() {
  return {.name = "output",
          .meaning = "Result file and checkpoint.",
          .place = 9,
          .keys = {
              {.path = "output.file",
               .kinds = kind::text,
               .default_meaning = "<stem>.h5",
               .example = "\"molecule.h5\"",
               .allowed = "a path",
               .meaning = "The result file (HDF5).",
               .details = "Relative to the working directory; <stem> is the name of the input file without "
                          "its suffix. Also -o."},
              {.path = "output.vectors",
               .kinds = kind::boolean,
               .default_value = "true",
               .meaning = "Write the eigenvectors.",
               .details = "The leading configurations are written in any case."},
              {.path = "output.determinants",
               .kinds = kind::text,
               .default_value = "\"auto\"",
               .words = {"auto", "list", "blocks"},
               .meaning = "How the result file holds the determinants.",
               .details =
                   "list: the two strings of each. blocks: every string once and the blocks that they form, "
                   "which takes next to nothing; where the space is made of blocks (see storage), else a "
                   "list. auto: a list of up to 10 million, else blocks. CSFs are listed in any case."},
              {.path = "output.properties",
               .kinds = kind::boolean,
               .default_value = "true",
               .meaning = "Dipoles, oscillator strengths, natural occupations, charges.",
               .details = "Of a molecule: from the one-particle density matrices of its roots. With "
                          "[integrals] there are none."},
              {.path = "output.checkpoint",
               .kinds = kind::text,
               .default_meaning = "<stem>.chk.h5",
               .example = "\"molecule.chk.h5\"",
               .allowed = "a path",
               .meaning = "The checkpoint file (HDF5), for --restart.",
               .details = "Relative to the working directory."},
              {.path = "output.checkpoint_interval",
               .kinds = kind::real,
               .unit = "seconds",
               .default_value = "300.0",
               .minimum = 0,
               .meaning = "Time between checkpoints; 0: after every iteration. Large vectors are written "
                          "while the solver goes on, if there is memory for a copy; the next checkpoint "
                          "waits for the one before."},
          }};
}

}  // namespace cisolve::detail
