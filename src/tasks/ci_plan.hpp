// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cisolve/tasks/ci_config.hpp"
#include "cisolve/tasks/ci_job.hpp"

namespace cisolve {

/// What a run will build and where, settled before the matrix takes memory.
struct CiPlan {
  std::vector<std::int64_t> row_lengths;
  StorageSizes sizes;
  const StorageFormat* format = nullptr;  ///< null: nothing is stored, H is applied string by string ("direct")
  FormatOptions format_options;
  bool on_cuda = false;
  std::string device;             ///< for the report
  std::int64_t matrix_bytes = 0;  ///< direct: tables and work vectors
  std::int64_t vector_bytes = 0;  ///< subspace and work vectors of the solver
  std::int64_t host_bytes = 0;    ///< all that the host will hold
  std::int64_t device_bytes = 0;

  bool is_direct() const { return format == nullptr; }
};

/// The word for the string-driven product in hamiltonian.storage.
inline constexpr std::string_view direct_storage = "direct";

/// Whether this run takes the string-driven product: asked for, or "auto" on the CPU where it is possible.
/// @throws InputError if it is asked for where it is not possible, saying why
bool takes_direct(const CiConfig& config, const Space<string_words>& space);

/// The plan of a run with the string-driven product, on the CPU.
/// @param memory  bytes that the host may use
/// @throws ResourceError  it does not fit; with the numbers and what would
CiPlan make_direct_plan(const CiConfig& config, const CiJob& job, const DirectProduct& product, std::int64_t table_bytes,
                        std::int64_t memory);

/// Sizes known, chooses device and storage.
/// @param memory  bytes that the host may use
/// @throws InputError     device = "cuda" without one
/// @throws ResourceError  it does not fit; with the numbers and what would
CiPlan make_plan(const CiConfig& config, const CiJob& job, std::vector<std::int64_t> row_lengths,
                 std::int64_t table_bytes, std::int64_t memory);

/// The device that a run of this input would use if everything fits, as the report names it.
std::string expected_device(const CiConfig& config);

/// How the solver is set up for this input.
/// @param dimension  of the space: more roots than it has are not asked for
DavidsonConfig davidson_config(const CiConfig& config, std::int64_t dimension);

}  // namespace cisolve
