// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve::detail {

/// The basis sets that molecule.basis names, and which atoms take which. Of a table, the set of an atom's label comes
/// before that of its element, and this before the default.
class MolecularSets {
public:
  /// @throws InputError  it is absent, or a set is unknown or refused, with the place of the key
  MolecularSets(const EntryReader& reader, const std::string& source_name);

  /// Gives each atom the number of its set.
  /// @throws InputError  an atom has none, or a name of the table is no atom's
  void assign(Geometry& geometry) const;

  /// Each with its kind of functions, which molecule.functions may have chosen.
  const std::vector<BasisSet>& sets() const noexcept { return sets_; }

  /// "cc-pVDZ", or with several sets "cc-pVDZ (O), STO-3G (H2)".
  std::string name(const Geometry& geometry) const;

private:
  /// Number of a set by its name in the input, read if it has not been.
  int number_of(const std::string& given);
  /// Number of the set whose name in the table is this; -1: none.
  int find(std::string_view name) const;
  void require_names_of_atoms(const Geometry& geometry) const;

  const EntryReader& reader_;
  std::vector<BasisSet> sets_;
  std::vector<std::string> given_;  ///< of each set: as the input names it
  std::vector<std::pair<std::string, int>>
      names_;  ///< of the table: "default", "Cu", "H2", and the set's number
};

}  // namespace cisolve::detail
