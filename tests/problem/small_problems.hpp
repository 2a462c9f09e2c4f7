// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/problem/root_finder.hpp"

namespace cisolve::test {

inline constexpr std::int64_t gib = std::int64_t{1} << 30;

/// A problem, small enough for one that stores it, too.
struct Kind {
  const char* name;
  const char* file;
  int level;  ///< 100: full CI
  std::optional<int> multiplicity;
  int irrep;  ///< any_irrep: all
};

inline BasisDefinition definition(const Kind& kind) {
  const FcidumpFile dump = read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / kind.file, {});
  DeterminantSelection selection;
  selection.num_orbitals = dump.integrals.num_orbitals;
  selection.irreps = dump.integrals.irreps;
  selection.irrep = kind.irrep;
  selection.references.push_back({WideString::lowest((dump.num_electrons + dump.ms2) / 2),
                                  WideString::lowest((dump.num_electrons - dump.ms2) / 2)});
  selection.excitation_level = std::min(kind.level, max_excitation_level(selection));
  BasisDefinition made;
  made.integrals = std::make_shared<const Integrals>(dump.integrals);
  made.functions = selection;
  made.multiplicity = kind.multiplicity;
  return made;
}

/// An observer that reads a little and fails.
inline SolverAction fail_to_write(const SearchState& state) {
  const auto columns = state.restart_vectors();
  std::vector<double> some(5);
  columns->read(0, 1, some);
  throw SystemError("the disk is full");
}

inline constexpr Kind kinds[] = {
    {"AllStates", "h2o_sto3g.fcidump", 100, {}, any_irrep},
    {"Singlets", "h2o_sto3g.fcidump", 100, 1, any_irrep},
    {"Triplets", "h2o_sto3g.fcidump", 100, 3, any_irrep},
    {"Doubles", "n2_sto3g_stretched.fcidump", 2, {}, 0},
    {"SingletsAboveQuintets", "n2_sto3g_stretched.fcidump", 100, 1, 6},
};

}  // namespace cisolve::test
