// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/ci_config.hpp"
#include "cisolve/tasks/ci_job.hpp"

namespace cisolve {

/// What a run will build and where, settled before the matrix takes memory.
struct CiPlan {
  std::vector<std::int64_t> row_lengths;
  StorageSizes sizes;
  const StorageFormat* format = nullptr;
  FormatOptions format_options;
  bool on_cuda = false;
  std::string device;  ///< for the report
  std::int64_t matrix_bytes = 0;
  std::int64_t vector_bytes = 0;  ///< subspace and work vectors of the solver
  std::int64_t host_bytes = 0;    ///< all that the host will hold
  std::int64_t device_bytes = 0;
};

/// What a run holds besides the matrix and vectors.
struct AuxiliaryBytes {
  std::int64_t tables = 0;  ///< integrals and what rows are made from; host
  std::int64_t spin = 0;    ///< S^2 where roots of one spin are wanted; where the matrix is
};

/// Sizes known, chooses device and storage.
/// @param memory   bytes that the host may use
/// @param options  what is known for the formats beside the input
/// @throws InputError     device = "cuda" without one
/// @throws ResourceError  it does not fit; with the numbers and what would
CiPlan make_plan(const CiConfig& config, const CiJob& job, std::vector<std::int64_t> row_lengths,
                 const AuxiliaryBytes& auxiliary, std::int64_t memory, FormatOptions options = {});

/// Bytes that the matrix of a plan would take in a format, as far as the row lengths tell.
std::int64_t bytes_in_format(const StorageFormat& format, const CiJob& job, const CiPlan& plan);

/// Says from a sample of rows that a matrix is far too large for the memory, so that nobody waits for the
/// count of all of them. What passes may still be refused by make_plan.
/// @param function_name  "determinant" or "CSF", for the message
/// @param memory         bytes that the host may use
/// @throws ResourceError with the estimate
void refuse_hopeless(const CiConfig& config, const RowSource& rows, const std::string& function_name,
                     std::int64_t memory);

/// The device that a run of this input would use if everything fits, as the report names it.
std::string expected_device(const CiConfig& config);

/// How the solver is set up for this input.
/// @param dimension  of the space: more roots than it has are not asked for
DavidsonConfig davidson_config(const CiConfig& config, std::int64_t dimension);

}  // namespace cisolve
