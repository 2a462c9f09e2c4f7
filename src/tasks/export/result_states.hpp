// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/analysis/natural_orbitals.hpp"
#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/export/export_result.hpp"

namespace cisolve {

/// Zero-based numbers of the roots that an export is of, as the report counts them.
/// @throws InputError  there is no such root
std::vector<std::size_t> chosen_roots(const CiResult& result, const ExportOptions& options,
                                      const std::filesystem::path& file);

/// "root 2", "the average of 3 roots"
std::string states_text(const std::vector<std::size_t>& roots, const ExportOptions& options);

/// A root in determinants, CSFs expanded.
/// @param file  of the result, for messages
/// @throws InputError  the file holds no vectors or is damaged
DeterminantVector<most_string_words> determinants_of_root(const CiResult& result, std::size_t root,
                                                          const std::filesystem::path& file);

/// Natural orbitals of roots, equally weighted, over the active orbitals.
/// @throws InputError  as determinants_of_root
NaturalOrbitals natural_orbitals_of(const CiResult& result, const std::vector<std::size_t>& roots,
                                    const std::filesystem::path& file);

/// One-particle density matrices of all roots, and between them where both have one Ms: those that the file holds, else
/// made of its vectors. The two-particle ones, spin_flip and energy_error are left empty.
/// @return none if the file holds neither
/// @throws InputError  as determinants_of_root
std::optional<CiResult::Density> densities_of(const CiResult& result, const std::filesystem::path& file);

/// The two-particle density matrix of a root: that of the file, else made of its vector.
/// @return none if the file holds neither, or the vector has more than a million determinants
/// @throws InputError  as determinants_of_root
std::optional<TwoParticleDensity> two_particle_density_of(const CiResult& result, std::size_t root,
                                                          const std::filesystem::path& file);

/// Zero-based irreps of the active orbitals.
std::vector<int> active_irreps(const CiResult& result);

}  // namespace cisolve
