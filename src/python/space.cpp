// SPDX-License-Identifier: MIT
#include "python/space.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/externals.hpp"
#include "python/make_space.hpp"

namespace cisolve::python {
namespace {

/// Both strings of all determinants, listed once.
StringPair strings_of(const Space& self) {
  if (self.basis->kind() == FunctionKind::csf)
    throw InputError("strings: the space is of CSFs, which are no determinants; steps has them");
  FunctionList list = self.basis->list(false);
  return {strings_array(std::move(list.alpha), self.size()),
          strings_array(std::move(list.beta), self.size())};
}

/// Number of a string among all of its electrons in so many orbitals, ascending as numbers.
std::int64_t rank_of(std::span<const std::uint64_t> words) {
  std::int64_t rank = 0;
  int electrons = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      const int p = static_cast<int>(64 * w) + std::countr_zero(rest);
      std::int64_t binomial = 1;  // of p over the electrons up to this one
      ++electrons;
      for (int k = 1; k <= electrons; ++k) binomial = binomial * (p - electrons + k) / k;
      if (p >= electrons) rank += binomial;
    }
  }
  return rank;
}

std::vector<std::int64_t> ranks_of(const std::vector<std::uint64_t>& strings, std::size_t words) {
  std::vector<std::int64_t> ranks(strings.size() / words);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i] = rank_of(std::span(strings).subspan(i * words, words));
  return ranks;
}

/// Where each row stands in the product of all alpha with all beta strings, ascending as numbers.
NumpyArray<std::int64_t> places_in_product(const Space& self) {
  if (self.basis->kind() == FunctionKind::csf)
    throw InputError("places: the space is of CSFs, which are no determinants");
  const BasisSummary summary = self.basis->summary();
  const auto words = static_cast<std::size_t>(summary.words);
  std::int64_t num_beta = 1;
  const auto& first = std::get<DeterminantSelection>(self.basis->definition().functions).references.front();
  for (int k = 1; k <= first.beta.count(); ++k)
    num_beta = num_beta * (self.num_orbitals() - first.beta.count() + k) / k;
  Array<std::int64_t> places(static_cast<std::size_t>(self.size()));
  Call call;
  call.run([&] {
    const bool has_blocks = self.basis->as_product() != nullptr;
    const FunctionList list = self.basis->list(has_blocks);
    if (!has_blocks) {
      const auto alpha = ranks_of(list.alpha, words), beta = ranks_of(list.beta, words);
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = alpha[i] * num_beta + beta[i];
      return;
    }
    const StringBlocks& blocks = list.blocks;
    const auto alpha = ranks_of(blocks.alpha, words), beta = ranks_of(blocks.beta, words);
    const std::int64_t runs = std::ssize(blocks.run_alpha);
#pragma omp parallel for schedule(static)
    for (std::int64_t run = 0; run < runs; ++run) {
      const auto r = static_cast<std::size_t>(run);
      const std::int64_t of_alpha = alpha[static_cast<std::size_t>(blocks.run_alpha[r])] * num_beta;
      const auto members = static_cast<std::size_t>(blocks.run_list[r]);
      auto row = static_cast<std::size_t>(blocks.run_first_row[r]);
      for (std::int64_t m = blocks.list_offsets[members]; m < blocks.list_offsets[members + 1]; ++m)
        places[row++] =
            of_alpha + beta[static_cast<std::size_t>(blocks.list_members[static_cast<std::size_t>(m)])];
    }
  });
  const std::size_t size = places.size();
  return to_numpy(std::move(places), {size});
}

NumpyArray<std::uint8_t> steps_of(const Space& self) {
  if (self.basis->kind() != FunctionKind::csf)
    throw InputError("steps: the space is of determinants; alpha and beta have them");
  FunctionList list = self.basis->list(false);
  return to_numpy(std::move(list.steps),
                  {static_cast<std::size_t>(self.size()), static_cast<std::size_t>(self.num_orbitals())});
}

}  // namespace

std::pair<int, int> Space::electrons() const {
  const auto& functions = basis->definition().functions;
  if (const auto* determinants = std::get_if<DeterminantSelection>(&functions)) {
    const auto& first = determinants->references.front();
    return {first.alpha.count(), first.beta.count()};
  }
  const auto& first = std::get<CsfSelection>(functions).references.front();
  const int electrons = 2 * first.doubly.count() + first.singly.count();
  return {(electrons + basis->ms2()) / 2, (electrons - basis->ms2()) / 2};
}

void bind_space(nb::module_& module) {
  nb::class_<Space>(
      module, "Space",
      "The determinants or CSFs that wavefunctions are expanded in.\n\n"
      "Rows are in the order of files: references first, then by excitation level, alpha string, beta "
      "string;\n"
      "of a list in the order given. All alpha creators stand before all beta ones, orbitals ascending.\n"
      "`orbitals` is their number, or a Hamiltonian, whose irreps then hold.")
      .def_static(
          "full", &full_space, nb::arg("orbitals"), nb::arg("electrons"), nb::arg("irrep") = nb::none(),
          "All determinants of (n_alpha, n_beta) electrons, of one irrep (name, or number from 1) or of any.")
      .def_static("excitations", &excitation_space, nb::arg("orbitals"), nb::arg("references"),
                  nb::arg("level"), nb::arg("irrep") = nb::none(), nb::arg("max_holes") = nb::none(),
                  nb::arg("max_particles") = nb::none(), nb::arg("spin_complete") = true,
                  "Determinants within `level` excitations of references such as \"22ud0\" (2, u: alpha, d: "
                  "beta, 0).\n"
                  "max_holes, max_particles: ([orbitals], number), limits of a RAS.\n"
                  "spin_complete: with all arrangements of the open shells' spins.")
      .def_static(
          "determinants", &listed_space, nb::arg("orbitals"), nb::arg("alpha"), nb::arg("beta"),
          "Listed determinants, in that order: uint64 [count], bit p is orbital p; of more than 64 orbitals\n"
          "[count, words], the lowest first.")
      .def_static(
          "csfs", &csf_space, nb::arg("orbitals"), nb::arg("references"), nb::arg("level"),
          nb::arg("multiplicity"), nb::arg("irrep") = nb::none(),
          "Configuration state functions of one spin; in references u and d both mean singly occupied.")
      .def("extended", &extended, nb::arg("alpha"), nb::arg("beta"),
           "The same determinants in the same rows, and these after them: a list, which is not closed under "
           "spin flips any more.")
      .def("connected", &connected, nb::arg("hamiltonian"), nb::arg("vectors"), nb::arg("epsilon"),
           nb::arg("threads") = 0,
           "(alpha, beta) of the determinants outside with |H_ai c_i| > epsilon (hartree) for any row i of "
           "any "
           "vector,\n"
           "ascending: the step of heat-bath CI (J. Chem. Theory Comput. 12, 3674 (2016)). Rows of one "
           "vector, "
           "or of several [count, size].")
      .def(
          "second_order",
          [](const Space& self, const Hamiltonian& hamiltonian, const ArrayLike& vectors,
             const ArrayLike& energies, std::int64_t most, double threshold, const std::string& measure,
             std::optional<double> error, std::uint64_t seed, int threads) {
            return second_order_outside(self, hamiltonian, vectors, energies, {most, threshold, measure},
                                        error, seed, threads);
          },
          nb::arg("hamiltonian"), nb::arg("vectors"), nb::arg("energies"), nb::arg("most") = 0,
          nb::arg("threshold") = 0.0, nb::arg("measure") = "contribution", nb::arg("error") = nb::none(),
          nb::arg("seed") = 1, nb::arg("threads") = 0,
          "E2 (Epstein-Nesbet) of vectors over the space with these energies, hartree: {energy, error, "
          "variance, externals}.\n"
          "Of all determinants outside; with `error` from a sample until the standard error is that.\n"
          "most, threshold: of them also {alpha, beta, measures}, the best ones first, as the step of CIPSI "
          "or ASCI takes them:\n"
          "no more than `most` (0: any number), above `threshold` in \"contribution\", |H_ac|^2 / |E - "
          "H_aa| in hartree, or \"amplitude\", |H_ac / (E - H_aa)|.")
      .def("__len__", &Space::size)
      .def_prop_ro("size", &Space::size, "Functions: elements of a vector.")
      .def_prop_ro("n_orbitals", &Space::num_orbitals, "Spatial orbitals.")
      .def_prop_ro(
          "kind",
          [](const Space& self) { return self.basis->kind() == FunctionKind::csf ? "csf" : "determinant"; },
          "\"determinant\" or \"csf\".")
      .def_prop_ro(
          "ms2", [](const Space& self) { return self.basis->ms2(); },
          "Alpha less beta electrons; of CSFs those of the determinants that densities expand them in.")
      .def_prop_ro("strings", &strings_of, nb::rv_policy::move,
                   "(alpha, beta) as `determinants` takes them; made anew at each call.")
      .def_prop_ro(
          "alpha", [](const Space& self) { return strings_of(self).first; }, nb::rv_policy::move,
          "Alpha strings, uint64.")
      .def_prop_ro(
          "beta", [](const Space& self) { return strings_of(self).second; }, nb::rv_policy::move,
          "Beta strings, uint64.")
      .def_prop_ro("steps", &steps_of, nb::rv_policy::move,
                   "Steps of CSFs, uint8 [size, n_orbitals]: 0, 1 (S + 1/2), 2 (S - 1/2), 3.")
      .def("find", &rows_of, nb::arg("alpha"), nb::arg("beta"),
           "Rows of determinants, -1 of those that are not there.")
      .def("places", &places_in_product,
           "Where each row stands in the product of all alpha with all beta strings of its electrons, "
           "ascending as numbers, int64:\n"
           "in PySCF's [alpha strings, beta strings], flattened.")
      .def(
          "text",
          [](const Space& self, std::int64_t row) {
            if (row < 0 || row >= self.size())
              throw nb::index_error(
                  fmt::format("row: found {}; they are 0 to {}", row, self.size() - 1).c_str());
            return self.basis->text_of(row);
          },
          nb::arg("row"), "A function as its occupation: \"22ud0\".")
      .def(
          "leading",
          [](const Space& self, const ArrayLike& vector, int most, double minimum_weight) {
            const GivenVectors c(vector, "vector", self.size());
            if (!c.is_one()) throw InputError("vector: it must be one, not several");
            std::vector<std::tuple<std::string, double>> found;
            for (const auto& one : self.basis->leading(c.values(), most, minimum_weight))
              found.emplace_back(one.occupation, one.coefficient);
            return found;
          },
          nb::arg("vector"), nb::arg("most") = 10, nb::arg("minimum_weight") = 0.01,
          "The heaviest functions of a vector: (occupation, coefficient), by weight.")
      .def("__repr__", [](const Space& self) {
        return fmt::format("<cisolve.Space of {} {}s over {} orbitals>", self.size(),
                           self.basis->function_name(), self.num_orbitals());
      });
}

}  // namespace cisolve::python
