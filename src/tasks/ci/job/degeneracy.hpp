// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/configuration.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// Sets of two or more orbitals that symmetry makes degenerate, each ascending.
using DegenerateShells = std::vector<std::vector<int>>;

/// Orbitals with the same h_pp and the same (pp|pp), to within 1e-6 hartree each: so whatever is occupied.
DegenerateShells degenerate_shells(const Integrals& integrals);

/// The same of orbitals that are told by their energies alone, hartree.
DegenerateShells degenerate_shells(std::span<const double> energies);

/// The same of orbitals that have an energy for each spin: both must agree.
DegenerateShells degenerate_shells(std::span<const double> alpha, std::span<const double> beta);

/// A warning that a set of orbitals cuts a shell; empty if it does not.
/// @param what   begins it: "the CAS"
/// @param names  of the orbitals
std::string cut_warning(std::string_view what, const DegenerateShells& shells, std::span<const int> inside,
                        std::span<const std::string> names);

/// Whether rotations within the shells carry configurations into each other and no others: for each, every way to
/// share out the electrons of a shell is there.
/// @param two_s  spins are taken with Ms = S
bool are_closed(const DegenerateShells& shells,
                std::span<const Configuration<most_string_words>> configurations, int two_s);

/// The same of all configurations of a CAS that keep the bounds, without a look at each.
/// @throws DimensionError if the selection has no CAS
bool are_closed(const DegenerateShells& shells, const SpaceSelection<most_string_words>& selection,
                int two_s);

/// Whether an exchange of orbitals within their shells that exchanges irreps carries one set of configurations into
/// the other.
/// @param irreps  zero-based, of the orbitals
bool are_images(const DegenerateShells& shells, std::span<const int> irreps,
                std::span<const Configuration<most_string_words>> from,
                std::span<const Configuration<most_string_words>> to);

/// The same of all configurations of two CASs of the same orbitals and bounds: whether one's orbitals, bounds and irrep
/// become the other's.
/// @throws DimensionError if a selection has no CAS
bool are_images(const DegenerateShells& shells, const SpaceSelection<most_string_words>& from,
                const SpaceSelection<most_string_words>& to);

}  // namespace cisolve
