// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "cisolve/tasks/flapw/flapw_result.hpp"

namespace cisolve {

/// Writes a result file anew, or adds to one: all but the groups of k-points is written again, and that of one point in place of
/// what there may be of it. In one step: the file is whole at any moment.
/// @param number    of the point, from 1; 0: none
/// @param matrices  H and S of that point, packed; null: they are not written
/// @param is_new    there is no such file yet
void write_flapw(const std::filesystem::path& file, const FlapwResult& result, int number, bool with_vectors,
                 const lapw::HermitianPair* matrices, bool is_new);

/// H and S of a point (from 1) in a file, and its vectors; empty where the file has none.
struct StoredStates {
  lapw::HermitianPair matrices;
  std::vector<double> energies, residual_norms;
  Array<lapw::Complex> vectors;  ///< N x energies.size(), column-major
};
StoredStates read_stored_states(const std::filesystem::path& file, int number);

/// Whether a file holds H and S, and vectors, of a point (from 1) that is done.
bool holds_states(const std::filesystem::path& file, int number);

}  // namespace cisolve
