// SPDX-License-Identifier: MIT
#include "python/make_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "python/call.hpp"

namespace cisolve::python {
namespace {

using WideDeterminant = Determinant<most_string_words>;

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

/// Words of strings that Python gave: [count], or [count, words].
struct GivenStrings {
  GivenStrings(nb::handle given, const char* name, int num_orbitals) : array(given, name) {
    const auto least = static_cast<std::size_t>((num_orbitals + 63) / 64);
    words = array.ndim() == 2 ? array.shape(1) : 1;
    const bool is_list = array.ndim() == 1 || array.ndim() == 2;
    if (is_list && (words >= least || array.size() == 0)) return;
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

}  // namespace

Space full_space(const Orbitals& orbitals, std::pair<int, int> electrons, const std::optional<Irrep>& irrep) {
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

Space excitation_space(const Orbitals& orbitals, const std::vector<std::string>& references,
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

Space csf_space(const Orbitals& orbitals, const std::vector<std::string>& references,
                const std::variant<int, std::string>& level, int multiplicity,
                const std::optional<Irrep>& irrep) {
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

Space listed_space(const Orbitals& orbitals, const ArrayLike& alpha, const ArrayLike& beta) {
  const Frame frame = frame_of(orbitals);
  const int n = frame.integrals->num_orbitals;
  const GivenStrings alphas(alpha, "alpha", n), betas(beta, "beta", n);
  return with_string_words(
      n, [&]<int Words>() { return listed<Words>(frame, determinants_from<Words>(alphas, betas)); });
}

Space extended(const Space& self, const ArrayLike& alpha, const ArrayLike& beta) {
  if (self.basis->kind() == FunctionKind::csf)
    throw InputError("alpha, beta: determinants do not go with the CSFs of the space");
  const BasisDefinition& definition = self.basis->definition();
  const Frame frame{definition.integrals, definition.point_group};
  const int n = self.num_orbitals();
  const GivenStrings alphas(alpha, "alpha", n), betas(beta, "beta", n);
  return with_string_words(n, [&]<int Words>() {
    const FunctionList list = self.basis->list(false);
    auto all = determinants_of<Words>({.kind = FunctionKind::determinant,
                                       .size = self.size(),
                                       .alpha = list.alpha,
                                       .beta = list.beta,
                                       .steps = {}});
    const auto more = determinants_from<Words>(alphas, betas);
    all.insert(all.end(), more.begin(), more.end());
    return listed<Words>(frame, std::move(all));
  });
}

NumpyArray<std::int64_t> rows_of(const Space& self, const ArrayLike& alpha, const ArrayLike& beta) {
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

}  // namespace cisolve::python
