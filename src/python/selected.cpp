// SPDX-License-Identifier: MIT
#include "python/selected.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/selection/extrapolation.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/externals.hpp"
#include "python/hamiltonian.hpp"
#include "python/operator.hpp"
#include "python/space.hpp"

namespace cisolve::python {
namespace {

/// A list that grows. One thread at a time works with it.
struct GrowingList {
  std::shared_ptr<const Integrals> integrals;
  PointGroup point_group;
  std::unique_ptr<SelectedCi> list;
  int threads = 0;
  std::mutex mutex;

  /// Work on the list, which Python waits for.
  template <class Work>
  void perform(const Work& work) {
    Call call;
    call.run_aside([&] {
      const std::lock_guard lock(mutex);
      const ThreadScope scope(threads);
      work(call);
    });
  }

  std::size_t size() const { return static_cast<std::size_t>(list->size()); }
};

SelectionCriterion criterion_of(const std::string& name) {
  if (name == "perturbation") return SelectionCriterion::perturbation;
  if (name == "heat-bath") return SelectionCriterion::heat_bath;
  if (name == "amplitude") return SelectionCriterion::amplitude;
  throw InputError(fmt::format(
      "criterion: found '{}'; it must be \"perturbation\", \"heat-bath\" or \"amplitude\"", name));
}

void make(GrowingList* self, const Hamiltonian& hamiltonian, const Space& space, int count,
          std::optional<int> multiplicity, double tolerance, const std::string& device, int threads,
          std::optional<std::int64_t> memory, double threshold, double smallest_epsilon) {
  if (count < 1) throw InputError(fmt::format("count: found {}; it must be 1 or more", count));
  require_positive(tolerance, "tolerance");
  require_not_negative(threshold, "threshold");
  require_not_negative(smallest_epsilon, "smallest_epsilon");
  if (memory && *memory <= 0)
    throw InputError(fmt::format("memory: found {}; it must be bytes above 0, or None", *memory));
  if (space.basis->kind() == FunctionKind::csf)
    throw InputError("space: a list grows by determinants, and these are CSFs");
  if (hamiltonian.integrals->irreps != space.basis->definition().integrals->irreps)
    throw InputError(
        "space: its orbitals have other irreps than the Hamiltonian's; make both from one Hamiltonian");
  new (self) GrowingList{.integrals = hamiltonian.integrals,
                         .point_group = hamiltonian.point_group,
                         .list = {},
                         .threads = checked_threads(threads),
                         .mutex = {}};
  BasisDefinition definition = space.basis->definition();
  definition.integrals = hamiltonian.integrals;
  definition.multiplicity = multiplicity;
  PlanOptions options;
  options.solver.num_roots = count;
  options.solver.tolerance = tolerance;
  Resources resources = available_resources(device_of(device));
  if (resources.device_required && resources.devices.empty())
    throw InputError("device: \"cuda\" was asked for, and there is none");
  if (memory) resources.memory = *memory;
  FunctionList list = space.basis->list(false);
  SelectedStart start;
  start.alpha = list.alpha;
  start.beta = list.beta;
  start.words = static_cast<int>(list.alpha.size() / static_cast<std::size_t>(space.size()));
  self->perform([&](Call&) {
    self->list = make_selected_ci(definition, threshold, options, resources, smallest_epsilon, start);
  });
}

nb::dict solve(GrowingList& self) {
  Roots roots;
  self.perform([&](Call& call) {
    roots = self.list->solve(
        [&](const SearchState&) { return call.ask() ? SolverAction::proceed : SolverAction::stop; },
        {.stop = call.stop_token()});
  });
  nb::dict found;
  found["energies"] = to_numpy(std::move(roots.energies));
  found["residual_norms"] = to_numpy(std::move(roots.residual_norms));
  found["converged"] = roots.status == SolverStatus::converged;
  return found;
}

void require_solved(const GrowingList& self) {
  if (self.list->energies().empty())
    throw InputError("the roots over the list are not known yet: call solve() before");
}

nb::dict grow(GrowingList& self, const std::string& criterion, double epsilon, std::int64_t most,
              std::int64_t core) {
  const SelectionPass pass{
      .criterion = criterion_of(criterion), .epsilon = epsilon, .most = most, .accepts = {}, .core = core};
  require_not_negative(epsilon, "epsilon");
  require_not_negative(most, "most");
  require_not_negative(core, "core");
  require_solved(self);
  GrownList grown;
  self.perform(
      [&](Call& call) { grown = self.list->grow(pass, {.progress = {}, .stop = call.stop_token()}); });
  nb::dict found;
  found["added"] = grown.added;
  found["removed"] = grown.removed;
  found["ties"] = grown.ties;
  found["was_cut"] = grown.was_cut;
  return found;
}

nb::dict second_order(GrowingList& self, std::optional<double> error, std::uint64_t seed) {
  if (error) require_positive(*error, "error");
  require_solved(self);
  SecondOrder sum;
  self.perform([&](Call& call) {
    const Wavefunctions wavefunctions{self.list->vectors(), self.list->energies()};
    const ExternalOptions options{.progress = {}, .stop = call.stop_token()};
    if (error) {
      SamplingConfig config;
      config.error = *error;
      config.seed = seed;
      sum = self.list->estimate_second_order(wavefunctions, config, options);
    } else {
      sum = self.list->second_order(wavefunctions, options);
    }
  });
  return dict_of(std::move(sum));
}

NumpyArray<double> vectors_of(const GrowingList& self) {
  const auto given = self.list->vectors();
  std::vector<double> values(given.begin(), given.end());
  const std::size_t count = values.size() / self.size();
  return to_numpy(std::move(values), {count, self.size()});
}

StringPair strings_of(const GrowingList& self) {
  FunctionList list = self.list->list();
  return {strings_array(std::move(list.alpha), self.list->size()),
          strings_array(std::move(list.beta), self.list->size())};
}

std::optional<std::pair<double, double>> extrapolated(const std::vector<double>& energies,
                                                      const std::vector<double>& corrections,
                                                      const std::optional<std::vector<double>>& errors) {
  if (energies.size() != corrections.size() || (errors && errors->size() != energies.size()))
    throw InputError("energies, corrections, errors: there must be as many of each");
  std::vector<SelectedPoint> points;
  for (std::size_t k = 0; k < energies.size(); ++k)
    points.push_back({energies[k], corrections[k], errors ? (*errors)[k] : 0.0});
  const auto found = extrapolate(points);
  if (!found) return std::nullopt;
  return std::pair(found->energy, found->error);
}

}  // namespace

void bind_selected(nb::module_& module) {
  nb::class_<GrowingList>(
      module, "SelectedCI",
      "A CI over a list of determinants that grows by selection.\n\n"
      "Rows are those of the space that it begins with, then in the order in which determinants came:\n\n"
      "    ci = cisolve.SelectedCI(hamiltonian, cisolve.Space.determinants(hamiltonian, alpha, beta))\n"
      "    while len(ci) < 100_000:\n"
      "        ci.solve()\n"
      "        ci.grow(most=2 * len(ci))")
      .def("__init__", &make, nb::arg("hamiltonian"), nb::arg("space"), nb::arg("count") = 1,
           nb::arg("multiplicity") = nb::none(), nb::arg("tolerance") = 1e-6, nb::arg("device") = "auto",
           nb::arg("threads") = 0, nb::arg("memory") = nb::none(), nb::arg("threshold") = 0.0,
           nb::arg("smallest_epsilon") = 0.0,
           "count: roots that are followed. smallest_epsilon: no heat-bath pass will have a smaller one.")
      .def("__len__", [](const GrowingList& self) { return self.size(); })
      .def("solve", &solve, "Finds the lowest roots over the list: {energies, residual_norms, converged}.")
      .def("grow", &grow, nb::arg("criterion") = "perturbation", nb::arg("epsilon") = 0.0,
           nb::arg("most") = 0, nb::arg("core") = 0,
           "Changes the list by what the roots found last say: {added, removed, ties, was_cut}.\n"
           "epsilon: hartree; of heat bath |H_ai c_i|, of perturbation |H_ac|^2 / |E - H_aa| above which "
           "determinants come.\n"
           "most: determinants after the pass, the best; 0: any number. What completes configurations, as in "
           "spaces of\n"
           "excitations, comes on top. core: of amplitude (ASCI).")
      .def("second_order", &second_order, nb::arg("error") = nb::none(), nb::arg("seed") = 1,
           "E2 of the roots found last, hartree: {energy, error, variance, externals}. Of all determinants "
           "outside; with\n"
           "`error` from a sample until the standard error is that.")
      .def_prop_ro(
          "energies",
          [](const GrowingList& self) {
            const auto given = self.list->energies();
            return to_numpy(std::vector<double>(given.begin(), given.end()));
          },
          nb::rv_policy::move, "Of the roots found last, hartree.")
      .def_prop_ro("vectors", &vectors_of, nb::rv_policy::move, "Of the roots found last, [count, size].")
      .def_prop_ro("strings", &strings_of, nb::rv_policy::move, "(alpha, beta) of the list, uint64.")
      .def_prop_ro(
          "nonzeros", [](const GrowingList& self) { return self.list->nonzeros(); },
          "Of the matrix, both triangles.")
      .def("__repr__", [](const GrowingList& self) {
        return fmt::format("<cisolve.SelectedCI of {} determinants>", self.size());
      });
  module.def("extrapolate", &extrapolated, nb::arg("energies"), nb::arg("corrections"),
             nb::arg("errors") = nb::none(),
             "Extrapolates variational energies to E2 = 0: (energy, estimated error), hartree; None: there "
             "is too little to go by.");
}

}  // namespace cisolve::python
