// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// The kind of functions that shells of l >= 2 hold: (l + 1)(l + 2) / 2 Cartesian or 2 l + 1 spherical ones; with
/// `cartesian_d` those of l = 2 are Cartesian and those beyond spherical, as in Gaussian's 6-31G(d).
enum class FunctionType { cartesian, spherical, cartesian_d };

/// What files and reports call it: "cartesian", "spherical", "cartesian d, spherical f".
std::string_view function_type_name(FunctionType functions);

/// The type with a name; none: it is no type's.
std::optional<FunctionType> function_type_of(std::string_view name);

/// A contracted shell of an element.
struct ElementShell {
  int angular_momentum = 0;
  std::vector<double> exponents;     ///< bohr^-2
  std::vector<double> coefficients;  ///< of normalised primitives
};

/// A Gaussian basis set, as read from a Gaussian94 file.
struct BasisSet {
  std::string name;
  std::optional<FunctionType> functions;              ///< what the set was defined with, if the file says so
  std::map<int, std::vector<ElementShell>> elements;  ///< by nuclear charge
  std::set<int> with_core_potential = {};             ///< nuclear charges whose cores the set leaves out
};

/// Names of the sets in a folder of basis sets, ascending.
std::vector<std::string> basis_set_names(const std::filesystem::path& folder);

/// Reads a set by name from the folder (in any case, with or without hyphens; "*" and "**" stand for "(d)" and
/// "(d,p)"), or, if the text has a "/" or ends in ".gbs", a file. Of the files of the folder that have another name it
/// reads the comment lines at the head, no more.
///
/// The file is in Gaussian94 format. Comment lines "! name: ...", "! aliases: ..." and
/// "! functions: cartesian" (or another function_type_name) say what that format does not.
/// @throws InputError   unknown name (with the nearest), or a file that is absent or refused, with its line
/// @throws SystemError  cannot be read
BasisSet read_basis_set(std::string_view name, const std::filesystem::path& folder);

/// A shell of a molecule.
struct GaussianShell {
  int atom = 0;
  int angular_momentum = 0;
  bool spherical = false;            ///< false for s and p
  std::vector<double> exponents;     ///< bohr^-2
  std::vector<double> coefficients;  ///< of normalised primitives
  Position centre = {};
  int first_function = 0;

  int num_functions() const noexcept {
    const int l = angular_momentum;
    return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
  }
};

/// The basis functions of a molecule. Cartesian ones of a shell are ordered xx, xy, xz, yy, yz, zz, and
/// so on; spherical ones by m = -l .. l.
struct GaussianBasis {
  std::vector<GaussianShell> shells;  ///< by atom, each atom's in the order of the set
  int num_functions = 0;
};

/// The functions of a basis set on the atoms of a molecule.
/// @param geometry   the atoms
/// @param set        the basis set
/// @param functions  Cartesian or spherical shells of l >= 2
/// @param where      begins the message
/// @throws InputError  the set lacks an element, naming those that it has, has shells beyond h, or leaves the core of
///                     one to an effective core potential
GaussianBasis make_basis(const Geometry& geometry, const BasisSet& set, FunctionType functions,
                         const std::string& where);

/// The functions of several basis sets on the atoms of a molecule, each atom with those of sets[Atom::set].
/// @param sets   with `functions`; those that don't say are spherical
/// @param where  begins the message
/// @throws InputError  as above
GaussianBasis make_basis(const Geometry& geometry, std::span<const BasisSet> sets, const std::string& where);

/// What kind of functions a basis has in its shells of l >= 2: a function_type_name, or "mixed" where none fits.
/// @param otherwise  of a basis without such shells
std::string function_types(const GaussianBasis& basis, FunctionType otherwise);

/// Parity of each basis function about its own centre: bit 0, 1, 2 is set if it changes sign with x, y, z.
std::vector<int> function_parities(const GaussianBasis& basis);

}  // namespace cisolve
