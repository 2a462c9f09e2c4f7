// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

// The active integrals in a result file: with them `cisolve verify` needs nothing else.
namespace cisolve {

/// Whether they are written: where they are small, or no larger than the vectors.
bool stores_integrals(const CiResult& result);

/// Bytes that they take in a file.
std::uint64_t bytes_of_integrals(const CiResult& result);

/// Writes the group `integrals` where stores_integrals.
void write_integrals(Hdf5Group& group, const CiResult& result);

/// Reads that group; null if there is none.
/// @param system  for the number of orbitals and their irreps
/// @param file    for messages
/// @throws InputError if shapes do not fit the orbitals, or a value is none that integrals may have
std::shared_ptr<const Integrals> read_integrals(const Hdf5Group& group, const CiResult::System& system,
                                                const std::filesystem::path& file);

}  // namespace cisolve
