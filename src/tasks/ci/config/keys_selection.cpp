// SPDX-License-Identifier: MIT
// The table of keys: selection of determinants.
#include "tasks/ci/config/keys.hpp"

namespace cisolve::detail {

namespace kind = value_kind;

namespace {

std::vector<InputKey> end_keys() {
  return {
      {"selection.epsilon",
       kind::real | kind::real_list,
       "Thresholds of the criterion, one stage for each, descending.",
       {.unit = "hartree",
        .default_meaning = "it grows by numbers; heat-bath: halved from 0.01",
        .example = "[1e-3, 5e-4, 2e-4]",
        .minimum = 0,
        .allowed = "a number >= 0, or a descending list of them"},
       "\"heat-bath\": of |H_ai c_i|; \"perturbation\": of |H_ac|^2 / |E - H_aa|. In a stage, determinants "
       "are "
       "added until there are no more, or few (stage_end). 0 adds all that are connected."},
      {"selection.determinants",
       kind::integer,
       "Determinants after which the list grows no more.",
       {.default_value = "1000000",
        .minimum = 1,
        .maximum = 2147483646,
        .allowed = "an integer from 1 to 2147483646"},
       "\"perturbation\" without epsilon and \"amplitude\" end with so many, and those that measure as much "
       "as "
       "the last; with thresholds the list ends once it has as many. What completes configurations "
       "(space.spin_complete) comes on top."},
      {"selection.correction",
       kind::real,
       "Second-order correction of the energy at which the list grows no more, of every root.",
       {.unit = "hartree",
        .default_meaning = "1e-3 where neither epsilon nor determinants is given, else none",
        .example = "1e-3",
        .minimum = 0,
        .above_minimum = true}},
      {"selection.correction_change",
       kind::real,
       "Change of the energy with its correction from round to round at which the list grows no more.",
       {.unit = "hartree",
        .default_meaning = "none",
        .example = "1e-5",
        .minimum = 0,
        .above_minimum = true}},
      {"selection.stage_end",
       kind::real,
       "Share of new determinants below which a stage ends that another follows.",
       {.default_value = "0.01", .minimum = 0, .maximum = 1},
       "The last stage goes on until nothing is added."},
  };
}

std::vector<InputKey> perturbation_keys() {
  return {
      {"selection.perturbation",
       kind::text,
       "How the second-order correction is summed.",
       {.default_value = "\"exact\"", .words = {"exact", "semistochastic", "none"}},
       "\"exact\": over all determinants outside of the list, in memory that does not grow with their "
       "number. "
       "\"semistochastic\": the heaviest strings, and a sample of the others, with an error bar. "
       "\"none\": not at all, and nothing is extrapolated. Neither of these with the criterion "
       "\"perturbation\", which "
       "comes with it."},
      {"selection.perturbation_error",
       kind::real,
       "perturbation = \"semistochastic\": standard error to be reached.",
       {.unit = "hartree", .default_value = "1e-5", .minimum = 0, .above_minimum = true}},
      {"selection.seed",
       kind::integer,
       "perturbation = \"semistochastic\": of the random numbers.",
       {.default_value = "1", .minimum = 0},
       "The same seed gives the same result to the last bit, whatever the number of threads."},
  };
}

}  // namespace

InputSection selection_section() {
  std::vector<InputKey> keys = {
      {"selection.criterion",
       kind::text,
       "By what determinants are selected.",
       {.default_value = "\"perturbation\"", .words = {"perturbation", "heat-bath", "amplitude"}},
       "\"perturbation\" (CIPSI): the second-order contribution |H_ac|^2 / |E - H_aa| of a, with H_ac the "
       "sum of "
       "H_ai c_i over the list. \"heat-bath\": |H_ai c_i| for any i. \"amplitude\" (ASCI): |H_ac / (E - "
       "H_aa)|, which "
       "competes with the |c_i| that are listed. The largest of any root counts."},
      {"selection.growth",
       kind::real,
       "Factor by which the list grows in a round that goes by numbers, at most.",
       {.default_value = "2.0", .minimum = 1, .above_minimum = true},
       "Where determinants alone ends it (no correction or correction_change is given), the list goes there "
       "by equal factors. What completes configurations comes on top."},
      {"selection.core",
       kind::integer,
       "\"amplitude\": determinants of largest coefficients whose connections are looked at.",
       {.default_value = "0", .minimum = 0},
       "They stay in the list. 0: all of it."},
  };
  for (InputKey& key : end_keys()) keys.push_back(std::move(key));
  for (InputKey& key : perturbation_keys()) keys.push_back(std::move(key));
  return {.name = "selection",
          .meaning =
              "A list of determinants that grows out of [space] by those that matter, and a perturbation for "
              "the rest.",
          .place = 5,
          .keys = std::move(keys),
          .optional = true};
}

}  // namespace cisolve::detail
