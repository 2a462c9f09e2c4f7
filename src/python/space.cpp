// SPDX-License-Identifier: MIT
#include "python/space.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/hamiltonian.hpp"

namespace cisolve::python {
namespace {

using WideDeterminant = Determinant<most_string_words>;

/// Orbitals alone, or with their irreps.
using Orbitals = std::variant<int, const Hamiltonian*>;
using Irrep = std::variant<int, std::string>;
/// At most so many holes or electrons in some orbitals.
using Limit = std::pair<std::vector<int>, int>;

/// What all spaces have in common.
struct Frame {
  std::shared_ptr<const Integrals> integrals;  ///< zero, with irreps
  PointGroup point_group;
};

Frame frame_of(const Orbitals& orbitals) {
  const auto* hamiltonian = std::get_if<const Hamiltonian*>(&orbitals);
  if (hamiltonian != nullptr && *hamiltonian == nullptr)
    throw InputError("orbitals: found None; it must be their number or a Hamiltonian");
  const int n = hamiltonian != nullptr ? (*hamiltonian)->num_orbitals() : std::get<int>(orbitals);
  const int most = WideString::max_orbitals;
  if (n < 1 || n > most) throw InputError(fmt::format("orbitals: found {}; it must be 1 to {}", n, most));
  auto integrals = std::make_shared<Integrals>(n);
  if (hamiltonian == nullptr) return {std::move(integrals), PointGroup()};
  integrals->irreps = (*hamiltonian)->integrals->irreps;
  return {std::move(integrals), (*hamiltonian)->point_group};
}

int irrep_of(const std::optional<Irrep>& irrep, const Frame& frame) {
  if (!irrep) return any_irrep;
  const auto* name = std::get_if<std::string>(&*irrep);
  return frame.point_group.irrep_number(name != nullptr ? *name : std::to_string(std::get<int>(*irrep))) - 1;
}

WideDeterminant first_orbitals(int num_alpha, int num_beta, int num_orbitals) {
  for (const int electrons : {num_alpha, num_beta}) {
    if (electrons >= 0 && electrons <= num_orbitals) continue;
    throw InputError(fmt::format("electrons: found ({}, {}) in {} orbitals; of each spin there are 0 to {}",
                                 num_alpha, num_beta, num_orbitals, num_orbitals));
  }
  return {WideString::lowest(num_alpha), WideString::lowest(num_beta)};
}

/// An occupation such as "22ud0": doubly occupied, alpha, beta, empty.
WideDeterminant determinant_of(const std::string& occupation, int num_orbitals) {
  if (std::ssize(occupation) != num_orbitals) {
    throw InputError(fmt::format("references: '{}' has {} characters for {} orbitals", occupation,
                                 occupation.size(), num_orbitals));
  }
  WideDeterminant d;
  for (int p = 0; p < num_orbitals; ++p) {
    const char c = occupation[static_cast<std::size_t>(p)];
    if (std::string_view("2u").find(c) != std::string_view::npos) d.alpha.set(p);
    if (std::string_view("2d").find(c) != std::string_view::npos) d.beta.set(p);
    if (std::string_view("2ud0").find(c) == std::string_view::npos)
      throw InputError(
          fmt::format("references: '{}' has '{}'; an orbital is 2, u (alpha), d (beta) or 0", occupation, c));
  }
  return d;
}

std::vector<WideDeterminant> references_of(const std::vector<std::string>& occupations, int num_orbitals) {
  if (occupations.empty()) throw InputError("references: there must be one at least");
  std::vector<WideDeterminant> references;
  for (const std::string& occupation : occupations) {
    references.push_back(determinant_of(occupation, num_orbitals));
    const WideDeterminant &first = references.front(), &last = references.back();
    if (first.alpha.count() != last.alpha.count() || first.beta.count() != last.beta.count())
      throw InputError(fmt::format("references: '{}' and '{}' differ in their electrons of a spin",
                                   occupations.front(), occupation));
  }
  return references;
}

WideString orbital_set(const std::vector<int>& orbitals, int num_orbitals, const char* name) {
  WideString set;
  for (const int p : orbitals) {
    if (p < 0 || p >= num_orbitals)
      throw InputError(
          fmt::format("{}: there is no orbital {}; they count from 0 to {}", name, p, num_orbitals - 1));
    set.set(p);
  }
  return set;
}

std::optional<OccupationBound<most_string_words>> bound_of(const std::optional<Limit>& limit,
                                                           int num_orbitals, const char* name) {
  if (!limit) return std::nullopt;
  return OccupationBound<most_string_words>{orbital_set(limit->first, num_orbitals, name), limit->second};
}

int level_of(const std::variant<int, std::string>& level) {
  if (const auto* name = std::get_if<std::string>(&level)) {
    if (*name != "full")
      throw InputError(fmt::format("level: found '{}'; it must be a number or \"full\"", *name));
    return 2 * WideString::max_orbitals;
  }
  const int number = std::get<int>(level);
  if (number < 0) throw InputError(fmt::format("level: found {}; it must be 0 or more", number));
  return number;
}

/// Generates the functions, which may take long.
Space generate(BasisDefinition definition) {
  Space space;
  Call call;
  call.run([&] { space.basis = make_basis(definition, usual_memory()); });
  return space;
}

Space full(const Orbitals& orbitals, std::pair<int, int> electrons, const std::optional<Irrep>& irrep) {
  const Frame frame = frame_of(orbitals);
  const int n = frame.integrals->num_orbitals;
  DeterminantSelection selection{.num_orbitals = n,
                                 .irreps = frame.integrals->irreps,
                                 .references = {first_orbitals(electrons.first, electrons.second, n)},
                                 .excitation_level = 2 * WideString::max_orbitals,
                                 .irrep = irrep_of(irrep, frame)};
  return generate(
      {.integrals = frame.integrals, .functions = std::move(selection), .point_group = frame.point_group});
}

Space excitations(const Orbitals& orbitals, const std::vector<std::string>& references,
                  const std::variant<int, std::string>& level, const std::optional<Irrep>& irrep,
                  const std::optional<Limit>& max_holes, const std::optional<Limit>& max_particles,
                  bool spin_complete) {
  const Frame frame = frame_of(orbitals);
  const int n = frame.integrals->num_orbitals;
  DeterminantSelection selection{.num_orbitals = n,
                                 .irreps = frame.integrals->irreps,
                                 .references = references_of(references, n),
                                 .excitation_level = level_of(level),
                                 .irrep = irrep_of(irrep, frame),
                                 .max_holes = bound_of(max_holes, n, "max_holes"),
                                 .max_particles = bound_of(max_particles, n, "max_particles"),
                                 .spin_complete = spin_complete};
  return generate(
      {.integrals = frame.integrals, .functions = std::move(selection), .point_group = frame.point_group});
}

Space csfs(const Orbitals& orbitals, const std::vector<std::string>& references,
           const std::variant<int, std::string>& level, int multiplicity, const std::optional<Irrep>& irrep) {
  const Frame frame = frame_of(orbitals);
  const int n = frame.integrals->num_orbitals;
  CsfSelection selection{.num_orbitals = n,
                         .irreps = frame.integrals->irreps,
                         .references = {},
                         .excitation_level = level_of(level),
                         .irrep = irrep_of(irrep, frame),
                         .two_s = multiplicity - 1};
  int electrons = 0;
  for (const WideDeterminant& d : references_of(references, n)) {
    selection.references.push_back({d.alpha & d.beta, d.alpha ^ d.beta});
    electrons = d.alpha.count() + d.beta.count();
  }
  if (multiplicity < 1 || (electrons - selection.two_s) % 2 != 0)
    throw InputError(fmt::format("multiplicity: {} does not go with {} electrons", multiplicity, electrons));
  return generate(
      {.integrals = frame.integrals, .functions = std::move(selection), .point_group = frame.point_group});
}

/// Words of strings that Python gave: [count], or [count, words].
struct GivenStrings {
  GivenStrings(nb::handle given, const char* name, int num_orbitals) : array(given, name) {
    const auto least = static_cast<std::size_t>((num_orbitals + 63) / 64);
    words = array.ndim() == 2 ? array.shape(1) : 1;
    if ((array.ndim() == 1 || array.ndim() == 2) && words >= least) return;
    throw InputError(fmt::format("{}: found shape {}; strings over {} orbitals are ({}count, {})", name,
                                 array.shape_text(), num_orbitals, least == 1 ? "count,) or (" : "", least));
  }

  std::size_t size() const { return array.shape(0); }

  template <int Words>
  BitString<Words> operator[](std::size_t i) const {
    BitString<Words> string;
    const auto all = array.values();
    for (std::size_t w = 0; w < std::min<std::size_t>(words, Words); ++w)
      string.words[w] = all[i * words + w];
    return string;
  }

  GivenArray<std::uint64_t> array;
  std::size_t words = 1;
};

template <int Words>
std::vector<Determinant<Words>> determinants_from(const GivenStrings& alpha, const GivenStrings& beta) {
  if (alpha.size() != beta.size())
    throw InputError(fmt::format("alpha, beta: found {} and {} strings; there must be as many", alpha.size(),
                                 beta.size()));
  std::vector<Determinant<Words>> determinants(alpha.size());
  for (std::size_t i = 0; i < determinants.size(); ++i)
    determinants[i] = {alpha.template operator[]<Words>(i), beta.template operator[]<Words>(i)};
  return determinants;
}

template <int Words>
int irrep_of_determinant(const Determinant<Words>& d, const Integrals& integrals) {
  int irrep = 0;
  const auto multiply = [&](int p) { irrep ^= integrals.irreps[static_cast<std::size_t>(p)]; };
  d.alpha.for_each(multiply);
  d.beta.for_each(multiply);
  return irrep;
}

template <int Words>
Space listed(const Frame& frame, std::vector<Determinant<Words>> determinants) {
  const int n = frame.integrals->num_orbitals;
  if (determinants.empty()) throw InputError("alpha, beta: there must be one determinant at least");
  const Determinant<Words>& first = determinants.front();
  const BitString<Words> outside = ~BitString<Words>::lowest(n);
  int irrep = irrep_of_determinant(first, *frame.integrals);
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    const Determinant<Words>& d = determinants[i];
    if ((d.alpha & outside).count() + (d.beta & outside).count() > 0)
      throw InputError(
          fmt::format("alpha, beta: determinant {} occupies an orbital beyond the {} that there are", i, n));
    if (d.alpha.count() != first.alpha.count() || d.beta.count() != first.beta.count())
      throw InputError(fmt::format("alpha, beta: determinant {} has ({}, {}) electrons, the first ({}, {})",
                                   i, d.alpha.count(), d.beta.count(), first.alpha.count(),
                                   first.beta.count()));
    if (irrep != irrep_of_determinant(d, *frame.integrals)) irrep = any_irrep;
  }
  DeterminantSelection selection{
      .num_orbitals = n,
      .irreps = frame.integrals->irreps,
      .references = {{with_words<most_string_words>(first.alpha), with_words<most_string_words>(first.beta)}},
      .excitation_level = 0,
      .irrep = irrep};
  BasisDefinition definition{
      .integrals = frame.integrals, .functions = std::move(selection), .point_group = frame.point_group};
  definition.spin_complete = false;
  Space space;
  Call call;
  call.run([&] {
    std::unique_ptr<cisolve::Space<Words>> list;
    try {
      list = std::make_unique<ListSpace<Words>>(std::move(determinants), n, irrep, 1,
                                                std::vector<std::int64_t>());
    } catch (const DimensionError&) {  // electrons were compared above
      throw InputError("alpha, beta: a determinant is listed twice");
    }
    space.basis = make_basis<Words>(definition, std::move(list));
  });
  return space;
}

Space determinants(const Orbitals& orbitals, nb::handle alpha, nb::handle beta) {
  const Frame frame = frame_of(orbitals);
  const int n = frame.integrals->num_orbitals;
  const GivenStrings alphas(alpha, "alpha", n), betas(beta, "beta", n);
  return with_string_words(
      n, [&]<int Words>() { return listed<Words>(frame, determinants_from<Words>(alphas, betas)); });
}

NumpyArray<std::uint64_t> strings_array(std::vector<std::uint64_t> words, std::int64_t count) {
  const auto rows = static_cast<std::size_t>(count);
  const std::size_t per_string = rows == 0 ? 1 : words.size() / rows;
  if (per_string == 1) return to_numpy(std::move(words), {rows});
  return to_numpy(std::move(words), {rows, per_string});
}

/// Both strings of all determinants, listed once.
nb::tuple strings_of(const Space& self) {
  if (self.basis->kind() == FunctionKind::csf)
    throw InputError("strings: the space is of CSFs, which are no determinants; steps has them");
  FunctionList list = self.basis->list(false);
  return nb::make_tuple(strings_array(std::move(list.alpha), self.size()),
                        strings_array(std::move(list.beta), self.size()));
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

nb::object steps_of(const Space& self) {
  if (self.basis->kind() != FunctionKind::csf)
    throw InputError("steps: the space is of determinants; alpha and beta have them");
  FunctionList list = self.basis->list(false);
  return nb::cast(to_numpy(std::move(list.steps), {static_cast<std::size_t>(self.size()),
                                                   static_cast<std::size_t>(self.num_orbitals())}));
}

NumpyArray<std::int64_t> find(const Space& self, nb::handle alpha, nb::handle beta) {
  const int n = self.num_orbitals();
  const GivenStrings alphas(alpha, "alpha", n), betas(beta, "beta", n);
  std::vector<std::int64_t> rows = with_string_words(n, [&]<int Words>() {
    std::vector<std::uint64_t> alpha_words, beta_words;
    for (const auto& d : determinants_from<Words>(alphas, betas)) {
      alpha_words.insert(alpha_words.end(), d.alpha.words.begin(), d.alpha.words.end());
      beta_words.insert(beta_words.end(), d.beta.words.begin(), d.beta.words.end());
    }
    return self.basis->find(alpha_words, beta_words);
  });
  return to_numpy(std::move(rows));
}

}  // namespace

void bind_space(nb::module_& module) {
  nb::class_<Space>(
      module, "Space",
      "The determinants or CSFs that wavefunctions are expanded in.\n\n"
      "Rows are in the order of files: references first, then by excitation level, alpha string, beta "
      "string;\n"
      "of a list in the order given. All alpha creators stand before all beta ones, orbitals ascending.\n"
      "`orbitals` is their number, or a Hamiltonian, whose irreps then hold.")
      .def_static(
          "full", &full, nb::arg("orbitals"), nb::arg("electrons"), nb::arg("irrep") = nb::none(),
          "All determinants of (n_alpha, n_beta) electrons, of one irrep (name, or number from 1) or of any.")
      .def_static("excitations", &excitations, nb::arg("orbitals"), nb::arg("references"), nb::arg("level"),
                  nb::arg("irrep") = nb::none(), nb::arg("max_holes") = nb::none(),
                  nb::arg("max_particles") = nb::none(), nb::arg("spin_complete") = true,
                  "Determinants within `level` excitations of references such as \"22ud0\" (2, u: alpha, d: "
                  "beta, 0).\n"
                  "max_holes, max_particles: ([orbitals], number), limits of a RAS.\n"
                  "spin_complete: with all arrangements of the open shells' spins.")
      .def_static(
          "determinants", &determinants, nb::arg("orbitals"), nb::arg("alpha"), nb::arg("beta"),
          "Listed determinants, in that order: uint64 [count], bit p is orbital p; of more than 64 orbitals\n"
          "[count, words], the lowest first.")
      .def_static(
          "csfs", &csfs, nb::arg("orbitals"), nb::arg("references"), nb::arg("level"),
          nb::arg("multiplicity"), nb::arg("irrep") = nb::none(),
          "Configuration state functions of one spin; in references u and d both mean singly occupied.")
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
      .def_prop_ro("strings", &strings_of,
                   "(alpha, beta) as `determinants` takes them; made anew at each call.")
      .def_prop_ro(
          "alpha", [](const Space& self) { return nb::object(strings_of(self)[0]); },
          "Alpha strings, uint64.")
      .def_prop_ro(
          "beta", [](const Space& self) { return nb::object(strings_of(self)[1]); }, "Beta strings, uint64.")
      .def_prop_ro("steps", &steps_of,
                   "Steps of CSFs, uint8 [size, n_orbitals]: 0, 1 (S + 1/2), 2 (S - 1/2), 3.")
      .def("find", &find, nb::arg("alpha"), nb::arg("beta"),
           "Rows of determinants, -1 of those that are not there.")
      .def("places", &places_in_product,
           "Where each row stands in the product of all alpha with all beta strings of its electrons, "
           "ascending as numbers, int64:\n"
           "in PySCF's [alpha strings, beta strings], flattened.")
      .def(
          "text", [](const Space& self, std::int64_t row) { return self.basis->text_of(row); },
          nb::arg("row"), "A function as its occupation: \"22ud0\".")
      .def(
          "leading",
          [](const Space& self, nb::handle vector, int most, double minimum_weight) {
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
