// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/hamiltonian.hpp"
#include "python/space.hpp"

// Spaces from what Python says of them. All throw InputError, a sentence that begins with the argument.

namespace cisolve::python {

/// Orbitals alone, or with their irreps.
using Orbitals = std::variant<int, const Hamiltonian*>;
using Irrep = std::variant<int, std::string>;
/// At most so many holes or electrons in some orbitals.
using Limit = std::pair<std::vector<int>, int>;

/// All determinants of (n_alpha, n_beta) electrons.
Space full_space(const Orbitals& orbitals, std::pair<int, int> electrons, const std::optional<Irrep>& irrep);

/// Determinants within a level of references.
Space excitation_space(const Orbitals& orbitals, const std::vector<std::string>& references,
                       const std::variant<int, std::string>& level, const std::optional<Irrep>& irrep,
                       const std::optional<Limit>& max_holes, const std::optional<Limit>& max_particles,
                       bool spin_complete);

/// CSFs likewise, of one spin.
Space csf_space(const Orbitals& orbitals, const std::vector<std::string>& references,
                const std::variant<int, std::string>& level, int multiplicity,
                const std::optional<Irrep>& irrep);

/// Listed determinants, in that order.
Space listed_space(const Orbitals& orbitals, const ArrayLike& alpha, const ArrayLike& beta);

/// The determinants of a space, in their order, and more after them.
Space extended(const Space& self, const ArrayLike& alpha, const ArrayLike& beta);

/// Rows of listed determinants, -1 of those that are not there.
NumpyArray<std::int64_t> rows_of(const Space& self, const ArrayLike& alpha, const ArrayLike& beta);

}  // namespace cisolve::python
