// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// What the comment lines at the head of a basis set in Gaussian94 format say.
struct Gaussian94Head {
  std::string name;                       ///< of the set; that of the file where no line says it
  std::vector<std::string> aliases;       ///< its other names
  std::optional<FunctionType> functions;  ///< what the set was defined with
  std::vector<int> atoms = {};            ///< numbers from 1 of those that take it; empty: all
};

/// Reads the comment lines at the head of a Gaussian94 text.
/// @param file  for messages
/// @throws InputError  the kind of functions is none, or the number of an atom is no integer from 1, with the line
Gaussian94Head read_gaussian94_head(std::string_view text, const std::filesystem::path& file);

/// Reads a basis set from a Gaussian94 text; see read_basis_set.
/// @param file  for messages
/// @throws InputError  refused, with the line
BasisSet read_gaussian94(std::string_view text, const std::filesystem::path& file);

/// The basis of a molecule as a Gaussian94 text, each of its elements once: reading it gives the same shells to the last
/// bit. Where the atoms have several sets, it is a text for each, with the atoms that take it in a comment line
/// "! atoms: 1 3".
/// @param basis     functions of an element are the same on all atoms of one set
/// @param geometry  the atoms, with their sets
/// @param sets      names, and Cartesian or spherical shells of l >= 2
std::string gaussian94_text(const GaussianBasis& basis, const Geometry& geometry,
                            std::span<const Gaussian94Head> sets);

/// Reads what gaussian94_text wrote.
/// @param file      for messages
/// @param geometry  the atoms, which get the number of their set
/// @throws InputError  refused, or an atom that is none
std::vector<BasisSet> read_gaussian94_sets(std::string_view text, const std::filesystem::path& file,
                                           Geometry& geometry);

}  // namespace cisolve
