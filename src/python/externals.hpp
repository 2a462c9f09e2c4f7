// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cisolve/selection/externals.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/hamiltonian.hpp"
#include "python/space.hpp"

// Determinants outside of a space: what a selection of one's own, written in Python, chooses from.

namespace cisolve::python {

/// (alpha, beta) of those with |H_ai c_i| > epsilon.
StringPair connected(const Space& self, const Hamiltonian& hamiltonian, const ArrayLike& vectors,
                     double epsilon, int threads);

/// Which are wanted beside their sums.
struct WantedExternals {
  std::int64_t most = 0;
  double threshold = 0.0;
  std::string measure = "contribution";
};

/// E2 of vectors over the space, {energy, error, variance, externals}, and with {alpha, beta, measures} those wanted.
/// @param error  of a sample; none: the sum over all
nanobind::dict second_order_outside(const Space& self, const Hamiltonian& hamiltonian,
                                    const ArrayLike& vectors, const ArrayLike& energies,
                                    const WantedExternals& wanted, std::optional<double> error,
                                    std::uint64_t seed, int threads);

/// E2 and what goes with it, as Python has them.
nanobind::dict dict_of(SecondOrder sum);

}  // namespace cisolve::python
