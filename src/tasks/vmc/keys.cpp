// SPDX-License-Identifier: MIT
// The table of keys: variational Monte Carlo.
#include "tasks/vmc/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cisolve/core/error.hpp"
#include "tasks/input/entries.hpp"

namespace cisolve {

namespace kind = value_kind;

namespace {

std::vector<InputKey> state_keys() {
  return {
      {"vmc.wavefunction",
       kind::text,
       "The trial state.",
       {.default_value = "\"bcs\"", .words = {"bcs", "fermi-sea"}, .misnomers = {{"sea", "fermi-sea"}}},
       "bcs: pairs of a superconductor, as many up as down electrons, on closed clusters. fermi-sea: the "
       "lowest "
       "orbitals of the hopping, which must be a closed shell. t-J: both without doubly occupied sites. "
       "docs/theory.md "
       "has the formulas."},
      {"vmc.pairing",
       kind::text,
       "Symmetry of the gap: cos kx - cos ky, cos kx + cos ky (of a chain cos k), or 1.",
       {.default_meaning = "\"d\"; on a chain \"extended-s\"",
        .example = "\"d\"",
        .words = {"d", "extended-s", "s"}}},
      {"vmc.delta",
       kind::real,
       "Gap of the pairs.",
       {.unit = "hopping of the trial band",
        .default_meaning = "1.0, of bcs",
        .example = "1.0",
        .minimum = 0,
        .above_minimum = true,
        .allowed = "a number > 0 (without a gap: vmc.wavefunction = \"fermi-sea\")"}},
      {"vmc.mu",
       kind::real,
       "Chemical potential of the trial band.",
       {.unit = "its hopping", .default_meaning = "0, of bcs", .example = "0.0"}},
      {"vmc.t2",
       kind::real,
       "Hopping of the trial band to second neighbours.",
       {.unit = "its hopping", .default_meaning = "lattice.t2 / lattice.t, of bcs", .example = "-0.1"}},
      {"vmc.t3",
       kind::real,
       "Hopping of the trial band to third neighbours.",
       {.unit = "its hopping", .default_meaning = "lattice.t3 / lattice.t, of bcs", .example = "0.1"}},
      {"vmc.gutzwiller",
       kind::real,
       "Factor g for each doubly occupied site; Hubbard.",
       {.default_meaning = "1, of Hubbard", .example = "0.5", .minimum = 0, .above_minimum = true}},
      {"vmc.jastrow",
       kind::real_list,
       "Jastrow factor of charges: v of each shell of pairs of sites, in the order of their distances.",
       {.default_meaning = "no factor",
        .example = "[0.0, 0.0]",
        .minimum = -100,
        .maximum = 100,
        .allowed = "a list of numbers from -100 to 100"},
       "psi is multiplied by exp of the sum over pairs of v (n_i - 1)(n_j - 1): v > 0 draws equal charges "
       "together. Shells beyond the list have none; cisolve --check prints the distances."},
      {"vmc.spin_jastrow",
       kind::real_list,
       "Jastrow factor of spins likewise: u of each shell.",
       {.default_meaning = "no factor",
        .example = "[0.0, 0.0]",
        .minimum = -100,
        .maximum = 100,
        .allowed = "a list of numbers from -100 to 100"},
       "exp of the sum over pairs of u Sz_i Sz_j: u < 0 draws opposite spins together. It singles out the z "
       "axis."},
      {"vmc.pair_cutoff",
       kind::text | kind::real,
       "Amplitude of pairs that the gap leaves free, where their band energy is negative.",
       {.default_value = "\"exact\"",
        .words = {"exact"},
        .minimum = 0,
        .above_minimum = true,
        .allowed = "\"exact\" or a number > 0"},
       "exact: the limit of an infinite amplitude. A finite one is for comparison with other programs."},
      {"vmc.optimise",
       kind::text_list,
       "Parameters that are optimised before the run.",
       {.default_value = "[]",
        .words = {},
        .allowed = "a list of \"delta\", \"mu\", \"t2\", \"t3\", \"gutzwiller\", \"jastrow\" and "
                   "\"spin_jastrow\""},
       "By stochastic reconfiguration, see [optimisation]. The values given are where it begins. Of a "
       "Jastrow "
       "factor all shells are optimised that its list has."},
  };
}

std::vector<InputKey> walk_keys() {
  return {
      {"vmc.chains",
       kind::integer,
       "Independent Markov chains.",
       {.default_value = "256", .minimum = 2, .maximum = 1'000'000}},
      {"vmc.sweeps",
       kind::integer,
       "Sweeps that are measured, of each chain; a sweep is as many steps as there are sites.",
       {.default_value = "5000", .minimum = 20, .maximum = 1'000'000'000},
       "With target_error at most so many."},
      {"vmc.target_error",
       kind::real,
       "End as soon as the error of the energy per site is below; 0: all sweeps.",
       {.unit = "t", .default_value = "0.0", .minimum = 0}},
      {"vmc.equilibration",
       kind::integer,
       "Sweeps before the first measurement.",
       {.default_value = "500", .minimum = 0, .maximum = 1'000'000'000},
       "Whether they are enough is judged afterwards, and said."},
      {"vmc.measure_interval",
       kind::integer,
       "Sweeps between energies.",
       {.default_value = "1", .minimum = 1, .maximum = 1'000'000}},
      {"vmc.correlation_interval",
       kind::integer,
       "Sweeps between correlation functions; 0: none.",
       {.default_value = "10", .minimum = 0, .maximum = 1'000'000}},
      {"vmc.neighbour_fraction",
       kind::real,
       "Share of proposals that move an electron to a nearest neighbour.",
       {.default_value = "0.0", .minimum = 0, .maximum = 1},
       "The others go anywhere: of as much use a sweep, and cheaper."},
      {"vmc.exchange_fraction",
       kind::real,
       "Share of proposals that exchange an up and a down electron; Hubbard.",
       {.default_value = "0.25", .minimum = 0, .maximum = 1},
       "In t-J a proposal to a site of the other spin is an exchange."},
      {"vmc.seed",
       kind::integer,
       "Of the random numbers: the same seed gives the same run, on any number of threads and devices.",
       {.default_value = "1", .minimum = 0, .is_wide = true, .allowed = "an integer from 0 to 2^63 - 1"}},
      {"vmc.block",
       kind::integer,
       "Sweeps between recomputations of what is updated; checkpoints are written at their ends.",
       {.default_value = "100", .minimum = 1, .maximum = 1'000'000}},
      {"vmc.drift_tolerance",
       kind::real,
       "Largest relative difference between what was updated and what is recomputed.",
       {.default_value = "1e-6", .minimum = 0, .above_minimum = true}},
      {"vmc.start_attempts",
       kind::integer,
       "Start configurations that are drawn for a chain before giving up.",
       {.default_value = "100000", .minimum = 1, .maximum = 1'000'000'000}},
  };
}

InputSection optimisation_section() {
  return {
      .name = "optimisation",
      .meaning = "How vmc.optimise is done: stochastic reconfiguration.",
      .place = 10,
      .keys =
          {
              {"optimisation.iterations",
               kind::integer,
               "Most iterations.",
               {.default_value = "200", .minimum = 1}},
              {"optimisation.sweeps",
               kind::integer,
               "Sweeps that each chain is measured for, in each iteration.",
               {.default_value = "200", .minimum = 1, .maximum = 1'000'000'000}},
              {"optimisation.step",
               kind::real,
               "Imaginary time of an iteration.",
               {.unit = "1/t",
                .default_meaning = "0.2, or a shorter one for Jastrow factors of Hubbard models",
                .example = "0.2",
                .minimum = 0,
                .above_minimum = true},
               "A step is stable up to twice the inverse of the highest excitation that a parameter stands "
               "for; oscillating parameters tell that it is too long. Where a Jastrow factor of a Hubbard "
               "model "
               "is optimised, it is 1 / (2 |U| + 4 |t|) if that is less than 0.2."},
              {"optimisation.shift",
               kind::real,
               "Share of its diagonal that is added to the overlap matrix.",
               {.default_value = "0.001", .minimum = 0, .above_minimum = true}},
              {"optimisation.trust",
               kind::real,
               "Largest distance of two iterations' states.",
               {.default_value = "0.1", .minimum = 0, .above_minimum = true}},
              {"optimisation.max_change",
               kind::real,
               "Largest change of a parameter in an iteration.",
               {.default_value = "0.2", .minimum = 0, .above_minimum = true}},
              {"optimisation.window",
               kind::integer,
               "Iterations that are averaged to judge convergence, and for the result.",
               {.default_value = "10", .minimum = 1, .maximum = 100'000}},
              {"optimisation.tolerance",
               kind::real,
               "Change of the energy per site, from window to window, of a converged optimisation.",
               {.unit = "t", .default_value = "1e-4", .minimum = 0, .above_minimum = true}},
          },
      .optional = true};
}

bool has_part(const Input& input, std::string_view section) {
  return input.sections.contains(section) || detail::has_section(input.entries, section);
}

}  // namespace

std::vector<InputSection> vmc_sections() {
  InputSection section{
      .name = "vmc",
      .meaning = "Variational Monte Carlo of the model in [lattice], in place of exact states.",
      .place = 9,
      .keys = state_keys(),
      .optional = true};
  for (InputKey& key : walk_keys()) section.keys.push_back(std::move(key));
  return {std::move(section), optimisation_section()};
}

bool is_vmc_key(const InputKey& key) {
  constexpr std::array<std::string_view, 8> others = {
      "states.ms2", "run.device",  "run.gpus",          "run.threads",
      "run.memory", "output.file", "output.checkpoint", "output.checkpoint_interval"};
  const std::string_view section = key.section();
  if (section.empty() || section == "vmc" || section == "optimisation") return true;
  if (section == "lattice") return key.path != "lattice.orbitals" && key.path != "lattice.correlations";
  return std::ranges::find(others, key.path) != others.end();
}

void require_vmc_sections(const Input& input) {
  if (!has_part(input, "lattice")) {
    throw InputError(
        fmt::format("{}: [vmc] samples a model on a lattice, and there is no [lattice]", input.source_name));
  }
  const auto optimise = input.entries.find("vmc.optimise");
  const auto* names = optimise == input.entries.end()
                          ? nullptr
                          : std::get_if<std::vector<std::string>>(&optimise->second.value);
  if (has_part(input, "optimisation") && (names == nullptr || names->empty())) {
    throw InputError(
        fmt::format("{}: [optimisation] has nothing to optimise; give vmc.optimise = [\"delta\"], say",
                    input.source_name));
  }
}

}  // namespace cisolve
