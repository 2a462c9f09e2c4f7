// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <variant>

#include "problem/small_problems.hpp"

namespace cisolve::test {

/// Two references of other occupations, so that blocks of strings do not make the space: a list.
inline BasisDefinition listed(int level, std::optional<int> multiplicity) {
  BasisDefinition made = definition({"", "n2_sto3g_stretched.fcidump", level, multiplicity, 0});
  auto& selection = std::get<DeterminantSelection>(made.functions);
  Determinant<most_string_words> other = selection.references.front();
  const int highest = other.alpha.count() - 1;
  for (auto* string : {&other.alpha, &other.beta}) {
    string->reset(highest);
    string->set(highest + 2);
  }
  selection.references.push_back(other);
  selection.spin_complete = multiplicity.has_value();
  return made;
}

/// Singlets over CSFs.
inline BasisDefinition listed_csfs() {
  const BasisDefinition determinants = definition({"", "n2_sto3g_stretched.fcidump", 4, {}, 0});
  const auto& of = std::get<DeterminantSelection>(determinants.functions);
  CsfSelection selection;
  selection.num_orbitals = of.num_orbitals;
  selection.irreps = of.irreps;
  selection.references = {{of.references.front().alpha, {}}};
  selection.excitation_level = of.excitation_level;
  selection.irrep = of.irrep;
  BasisDefinition made = determinants;
  made.functions = selection;
  return made;
}

/// A problem whose H is stored.
struct StoredKind {
  const char* name;
  BasisDefinition (*definition)();
};

inline const StoredKind stored_kinds[] = {
    {"List", [] { return listed(4, {}); }},
    {"ListOfQuintets", [] { return listed(3, 5); }},
    {"Csfs", listed_csfs},
    {"Blocks", [] { return definition(kinds[1]); }},
};

}  // namespace cisolve::test
