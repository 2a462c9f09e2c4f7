// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "tasks/input/toml.hpp"

namespace cisolve {

/// What the input of a result says that its groups do not.
class ResolvedInput {
public:
  /// @param text  /input/resolved of a file
  /// @param file  for messages
  /// @throws InputError if it is not TOML
  ResolvedInput(const std::string& text, const std::filesystem::path& file);

  double tolerance() const;                          ///< solver.tolerance, hartree
  double threshold() const;                          ///< hamiltonian.threshold, hartree
  bool follow() const;                               ///< solver.follow
  std::vector<std::int64_t> fixed_orbitals() const;  ///< orbitals.fixed, from 1
  std::string final_orbitals() const;                ///< orbitals.final
  std::string spins() const;                         ///< integrals.spins
  std::vector<double> weights() const;               ///< orbitals.weights, of sum 1; empty: not given
  std::int64_t natural_cycles() const;               ///< orbitals.cycles
  double natural_threshold() const;                  ///< orbitals.natural_threshold
  std::int64_t natural_determinants() const;         ///< orbitals.determinants

  /// Gives the only sector of a result its multiplicity, which files don't say.
  void settle_multiplicity(CiResult& result) const;

private:
  template <class T>
  std::optional<T> value(std::string_view path) const;

  std::vector<detail::TomlItem> items_;
};

}  // namespace cisolve
