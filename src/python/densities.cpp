// SPDX-License-Identifier: MIT
#include "python/densities.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "cisolve/analysis/density_bytes.hpp"
#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/resources.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/space.hpp"

namespace cisolve::python {
namespace {

void append(const Matrix& matrix, std::vector<double>& out) {
  for (int p = 0; p < matrix.rows(); ++p) {
    for (int q = 0; q < matrix.columns(); ++q) out.push_back(matrix(p, q));
  }
}

NumpyArray<double> one_particle(const Space& space, const ArrayLike& vectors, int threads) {
  const GivenVectors c(vectors, "vectors", space.size());
  const auto n = static_cast<std::size_t>(space.num_orbitals());
  const auto size = static_cast<std::size_t>(space.size());
  std::vector<double> values;
  Call call;
  call.run([&] {
    const ThreadScope scope(checked_threads(threads));
    for (int k = 0; k < c.count(); ++k) {
      const auto vector = c.values().subspan(static_cast<std::size_t>(k) * size, size);
      const SpinDensities found = space.basis->spin_densities(vector, 1, {*space.basis, vector, 1});
      append(found(0, 0).alpha, values);
      append(found(0, 0).beta, values);
    }
  });
  if (c.is_one()) return to_numpy(std::move(values), {2, n, n});
  return to_numpy(std::move(values), {static_cast<std::size_t>(c.count()), 2, n, n});
}

NumpyArray<double> transition(const Space& bra_space, const ArrayLike& bra, const Space& ket_space,
                              const ArrayLike& ket, int threads) {
  const GivenVectors b(bra, "bra", bra_space.size()), k(ket, "ket", ket_space.size());
  if (!b.is_one() || !k.is_one()) throw InputError("bra, ket: each must be one vector");
  if (bra_space.num_orbitals() != ket_space.num_orbitals())
    throw InputError(fmt::format("ket_space: it is over {} orbitals, bra_space over {}",
                                 ket_space.num_orbitals(), bra_space.num_orbitals()));
  if (bra_space.basis->kind() != ket_space.basis->kind() || bra_space.electrons() != ket_space.electrons())
    throw InputError(
        "ket_space: it must be of the same kind of functions as bra_space, with as many electrons of each "
        "spin");
  const auto n = static_cast<std::size_t>(bra_space.num_orbitals());
  std::vector<double> values;
  Call call;
  call.run([&] {
    const ThreadScope scope(checked_threads(threads));
    const SpinDensities found =
        bra_space.basis->spin_densities(b.values(), 1, {*ket_space.basis, k.values(), 1});
    append(found(0, 0).alpha, values);
    append(found(0, 0).beta, values);
  });
  return to_numpy(std::move(values), {2, n, n});
}

template <class Element>
nb::object four_indices(int num_orbitals, const Element& element) {
  const auto n = static_cast<std::size_t>(num_orbitals);
  Array<double> values(n * n * n * n);
  std::size_t at = 0;
  for (int p = 0; p < num_orbitals; ++p) {
    for (int q = 0; q < num_orbitals; ++q) {
      for (int r = 0; r < num_orbitals; ++r) {
        for (int s = 0; s < num_orbitals; ++s) values[at++] = element(p, q, r, s);
      }
    }
  }
  return nb::cast(to_numpy(std::move(values), {n, n, n, n}));
}

nb::any two_particle(const Space& space, const ArrayLike& vector, bool by_spin, int threads) {
  const GivenVectors c(vector, "vector", space.size());
  if (!c.is_one()) throw InputError("vector: it must be one, not several");
  TwoParticleDensity found;
  std::vector<double> summed;
  Call call;
  call.run([&] {
    const ThreadScope scope(checked_threads(threads));
    found = space.basis->two_particle_density(c.values(), usual_memory());
    if (!by_spin) summed = spin_summed(found);
  });
  const int n = space.num_orbitals();
  const auto size = static_cast<std::size_t>(n);
  if (!by_spin) return any_of(nb::cast(to_numpy(std::move(summed), {size, size, size, size})));
  return any_of(nb::make_tuple(
      four_indices(n, [&](int p, int q, int r, int s) { return found.alpha_alpha(p, q, r, s); }),
      four_indices(n, [&](int p, int q, int r, int s) { return found.alpha_beta(p, q, r, s); }),
      four_indices(n, [&](int p, int q, int r, int s) { return found.beta_beta(p, q, r, s); })));
}

double spin_square(const Space& space, const ArrayLike& vector, int threads) {
  const GivenVectors c(vector, "vector", space.size());
  if (!c.is_one()) throw InputError("vector: it must be one, not several");
  const auto values = c.values();
  double norm = 0.0;
  for (const double x : values) norm += x * x;
  if (norm == 0.0) throw InputError("vector: it is zero");
  std::vector<double> copy(values.begin(), values.end());
  const std::array<double, 1> energy{0.0};
  double found = 0.0;
  Call call;
  call.run([&] {
    const ThreadScope scope(checked_threads(threads));
    for (double& x : copy) x /= std::sqrt(norm);
    found = space.basis->label(energy, copy, {}, nullptr).front().s_squared;
  });
  return found;
}

}  // namespace

void bind_densities(nb::module_& module) {
  module.def(
      "one_particle", &one_particle, nb::arg("space"), nb::arg("vectors"), nb::arg("threads") = 0,
      "Spin-resolved one-particle density matrices <c|a+_p a_q|c>: [2, n, n] (alpha, beta) of a vector,\n"
      "[count, 2, n, n] of several as rows.");
  module.def("transition", &transition, nb::arg("bra_space"), nb::arg("bra"), nb::arg("ket_space"),
             nb::arg("ket"), nb::arg("threads") = 0,
             "Transition densities <bra|a+_p a_q|ket>, [2, n, n]. The spaces may differ, as irreps do; "
             "electrons of each\n"
             "spin must agree.");
  module.def(
      "two_particle", &two_particle, nb::arg("space"), nb::arg("vector"), nb::arg("by_spin") = true,
      nb::arg("threads") = 0,
      "Two-particle density matrices G[p, q, r, s] = <c|a+_p a+_r a_s a_q|c>, which contract with (pq|rs):\n"
      "(alpha-alpha, alpha-beta, beta-beta), where p and q are of the first spin; or their sum over all "
      "spins.");
  module.def("spin_square", &spin_square, nb::arg("space"), nb::arg("vector"), nb::arg("threads") = 0,
             "<S^2> of a vector, which need not be normalised, hbar^2.");
}

}  // namespace cisolve::python
